"""The versions of a stack as a preview needs them: of a large one, few are read whole."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import Connection

from hotplate.engine.recipes.book import Bound
from hotplate.model import Stack, Version
from hotplate.store.large.survey import differing_versions, glances
from hotplate.store.versions import read_versions, versions_of


@dataclass(frozen=True, slots=True)
class Present:
    """The versions of a stack that are looked at, oldest first."""

    versions: list[Version]
    untouched: Mapping[str, int] = field(default_factory=dict)
    """The versions of others, which will be left alone and of which nothing else counts."""


def present_versions(connection: Connection, stack: Stack, bound: Bound | None) -> Present:
    """Return the versions of a stack.

    Those that will be left alone for their fingerprint, and that offer nothing to others, are only
    named: there may be a hundred thousand of them.
    """
    if bound is None or not bound.fingerprints:
        return Present(versions_of(connection, stack.id))
    alone = frozenset(bound.template.graph.independent()).difference(
        bound.needed, bound.external_ids()
    )
    differing = differing_versions(connection, stack.id)
    looked_at: list[int] = []
    others: set[str] = set()
    left: dict[str, int] = {}
    for rows in glances(connection, stack):
        for number, name, _, fingerprint in rows:
            is_left = fingerprint and bound.fingerprints.get(name) == fingerprint
            is_only = name not in left and name not in others
            if is_left and is_only and name in alone and number not in differing:
                left[name] = number
                continue
            others.add(name)
            looked_at.append(number)
            if name in left:
                looked_at.append(left.pop(name))
    return Present(list(read_versions(connection, looked_at).values()), left)
