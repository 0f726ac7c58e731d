"""What is done between two traversals: groups change their size, and parents publish that.

A deferred change is a row. It is made in a transaction that holds the lock of the version's stack,
and only while that stack is at rest: what comes during an update waits for its end.
"""

from collections.abc import Iterable
from dataclasses import replace

from sqlalchemy import Connection

from hotplate.document import InvalidDocument, same
from hotplate.engine import status_texts
from hotplate.engine import version_transitions as transitions
from hotplate.engine.context import Tools
from hotplate.engine.current_versions import shown
from hotplate.engine.event_log import NewEvents
from hotplate.engine.nested_stacks import (
    DelegationCookie,
    attributes_from,
    child_reports,
    nested_contents,
)
from hotplate.engine.recipes.book import fetch
from hotplate.engine.recipes.stored import keep
from hotplate.engine.refusals import TooManyResources
from hotplate.engine.traversal.begin import begin
from hotplate.engine.traversal.planned_rows import row_id
from hotplate.model import Action, Node, NodeState, Stack, Status, Task, Version
from hotplate.plan.decide import is_suspended
from hotplate.resources.capabilities import Scalable
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.heat.groups.scalable import ADJUSTMENT
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.property import BadProperty
from hotplate.resources.resource_type import ResourceFailed
from hotplate.resources.scaling import Adjustment
from hotplate.resources.stages import Stage
from hotplate.store.deferred_changes import (
    DeferredChange,
    deferred_changes_of,
    insert_deferred_change,
    remove_deferred_changes,
)
from hotplate.store.events import insert_events
from hotplate.store.nodes import insert_nodes, nodes_of
from hotplate.store.signals import find_handle
from hotplate.store.stacks import change_stack, lock_stack
from hotplate.store.tree import count_in_tree
from hotplate.store.versions import read_versions, save_versions, versions_of

_ADJUST = "adjust"
_PUBLISH = "look"
"""What is done to a version, as rows have it."""

_FAULTS = (ResourceFailed, BadProperty, UnknownType, InvalidDocument)


def find_group(connection: Connection, policy: Version, reference: str) -> Version | None:
    """Return the version that a policy means: one of its own stack, else one of the same tree."""
    for version in versions_of(connection, policy.stack_id):
        if reference in (version.reference, version.physical_id) and _is_there(version):
            return version
    found = find_handle(connection, policy, reference)
    return None if found is None else read_versions(connection, [found]).get(found)


def adjust(
    connection: Connection,
    tools: Tools,
    stack: Stack,
    policy: Version,
    group: Version,
    adjustment: Adjustment,
    reason: str,
) -> list[int]:
    """Note what a signal asks of a group; return nodes that are ready because of it.

    If the group is in the policy's own stack, which is locked, and nothing goes on there, it
    begins at once.
    """
    body = {
        "do": _ADJUST,
        "name": group.name,
        "policy": policy.id,
        "reason": reason,
        "by": adjustment.as_data(),
    }
    insert_deferred_change(
        connection, stack.project, group.stack_id, group.id, tools.world.now(), body
    )
    return run_deferred_changes(connection, tools, stack) if group.stack_id == stack.id else []


def defer_publication(connection: Connection, tools: Tools, stack: Stack) -> None:
    """Have the parent publish anew what a nested stack offers, which has changed."""
    if stack.parent_version is not None and stack.parent_id is not None:
        now = tools.world.now()
        insert_deferred_change(
            connection,
            stack.project,
            stack.parent_id,
            stack.parent_version,
            now,
            {"do": _PUBLISH},
        )


def run_deferred_changes(connection: Connection, tools: Tools, stack: Stack) -> list[int]:
    """Run what there is to do for a locked stack; return nodes that are ready because of it.

    What cannot be done yet stays, what is senseless by now is forgotten.
    """
    deferred_changes = deferred_changes_of(connection, stack.project, stack.id)
    if not deferred_changes or (stack.status is Status.IN_PROGRESS and stack.deleted_at is None):
        return []
    everything = versions_of(connection, stack.id) if stack.deleted_at is None else []
    nodes = nodes_of(connection, stack.id)
    busy = {node.version_id for node in nodes if node.state is not NodeState.DONE}
    ready: list[int] = []
    over: list[int] = []
    for deferred in deferred_changes:
        version = _meant(deferred, everything)
        is_late = stack.action is Action.DELETE and deferred.body["do"] == _ADJUST
        if version is None or is_late:
            over.append(deferred.number)  # also: what is to be deleted does not grow any more
        elif deferred.body["do"] == _PUBLISH:
            if version.id not in busy:
                _publish(connection, tools, stack, version)
                over.append(deferred.number)
        elif version.id not in busy:
            begun = _adjust(connection, tools, stack, version, deferred)
            if begun is not None:
                ready.extend(begun)
                over.append(deferred.number)
                busy.update([version.id] if _is_scaling(version) else [])
        elif _is_scaling(version):
            over.append(deferred.number)  # one change after the other; alarms come again
    remove_deferred_changes(connection, over)
    return ready


def _meant(deferred: DeferredChange, versions: Iterable[Version]) -> Version | None:
    """Return the version that a deferred change is for, or the one that has come in its place."""
    standing = {version.id: version for version in versions if _is_there(version)}
    name = deferred.body.get("name")
    return standing.get(deferred.version_id) or shown(
        version for version in standing.values() if version.name == name
    ).get(name or "")


