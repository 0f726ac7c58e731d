"""Where tenants' expressions are evaluated: not in the event loop, not while others wait to write.

What takes a moment is done on the spot, inside `light`. Whatever turns out to be too heavy for that
becomes an Evaluation, which an Evaluator runs elsewhere: in a thread, or in a process of a pool. A
transaction that comes upon heavy work is given up, and run again with the answer at hand.
"""

import pickle
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from sqlalchemy import Connection

from hotplate.bounded import TooHeavy, is_light, light
from hotplate.engine.store import Store

if TYPE_CHECKING:
    from hotplate.engine.context import Tools

T = TypeVar("T")

_MOST_TURNS: Final = 1000
"""Pieces of heavy work that one transaction may need; more is a fault of ours."""

_answers: ContextVar[Mapping[bytes, Any]] = ContextVar("answers", default={})  # noqa: B039 (never changed)


@dataclass(frozen=True, slots=True)
class Evaluation(Generic[T]):
    """Something to evaluate for a project: it changes nothing, and can be sent elsewhere.

    ``function`` is one of a module, called with the tools of the place where it runs, a connection
    that reads if it ``reads``, and then with ``args``, which are plain facts.
    """

    project: str
    function: Callable[..., T]
    args: tuple[Any, ...] = ()
    reads: bool = False

    def run(self, tools: "Tools", connection: Connection | None) -> T:
        """Do it here."""
        given = (connection,) if self.reads else ()
        return self.function(tools, *given, *self.args)

    @property
    def key(self) -> bytes:
        """What tells it from every other task that may have another answer."""
        named = (self.function.__module__, self.function.__qualname__, self.args)
        return sha256(pickle.dumps(named)).digest()


class Heavy(Exception):
    """A transaction needs what an evaluation gives first."""

    def __init__(self, evaluation: Evaluation[Any]) -> None:
        self.evaluation = evaluation
        super().__init__(evaluation.function.__qualname__)


class Evaluator(Protocol):
    """Evaluates so that nobody else waits for it. Safe to use from any number of tasks."""

    async def run(self, evaluation: Evaluation[T]) -> T:
        """Return what the evaluation returns, or raise what it raises.

        Cancelling ends it. Raises InvalidDocument if it takes too much time or memory.
        """
        ...


class InThread:
    """Evaluates in threads of this process."""

    def __init__(self, store: Store, tools: "Tools") -> None:
        self._store = store
        self._tools = tools

    async def run(self, evaluation: Evaluation[T]) -> T:
        """Return what the evaluation returns."""
        tools = self._tools
        if evaluation.reads:
            return await self._store.read(lambda connection: evaluation.run(tools, connection))
        return await tools.world.aside(lambda: evaluation.run(tools, None))


def at_hand(evaluation: Evaluation[T], work: Callable[[], T]) -> T:
    """Return what ``work`` returns, which is the same as what the evaluation would.

    Where only light work may be done and this is not, the answer that was found elsewhere is
    returned. Raises Heavy if there is none yet.
    """
    if not is_light():
        return work()
    answers = _answers.get()
    if answers and (key := evaluation.key) in answers:
        found: T | _Raised = answers[key]
        if isinstance(found, _Raised):
            raise found.error
        return found
    try:
        return work()
    except TooHeavy:
        raise Heavy(evaluation) from None


@dataclass(frozen=True, slots=True)
class _Raised:
    """In place of an answer: why there is none."""

    error: Exception


class LightStore:
    """A store whose transactions do light work only; heavy work is done aside, between two tries.

    Nothing is lost by that: a transaction that is given up has changed nothing.
    """

    def __init__(self, store: Store, tools: "Tools") -> None:
        self._store = store
        self._tools = tools

    async def transact(self, work: Callable[[Connection], T]) -> T:
        """Run the work; what it returns has been committed."""
        return await self._tried(self._store.transact, work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run work that writes and locks nothing."""
        return await self._tried(self._store.read, work)

    async def read_soon(self, work: Callable[[Connection], T]) -> T:
        """Do the same for work of moments; it evaluates nothing."""
        return await self._store.read_soon(work)

    def stream(self, work: Callable[[Connection], Iterator[bytes]]) -> AsyncIterator[bytes]:
        """Yield what reading work yields; it evaluates nothing."""
        return self._store.stream(work)

    async def _tried(self, run: Any, work: Callable[[Connection], T]) -> T:
        answers: dict[bytes, Any] = {}
        for _ in range(_MOST_TURNS):
            try:
                return await run(lambda connection: _lightly(work, connection, answers))
            except Heavy as heavy:
                evaluation = heavy.evaluation
                answers[evaluation.key] = await self._answer(evaluation)
        raise AssertionError(f"a transaction needs more than {_MOST_TURNS} answers")

    async def _answer(self, evaluation: Evaluation[Any]) -> Any:
        try:
            return await self._tools.evaluate(evaluation)
        except Exception as error:  # it is raised where the answer is needed
            return _Raised(error)


def _lightly(
    work: Callable[[Connection], T], connection: Connection, answers: Mapping[bytes, Any]
) -> T:
    token = _answers.set(answers)
    try:
        with light():
            return work(connection)
    finally:
        _answers.reset(token)
