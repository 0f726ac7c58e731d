"""Run Heat's own functional tests against a server: python -m tests.heat_suite [PATTERN].

All of them are compared with docs/heat-suite.md: a failure that is not listed there fails the
run, and so does a pass of what is listed as a failure. With a pattern only the tests whose names
it fits are run, and what they say is printed. HOTPLATE_HEAT_SUITE_PYTHON names the Python of an
environment that has the suite; otherwise the locked one is installed below build.
"""

import argparse
import json
import os
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from tests.heat_suite.expectations import PAGE, compared, listed
from tests.heat_suite.running import Result, run_suite
from tests.locked_environment import locked_environment

_TESTS = Path(__file__).resolve().parents[1]
_HOME = _TESTS.parent / "build" / "heat-suite"
_LOCK = _TESTS / "heat-suite.lock"
_MOST_REPEATED = 12
"""Tests that are tried once more."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.heat_suite")
    parser.add_argument("pattern", nargs="?", default="", help="run only tests that fit it")
    parser.add_argument("--concurrency", type=int, default=6, help="tests at a time")
    asked = parser.parse_args()
    given = os.environ.get("HOTPLATE_HEAT_SUITE_PYTHON")
    began = time.monotonic()
    python = Path(given) if given else locked_environment("heat-suite", _LOCK)
    print(f"the suite is installed ({time.monotonic() - began:.0f} s)", flush=True)
    began = time.monotonic()
    results = _run(python, asked.concurrency, asked.pattern)
    seconds = time.monotonic() - began
    counts = Counter(result.status for result in results.values())
    told = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    print(f"{len(results)} tests in {seconds:.0f} s: {told}")
    if asked.pattern:
        return _tell(results)
    return _compare(python, results)


def _run(python: Path, concurrency: int, pattern: str) -> dict[str, Result]:
    folder = _HOME / "run"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return run_suite(python, folder, concurrency, pattern)


def _tell(results: Mapping[str, Result]) -> int:
    failed = {name: each for name, each in sorted(results.items()) if each.status == "fail"}
    for name, result in failed.items():
        print(f"\n{name}\n{result.text.rstrip()}")
    return 1 if failed or not results else 0


def _compare(python: Path, results: dict[str, Result]) -> int:
    rows = listed(PAGE.read_text(encoding="utf-8"))
    comparison = compared({name: each.status for name, each in results.items()}, rows)
    doubtful = [name for name, _ in comparison.surprises() if name in results]
    if 0 < len(doubtful) <= _MOST_REPEATED:
        # These tests wait by the clock; on a machine with other work one may come too late.
        again = _run(python, 1, "|".join(f"^{re.escape(name)}$" for name in doubtful))
        for name in doubtful:
            if name in again and again[name].status != results[name].status:
                print(f"{name}: {results[name].status}, and {again[name].status} the second time")
        results |= again
        comparison = compared({name: each.status for name, each in results.items()}, rows)
    (_HOME / "results.json").write_text(
        json.dumps({name: [each.status, each.text] for name, each in sorted(results.items())})
    )
    surprises = list(comparison.surprises())
    for name, what in surprises:
        print(f"\n{name} {what}")
        if name in results:
            print(results[name].text.rstrip()[-2000:])
    passed, of_all = comparison.passed_of_those, comparison.in_heat
    print(f"{passed} of the {of_all} tests pass that a Heat without a cloud passes")
    print("not as docs/heat-suite.md says" if surprises else "all as docs/heat-suite.md says")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
