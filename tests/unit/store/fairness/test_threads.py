"""Threads of a database: what nobody waits for any more."""

import asyncio
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from hotplate.store.fairness.fair_queue import on_behalf_of
from hotplate.store.fairness.precedence import Precedence
from hotplate.store.fairness.threads import InTurn, Threads


@pytest.mark.parametrize(("is_reading", "done"), [(True, ["first"]), (False, ["first", "second"])])
def test_a_read_that_nobody_waits_for_is_left_out_but_never_a_write(
    is_reading: bool, done: list[str]
) -> None:
    found: list[str] = []
    begun, goes_on = threading.Event(), threading.Event()

    def first(connection: Any) -> None:
        begun.set()
        goes_on.wait(10)
        found.append("first")

    threads: Threads[Callable[[Any], None]] = Threads(
        lambda work: work(None),
        1,
        lambda seconds: None,
        1,
        is_reading,
    )

    async def play() -> None:
        ahead = asyncio.create_task(threads.run(first))
        await asyncio.to_thread(begun.wait, 10)
        left = asyncio.create_task(threads.run(lambda connection: found.append("second")))
        await asyncio.sleep(0)
        left.cancel()
        await asyncio.gather(left, return_exceptions=True)
        goes_on.set()
        await ahead

    asyncio.run(play())
    threads.close()
    assert found == done


def test_what_computes_for_one_project_is_done_one_after_the_other() -> None:
    in_turn, at_once, most = InTurn(Precedence()), 0, 0
    lock = threading.Lock()

    def work() -> str:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        with lock:
            at_once -= 1
        return threading.current_thread().name

    async def play() -> list[str]:
        with on_behalf_of("project"):
            return await asyncio.gather(*(in_turn.run(work) for _ in range(20)))

    assert set(asyncio.run(play())) == {"computing-0"}
    assert most == 1
    in_turn.close()
    InTurn(Precedence()).close()  # no thread was needed


def test_a_thread_that_waits_holds_nothing_of_what_it_did() -> None:
    in_turn, left = InTurn(Precedence()), []

    class Answer:
        """Something that can be seen to go."""

    async def play() -> None:
        answer = await in_turn.run(Answer)
        left.append(weakref.ref(answer))

    asyncio.run(play())
    deadline = time.monotonic() + 10
    while left[0]() is not None and time.monotonic() < deadline:
        time.sleep(0.01)  # the thread may not have come back to waiting yet
    assert left[0]() is None
    in_turn.close()


def test_an_error_is_raised_where_it_is_waited_for() -> None:
    in_turn = InTurn(Precedence())

    def work() -> None:
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        asyncio.run(in_turn.run(work))
    in_turn.close()
