"""Work of an older traversal: whether it can be stopped, how it is given up, who waits for it."""

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection

from hotplate.engine import status_texts
from hotplate.engine import version_transitions as transitions
from hotplate.engine.event_log import NewEvents
from hotplate.engine.physical_names import reported_id
from hotplate.engine.world import RealWorld
from hotplate.model import Action, Node, NodeState, Stack, Version
from hotplate.resources.capabilities import Listens, StopsWork
from hotplate.resources.catalogue import Catalogue, UnknownType
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.resource_type import ResourceType
from hotplate.store.events import insert_events
from hotplate.store.nodes import wake
from hotplate.store.versions import read_versions, save_versions, unfinished_versions


def stops_work(catalogue: Catalogue, version: Version) -> bool:
    """Tell whether work on a version goes on elsewhere until its type stops it."""
    resource_type = _known_type(catalogue, version)
    return isinstance(resource_type, StopsWork)


def waits_elsewhere(catalogue: Catalogue, version: Version) -> bool:
    """Tell whether what a version waits for goes on elsewhere, or is a signal."""
    resource_type = _known_type(catalogue, version)
    if isinstance(resource_type, StopsWork):
        return True
    if not isinstance(resource_type, Listens):
        return False
    return bool(resource_type.listens_to(resource_type.convert(version.definition.properties)))


def _known_type(catalogue: Catalogue, version: Version) -> ResourceType | None:
    try:
        return resource_type_for(catalogue, version.type_name)
    except UnknownType:
        return None


def parked_at_work(nodes: Iterable[Node]) -> dict[int, Node]:
    """Return the nodes that are laid aside in the middle of work, by their versions."""
    return {
        node.version_id: node
        for node in nodes
        if node.state is NodeState.PARKED and not node.is_paused
    }


def wake_waiting_elsewhere(
    connection: Connection, catalogue: Catalogue, parked: Mapping[int, Node]
) -> list[int]:
    """Wake the parked nodes that wait for signals or work elsewhere, perhaps in vain; return them.

    The claim says whether their work is still wanted.
    """
    woken = [
        parked[version.id].id
        for version in (read_versions(connection, parked).values() if parked else ())
        if not version.is_nested_stack
        and (parked[version.id].due is None or waits_elsewhere(catalogue, version))
    ]
    wake(connection, woken)
    return woken


def abort(
    connection: Connection,
    world: RealWorld,
    stack: Stack,
    versions: Iterable[Version],
    now: float,
    cause: str = "",
) -> None:
    """End work that is parked. What it may have made is found when the version is cleaned up."""
    events = NewEvents(world, now)
    aborted = list(versions)
    for version in aborted:
        transitions.abort(version, cause)
        name = reported_id(stack, version)
        events.version(version, version.action, version.status, version.reason, name)
    save_versions(connection, aborted)
    insert_events(connection, events.rows)


def note_awaited_work(connection: Connection, stack: Stack) -> None:
    """Write into the reason of versions with work under way that the stack waits for its end.

    A worker that has them writes the same. A nested stack is not waited for.
    """
    ids = unfinished_versions(connection, stack.id)
    waited_for = [
        version
        for version in (read_versions(connection, ids).values() if ids else ())
        if version.intent is not None and not version.is_nested_stack
    ]
    for version in waited_for:
        version.reason = awaited(version, stack.action)
    if waited_for:
        save_versions(connection, waited_for)


def awaited(version: Version, action: Action) -> str:
    """Return the reason of a version whose work an action of its stack waits for."""
    note = status_texts.waits(action, version.intent or version.action)
    reason = version.reason.partition(status_texts.WAITS)[0].rstrip("; ")
    return note if reason in ("", status_texts.STATE_CHANGED) else f"{reason}; {note}"
