"""Queries on nodes."""

from sqlalchemy import Connection

from hotplate.model import NodeState, Task
from hotplate.store.nodes import (
    busy_versions,
    claim,
    claims_of,
    count_down,
    finish,
    give_back,
    give_back_some,
    insert_nodes,
    let_pass,
    lock_due,
    lock_nodes,
    next_due,
    nodes_at_hook,
    nodes_of,
    park,
    pause,
    put_back,
    ready_nodes,
    remove_idle_nodes,
    remove_nodes,
    remove_unbegun_nodes,
    repoint,
    set_releases,
    take_from_dead,
    wake,
    wake_version,
)
from hotplate.store.workers import register_worker
from tests.unit.store.rows import a_node

DRAFT, WAITING, READY, CLAIMED, PARKED, DONE = NodeState


def states(connection: Connection) -> dict[int, NodeState]:
    return {node.id: node.state for node in nodes_of(connection, "s")}


def test_a_node_is_read_as_it_was_inserted(connection: Connection) -> None:
    node = a_node(
        1 << 40,
        task=Task.CLEANUP,
        need=3,
        state=CLAIMED,
        generation=4,
        worker=5,
        due=1.5,
        successors=(1, 2),
        releases=(3,),
        spare=1 << 41,
    )
    insert_nodes(connection, [node])
    assert lock_nodes(connection, [node.id, 7]) == {node.id: node}


def test_claiming_raises_the_generation(connection: Connection) -> None:
    insert_nodes(connection, [a_node(1, generation=2), a_node(2)])
    claim(connection, [1], 9)
    first, second = nodes_of(connection, "s")
    assert (first.state, first.worker, first.generation) == (CLAIMED, 9, 3)
    assert second == a_node(2)
    assert claims_of(connection, 9) == [(1, 3)]
    assert busy_versions(connection, "s") == {1}


def test_finishing_lets_go(connection: Connection) -> None:
    insert_nodes(connection, [a_node(1, state=CLAIMED, worker=9)])
    finish(connection, [1])
    (node,) = nodes_of(connection, "s")
    assert (node.state, node.worker) == (DONE, None)


def test_the_last_predecessor_makes_a_node_ready(connection: Connection) -> None:
    insert_nodes(connection, [a_node(1, need=3, state=WAITING), a_node(2, need=1, state=WAITING)])
    assert count_down(connection, [1, 1, 2]) == [2]
    assert states(connection) == {1: WAITING, 2: READY}
    assert count_down(connection, [1]) == [1]
    assert count_down(connection, []) == []


def test_many_nodes_are_counted_down(connection: Connection) -> None:
    insert_nodes(connection, [a_node(number, need=1, state=WAITING) for number in range(1, 1202)])
    assert sorted(count_down(connection, range(1, 1202))) == list(range(1, 1202))


def test_parked_nodes_wake_when_they_are_due(connection: Connection) -> None:
    insert_nodes(connection, [a_node(number, state=CLAIMED, worker=9) for number in (1, 2, 3)])
    park(connection, [(1, 5.0), (2, 15.0), (3, None)])
    assert busy_versions(connection, "s") == {1, 2, 3}
    assert next_due(connection) == 5.0
    assert [node.id for node in lock_due(connection, 10.0, 5)] == [1]
    wake(connection, [1])
    assert states(connection) == {1: READY, 2: PARKED, 3: PARKED}
    wake(connection, [2])
    assert wake_version(connection, 3) == [3]
    assert ready_nodes(connection) == [1, 2, 3]
    assert next_due(connection) is None


def test_of_a_stack_that_has_many_ready_nodes_the_first_are_told(connection: Connection) -> None:
    """Those of all others are told as well, wherever they are."""
    few, many = [(2 << 32) + 1, (4 << 32) + 1], [(3 << 32) + at for at in range(1, 30)]
    nodes = [a_node(number, state=READY) for number in (*few, *many)]
    insert_nodes(connection, [*nodes, a_node(7 << 32, state=READY, due=5.0)])
    found = ready_nodes(connection, most=4)
    assert found == sorted(found)
    assert {*few, 7 << 32} <= set(found)
    if connection.dialect.name == "sqlite":
        assert 4 <= len(set(found) & set(many)) < 8
        assert [each for each in found if each in many] == many[: len(found) - 3]
    insert_nodes(connection, [a_node((3 << 32) - at, state=READY) for at in range(1, 4)])
    assert {*few, *((3 << 32) - at for at in range(1, 4))} <= set(ready_nodes(connection, most=4))


def test_a_node_goes_on_with_the_replacement(connection: Connection) -> None:
    insert_nodes(connection, [a_node(1)])
    repoint(connection, [(1, 77)])
    set_releases(connection, {1: (5, 6)})
    (node,) = nodes_of(connection, "s")
    assert (node.version_id, node.releases) == (77, (5, 6))


