"""Interrupting a traversal: what only waits must not keep others waiting."""

from collections.abc import Sequence

from sqlalchemy import Connection

from hotplate.engine.context import Tools
from hotplate.engine.traversal.abort_waiting import abort_waiting
from hotplate.engine.traversal.end import fail
from hotplate.engine.traversal.rollback import fail_and_roll_back, go_back
from hotplate.engine.traversal.stack_transitions import cancelled, timed_out
from hotplate.model import Stack, Task
from hotplate.store.large.clearing import resting_in_tree


def time_out(connection: Connection, tools: Tools, stack: Stack) -> list[int]:
    """Fail a locked stack whose time is up, and with it what only waits for something.

    Otherwise what comes next would have to wait for that as well.
    """
    resting = resting_in_tree(connection, stack)
    if _is_much(tools, resting):
        return fail_and_roll_back(connection, tools, stack, timed_out(stack), Task.STOP)
    woken = abort_waiting(connection, tools, resting, endless_only=False)
    return [*woken, *fail_and_roll_back(connection, tools, stack, timed_out(stack))]


def cancel(connection: Connection, tools: Tools, stack: Stack, roll_back: bool) -> list[int]:
    """Stop what goes on in a locked stack, and go back if asked to; return the nodes to run.

    What waits for a signal, which may never come, ends. What works elsewhere is woken and stops
    that, as is what listens to signals. What else has a time at which it looks again comes to its
    end by itself.
    """
    resting = resting_in_tree(connection, stack)
    first = Task.INTERRUPT if _is_much(tools, resting) else None
    ready = [] if first else abort_waiting(connection, tools, resting, endless_only=True)
    if roll_back:
        ready.extend(go_back(connection, tools, stack, first))
    else:
        state = cancelled(stack)
        ready.extend(fail(connection, tools, stack, state, is_left=first is not None))
    return ready


def _is_much(tools: Tools, resting: Sequence[int]) -> bool:
    return len(resting) > max(1, tools.portion // 2)
