"""Actions that wait to be performed: projects take turns."""

from collections import Counter
from types import SimpleNamespace
from typing import Any

from sqlalchemy import Connection, insert

from hotplate.store.workflows.actions import ready_actions
from hotplate.store.workflows.runs import READY
from hotplate.store.workflows.schema import workflow_action
from hotplate.workflow.engine.runner import Runner


def test_of_actions_that_wait_the_first_ones_of_each_project_come_first(
    connection: Connection,
) -> None:
    rows = [("greedy", number) for number in range(300)] + [("modest", 1000)]
    for number, (project, at) in enumerate(rows):
        values: dict[str, Any] = {
            "id": f"a{number}",
            "number": number + 1,
            "project": project,
            "created_at": float(at),
            "updated_at": float(at),
            "accepted": False,
            "hand": READY,
        }
        texts = dict.fromkeys(("details", "input", "output"), "{}")
        connection.execute(
            insert(workflow_action).values(name="std.noop", state="RUNNING", **texts, **values)
        )
    found = [each.project for each in ready_actions(connection)]
    assert found[:3] == ["greedy", "modest", "greedy"]


def test_a_project_with_many_actions_leaves_room_for_others() -> None:
    runner = Runner.__new__(Runner)
    runner._is_stopping = False
    runner._settings = SimpleNamespace(actions_at_once=64)  # type: ignore[assignment]
    runner._performing = {}
    runner._held = Counter()
    assert runner.free_for("a") == 51
    runner._performing = dict.fromkeys(map(str, range(51)))  # type: ignore[assignment]
    runner._held = Counter(a=51)
    assert runner.free_for("a") == 0
    assert runner.free_for("b") == 10
    runner._performing = dict.fromkeys(map(str, range(64)))  # type: ignore[assignment]
    runner._held = Counter(a=64)
    assert (runner.free_for("a"), runner.free_for("b")) == (0, 1)
