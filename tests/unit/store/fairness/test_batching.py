"""Questions that arrive while the database is busy are answered together."""

import asyncio
from collections.abc import Sequence
from contextvars import copy_context

import pytest

from hotplate.store.fairness.batching import Batcher
from hotplate.store.fairness.fair_queue import on_behalf_of, project_of


def test_questions_that_come_meanwhile_share_the_next_answer() -> None:
    batches: list[list[int]] = []

    async def answer(questions: Sequence[int]) -> list[int]:
        batches.append(list(questions))
        await asyncio.sleep(0)
        return [question * 2 for question in questions]

    async def play() -> list[int]:
        batcher = Batcher(answer)
        first = asyncio.create_task(batcher.ask(1))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        others = [batcher.ask(number) for number in range(2, 42)]
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
        batcher = Batcher(answer)
        ends = await asyncio.gather(batcher.ask(1), batcher.ask(2), return_exceptions=True)
        assert [type(end) for end in ends] == [OSError, OSError]
        return await batcher.ask(3)

    assert asyncio.run(play()) == 3


def test_one_who_no_longer_waits_does_not_disturb_the_others() -> None:
    async def answer(questions: Sequence[int]) -> list[int]:
        await asyncio.sleep(0)
        return list(questions)

    async def play() -> int:
        batcher = Batcher(answer)
        gone = asyncio.create_task(batcher.ask(1))
        other = asyncio.create_task(batcher.ask(2))
        await asyncio.sleep(0)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        return await other

    assert asyncio.run(play()) == 2


class Database:
    """Answers when the test says so."""

    def __init__(self) -> None:
        self.batches: list[list[tuple[str, int]]] = []
        self._ends: list[asyncio.Event] = []

    async def answer(self, questions: Sequence[tuple[str, int]]) -> list[int]:
        self.batches.append(list(questions))
        end = asyncio.Event()
        self._ends.append(end)
        await end.wait()
        return [number for _, number in questions]

    async def end(self, batch: int) -> None:
        self._ends[batch].set()
        await settle()


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def ask(batcher: Batcher[tuple[str, int], int], who: str, count: int) -> None:
    asyncio.create_task(batcher.ask_all([(who, number) for number in range(count)]))  # noqa: RUF006 (ends with the loop)
    await settle()


def test_whoever_has_few_questions_does_not_wait_for_one_who_has_many() -> None:
    async def play() -> None:
        database = Database()
        batcher = Batcher(database.answer, 8, line=lambda question: question[0])
        await ask(batcher, "large", 100)
        assert [len(each) for each in database.batches] == [8]
        await ask(batcher, "small", 2)
        assert database.batches[1] == [("small", 0), ("small", 1)]
        await database.end(0)
        assert database.batches[2] == [("large", number) for number in range(8, 16)]

    asyncio.run(play())


def test_all_who_have_few_questions_share_a_transaction() -> None:
    async def play() -> None:
        database = Database()
        batcher = Batcher(database.answer, 8, line=lambda question: question[0])
        await ask(batcher, "a", 2)
        await ask(batcher, "b", 2)
        await ask(batcher, "c", 1)
        assert database.batches == [[("a", 0), ("a", 1)]]
        await database.end(0)
        assert database.batches[1] == [("b", 0), ("c", 0), ("b", 1)]

    asyncio.run(play())


def test_a_line_has_one_transaction_at_a_time() -> None:
    async def play() -> None:
        database = Database()
        batcher = Batcher(database.answer, 8, line=lambda question: question[0])
        await ask(batcher, "a", 1)
        await ask(batcher, "a", 100)
        assert len(database.batches) == 1
        await database.end(0)
        assert len(database.batches[1]) == 8

    asyncio.run(play())


def test_a_transaction_takes_no_more_than_its_weight() -> None:
    async def play() -> None:
        database = Database()
        batcher = Batcher(
            database.answer, 10, line=lambda question: question[0], weight=lambda question: 4
        )
        await ask(batcher, "a", 5)
        await database.end(0)
        await database.end(1)
        assert [len(each) for each in database.batches] == [2, 2, 1]

    asyncio.run(play())


def test_lines_that_are_apart_share_no_transaction() -> None:
    async def play() -> None:
        database = Database()
        batcher = Batcher(
            database.answer, 100, line=lambda question: question[0], is_apart=lambda: True
        )
        await ask(batcher, "a", 2)
        await ask(batcher, "b", 3)
        assert [len(each) for each in database.batches] == [2, 3]

    asyncio.run(play())


def test_transactions_are_smaller_while_several_projects_write() -> None:
    async def play() -> None:
        database, contended = Database(), [True]
        batcher = Batcher(
            database.answer, 8, line=lambda question: question[0], is_contended=lambda: contended[0]
        )
        await ask(batcher, "large", 100)
        contended[0] = False
        await database.end(0)
        assert [len(each) for each in database.batches] == [1, 8]

    asyncio.run(play())


def test_what_is_apart_is_answered_for_whoever_asked() -> None:
    seen: list[tuple[str, str]] = []

    async def answer(questions: Sequence[str]) -> list[str]:
        seen.append((questions[0], project_of(copy_context())))
        await asyncio.sleep(0)
        return list(questions)

    async def asked(batcher: "Batcher[str, str]", project: str, times: int) -> None:
        with on_behalf_of(project):
            await batcher.ask_all([project] * times)

    async def play() -> None:
        batcher = Batcher(answer, most=1, line=lambda each: each, is_apart=lambda: True)
        # The second transaction of "a" begins as its first one ends, and so does that of "b".
        await asyncio.gather(*(asked(batcher, each, 2) for each in ("a", "b")))

    asyncio.run(play())
    assert sorted(seen) == [("a", "a"), ("a", "a"), ("b", "b"), ("b", "b")]
