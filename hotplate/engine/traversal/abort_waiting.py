"""Work that only waits is given up, so that others need not wait for it."""

from collections.abc import Iterable

from sqlalchemy import Connection

from hotplate.engine import status_texts
from hotplate.engine.context import Tools
from hotplate.engine.traversal.overtaken import abort, stops_work, waits_elsewhere
from hotplate.engine.version_transitions import SEARCHING
from hotplate.model import Action, Node, NodeState, Stack
from hotplate.store.nodes import lock_nodes, remove_nodes, wake
from hotplate.store.stacks import lock_stacks
from hotplate.store.versions import read_versions


def abort_waiting(
    connection: Connection, tools: Tools, ids: Iterable[int], endless_only: bool
) -> list[int]:
    """End what nodes wait for that no worker has; return those to run, to stop it themselves.

    ``endless_only``: what has a time at which it looks again comes to its end by itself. What works
    elsewhere stops that, as does what listens to signals: their claims say that the work is not
    wanted any more.
    """
    nodes: dict[str, dict[int, Node]] = {}
    for node in lock_nodes(connection, ids).values():
        is_parked = node.state is NodeState.PARKED and not node.is_paused
        is_woken = node.state is NodeState.READY and node.generation and not endless_only
        if is_parked or is_woken:
            nodes.setdefault(node.stack_id, {})[node.version_id] = node
    woken: list[int] = []
    for stack in lock_stacks(connection, nodes).values() if nodes else ():
        woken.extend(_give_up(connection, tools, stack, nodes[stack.id], endless_only))
    return woken


def _give_up(
    connection: Connection,
    tools: Tools,
    stack: Stack,
    parked: dict[int, Node],
    endless_only: bool,
) -> list[int]:
    ended, woken = [], []
    for version in read_versions(connection, parked).values():
        if version.intent is Action.DELETE or version.is_nested_stack:
            continue
        if version.cookie is None or version.cookie == SEARCHING:
            continue  # nobody knows how far it has come: whoever claims it finds that out
        if stops_work(tools.catalogue, version):
            woken.append(parked[version.id].id)
        elif not endless_only or parked[version.id].due is None:
            ended.append(version)
        elif waits_elsewhere(tools.catalogue, version):
            woken.append(parked[version.id].id)
    wake(connection, woken)
    if ended:
        cause = "" if endless_only else status_texts.TIMED_OUT
        abort(connection, tools.world, stack, ended, tools.world.now(), cause)
        remove_nodes(connection, [parked[version.id].id for version in ended])
    return woken
