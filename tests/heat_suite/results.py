"""Print what a subunit stream tells, as JSON. Runs in the environment of Heat's suite."""

import json
import sys
from pathlib import Path
from typing import Any


def main(path: Path) -> None:
    import subunit  # noqa: PLC0415 (only that environment is sure to have it)
    import testtools  # noqa: PLC0415

    found: dict[str, dict[str, str]] = {}

    def note(test: Any) -> None:
        if test["status"] not in _ENDED:
            return  # it was only found
        texts = [each.as_text() for name, each in test["details"].items() if name in _TOLD]
        found[test["id"]] = {"status": test["status"], "text": "\n".join(texts)}

    reader = testtools.StreamToDict(note)
    reader.startTestRun()
    with path.open("rb") as stream:
        subunit.ByteStreamToStreamResult(stream, non_subunit_name="output").run(reader)
    reader.stopTestRun()
    json.dump(found, sys.stdout)


_ENDED = ("success", "fail", "skip")
_TOLD = ("reason", "traceback")

if __name__ == "__main__":
    main(Path(sys.argv[1]))
