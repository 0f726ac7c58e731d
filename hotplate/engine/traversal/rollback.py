"""A stack fails and goes back to what it was, if it was asked to."""

from sqlalchemy import Connection

from hotplate.engine.context import Tools
from hotplate.engine.recipes import EMPTY, keep
from hotplate.engine.traversal.begin import begin
from hotplate.engine.traversal.end import fail
from hotplate.engine.traversal.transitions import StackState
from hotplate.model import Action, Stack

ROLLED_BACK = frozenset((Action.CREATE, Action.UPDATE, Action.ADOPT, Action.RESTORE))
"""Actions after whose failure a stack with rollback goes back."""


def fail_and_roll_back(
    connection: Connection, tools: Tools, stack: Stack, state: StackState
) -> list[int]:
    """Fail a locked stack and begin its rollback, if it has one; return the nodes that are ready.

    ``state`` is the one that it fails with. Failure and rollback are one transaction.
    """
    action = stack.action
    ready = fail(connection, tools, stack, state)
    if stack.rollback and action in ROLLED_BACK:
        target = stack.completed_recipe or keep(connection, stack.project, EMPTY)
        ready.extend(begin(connection, tools, stack, Action.ROLLBACK, target))
    return ready