def _is_there(version: Version) -> bool:
    return version.action not in (Action.INIT, Action.DELETE)


def _is_scaling(version: Version) -> bool:
    cookie = DelegationCookie.from_data(version.cookie)
    return cookie is not None and bool(cookie.scaling)


def _publish(connection: Connection, tools: Tools, stack: Stack, version: Version) -> None:
    """Publish what the nested stack of a version offers now, and have its parents do the same."""
    inside = [version.physical_id or ""]
    report = child_reports(connection, tools.book, tools.catalogue, inside)[0]
    if version.status is not Status.COMPLETE or report.child is None:
        return
    resource_type = resource_type_for(tools.catalogue, version.type_name)
    bound = tools.book.bound(connection, stack, stack.recipe)
    attributes = attributes_from(resource_type, version, bound, report.child)
    is_same = same(attributes, version.attributes)
    if not is_same or report.asks_for_visits != version.always_visited:
        version.attributes, version.always_visited = attributes, report.asks_for_visits
        save_versions(connection, [version])
        defer_publication(connection, tools, stack)


def _adjust(
    connection: Connection, tools: Tools, stack: Stack, version: Version, deferred: DeferredChange
) -> list[int] | None:
    """Let a group change its size; return the nodes that are ready, None if it must wait.

    A group that was left broken by anything but such a change stays as it is: an update of its
    stack mends it.
    """
    is_sound = version.status is Status.COMPLETE and not is_suspended(version)
    if not is_sound and not (version.status is Status.FAILED and ADJUSTMENT in version.data):
        return []
    child = lock_stack(connection, version.physical_id or "")
    if child is None or child.deleted_at is not None:
        return []
    if child.status is Status.IN_PROGRESS:
        return None
    events = NewEvents(tools.world, tools.world.now())
    policy = read_versions(connection, [deferred.body["policy"]]).get(deferred.body["policy"])
    try:
        found = _scaled(connection, tools, version, Adjustment.from_data(deferred.body["by"]))
    except _FAULTS as error:
        if policy is not None:
            events.version(policy, Action.SIGNAL, Status.FAILED, str(error))
        insert_events(connection, events.rows)
        return []
    if found is None:
        return []
    stage, reason = found
    if policy is not None:
        events.version(policy, Action.SIGNAL, policy.status, deferred.body["reason"])
    node = _node(stack, version)
    _note(version, stage, node, tools.world.now())
    events.version(version, version.action, version.status, status_texts.scaling(reason))
    insert_events(connection, events.rows)
    save_versions(connection, [version])
    insert_nodes(connection, [node])
    change_stack(connection, stack.id, counter=stack.counter)
    present = fetch(connection, child.project, child.recipe)
    recipe = replace(present.with_template(stage.template), adopted={})
    ready = begin(connection, tools, child, Action.UPDATE, keep(connection, child.project, recipe))
    _limit(connection, child, stack.timeout_seconds, tools.world.now())
    return ready


def _limit(connection: Connection, child: Stack, seconds: float | None, now: float) -> None:
    """Let a stack that has just begun something end in time: the one around it is at rest."""
    if child.status is Status.IN_PROGRESS and seconds is not None:
        change_stack(connection, child.id, deadline=now + seconds)


def _scaled(
    connection: Connection, tools: Tools, version: Version, adjustment: Adjustment
) -> tuple[Stage, str] | None:
    resource_type = resource_type_for(tools.catalogue, version.type_name)
    if not isinstance(resource_type, Scalable):
        return None
    properties = resource_type.convert(version.definition.properties)
    contents = nested_contents(connection, tools.book, version.physical_id or "")
    contents = replace(contents, creation_token=version.uuid)
    found = resource_type.scaled(properties, version.data, contents, adjustment, tools.world.now())
    if found.stage is not None and tools.most_resources:
        more = len(found.stage.template.get("resources", {})) - len(contents.definitions)
        number = count_in_tree(connection, version.root_id, tools.most_resources) + more
        if more > 0 and number > tools.most_resources:
            raise ResourceFailed(str(TooManyResources(number, tools.most_resources)))
    return None if found.stage is None else (found.stage, found.reason)


def _node(stack: Stack, version: Version) -> Node:
    """Return a node that waits for the nested stack of a version. It belongs to no traversal.

    So it is treated like work that was overtaken: a newer traversal takes the version from it, and
    if there is none, it brings the version along when the nested stack has ended.
    """
    stack.counter += 1
    return Node(
        id=row_id(stack.number, stack.counter),
        stack_id=stack.id,
        sequence=stack.sequence - 1,
        version_id=version.id,
        name=version.name,
        task=Task.SCALE,
        need=0,
        state=NodeState.PARKED,
        generation=1,
    )


def _note(version: Version, stage: Stage, node: Node, now: float) -> None:
    """Note on a version that its nested stack has something to do."""
    transitions.begin(version, Action.UPDATE, status_texts.STATE_CHANGED, now)
    version.needed = version.requires
    version.cookie = DelegationCookie(node.id, scaling=True).as_data()
    version.data = version.data if stage.data is None else stage.data
