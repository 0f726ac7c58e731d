"""Questions that arrive while the database is busy are answered together."""

import asyncio
from collections.abc import Sequence

import pytest

from hotplate.engine.check.recorder import Gathering


def test_questions_that_come_meanwhile_share_the_next_answer() -> None:
    batches: list[list[int]] = []

    async def answer(questions: Sequence[int]) -> list[int]:
        batches.append(list(questions))
        await asyncio.sleep(0)
        return [question * 2 for question in questions]

    async def play() -> list[int]:
        gathering = Gathering(answer)
        first = asyncio.create_task(gathering.ask(1))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        others = [gathering.ask(number) for number in range(2, 42)]
        return [await first, *await asyncio.gather(*others)]

    assert asyncio.run(play()) == [number * 2 for number in range(1, 42)]
    assert batches[0] == [1]
    assert [len(batch) for batch in batches[1:]] == [32, 8]


def test_a_failure_reaches_all_who_asked_together_and_nobody_else() -> None:
    async def answer(questions: Sequence[int]) -> list[int]:
        if 1 in questions:
            raise OSError("away")
        return list(questions)

    async def play() -> int:
        gathering = Gathering(answer)
        ends = await asyncio.gather(gathering.ask(1), gathering.ask(2), return_exceptions=True)
        assert [type(end) for end in ends] == [OSError, OSError]
        return await gathering.ask(3)

    assert asyncio.run(play()) == 3


def test_one_who_no_longer_waits_does_not_disturb_the_others() -> None:
    async def answer(questions: Sequence[int]) -> list[int]:
        await asyncio.sleep(0)
        return list(questions)

    async def play() -> int:
        gathering = Gathering(answer)
        gone = asyncio.create_task(gathering.ask(1))
        other = asyncio.create_task(gathering.ask(2))
        await asyncio.sleep(0)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        return await other

    assert asyncio.run(play()) == 2
