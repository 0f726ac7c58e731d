"""A stack fails and goes back to what it was, if it was asked to."""

from sqlalchemy import Connection

from hotplate.engine.context import Tools
from hotplate.engine.recipes import EMPTY, keep
from hotplate.engine.traversal.begin import begin
from hotplate.engine.traversal.end import fail
from hotplate.model import Action, ReasonCode, Stack

ROLLED_BACK = frozenset((Action.CREATE, Action.UPDATE, Action.ADOPT, Action.RESTORE))
"""Actions after whose failure a stack with rollback goes back."""


def fail_and_roll_back(
    connection: Connection,
    tools: Tools,
    stack: Stack,
    reason: str,
    code: ReasonCode = ReasonCode.NONE,
) -> list[int]:
    """Fail a locked stack and begin its rollback, if it has one; return the nodes that are ready.

    Failure and rollback are one transaction.
    """
    action = stack.action
    ready = fail(connection, tools, stack, reason, code)
    if stack.rollback and action in ROLLED_BACK:
        target = stack.completed_recipe or keep(connection, EMPTY)
        ready.extend(begin(connection, tools, stack, Action.ROLLBACK, target))
    return ready
