"""What an update of a large stack leaves alone, found without looking at more than it must."""

from array import array
from collections.abc import Container, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import Connection

from hotplate.document.names import Names, spans_of
from hotplate.engine.recipes.book import Bound
from hotplate.model import Stack, Version
from hotplate.store.carried import APART
from hotplate.store.large.survey import (
    Glance,
    counted,
    glances,
    named,
    survey,
    survey_independent,
    survey_some,
)

_OLDEST: Final = 200
"""How much older an owner may be than the traversal that carries its versions.

The recipe of each owner is kept as long as one of its versions has not been written.
"""


@dataclass(frozen=True, slots=True)
class Surveyed:
    """The versions of a stack that must be looked at, and those that need not be."""

    versions: list[Version]
    untouched: AbstractSet[str] = frozenset()
    """Names of independent resources whose only version is settled."""

    owned_by_older: list[int] = field(default_factory=list)
    """Their versions that the present traversal does not own yet."""

    carries: bool = False
    """Whether it carries all others of them."""

    independent: Sequence[int] = ()
    """Independent versions that are not looked at either, as the same is to be done with all of
    them: they are visited or deleted. Nothing is being done with them."""

    changed: Sequence[int] = ()
    changed_names: AbstractSet[str] = frozenset()
    """The same of those that are updated, and their names."""


def survey_for(
    connection: Connection,
    stack: Stack,
    bound: Bound | None,
    busy: Container[int],
    coming_from: str = "",
    may_carry: bool = False,
) -> Surveyed:
    """Return what planning a traversal needs of a stack's versions.

    A version is settled without a further look if it is the only one of its name and in order,
    nothing works on it, the resource depends on no other and no other asks anything of it, and its
    fingerprint is the one that is wanted: `is_as_wanted` goes by nothing else then. Where that is
    wanted as it was by the recipe that the stack ``coming_from`` has, no fingerprint is read.

    ``may_carry``: nothing of an older traversal is being worked on. Such work ends with writing the
    owner that it knows, which the traversal would then take for its own.
    """
    if bound is None:
        versions, ids = survey_independent(connection, stack, busy)
        return Surveyed(versions, independent=ids)
    if stack.converges or not bound.fingerprints:
        return Surveyed(survey(connection, stack.id))
    unchanged_names: AbstractSet[str] = frozenset()
    unchanged = bound.unchanged
    independent = (
        bound.template.graph.independent() - bound.needed.keys() - bound.external_ids().keys()
    )
    if unchanged is not None and unchanged.since == coming_from:
        unchanged_names = unchanged.among(independent, bound.fingerprints)
        if unchanged_names and may_carry:
            beside = unchanged.beside(unchanged_names, bound.fingerprints)
            found = _counted(
                connection, stack, bound, coming_from, independent, unchanged_names, beside
            )
            if found is not None:
                return found
    # Each row is looked up in them.
    sorted_rows = _SortedRows(
        stack, bound, frozenset(independent), frozenset(unchanged_names), busy
    )
    for rows in glances(connection, stack, coming_from if unchanged_names else ""):
        sorted_rows.add(rows)
    return sorted_rows.surveyed(connection, may_carry)


def _counted(
    connection: Connection,
    stack: Stack,
    bound: Bound,
    coming_from: str,
    independent: AbstractSet[str],
    unchanged_names: AbstractSet[str],
    beside: AbstractSet[str],
) -> Surveyed | None:
    """Return the same without reading what was confirmed for the recipe that the stack comes from.

    ``unchanged_names`` are wanted as they were by that recipe, ``beside`` are all others of the
    two. Each name that was confirmed is one of them. So if none has two versions, and as many
    versions were confirmed as names are unchanged, each of these has one. None if that is not so.
    """
    if len(beside) > len(unchanged_names):
        return None
    found = counted(connection, stack, coming_from, *_carried_owners(stack))
    if found is None:
        return None
    others = {row[0] for row in found.others}
    looked_at = set(named(connection, stack, sorted(beside)))
    exceptions = {row[1] for row in found.others if row[1] in unchanged_names}
    if found.number != len(unchanged_names) - len(exceptions) + len(looked_at - others):
        return None
    sorted_rows = _SortedRows(stack, bound, independent, unchanged_names, ())
    sorted_rows.add(row for row in found.others if row[0] not in looked_at)
    sorted_rows.looked_at |= looked_at
    surveyed = sorted_rows.surveyed(connection, True, found.number)
    if not surveyed.carries:
        return None
    untouched = (unchanged_names - exceptions) | surveyed.untouched
    return Surveyed(surveyed.versions, untouched, surveyed.owned_by_older, True)


