#!/usr/bin/env python3
"""Put the golden cases to a running Heat and write down what it answers.

The service is found through the usual ``OS_*`` variables (a password, Keystone
v3).  Every request uses one stack, always called
``golden``, so that the name can be part of a recorded value; the stack is
deleted again after each step.  See README.md beside this file.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.golden.cases import load_cases
from tests.golden.functions import (
    record_conditions,
    record_functions,
    record_matrix,
    require_fresh,
    short_version,
    template_versions,
)
from tests.golden.heat import Heat, Json, Trouble
from tests.golden.recorder import record_jobs

HERE = Path(__file__).resolve().parent
CASES = HERE / "expressions"
RECORDED = HERE / "recorded"


def write(name: str, content: Json) -> None:
    """Write one recorded file in the fixed form."""
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False)
    (RECORDED / name).write_text(text + "\n", encoding="utf-8")


def read(name: str) -> Json:
    """A recorded file, None when there is none yet."""
    path = RECORDED / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def record_expressions(heat: Heat, only: Sequence[str], *, reverse: bool) -> None:
    """Record the cases of all files, or of the named ones."""
    files = [path for path in sorted(CASES.glob("*.yaml")) if not only or path.stem in only]
    present = {path.stem for path in CASES.glob("*.yaml")}
    chosen = {path.stem for path in files}
    jobs = load_cases(files)
    recorded = record_jobs(heat, jobs[::-1] if reverse else jobs)
    old = read("expressions.json") or []
    kept = [entry for entry in old if entry["file"] in present - chosen]
    entries = kept + recorded
    entries.sort(key=lambda entry: (entry["file"], entry["name"], entry["version"]))
    write("expressions.json", entries)
    counts: dict[str, int] = {}
    for entry in entries:
        counts[entry["verdict"]] = counts.get(entry["verdict"], 0) + 1
    print(f"{len(entries)} entries: {counts}")


def main() -> int:
    """Record what the command line asks for."""
    parser = argparse.ArgumentParser(
        description="Record the answers of a running Heat to the golden cases."
    )
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="FILE", help="case files to record, without .yaml"
    )
    parser.add_argument(
        "--reverse",
        action="store_true",
        help="put the cases into other company; the recording must come out the same",
    )
    parser.add_argument(
        "--part",
        choices=["expressions", "functions", "matrix", "conditions"],
        action="append",
        help="what to record; everything when not given",
    )
    options = parser.parse_args()
    parts = options.part or ["expressions", "functions", "matrix", "conditions"]
    RECORDED.mkdir(exist_ok=True)
    try:
        heat = Heat(os.environ)
        require_fresh(heat)
        versions = sorted(short_version(item["version"]) for item in template_versions(heat))
        if "expressions" in parts:
            record_expressions(heat, options.only, reverse=options.reverse)
        if "matrix" in parts:
            write("function_matrix.json", record_matrix(heat, versions))
        if "conditions" in parts:
            write("condition_matrix.json", record_conditions(heat, versions))
        if "functions" in parts:
            write("functions.json", record_functions(heat))
    except Trouble as trouble:
        print(f"record: {trouble}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
