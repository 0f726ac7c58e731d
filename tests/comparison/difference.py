"""Where two recordings of a case differ, and which differences were decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tests.yaml_files import read_yaml

DECISIONS = Path(__file__).resolve().parent / "decisions.yaml"
ABSENT = "<absent>"
# What a refusal says is not compared: ours add the place and what to do.
_NOT_COMPARED = {"message"}
_INNER = {"outputs", "resources", "attributes", "metadata"}


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where we are not like Heat: ``step.field`` and further keys, joined by dots."""

    case: str
    place: str
    heat: Any
    ours: Any

    def __str__(self) -> str:
        return f"{self.case}: {self.place}\n  heat {self.heat!r}\n  ours {self.ours!r}"


@dataclass(frozen=True, slots=True)
class Decision:
    """Differences that are meant: patterns of places in a case, and what we have there."""

    case: str
    places: tuple[str, ...]
    why: str
    ours: Any = ABSENT
    is_given: bool = False

    def is_about(self, case: str) -> bool:
        """Tell whether it was decided for a case."""
        return self.case == case

    def covers(self, difference: Difference, place: str = "") -> bool:
        """Tell whether a difference is what was decided, for one of the places or for any."""
        return (
            self.is_about(difference.case)
            and any(
                fnmatchcase(difference.place, each) for each in ([place] if place else self.places)
            )
            and (not self.is_given or difference.ours == self.ours)
        )


def differences(case: str, heat: Mapping[str, Any], ours: Mapping[str, Any]) -> list[Difference]:
    """Return every place where two recordings differ."""
    found = []
    for step, picture in heat.items():
        before, after = dict(_fields(picture)), dict(_fields(ours[step]))
        # A request that only one of them took has nothing else to compare.
        places = {"refused"} if "refused" in {*before, *after} else {*before, *after}
        absent: tuple[str, ...] = ()
        for place in sorted(places):
            if place.startswith(absent):
                continue
            pair = before.get(place, ABSENT), after.get(place, ABSENT)
            if pair[0] != pair[1]:
                if ABSENT in pair:  # all that belongs to it
                    absent = (*absent, f"{place}.")
                found.append(Difference(case, f"{step}.{place}", *pair))
    return found


def read_decisions() -> list[Decision]:
    """Return all decisions, one for each case that they name."""
    found = []
    for entry in read_yaml(DECISIONS):
        for case, places in entry["places"].items():
            listed = tuple([places] if isinstance(places, str) else places)
            given = "ours" in entry
            found.append(Decision(case, listed, entry["why"], entry.get("ours"), given))
    return found


def _fields(fields: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in fields.items():
        if key in _INNER and isinstance(value, Mapping):
            for name, item in value.items():
                place = f"{prefix}{key}.{name}"
                if key == "resources":
                    yield place, "there"
                    yield from _fields(item, f"{place}.")
                else:
                    yield place, item
        elif key not in _NOT_COMPARED:
            yield f"{prefix}{key}", value