def _carried_owners(stack: Stack) -> tuple[int, int]:
    """Return the oldest and the newest owner whose versions the traversal of a stack may carry."""
    return stack.sequence - _OLDEST, stack.sequence - APART


class _SortedRows:
    """Glances at versions: which of them are settled, and which must be looked at."""

    def __init__(
        self,
        stack: Stack,
        bound: Bound,
        independent: AbstractSet[str],
        unchanged_names: AbstractSet[str],
        busy: Container[int],
    ) -> None:
        self.looked_at: set[int] = set()
        self._stack = stack
        self._bound = bound
        self._independent = independent
        self._unchanged_names = unchanged_names
        self._busy = busy
        self._others: set[str] = set()
        self._settled: dict[str, int] = {}
        self._changed: dict[str, int] = {}
        self._removed: dict[str, int] = {}
        self._written: set[int] = set()
        self._taken_over: set[int] = set()

    def add(self, rows: Iterable[Glance]) -> None:
        """Sort some rows."""
        settled, others, independent, unchanged_names = (
            self._settled,
            self._others,
            self._independent,
            self._unchanged_names,
        )
        names = self._bound.template.graph
        busy, bound, sequence = self._busy, self._bound, self._stack.sequence
        oldest, newest = _carried_owners(self._stack)
        for number, name, owner, fingerprint in rows:
            if fingerprint is None:
                is_settled = name in unchanged_names
            else:
                is_settled = name in independent and _is_wanted(bound, name, fingerprint)
            # Which one of two versions counts is chosen with care.
            earlier = self._where(name)
            is_alone = number not in busy and earlier is None and name not in others
            if is_alone and not is_settled and fingerprint != "":
                if name in independent and name in bound.fingerprints:
                    self._changed[name] = number
                    continue
                if name not in names:
                    self._removed[name] = number
                    continue
            if is_alone and is_settled:
                settled[name] = number
                if owner == sequence:
                    self._taken_over.add(number)
                elif not oldest <= owner <= newest:
                    self._written.add(number)
                continue
            others.add(name)
            self.looked_at.add(number)
            if earlier is not None:
                self.looked_at.add(earlier.pop(name))

    def _where(self, name: str) -> dict[str, int] | None:
        """Return where an earlier version of a name has been sorted, if it was."""
        kinds = (self._settled, self._changed, self._removed)
        return next((each for each in kinds if name in each), None)

    def surveyed(self, connection: Connection, may_carry: bool, more: int = 0) -> Surveyed:
        """Return what was found; ``more`` versions that were not sorted are settled as well.

        Versions of one name are in order by their owners: where there are several, all stay as
        they are, and nothing is carried.
        """
        settled = set(self._settled.values()) - self._taken_over
        carried = settled - self._written
        loose = {*self._changed.values(), *self._removed.values()}
        versions = survey_some(connection, self._stack.id, sorted(self.looked_at))
        has_lone_names = len(versions) == len({version.name for version in versions})
        carries = may_carry and has_lone_names and len(carried) + more > len(versions) + len(loose)
        # What is not carried is written, and so is looked at. What others require has an order.
        required = {number for each in versions for number in (*each.requires, each.replaces)}
        more_to_see = loose if carries else loose & required
        if more_to_see:
            self.looked_at |= more_to_see
            versions = survey_some(connection, self._stack.id, sorted(self.looked_at))
        to_write = settled & self._written if carries else settled
        changed = {k: each for k, each in self._changed.items() if each not in more_to_see}
        removed = (each for each in self._removed.values() if each not in more_to_see)
        return Surveyed(
            versions,
            frozenset(self._settled),
            sorted(to_write),
            carries,
            array("q", sorted(removed)),
            array("q", sorted(changed.values())),
            Names(spans_of(changed)) if changed else frozenset(),
        )


def _is_wanted(bound: Bound, name: str, fingerprint: str) -> bool:
    return bound.fingerprints.get(name) == fingerprint
