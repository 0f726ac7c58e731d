"""A stack fails and goes back to what it was, if it was asked to."""

from sqlalchemy import Connection

from hotplate.engine.context import Tools
from hotplate.engine.recipes import EMPTY
from hotplate.engine.recipes.stored import keep
from hotplate.engine.traversal.begin import appoint, begin
from hotplate.engine.traversal.end import fail
from hotplate.engine.traversal.stack_transitions import StackState
from hotplate.model import Action, Stack, Task

ROLLED_BACK = frozenset((Action.CREATE, Action.UPDATE, Action.ADOPT, Action.RESTORE))
"""Actions after whose failure a stack with rollback goes back."""


def fail_and_roll_back(
    connection: Connection,
    tools: Tools,
    stack: Stack,
    state: StackState,
    first: Task | None = None,
) -> list[int]:
    """Fail a locked stack and begin its rollback, if it has one; return the nodes that are ready.

    ``state`` is the one that it fails with. Failure and rollback are one transaction. ``first`` is
    what a coordinator has to do before anything else.
    """
    action = stack.action
    ready = fail(connection, tools, stack, state, is_left=first is not None)
    if stack.rollback and action in ROLLED_BACK:
        ready.extend(go_back(connection, tools, stack, first))
    return ready


def go_back(
    connection: Connection, tools: Tools, stack: Stack, first: Task | None = None
) -> list[int]:
    """Begin to bring a locked stack back to what completed last; return the nodes to run.

    ``first`` is what a coordinator has to do before it plans that.
    """
    target = stack.completed_recipe or keep(connection, stack.project, EMPTY)
    if first is None:
        return begin(connection, tools, stack, Action.ROLLBACK, target)
    return appoint(connection, tools, stack, Action.ROLLBACK, {"recipe": target}, first)
