"""What an update of a large stack leaves alone, found without looking at more than it must."""

from collections.abc import Container
from dataclasses import dataclass, field

from sqlalchemy import Connection

from hotplate.engine.recipes import Bound
from hotplate.model import Stack, Version
from hotplate.store.room.survey import glances, survey, survey_some


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
    lone = bound.template.graph.lone().difference(bound.needed, bound.external_ids())
    told, unchanged = frozenset[str](), bound.unchanged
    if unchanged is not None and unchanged.since == coming_from:
        told = unchanged.among(lone, bound.fingerprints)
    looked_at: set[int] = set()
    others: set[str] = set()
    settled: dict[str, int] = {}
    taken_over: set[int] = set()
    for rows in glances(connection, stack, coming_from if told else ""):
        for number, name, owner, fingerprint in rows:
            if fingerprint is None:
                is_settled = name in told
            else:
                is_settled = name in lone and _is_wanted(bound, name, fingerprint)
            # Which one of two versions counts is chosen with care.
            if is_settled and number not in busy and name not in settled and name not in others:
                settled[name] = number
                if owner == stack.sequence:
                    taken_over.add(number)
                continue
            others.add(name)
            looked_at.add(number)
            if name in settled:
                looked_at.add(settled.pop(name))
    return Surveyed(
        survey_some(connection, stack.id, sorted(looked_at)),
        frozenset(settled),
        sorted(each for each in settled.values() if each not in taken_over),
    )


def _is_wanted(bound: Bound, name: str, fingerprint: str) -> bool:
    return bound.fingerprints.get(name) == fingerprint
