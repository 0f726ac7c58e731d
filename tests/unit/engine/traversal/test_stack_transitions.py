"""A stack goes from state to state by transitions that have a name, and by no others."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from hotplate.engine.traversal import stack_transitions as transitions
from hotplate.engine.traversal.stack_transitions import ImpossibleTransition, StackState
from hotplate.model import Action, ReasonCode, Stack, Status

STACK = Stack(
    number=1, id="a", name="name", project="project", root_id="a", parent_id=None,
    parent_version=None, depth=0, recipe="r", completed_recipe=None, traversal="t",
    sequence=1, counter=1, need=0, update_need=0, action=Action.CHECK,
    status=Status.IN_PROGRESS, reason="", rollback=False, timeout=None, deadline=None, tags=(),
    created_at=0.0, updated_at=None, deleted_at=None,
)  # fmt: skip

_ENDS: dict[str, Callable[[Stack], StackState]] = {
    "completed": transitions.completed,
    "failed": lambda stack: transitions.failed(stack, "it broke"),
    "checked_and_failed": lambda stack: transitions.checked_and_failed(stack, ["it broke"]),
    "timed_out": transitions.timed_out,
    "cancelled": transitions.cancelled,
}


@pytest.mark.parametrize(
    ("state", "code"),
    [
        (transitions.completed(STACK), ReasonCode.NONE),
        (transitions.completed(STACK, is_partly_checked=True), ReasonCode.PARTLY_CHECKED),
        (transitions.failed(STACK, "no", ReasonCode.ABORTED), ReasonCode.ABORTED),
        (transitions.checked_and_failed(STACK, ["no"]), ReasonCode.NONE),
        (transitions.checked_and_failed(STACK, ["no"], True), ReasonCode.PARTLY_CHECKED),
        (transitions.timed_out(STACK), ReasonCode.TIMED_OUT),
        (transitions.cancelled(STACK), ReasonCode.CANCELLED),
    ],
)
def test_an_end_has_a_code_beside_its_text(state: StackState, code: ReasonCode) -> None:
    assert state.reason_code is code
    assert state.action is Action.CHECK


@pytest.mark.parametrize("status", [Status.COMPLETE, Status.FAILED])
@pytest.mark.parametrize("end", _ENDS.values(), ids=_ENDS)
def test_only_what_is_in_progress_ends(end: Callable[[Stack], StackState], status: Status) -> None:
    with pytest.raises(ImpossibleTransition, match=f"is CHECK_{status.value}: it cannot"):
        end(replace(STACK, status=status))


@pytest.mark.parametrize("status", list(Status))
def test_an_action_begins_whatever_was_done_before(status: Status) -> None:
    state = transitions.begun(replace(STACK, status=status), Action.UPDATE)
    assert state == StackState(Action.UPDATE, Status.IN_PROGRESS, "Stack UPDATE started")


def test_nothing_begins_in_a_deleted_stack() -> None:
    with pytest.raises(ImpossibleTransition, match="UPDATE cannot begin"):
        transitions.begun(replace(STACK, deleted_at=1.0), Action.UPDATE)


@pytest.mark.parametrize("action", [Action.INIT, Action.SIGNAL])
def test_actions_of_resources_do_not_begin_in_stacks(action: Action) -> None:
    with pytest.raises(ImpossibleTransition):
        transitions.begun(STACK, action)
