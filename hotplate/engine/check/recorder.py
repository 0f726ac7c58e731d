"""What many nodes have to ask of the database, gathered while it is busy and done together."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Generic, TypeVar

from hotplate.engine.check.outcome import Outcome, Recorded

Write = Callable[[Sequence[Outcome]], Awaitable[Recorded]]
Publish = Callable[[Iterable[int]], None]


Question = TypeVar("Question")
Answer = TypeVar("Answer")


class Gathering(Generic[Question, Answer]):
    """Questions of many tasks: those that arrive during one transaction share the next.

    ``answer`` returns as many answers as it gets questions, in their order. Those of one
    transaction weigh ``most`` together, or it is one.
    """

    def __init__(
        self,
        answer: Callable[[Sequence[Question]], Awaitable[Sequence[Answer]]],
        most: int = 32,
        weight: Callable[[Question], int] = lambda question: 1,
    ) -> None:
        self._answer = answer
        self._weight = weight
        self._most = most
        self._waiting: list[tuple[Question, asyncio.Future[Answer]]] = []
        self._asking: asyncio.Task[None] | None = None

    async def ask(self, question: Question) -> Answer:
        """Return the answer to one question."""
        (answer,) = await self.ask_all([question])
        return answer

    async def ask_all(self, questions: Sequence[Question]) -> list[Answer]:
        """Return the answers to questions, in their order."""
        loop = asyncio.get_running_loop()
        futures: list[asyncio.Future[Answer]] = [loop.create_future() for _ in questions]
        self._waiting.extend(zip(questions, futures, strict=True))
        if self._asking is None:
            self._asking = loop.create_task(self._drain())
        return list(await asyncio.gather(*futures))

    def _number(self) -> int:
        """Return how many of those that wait share the next transaction."""
        weight = 0
        for number, (question, _) in enumerate(self._waiting):
            weight += self._weight(question)
            if weight > self._most:
                return max(1, number)
        return len(self._waiting)

    async def _drain(self) -> None:
        try:
            while self._waiting:
                batch = self._waiting[: self._number()]
                del self._waiting[: len(batch)]
                try:
                    answers = await self._answer([question for question, _ in batch])
                except Exception as error:
                    for _, future in batch:
                        if not future.done():
                            future.set_exception(error)
                    continue
                for (_, future), answer in zip(batch, answers, strict=True):
                    if not future.done():
                        future.set_result(answer)
        finally:
            self._asking = None


_STACK = 8
"""To begin something in a nested stack takes as long as so many outcomes."""


class Recorder:
    """Group commit: whatever arrives during one transaction goes into the next."""

    _MOST = 200
    """Outcomes of one transaction: others wait for it, some 20 ms of the processor."""

    def __init__(self, write: Write, publish: Publish) -> None:
        self._write = write
        self._publish = publish
        self._outcomes: Gathering[Outcome, bool] = Gathering(
            self._written, self._MOST, lambda outcome: 1 if outcome.request is None else _STACK
        )

    async def record(self, outcome: Outcome) -> bool:
        """Write one outcome; False if the claim is lost."""
        return await self._outcomes.ask(outcome)

    async def record_all(self, outcomes: Sequence[Outcome]) -> list[bool]:
        """Write outcomes; for each tell whether the claim was still held."""
        return await self._outcomes.ask_all(outcomes)

    async def _written(self, outcomes: Sequence[Outcome]) -> list[bool]:
        recorded = await self._write(outcomes)
        self._publish(recorded.ready)
        return [outcome.claim.node.id not in recorded.lost for outcome in outcomes]
