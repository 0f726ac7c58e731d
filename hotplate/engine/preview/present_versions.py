"""The versions of a stack as a preview needs them: of a large one, few are read whole."""

from collections import Counter
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from sqlalchemy import Connection

from hotplate.engine.recipes import Bound
from hotplate.model import Action, Relation, Stack, Status, Version
from hotplate.store.large.survey import differing_versions, glances, survey
from hotplate.store.versions import read_versions, versions_of

_OUT_OF_ORDER = (Action.INIT, Action.DELETE, Action.SUSPEND)


@dataclass(frozen=True, slots=True)
class Present:
    """The versions of a stack that are looked at, oldest first."""

    versions: list[Version]
    untouched: frozenset[str] = frozenset()
    """Names of others that will be left alone, of which nobody wants to know more."""


def present_versions(
    connection: Connection, stack: Stack, bound: Bound | None, lists_all: bool = True
) -> Present:
    """Return the versions of a stack.

    Of those that will be left alone for their fingerprint, and that offer nothing to others, only
    what planning needs is read: not what they are. Unless ``lists_all``, they are only named.
    """
    if bound is None or not bound.fingerprints:
        return Present(versions_of(connection, stack.id))
    alone = frozenset(bound.template.graph.independent()).difference(
        bound.needed, bound.external_ids()
    )
    differing = differing_versions(connection, stack.id)
    if lists_all:
        return Present(_all_versions(connection, stack, bound, alone, differing))
    looked_at: list[int] = []
    others: set[str] = set()
    left: dict[str, int] = {}
    for rows in glances(connection, stack):
        for number, name, _, fingerprint in rows:
            is_left = fingerprint and bound.fingerprints.get(name) == fingerprint
            if is_left and name in alone and number not in differing and name not in others:
                others.add(name)
                left[name] = number
                continue
            others.add(name)
            looked_at.append(number)
            if name in left:
                looked_at.append(left.pop(name))
    return Present(list(read_versions(connection, looked_at).values()), frozenset(left))


def _all_versions(
    connection: Connection,
    stack: Stack,
    bound: Bound,
    alone: AbstractSet[str],
    differing: AbstractSet[int],
) -> list[Version]:
    found = survey(connection, stack.id)
    times = Counter(version.name for version in found)
    read = read_versions(
        connection,
        [
            version.id
            for version in found
            if version.name not in alone
            or times[version.name] > 1
            or version.id in differing
            or not _is_in_order(version)
            or bound.fingerprints.get(version.name) != version.fingerprint
        ],
    )
    return [read.get(version.id, version) for version in found]


def _is_in_order(version: Version) -> bool:
    return (
        version.status is Status.COMPLETE
        and version.action not in _OUT_OF_ORDER
        and version.relation is Relation.MANAGED
        and version.intent is None
        and version.replaces is None
        and version.replaced_by is None
        and not version.requires
    )
