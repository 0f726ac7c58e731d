"""Interrupting a traversal: what only waits must not keep others waiting."""

from sqlalchemy import Connection

from hotplate.engine import status_texts
from hotplate.engine.context import Tools
from hotplate.engine.traversal.overtaken import abort, stops_work, waits_elsewhere
from hotplate.engine.traversal.rollback import fail_and_roll_back
from hotplate.engine.traversal.transitions import timed_out
from hotplate.model import Action, NodeState, Stack, Status
from hotplate.store.nodes import nodes_of, remove_nodes, wake_version
from hotplate.store.stacks import lock_stacks, stacks_of_root
from hotplate.store.versions import read_versions


def time_out(connection: Connection, tools: Tools, stack: Stack) -> list[int]:
    """Fail a locked stack whose time is up, and with it what only waits for something.

    Otherwise what comes next would have to wait for that as well.
    """
    _give_up(connection, tools, stack, endless_only=False)
    return fail_and_roll_back(connection, tools, stack, timed_out(stack))


def interrupt(connection: Connection, tools: Tools, stack: Stack) -> None:
    """End what waits in a locked stack for a signal, which may never come.

    What works elsewhere is woken and stops that, as is what listens to signals. What else has a
    time at which it looks again comes to its end by itself.
    """
    _give_up(connection, tools, stack, endless_only=True)


def _give_up(connection: Connection, tools: Tools, stack: Stack, endless_only: bool) -> None:
    for each in (stack, *_busy_below(connection, stack)):
        parked = {
            node.version_id: node
            for node in nodes_of(connection, each.id)
            if node.state is NodeState.PARKED and not node.is_paused
        }
        ended = []
        for version in read_versions(connection, parked).values() if parked else ():
            if version.intent is Action.DELETE or version.is_nested_stack:
                continue
            if stops_work(tools.catalogue, version):
                wake_version(connection, version.id)  # its claim says that the work is not wanted
            elif not endless_only or parked[version.id].due is None:
                ended.append(version)
            elif waits_elsewhere(tools.catalogue, version):
                wake_version(connection, version.id)
        if ended:
            cause = "" if endless_only else status_texts.TIMED_OUT
            abort(connection, tools.world, each, ended, tools.world.now(), cause)
            remove_nodes(connection, [parked[version.id].id for version in ended])


def _busy_below(connection: Connection, stack: Stack) -> list[Stack]:
    """Return the nested stacks of a stack in which something is made or changed, locked."""
    inside = {stack.id}
    found = []
    for each in sorted(stacks_of_root(connection, stack.root_id), key=lambda each: each.depth):
        if each.parent_id in inside:
            inside.add(each.id)
            found.append(each.id)
    below = lock_stacks(connection, found).values() if found else ()
    return [
        each
        for each in below
        if each.status is Status.IN_PROGRESS and each.action is not Action.DELETE
    ]
