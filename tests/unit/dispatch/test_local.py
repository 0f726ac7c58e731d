"""The dispatcher of one process: a large stack leaves room for the others."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from hotplate.dispatch import Claimed, LocalDispatcher


class Slow:
    """A worker that has tokens in hand until the test says so."""

    def __init__(self) -> None:
        self.begun: list[tuple[int, int]] = []
        """The stack of each token, and how many nodes it named."""

        self._ends: list[asyncio.Event] = []

    async def handle(
        self, node_ids: Sequence[int], is_redelivered: bool = False, claimed: Claimed | None = None
    ) -> None:
        self.begun.append((node_ids[0] >> 32, len(node_ids)))
        end = asyncio.Event()
        self._ends.append(end)
        await end.wait()

    def end(self, count: int) -> None:
        """Let the oldest tokens come to their end."""
        for each in self._ends[:count]:
            each.set()
        del self._ends[:count]

    async def ready_after(self, node_id: int, most: int) -> list[int]:
        raise AssertionError

    async def projects_of(self, stacks: Sequence[int]) -> dict[int, str]:
        return {stack: f"project-{stack % 10}" for stack in stacks}

    def seen(self, is_seen: bool) -> None:
        raise AssertionError


def nodes(stack: int, count: int) -> list[int]:
    return [(stack << 32) + number for number in range(count)]


async def settle() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


def test_a_small_stack_begins_while_a_large_one_has_all_it_gets() -> None:
    async def play() -> None:
        dispatcher, worker = LocalDispatcher(token_size=4), Slow()
        running = asyncio.create_task(dispatcher.run(worker, 16))
        dispatcher.publish(nodes(1, 1000))
        await settle()
        assert worker.begun == [(1, 4)] * 12
        dispatcher.publish(nodes(2, 6))
        await settle()
        assert worker.begun[12:] == [(2, 4), (2, 2)]
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running

    asyncio.run(play())


def test_stacks_take_turns_as_slots_become_free() -> None:
    async def play() -> None:
        dispatcher, worker = LocalDispatcher(token_size=4), Slow()
        running = asyncio.create_task(dispatcher.run(worker, 16))
        dispatcher.publish(nodes(1, 1000))
        dispatcher.publish(nodes(2, 1000))
        await settle()
        assert worker.begun[:4] == [(1, 4), (2, 4), (1, 4), (2, 4)]
        assert len(worker.begun) == 16
        worker.end(4)
        await settle()
        assert sorted(stack for stack, _ in worker.begun[16:]) == [1, 1, 2, 2]
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running

    asyncio.run(play())


def test_a_project_with_many_stacks_leaves_room_for_another_project() -> None:
    async def play() -> None:
        dispatcher, worker = LocalDispatcher(token_size=4), Slow()
        running = asyncio.create_task(dispatcher.run(worker, 64))
        for stack in range(1, 100):
            dispatcher.publish(nodes(10 * stack, 1))
        await settle()
        assert len(worker.begun) == 56
        dispatcher.publish(nodes(7, 8))
        await settle()
        assert worker.begun[56:] == [(7, 4), (7, 4)]
        dispatcher.publish(nodes(8, 4))
        worker.end(9)
        await settle()
        assert (8, 4) in worker.begun[58:]
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running

    asyncio.run(play())


def test_nothing_begins_after_a_pause() -> None:
    async def play() -> None:
        dispatcher, worker = LocalDispatcher(), Slow()
        running = asyncio.create_task(dispatcher.run(worker, 16))
        await settle()
        await dispatcher.pause()
        dispatcher.publish(nodes(1, 3))
        await settle()
        assert worker.begun == []
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running

    asyncio.run(play())
