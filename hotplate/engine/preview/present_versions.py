"""The versions of a stack as a preview needs them: of a large one, few are read whole."""

from collections import Counter

from sqlalchemy import Connection

from hotplate.engine.recipes import Bound
from hotplate.model import Action, Relation, Status, Version
from hotplate.store.room.survey import differing_versions, survey
from hotplate.store.versions import read_versions, versions_of

_OUT_OF_ORDER = (Action.INIT, Action.DELETE, Action.SUSPEND)


def present_versions(connection: Connection, stack_id: str, bound: Bound | None) -> list[Version]:
    """Return the versions of a stack, oldest first.

    Of those that will be left alone for their fingerprint, and that offer nothing to others, only
    what planning needs is read: not what they are.
    """
    if bound is None or not bound.fingerprints:
        return versions_of(connection, stack_id)
    found = survey(connection, stack_id)
    alone = bound.template.graph.lone().difference(bound.needed, bound.external_ids())
    differing = differing_versions(connection, stack_id)
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
