"""Questions of many tasks to the database, put together into few transactions."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Sequence
from contextvars import Context, copy_context
from typing import Any, Generic, TypeVar

_HEAVY = 4
"""A line is heavy from this part (one in so many) of a full transaction on."""

_SMALLER = 8
"""While several projects write, a transaction answers fewer by this factor."""

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class _Line(Generic[Question, Answer]):
    """Questions that wait behind each other; and for whom the first of them was asked."""

    def __init__(self) -> None:
        self.context = copy_context()
        self.waiting: deque[tuple[Question, asyncio.Future[Answer]]] = deque()
        self.weight = 0


class Batcher(Generic[Question, Answer]):
    """Questions of many tasks: those that arrive during one transaction share the next.

    ``answer`` returns as many answers as it gets questions, in their order. A transaction answers
    so many that their weights are no more than ``most``, or a single one; fewer while several
    projects wait for each other.

    Questions wait in lines. A line in which much waits has transactions of its own, one at a time;
    all the others share one, in turn: whoever has few questions waits neither for those of
    somebody who has many, nor for the locks that these wait for. Lines that are ``apart`` share
    nothing.
    """

    def __init__(
        self,
        answer: Callable[[Sequence[Question]], Awaitable[Sequence[Answer]]],
        most: int = 32,
        line: Callable[[Question], Hashable] = lambda question: None,
        weight: Callable[[Question], int] = lambda question: 1,
        is_contended: Callable[[], bool] = lambda: False,
        is_apart: Callable[[], bool] = lambda: False,
    ) -> None:
        self._is_apart = is_apart
        self._answer = answer
        self._limit = most
        self._is_contended = is_contended
        self._line = line
        self._weight = weight
        self._lines: OrderedDict[Hashable, _Line[Question, Answer]] = OrderedDict()
        self._busy: set[Hashable] = set()
        """Lines of which something is being answered."""

        self._is_shared_busy = False
        self._woken: set[Hashable] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def _most(self) -> int:
        return self._limit // _SMALLER if self._is_contended() else self._limit

    async def ask(self, question: Question) -> Answer:
        """Return the answer to one question."""
        (answer,) = await self.ask_all([question])
        return answer

    async def ask_all(self, questions: Sequence[Question]) -> list[Answer]:
        """Return the answers to questions, in their order."""
        loop = asyncio.get_running_loop()
        futures: list[asyncio.Future[Answer]] = []
        for question in questions:
            name = self._line(question)
            line = self._lines.get(name)
            if line is None:
                line = self._lines[name] = _Line()
            line.weight += self._weight(question)
            futures.append(loop.create_future())
            line.waiting.append((question, futures[-1]))
            if name not in self._woken:
                # Not at once: others may ask in the same moment. Nor for all lines by the first
                # that asks: it may be the turn of its project later than that of another.
                self._woken.add(name)
                self._start(self._wake(name), line.context)
        return list(await asyncio.gather(*futures))

    async def _wake(self, name: Hashable) -> None:
        self._woken.discard(name)
        self._begin_some()

    def _begin_some(self) -> None:
        """Begin a transaction for each line that has many questions, and one for the others."""
        shared, most, is_apart = [], self._most, self._is_apart()
        for name in [name for name in self._lines if name not in self._busy]:
            line = self._lines[name]
            if is_apart or line.weight * _HEAVY > most:
                self._start(self._transaction([name], is_shared=False), line.context)
            else:
                shared.append(name)
        if shared and not self._is_shared_busy:
            context = self._lines[shared[0]].context
            self._start(self._transaction(shared, is_shared=True), context)

    def _start(self, work: Coroutine[Any, Any, None], context: Context) -> None:
        # Not for whoever happens to be here: it may be the end of another project's transaction.
        task = asyncio.get_running_loop().create_task(work, context=context.copy())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _transaction(self, names: list[Hashable], is_shared: bool) -> Coroutine[Any, Any, None]:
        batch = self._taken(deque(names))
        self._busy.update(names)
        self._is_shared_busy |= is_shared
        return self._answered(batch, names, is_shared)

    def _taken(self, names: deque[Hashable]) -> list[tuple[Question, asyncio.Future[Answer]]]:
        """Take the questions of a transaction: of each line one, again and again."""
        batch: list[tuple[Question, asyncio.Future[Answer]]] = []
        left = self._most
        while names:
            name = names.popleft()
            line = self._lines[name]
            weight = self._weight(line.waiting[0][0])
            if batch and weight > left:
                break
            left -= weight
            line.weight -= weight
            batch.append(line.waiting.popleft())
            if line.waiting:
                names.append(name)
            else:
                del self._lines[name]
        return batch

    async def _answered(
        self,
        batch: list[tuple[Question, asyncio.Future[Answer]]],
        names: list[Hashable],
        is_shared: bool,
    ) -> None:
        try:
            answers = await self._answer([question for question, _ in batch])
        except Exception as error:
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
        else:
            for (_, future), answer in zip(batch, answers, strict=True):
                if not future.done():
                    future.set_result(answer)
        self._busy.difference_update(names)
        if is_shared:
            self._is_shared_busy = False
        self._begin_some()
