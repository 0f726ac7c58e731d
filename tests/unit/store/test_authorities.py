"""Queries on authorities."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Connection, update

from hotplate.model import Authority, AuthorityState, NodeState, ReasonCode, Task
from hotplate.store.authorities import (
    authorise,
    end_unused,
    forget_tokens,
    keep_trust,
    list_authorities,
    put_authority,
    read_authority,
    remove_authority,
    restore_authority,
    suspend_authority,
    waiting_for_authority,
    wake_waiting,
)
from hotplate.store.nodes import insert_nodes, nodes_of
from hotplate.store.schema import stack
from hotplate.store.stacks import insert_stacks, lock_stack, read_stacks
from hotplate.store.versions import insert_versions
from tests.unit.store.rows import a_node, a_version, stack_row

ANN = Authority(
    "a" * 64,
    "u1",
    "ann",
    "default",
    "p",
    "demo",
    ("r1",),
    token="t1",
    token_expires=100.0,
    catalog=({"type": "compute", "endpoints": []},),
)


def put(connection: Connection, now: float = 1.0, **changes: Any) -> Authority:
    return put_authority(connection, replace(ANN, **changes), now)


def test_an_authority_is_kept_as_it_is_given(connection: Connection) -> None:
    put(connection)
    assert read_authority(connection, ANN.id) == replace(ANN, created_at=1.0, changed_at=1.0)
    assert read_authority(connection, "b" * 64) is None


def test_the_token_that_lives_longest_is_kept(connection: Connection) -> None:
    put(connection)
    assert put(connection, 2.0, token="t2", token_expires=50.0).token == "t1"
    assert put(connection, 3.0, token="t3", token_expires=200.0).token == "t3"
    found = read_authority(connection, ANN.id)
    assert found is not None
    assert (found.token, found.token_expires, found.created_at) == ("t3", 200.0, 1.0)


def test_after_a_refusal_any_new_token_counts_and_all_is_good_again(connection: Connection) -> None:
    put(connection)
    assert suspend_authority(connection, ANN.id, "why", 2.0)
    assert not suspend_authority(connection, ANN.id, "why", 3.0)
    put(connection, 4.0, token="t2", token_expires=50.0)
    found = read_authority(connection, ANN.id)
    assert found is not None
    assert (found.token, found.state, found.reason) == ("t2", AuthorityState.GOOD, "")


def test_a_root_and_all_that_is_nested_are_worked_on_with_it(connection: Connection) -> None:
    put(connection)
    insert_stacks(
        connection,
        [
            stack_row("s"),
            stack_row("n", root_id="s", parent_id="s"),
            stack_row("other"),
        ],
    )
    locked = lock_stack(connection, "s")
    assert locked is not None
    authorise(connection, locked, ANN.id)
    authorise(connection, locked, "b" * 64, visits_only=True)
    found = read_stacks(connection, ["s", "n", "other"])
    ids = {name: (each.authority_id, each.visitor_id) for name, each in found.items()}
    assert ids == {"s": (ANN.id, "b" * 64), "n": (ANN.id, "b" * 64), "other": (None, None)}


@pytest.mark.parametrize("way", ["tree", "authority", "restored"])
def test_what_waits_for_an_authority_is_woken_and_nothing_else(
    connection: Connection, way: str
) -> None:
    put(connection)
    suspend_authority(connection, ANN.id, "why", 2.0)
    insert_stacks(connection, [stack_row("s", authority_id=ANN.id)])
    waiting = a_version(1, reason_code=ReasonCode.NO_AUTHORITY)
    insert_versions(connection, [waiting, a_version(2)])
    insert_nodes(
        connection,
        [
            a_node(10, version_id=1, task=Task.UPDATE, state=NodeState.PARKED, due=9.0),
            a_node(11, version_id=2, task=Task.UPDATE, state=NodeState.PARKED, due=9.0),
        ],
    )
    match way:
        case "tree":
            assert wake_waiting(connection, root_id="s") == [10]
        case "authority":
            assert wake_waiting(connection, authority_id=ANN.id) == [10]
        case _:
            assert restore_authority(connection, ANN.id, 3.0)
            assert not restore_authority(connection, ANN.id, 3.0)
    states = {each.id: each.state for each in nodes_of(connection, "s")}
    assert states == {10: NodeState.READY, 11: NodeState.PARKED}


def test_one_that_no_stack_uses_ends_and_is_removed(connection: Connection) -> None:
    put(connection)
    keep_trust(connection, ANN.id, "trust-1", "")
    insert_stacks(connection, [stack_row("s", authority_id=ANN.id)])
    assert end_unused(connection, 2.0) == []
    assert not remove_authority(connection, ANN.id)
    connection.execute(update(stack).values(deleted_at=2.0))
    assert [each.trust for each in end_unused(connection, 3.0)] == ["trust-1"]
    assert remove_authority(connection, ANN.id)
    assert read_authority(connection, ANN.id) is None


def test_a_stack_that_is_given_an_ending_one_trusts_in_nothing_that_may_be_gone(
    connection: Connection,
) -> None:
    put(connection)
    keep_trust(connection, ANN.id, "trust-1", "")
    end_unused(connection, 2.0)
    assert put(connection, 3.0).trust == ""
    assert not remove_authority(connection, ANN.id)


def test_the_list_has_no_secrets(connection: Connection) -> None:
    put(connection)
    keep_trust(connection, ANN.id, "trust-1", "")
    insert_stacks(
        connection,
        [
            stack_row("s", authority_id=ANN.id),
            stack_row("n", root_id="s", parent_id="s", authority_id=ANN.id),
        ],
    )
    [found] = list_authorities(connection)
    assert (found.has_token, found.has_trust, found.stacks) == (True, True, 1)
    assert (found.authority.token, found.authority.trust) == ("", "")


def test_expired_tokens_are_forgotten(connection: Connection) -> None:
    put(connection)
    assert forget_tokens(connection, 99.0) == 0
    assert forget_tokens(connection, 101.0) == 1
    found = read_authority(connection, ANN.id)
    assert found is not None
    assert found.token == ""


def test_a_stack_tells_what_waits_in_it_while_its_authority_is_not_accepted(
    connection: Connection,
) -> None:
    put(connection)
    insert_stacks(connection, [stack_row("s"), stack_row("t")])
    for each in ("s", "t"):
        authorise(connection, lock_stack(connection, each), ANN.id)  # type: ignore[arg-type]
    waiting = {"reason": "waits: for ann", "reason_code": ReasonCode.NO_AUTHORITY}
    insert_versions(connection, [a_version(1, name="a", **waiting), a_version(2)])

    def told() -> dict[str, tuple[str, str]]:
        stacks = read_stacks(connection, ["s", "t"]).values()
        return waiting_for_authority(connection, stacks)

    assert told() == {}
    suspend_authority(connection, ANN.id, "disabled", 2.0)
    assert told() == {"s": ("a", "waits: for ann")}
    restore_authority(connection, ANN.id, 3.0)
    assert told() == {}
