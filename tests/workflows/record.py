"""Write down what a real Mistral makes of the cases.

`python -m tests.workflows.record URL [WHICH...]`: URL ends in /v2, WHICH names a case, a file of
cases, or `missing` for those not recorded or not come to an end. Without it all are run.
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from tests.workflows.case import HERE, all_cases
from tests.workflows.over_api import WorkflowApi

RECORDED = HERE / "recorded.json"
AT_ONCE = 2


def main(url: str, which: list[str]) -> None:
    """Run the cases and merge what they gave into the recording."""
    cases = all_cases()
    known = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
    missing = {c.name for c in cases if "stuck" in known.get(c.name, {"stuck": ""})}
    asked = [
        case
        for case in cases
        if not which
        or {case.name, case.file} & set(which)
        or ("missing" in which and case.name in missing)
    ]
    with WorkflowApi(url) as real, ThreadPoolExecutor(AT_ONCE) as pool:
        futures = {pool.submit(real.run, case): case for case in asked}
        for future in as_completed(futures):
            known[futures[future].name] = future.result()
            _write({case.name: known[case.name] for case in cases if case.name in known})
    print(f"{len(asked)} of {len(cases)} cases recorded")


def _write(known: dict[str, Any]) -> None:
    RECORDED.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
