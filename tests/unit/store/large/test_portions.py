"""Queries of large traversals."""

from sqlalchemy import Connection

from hotplate.model import Action, Node, NodeState, Task
from hotplate.store.large.portions import (
    confirm_some,
    coordinate,
    done_nodes,
    draft_nodes,
    gone_versions,
    has_coordinator,
    older_nodes,
    older_nodes_on,
    open_drafts,
    ready_coordinator,
    remove_stale_nodes,
    stale_nodes,
)
from hotplate.store.monitoring.queue import oldest_waiting
from hotplate.store.nodes import insert_nodes, nodes_of
from hotplate.store.stacks import insert_stacks
from hotplate.store.versions import insert_versions, read_versions
from tests.unit.store.rows import a_node, a_stack, a_version, stack_row

DRAFT, WAITING, READY, CLAIMED, PARKED, DONE = NodeState
STACK = a_stack(sequence=2)


def coordinator(node_id: int, **fields: object) -> Node:
    return a_node(node_id, version_id=0, task=Task.PLAN, **fields)


def test_older_nodes_are_those_on_which_work_was_begun(connection: Connection) -> None:
    states = (DRAFT, WAITING, READY, CLAIMED, PARKED, DONE)
    insert_nodes(connection, [a_node(at, state=state) for at, state in enumerate(states, 1)])
    woken = a_node(7, state=READY, generation=1)
    newer = a_node(8, state=CLAIMED, sequence=2)
    insert_nodes(connection, [woken, newer, coordinator(9, state=CLAIMED)])
    assert [node.id for node in older_nodes(connection, STACK)] == [4, 5, 7]
    assert older_nodes_on(connection, [1, 7, 8], 2) == {7: woken}


def test_stale_nodes_go_unless_work_on_them_has_begun(connection: Connection) -> None:
    nodes = [
        a_node(1, state=READY),
        a_node(2, state=READY, generation=1),
        a_node(3, state=WAITING, need=1),
        a_node(4, state=DONE),
        a_node(5, state=CLAIMED),
        a_node(6, state=PARKED, hook="pre-create"),
        a_node(7, state=PARKED),
        coordinator(8, state=CLAIMED),
        a_node(10, state=DRAFT, sequence=2),
        coordinator(11, state=CLAIMED, sequence=2),
        a_node(20, state=DRAFT, sequence=2),
    ]
    insert_nodes(connection, nodes)
    stale = stale_nodes(connection, STACK, before=12)
    assert list(stale) == [1, 3, 4, 6, 8, 10]
    remove_stale_nodes(connection, STACK, 12, [*stale, 5, 20])
    assert [node.id for node in nodes_of(connection, "s")] == [2, 5, 7, 11, 20]


def test_drafts_are_opened(connection: Connection) -> None:
    insert_nodes(
        connection,
        [
            a_node(1, state=DRAFT, need=0, sequence=2),
            a_node(2, state=DRAFT, need=1, sequence=2),
            a_node(3, state=WAITING, need=1, sequence=2),
        ],
    )
    assert list(draft_nodes(connection, STACK)) == [1, 2]
    assert open_drafts(connection, [1, 2, 3]) == [1]
    assert [node.state for node in nodes_of(connection, "s")] == [READY, WAITING, WAITING]
    assert open_drafts(connection, [1, 2]) == [], "a second time changes nothing"


def test_a_coordinator_goes_on_when_it_is_the_last(connection: Connection) -> None:
    node = coordinator(1, state=CLAIMED, worker=5, sequence=2)
    assert not has_coordinator(connection, STACK)
    insert_nodes(connection, [node])
    assert has_coordinator(connection, STACK)
    assert ready_coordinator(connection, STACK) == [], "it is at work"
    coordinate(connection, node, Task.CLOSE, WAITING)
    (found,) = nodes_of(connection, "s")
    assert (found.task, found.state, found.worker) == (Task.CLOSE, WAITING, None)
    assert ready_coordinator(connection, STACK) == [1]
    assert nodes_of(connection, "s")[0].state is READY


def test_what_is_over_and_what_is_taken_over(connection: Connection) -> None:
    insert_stacks(connection, [stack_row("s")])
    insert_versions(connection, [a_version(1), a_version(2, action=Action.DELETE), a_version(3)])
    insert_nodes(connection, [a_node(4, state=DONE), a_node(5, state=READY)])
    assert list(done_nodes(connection, STACK)) == [4]
    assert list(gone_versions(connection, STACK)) == [2]
    confirm_some(connection, STACK, [1])
    found = read_versions(connection, [1, 3])
    assert (found[1].owner, found[3].owner) == (2, 1)


def test_what_waits_for_a_coordinator_waits_for_its_stack(connection: Connection) -> None:
    insert_stacks(connection, [stack_row("s", name="web", status="IN_PROGRESS")])
    insert_nodes(connection, [coordinator(1, state=READY, name="digest of a recipe")])
    waiting = oldest_waiting(connection)
    assert waiting is not None
    assert (waiting.stack, waiting.name) == ("web", "web")
