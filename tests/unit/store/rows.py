"""Rows as the engine would write them."""

from typing import Any

from hotplate.model import Action, Node, NodeState, Stack, Status, Task, Version
from hotplate.store.events import EventRow
from hotplate.store.stacks import name_lock


def stack_row(stack_id: str, **columns: Any) -> dict[str, Any]:
    name = columns.pop("name", stack_id)
    project = columns.pop("project", "p")
    return {
        "id": stack_id,
        "name": name,
        "project": project,
        "root_id": stack_id,
        "parent_id": None,
        "deadline": None,
        "deleted_at": None,
        "recipe": "r",
        "action": Action.CREATE.value,
        "status": Status.COMPLETE.value,
        "reason": "",
        "rollback": False,
        "tags": "[]",
        "created_at": 1.0,
        "name_lock": name_lock(project, name),
        **columns,
    }


def a_stack(**fields: Any) -> Stack:
    return Stack(
        **{
            "number": 1, "id": "s", "name": "s", "project": "p", "root_id": "s", "parent_id": None,
            "parent_version": None, "depth": 0, "recipe": "r", "completed_recipe": None,
            "traversal": None, "sequence": 1, "counter": 0, "need": 0, "update_need": 0,
            "action": Action.CREATE, "status": Status.COMPLETE, "reason": "", "rollback": False,
            "timeout": None, "deadline": None, "tags": (), "created_at": 1.0, "updated_at": None,
            "deleted_at": None,
            **fields,
        }
    )  # fmt: skip


def a_version(version_id: int, **fields: Any) -> Version:
    return Version(
        **{
            "id": version_id,
            "uuid": f"uuid-{version_id}",
            "stack_id": "s",
            "root_id": "s",
            "name": f"name{version_id}",
            "type": "T",
            "action": Action.CREATE,
            "status": Status.COMPLETE,
            "owner": 1,
            "recipe": "r",
            "created_at": 1.0,
            **fields,
        }
    )


def a_node(node_id: int, **fields: Any) -> Node:
    return Node(
        **{
            "id": node_id,
            "stack_id": "s",
            "sequence": 1,
            "version_id": node_id,
            "name": f"name{node_id}",
            "task": Task.UPDATE,
            "need": 0,
            "state": NodeState.READY,
            **fields,
        }
    )


def event_row(
    number: int, stack_id: str = "s", root_id: str = "s", at: float | None = None
) -> EventRow:
    return (
        f"event-{number}", stack_id, root_id, float(number) if at is None else at, "a", "T", None,
        Action.CREATE.value, Status.COMPLETE.value, "",
    )  # fmt: skip