def test_idle_nodes_are_removed_and_busy_ones_stay(connection: Connection) -> None:
    insert_nodes(
        connection, [a_node(number, state=state) for number, state in enumerate(NodeState)]
    )
    remove_idle_nodes(connection, "s")
    assert sorted(states(connection).values(), key=str) == sorted([CLAIMED, PARKED], key=str)
    remove_nodes(connection, [node.id for node in nodes_of(connection, "s")])
    assert states(connection) == {}


def test_nodes_are_taken_from_the_dead_only(connection: Connection) -> None:
    dead = register_worker(connection, "dead", 1.0)
    alive = register_worker(connection, "alive", 9.0)
    rows = [
        a_node(1, state=CLAIMED, worker=dead, generation=1),
        a_node(2, state=CLAIMED, worker=alive, generation=1),
        a_node(3, state=CLAIMED, worker=77, generation=1),
        a_node(4, state=PARKED, worker=None),
    ]
    insert_nodes(connection, rows)
    assert take_from_dead(connection, 5.0) == [1, 3]
    found = lock_nodes(connection, [1, 2, 3])
    assert [found[each].state for each in (1, 2, 3)] == [READY, CLAIMED, READY]
    assert [found[each].generation for each in (1, 2, 3)] == [2, 1, 2]


def test_a_worker_that_stops_gives_back_what_is_its(connection: Connection) -> None:
    insert_nodes(
        connection, [a_node(1, state=CLAIMED, worker=1), a_node(2, state=CLAIMED, worker=2)]
    )
    assert give_back(connection, 1) == [1]
    assert states(connection) == {1: READY, 2: CLAIMED}
    put_back(connection, [1, 2], 1)
    assert states(connection) == {1: READY, 2: CLAIMED}
    put_back(connection, [2], 2)
    assert states(connection) == {1: READY, 2: READY}


def test_a_claim_that_was_renewed_is_not_given_back(connection: Connection) -> None:
    insert_nodes(connection, [a_node(1, state=CLAIMED, worker=1, generation=2)])
    give_back_some(connection, [(1, 1)])
    assert states(connection) == {1: CLAIMED}
    give_back_some(connection, [(1, 2)])
    assert states(connection) == {1: READY}


def test_a_node_waits_at_a_hook_until_it_is_let_pass(connection: Connection) -> None:
    insert_nodes(connection, [a_node(1, name="a"), a_node(2, name="a"), a_node(3, name="b")])
    claim(connection, [1, 2, 3], register_worker(connection, "w", 0.0))
    pause(connection, [(1, "pre-create"), (2, "pre-delete"), (3, "pre-create")])
    found = lock_nodes(connection, [1])[1]
    assert (found.state, found.hook, found.worker, found.is_paused) == (
        PARKED, "pre-create", None, True,
    )  # fmt: skip
    assert nodes_at_hook(connection, "s", "a", "pre-create") == [(1, 1)]
    assert nodes_at_hook(connection, "s", "a", "post-create") == []
    assert next_due(connection) is None
    let_pass(connection, [1], "pre-create")
    found = lock_nodes(connection, [1])[1]
    assert (found.state, found.hook, found.passed) == (READY, None, "pre-create")
    assert states(connection) == {1: READY, 2: PARKED, 3: PARKED}


def test_a_node_in_somebodys_hands_is_let_pass_and_not_woken(connection: Connection) -> None:
    insert_nodes(connection, [a_node(1, hook="pre-create")])
    claim(connection, [1], register_worker(connection, "w", 0.0))
    let_pass(connection, [1], "pre-create")
    found = lock_nodes(connection, [1])[1]
    assert (found.state, found.hook, found.passed) == (CLAIMED, None, "pre-create")


def test_what_waits_at_a_hook_is_idle_and_what_sleeps_is_not(connection: Connection) -> None:
    sleeping = {"state": PARKED, "generation": 1}
    rows = [a_node(1, **sleeping), a_node(2, hook="pre-create", **sleeping)]
    insert_nodes(connection, rows)
    remove_unbegun_nodes(connection, "s", [])
    assert states(connection) == {1: PARKED}
    insert_nodes(connection, [rows[1]])
    remove_idle_nodes(connection, "s")
    assert states(connection) == {1: PARKED}


def test_what_waits_at_a_hook_can_be_kept_for_work_that_was_begun(connection: Connection) -> None:
    insert_nodes(connection, [a_node(1, state=PARKED, generation=1, hook="pre-delete")])
    remove_unbegun_nodes(connection, "s", [1])
    assert states(connection) == {1: READY}
