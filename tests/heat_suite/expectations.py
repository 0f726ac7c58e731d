"""What the page on Heat's suite says of its tests, and whether a run agrees with it.

The page is read as it is: every table whose first column is called "test" holds tests, under the
heading that says what becomes of them. A name that ends in ``*`` stands for all that begin so.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "heat-suite.md"
KINDS = frozenset(("cloud type", "decision", "identity", "other interface"))

_ID = re.compile(r"\[id-[0-9a-f-]+\]$")
_ROW = re.compile(r"^\| `(?P<test>[^`]+)` \| (?P<kind>[^|]+) \|")


class Verdict(Enum):
    """What becomes of a test, in the words of the page's headings."""

    PASSES = "Pass"
    FAILS_HERE = "Fail here, pass in Heat"
    FAILS_IN_BOTH = "Fail in a Heat without a cloud as well"
    FAILS_IN_HEAT = "Pass here, fail in a Heat without a cloud"
    SKIPPED = "Skipped"


_FAILING = (Verdict.FAILS_HERE, Verdict.FAILS_IN_BOTH)
_IN_HEAT = (Verdict.PASSES, Verdict.FAILS_HERE)


@dataclass(frozen=True, slots=True)
class Listed:
    """A row of the page."""

    test: str
    kind: str
    verdict: Verdict

    def covers(self, name: str) -> bool:
        """Tell whether the row speaks of a test."""
        if self.test.endswith("*"):
            return name.startswith(self.test[:-1])
        return name == self.test


def plain_name(test_id: str) -> str:
    """Return the name of a test without the id that tempest gives it."""
    return _ID.sub("", test_id)


def listed(text: str) -> list[Listed]:
    """Return the rows of the page. Raises ValueError for a row of no known kind."""
    rows, verdict = [], None
    for line in text.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
            verdict = next((each for each in Verdict if each.value == heading), None)
        elif (found := _ROW.match(line)) is not None and verdict is not None:
            kind = found["kind"].strip()
            if verdict in _FAILING and kind not in KINDS:
                raise ValueError(f"{found['test']}: {kind} is none of {', '.join(sorted(KINDS))}")
            rows.append(Listed(found["test"], kind, verdict))
    return rows


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run beside what the page says."""

    verdicts: Mapping[str, Verdict]
    statuses: Mapping[str, str]
    unused: tuple[str, ...]
    """Rows that speak of no test."""

    def surprises(self) -> Iterator[tuple[str, str]]:
        """Yield each test that did not do what the page says, and what it did."""
        for row in self.unused:
            yield row, "is listed, and there is no such test"
        for name, status in sorted(self.statuses.items()):
            verdict = self.verdicts[name]
            if verdict is Verdict.SKIPPED:
                if status != "skip":
                    yield name, f"is listed as skipped: {status}"
            elif verdict in _FAILING:
                if status != "fail":
                    yield name, f"is listed as a failure: {status}"
            elif status != "success":
                yield name, f"should pass: {status}"

    @property
    def in_heat(self) -> int:
        """How many tests a Heat without a cloud passes."""
        return sum(verdict in _IN_HEAT for verdict in self.verdicts.values())

    @property
    def passed_of_those(self) -> int:
        """How many of these have passed here."""
        return sum(
            self.statuses[name] == "success"
            for name, verdict in self.verdicts.items()
            if verdict in _IN_HEAT
        )


def compared(statuses: Mapping[str, str], rows: list[Listed]) -> Comparison:
    """Put the results of tests, by their ids, beside the rows of the page."""
    verdicts = {}
    used = set()
    for name in statuses:
        row = next((each for each in rows if each.covers(plain_name(name))), None)
        verdicts[name] = Verdict.PASSES if row is None else row.verdict
        used.add(row)
    return Comparison(verdicts, statuses, tuple(row.test for row in rows if row not in used))
