"""Work on nodes that were due: in portions of one stack, in hand from the claim to the end."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import wraps
from typing import Any

import pytest
from sqlalchemy import Connection

from hotplate.engine.check.claims import Claim, Due
from hotplate.engine.context import Tools
from hotplate.engine.recipes.book import RecipeBook
from hotplate.engine.worker import due as module
from hotplate.engine.worker.due import DueNodes
from hotplate.engine.worker.in_hand import InHand
from hotplate.engine.world import RealWorld
from hotplate.resources.catalogue import Catalogue
from hotplate.resources.heat.random_string import RandomString
from hotplate.resources.heat.wait_condition import WaitCondition
from tests.unit.store.rows import a_node, a_stack, a_version

ANY: Any = None


def in_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run a test in an event loop of its own."""

    @wraps(test)
    def run(**fixtures: Any) -> None:
        asyncio.run(test(**fixtures))

    return run


class Store:
    is_contended = False


class Lease:
    worker_id = 7


class Worked:
    """A worker that goes on when the test says so."""

    def __init__(self) -> None:
        self.groups: list[list[int]] = []
        self.goes_on = asyncio.Event()
        self.fault: Exception | None = None

    async def work(self, claims: Sequence[Claim]) -> None:
        self.groups.append([claim.node.id for claim in claims])
        await self.goes_on.wait()
        if self.fault is not None:
            raise self.fault


def made(worked: Worked, store: Any = None) -> tuple[DueNodes, InHand]:
    catalogue = Catalogue([RandomString(), WaitCondition()])
    tools = Tools(RealWorld(), RecipeBook(catalogue), catalogue)
    in_hand = InHand()
    lease: Any = Lease()
    given: Any = store or Store()
    return DueNodes(given, tools, lease, in_hand, worked.work), in_hand


def a_claim(node_id: int) -> Claim:
    return Claim(a_node(node_id), a_version(node_id), a_stack())


async def rounds() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@in_a_loop
async def test_stacks_are_worked_on_for_themselves_and_in_portions() -> None:
    worked = Worked()
    due, in_hand = made(worked)
    first, second = [1 << 32 | at for at in range(100)], [2 << 32 | 1]
    due.begin([a_claim(each) for each in [*first, *second]])
    assert all(each in in_hand for each in [*first, *second])  # before anything has run
    await rounds()
    assert worked.groups == [first[:64], first[64:], second]
    worked.goes_on.set()
    await rounds()
    assert len(in_hand) == 0


@in_a_loop
async def test_what_is_claimed_is_held_by_its_transaction_already(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worked = Worked()
    due, in_hand = made(worked)
    asked: list[tuple[int, bool, bool]] = []

    def claim_due(
        connection: Any, now: float, most: int, worker: int, is_taken: Any, taking: Any
    ) -> Due:
        asked.append((most, is_taken("OS::Heat::RandomString"), is_taken("OS::Nova::Server")))
        assert worker == 7
        taking([1, 2])
        return Due([a_claim(1)], [2])

    monkeypatch.setattr(module, "claim_due", claim_due)
    found = due.find(ANY, may_claim=True)
    assert 1 in in_hand
    due.begin(found.claims)
    assert 1 in in_hand
    assert 2 not in in_hand
    due.find(ANY, may_claim=False)
    due.forget()
    assert asked == [(256, True, False), (1000, False, False)]
    worked.goes_on.set()
    await rounds()
    assert 1 not in in_hand


@in_a_loop
async def test_who_has_much_in_hand_leaves_the_rest_to_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worked = Worked()
    due, _ = made(worked)
    asked: list[int] = []

    def claim_due(connection: Connection, now: float, most: int, *more: Any) -> Due:
        asked.append(most)
        return Due([], [])

    monkeypatch.setattr(module, "claim_due", claim_due)
    due.begin([a_claim(1 << 32 | at) for at in range(400)])
    due.find(ANY, may_claim=True)
    due.begin([a_claim(2 << 32 | at) for at in range(112)])
    assert due.find(ANY, may_claim=True) == Due([], [])
    assert asked == [112]
    worked.goes_on.set()
    await rounds()
    due.find(ANY, may_claim=True)
    assert asked == [112, 256]


@in_a_loop
async def test_nothing_is_claimed_while_projects_wait_for_each_other_or_in_a_drain() -> None:
    store: Any = Store()
    due, _ = made(Worked(), store)
    may_claim = [due.may_claim]
    store.is_contended = True
    may_claim.append(due.may_claim)
    store.is_contended = False
    may_claim.append(due.may_claim)
    due.pause()
    may_claim.append(due.may_claim)
    assert may_claim == [True, False, True, False]


@in_a_loop
async def test_a_fault_is_told_to_the_loop_and_what_was_in_hand_is_let_go() -> None:
    worked = Worked()
    due, in_hand = made(worked)
    told: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: told.append(context))
    worked.fault = LookupError("x")
    worked.goes_on.set()
    due.begin([a_claim(1)])
    await rounds()
    assert [str(each["exception"]) for each in told] == ["x"]
    assert len(in_hand) == 0


@in_a_loop
async def test_all_work_ends_with_the_sweep() -> None:
    worked = Worked()
    due, in_hand = made(worked)
    due.begin([a_claim(1)])
    await rounds()
    await due.cancel()
    await rounds()
    assert len(in_hand) == 0
