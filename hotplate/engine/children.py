"""The stack inside a version, started by the node of its parent."""

from sqlalchemy import Connection

from hotplate.engine.nested import ChildRequest, child_name
from hotplate.engine.recipes import keep
from hotplate.engine.traversal import Tools, begin
from hotplate.engine.walk import WALKS, begin_walk
from hotplate.model import Action, Stack, Status, Version
from hotplate.store.nodes import wake_version
from hotplate.store.stacks import insert_stacks, lock_stacks, name_lock


def begin_child(
    connection: Connection, tools: Tools, parent: Stack, version: Version, request: ChildRequest
) -> list[int]:
    """Start what a node asks of the stack inside its version; return the nodes that are ready.

    A child that does not exist is inserted first. All of it belongs to the transaction in which
    the parent's node is laid aside, so there is no moment at which one exists without the other.
    """
    child = None
    if version.physical_id is not None:
        child = lock_stacks(connection, [version.physical_id]).get(version.physical_id)
    if child is not None and child.deleted_at is not None:
        child = None
    if request.recipe is None:
        if child is None:
            return wake_version(connection, version.id)
        if request.action in WALKS:
            task = WALKS[request.action]
            return begin_walk(connection, tools, child, request.action, task) or []
        return begin(connection, tools, child, Action.DELETE, child.recipe) or []
    recipe = keep(connection, request.recipe)
    if child is None:
        child = _insert_child(connection, tools, parent, version, recipe)
    return begin(connection, tools, child, request.action, recipe) or []


def _insert_child(
    connection: Connection, tools: Tools, parent: Stack, version: Version, recipe: str
) -> Stack:
    child_id = version.physical_id or version.uuid
    name = child_name(parent, version)
    insert_stacks(
        connection,
        [
            {
                "id": child_id,
                "name": name,
                "project": parent.project,
                "root_id": parent.root_id,
                "parent_id": parent.id,
                "parent_version": version.id,
                "depth": parent.depth + 1,
                "recipe": recipe,
                "sequence": 0,
                "counter": 0,
                "need": 0,
                "update_need": 0,
                "action": Action.CREATE.value,
                "status": Status.IN_PROGRESS.value,
                "reason": "",
                "rollback": False,
                "tags": "[]",
                "created_at": tools.world.now(),
                "name_lock": name_lock(parent.project, name),
            }
        ],
    )
    return lock_stacks(connection, [child_id])[child_id]
