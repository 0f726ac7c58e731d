"""Play every case on a running Heat and write down what it looks like there.

    python -m tests.comparison.record            # all cases
    python -m tests.comparison.record NAME ...   # only these; the other recordings stay

Heat is reached through the usual OS_* variables.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from tests.comparison.play import Case, play, read_cases
from tests.comparison.service import Service, heat

RECORDED = Path(__file__).resolve().parent / "recorded"
AT_ONCE = 6


def read(name: str) -> dict[str, Any]:
    """Return the recording of a case."""
    recording: dict[str, Any] = json.loads((RECORDED / f"{name}.json").read_text("utf-8"))
    return recording


def main(names: Iterable[str]) -> int:
    """Record the cases of these names, all without any; return the exit code."""
    cases = read_cases()
    wanted = list(names) or list(cases)
    if unknown := sorted(set(wanted) - set(cases)):
        print("no such case: " + ", ".join(unknown), file=sys.stderr)
        return 2
    service = heat(os.environ)
    failed = 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        futures = {pool.submit(_record, service, cases[name]): name for name in wanted}
        for future in as_completed(futures):
            fault = future.exception()
            failed += fault is not None
            print(futures[future], "recorded" if fault is None else repr(fault), flush=True)
    return 1 if failed else 0


def _record(service: Service, case: Case) -> None:
    text = json.dumps(play(service, case), indent=1, ensure_ascii=False)
    (RECORDED / f"{case.name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
