"""What an update of a large stack leaves alone, found without looking at more than it must."""

from collections.abc import Container
from dataclasses import dataclass, field

from sqlalchemy import Connection

from hotplate.engine.recipes import Bound
from hotplate.model import Stack, Version
from hotplate.store.room.survey import (
    other_versions,
    survey,
    survey_some,
    versions_in_order,
)


@dataclass(frozen=True, slots=True)
class Surveyed:
    """The versions of a stack that must be looked at, and those that need not be."""

    versions: list[Version]
    untouched: frozenset[str] = frozenset()
    """Names whose only version is settled, and that have to do with no other resource."""

    owned_by_older: list[int] = field(default_factory=list)
    """Their versions that the present traversal has not taken over yet."""


def survey_for(
    connection: Connection,
    stack: Stack,
    bound: Bound | None,
    busy: Container[int],
    coming_from: str = "",
) -> Surveyed:
    """Return what planning a traversal needs of a stack's versions.

    A version is settled without a further look if it is the only one of its name and in order,
    nothing works on it, the resource depends on no other and no other asks anything of it, and its
    fingerprint is the one that is wanted: `is_as_wanted` goes by nothing else then. Where that is
    wanted as it was by the recipe that the stack ``coming_from`` has, no fingerprint is read.
    """
    if bound is None or stack.converges or not bound.fingerprints:
        return Surveyed(survey(connection, stack.id))
    wanted, unchanged = bound.fingerprints, bound.unchanged
    is_known = unchanged is not None and unchanged.since == coming_from

    def is_unchanged(name: str) -> bool:
        return is_known and unchanged is not None and unchanged.holds_for(name, wanted)

    others = other_versions(connection, stack.id)
    lone = set(bound.template.graph.lone())
    lone.difference_update(bound.needed, bound.external_ids(), others.values())
    looked_at = set(others)
    settled: dict[str, tuple[int, int]] = {}
    for number, name, owner, fingerprint in versions_in_order(
        connection, stack.id, coming_from, is_unchanged
    ):
        # Each name is settled by the first version that there is of it, or not at all: which one
        # of two counts is chosen with care.
        if name in lone and number not in busy and _is_wanted(bound, name, fingerprint):
            settled[name] = number, owner
        else:
            looked_at.add(number)
            if name in settled:
                looked_at.add(settled.pop(name)[0])
        lone.discard(name)
    return Surveyed(
        survey_some(connection, stack.id, sorted(looked_at)),
        frozenset(settled),
        [number for number, owner in settled.values() if owner != stack.sequence],
    )


def _is_wanted(bound: Bound, name: str, fingerprint: str | None) -> bool:
    return fingerprint is None or bound.fingerprints.get(name) == fingerprint
