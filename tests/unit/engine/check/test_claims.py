"""What is due is claimed by whoever finds it, or made ready for all."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from hotplate.engine.check.claims import Due, claim_due
from hotplate.model import NodeState
from hotplate.store.database import create_tables, open_engine
from hotplate.store.nodes import insert_nodes, nodes_of
from hotplate.store.stacks import insert_stacks
from hotplate.store.versions import insert_versions
from tests.unit.store.rows import a_node, a_version, stack_row

WORKER = 7


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """Nodes 1 to 4 are due, of which 4 has waited longest; 3 and 6 are of a type of its own."""
    engine = open_engine(database_url)
    create_tables(engine)
    types = {3: "Called", 6: "Called"}
    with engine.begin() as connection:
        insert_stacks(connection, [stack_row("s", sequence=1)])
        versions = [a_version(number, type=types.get(number, "Instant")) for number in range(1, 7)]
        insert_versions(connection, versions)
        due = {1: 5.0, 2: 6.0, 3: 7.0, 4: 4.0, 5: 11.0, 6: None}
        insert_nodes(
            connection,
            [
                a_node(at, version_id=at, state=NodeState.PARKED, generation=at, due=when)
                for at, when in due.items()
            ],
        )
    yield engine
    engine.dispose()


def taken(engine: Engine, most: int, told: list[int] | None = None) -> Due:
    with engine.begin() as connection:
        return claim_due(
            connection,
            10.0,
            most,
            WORKER,
            lambda name: name == "Instant",
            (told if told is not None else []).extend,
        )


def test_what_calls_no_provider_is_claimed_and_the_rest_is_ready(engine: Engine) -> None:
    told: list[int] = []
    due = taken(engine, 10, told)
    assert [claim.node.id for claim in due.claims] == told == [1, 2, 4]
    assert due.woken == [3]
    with engine.begin() as connection:
        rows = {node.id: node for node in nodes_of(connection, "s")}
    for claim in due.claims:
        row = rows[claim.node.id]
        assert (row.state, row.worker, row.due) == (NodeState.CLAIMED, WORKER, None)
        assert row.generation == claim.node.generation == row.id + 1
        assert claim.version.id == row.version_id
        assert claim.stack.id == "s"
    assert (rows[3].state, rows[3].generation, rows[3].worker) == (NodeState.READY, 3, None)
    assert [rows[each].state for each in (5, 6)] == [NodeState.PARKED] * 2


def test_what_has_waited_longest_comes_first(engine: Engine) -> None:
    assert [claim.node.id for claim in taken(engine, 2).claims] == [1, 4]
    assert [claim.node.id for claim in taken(engine, 1).claims] == [2]
    assert taken(engine, 5) == Due([], [3])
    assert taken(engine, 5) == Due([], [])


def test_two_at_the_same_time_never_claim_the_same(engine: Engine) -> None:
    if engine.dialect.name == "sqlite":
        pytest.skip("one writer at a time")
    with engine.begin() as connection:
        first = claim_due(connection, 10.0, 2, 1, lambda name: True, lambda ids: None)
        assert [claim.node.id for claim in first.claims] == [1, 4]
        assert [claim.node.id for claim in taken(engine, 9).claims] == [2]


def test_nodes_of_a_stack_that_was_abandoned_are_left_to_whoever_removes_them(
    engine: Engine,
) -> None:
    with engine.begin() as connection:
        insert_stacks(connection, [stack_row("gone", sequence=1, deleted_at=3.0)])
        insert_versions(connection, [a_version(9, stack_id="gone", type="Instant")])
        node = a_node(9, stack_id="gone", version_id=9, state=NodeState.PARKED, due=1.0)
        insert_nodes(connection, [node])
    due = taken(engine, 10)
    assert 9 in due.woken
    assert 9 not in [claim.node.id for claim in due.claims]
