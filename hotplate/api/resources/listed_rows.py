"""Which versions of resources a listing shows: the one that stands for a name, and older ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from hotplate.api.resources.filters import Filters
from hotplate.model import Action, Status
from hotplate.store.tree import ListedVersion

_GOING = Action.DELETE.value
_COMPLETE = Status.COMPLETE.value
_IN_PROGRESS = Status.IN_PROGRESS.value


class Old(Enum):
    """What a listing does with old versions."""

    LISTED = "listed"
    """Each has a row of its own, and so have the resources of its nested stack."""

    FOUND = "found"
    """One row for each name; an old version has it if the filters want that one and no newer."""

    HIDDEN = "hidden"
    """One row for each name, which is that of the version that stands for it."""


@dataclass(frozen=True, slots=True)
class Row:
    """A version that is listed. ``is_old``: another one, or none, stands where it stood."""

    item: ListedVersion
    is_old: bool


class Rows:
    """Chooses the rows of one listing, stack by stack; a stack comes after those around it."""

    def __init__(self, old: Old, filters: Filters, is_deletion: bool) -> None:
        self._old = old
        self._lets_pass = filters.lets_pass
        self._is_deletion = is_deletion
        """The list of a deletion keeps what is deleted already."""

        self._old_stacks: set[str] = set()
        """Nested stacks of old versions, and what is nested in these."""

    def of(self, group: Sequence[ListedVersion]) -> list[Row]:
        """Return the rows for all versions of a stack, by name in the order of their making.

        An old version follows the one that stands for its name, the newest first.
        """
        if not group:
            return []
        is_below_old = group[0].stack_id in self._old_stacks
        current = standing(group)
        if len(current) < len(group) or is_below_old:
            kept = set() if is_below_old else {item.child_id for item in current}
            children = {item.child_id for item in group if item.child_id is not None}
            self._old_stacks |= children - kept
        if is_below_old and self._old is not Old.LISTED:
            return []
        if len(current) == len(group) or self._old is Old.HIDDEN:
            return [Row(item, is_below_old) for item in current if self._lets_pass(item)]
        older = self._older(group, current)
        rows: list[Row] = []
        for item in current:
            old = [Row(each, True) for each in older.get(item.name, ())]
            rows_of_name = [Row(item, is_below_old), *old]
            fitting = [row for row in rows_of_name if self._lets_pass(row.item)]
            rows.extend(fitting if self._old is Old.LISTED else fitting[:1])
        return rows

    def _older(
        self, group: Sequence[ListedVersion], current: Sequence[ListedVersion]
    ) -> dict[str, list[ListedVersion]]:
        stand = {item.id for item in current}
        older: dict[str, list[ListedVersion]] = {}
        for item in sorted(group, key=_rank, reverse=True):
            if item.id not in stand and (self._is_deletion or is_there(item)):
                older.setdefault(item.name, []).append(item)
        return older


def is_there(item: ListedVersion) -> bool:
    """Return whether an old version has an object, may have one, or is being removed."""
    if item.action == _GOING:
        return item.status != _COMPLETE
    return item.physical_id is not None or item.status == _IN_PROGRESS


def standing(group: Sequence[ListedVersion]) -> Sequence[ListedVersion]:
    """Return the version that stands for each name: the newest that is not going away."""
    standing: dict[str, ListedVersion] = {}
    for item in group:
        present = standing.get(item.name)
        if present is None or _rank(item) >= _rank(present):
            standing[item.name] = item
    if len(standing) == len(group):
        return group
    return list(standing.values())


def _rank(item: ListedVersion) -> tuple[bool, int, int]:
    return item.action != _GOING, item.owner, item.id
