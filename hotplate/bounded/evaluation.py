"""Work that can be done elsewhere: a function of a module with plain facts, for one project.

What takes a moment is done on the spot, inside `light`. Whatever turns out to be too heavy for that
becomes an Evaluation, which an evaluator runs elsewhere: in a thread, or in a process of a pool.
"""

import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Generic, Protocol, TypeVar

from hotplate.bounded.light import TooHeavy, is_light, light

T = TypeVar("T")

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

    def run(self, tools: Any, connection: Any) -> T:
        """Do it here."""
        given = (connection,) if self.reads else ()
        return self.function(tools, *given, *self.args)

    @property
    def key(self) -> bytes:
        """What tells it from every other one that may have another answer."""
        named = (self.function.__module__, self.function.__qualname__, self.args)
        return sha256(pickle.dumps(named)).digest()


class Evaluator(Protocol):
    """Evaluates so that nobody else waits for it. Safe to use from any number of tasks."""

    async def run(self, evaluation: Evaluation[T]) -> T:
        """Return what the evaluation returns, or raise what it raises.

        Cancelling ends it. Raises InvalidDocument if it takes too much time or memory.
        """
        ...


class Heavy(Exception):
    """A transaction needs what an evaluation gives first."""

    def __init__(self, evaluation: Evaluation[Any]) -> None:
        self.evaluation = evaluation
        super().__init__(evaluation.function.__qualname__)


@dataclass(frozen=True, slots=True)
class Raised:
    """In place of an answer: why there is none."""

    error: Exception


@contextmanager
def light_with(answers: Mapping[bytes, Any]) -> Iterator[None]:
    """Do light work inside, with what was evaluated elsewhere at hand, by the keys."""
    token = _answers.set(answers)
    try:
        with light():
            yield
    finally:
        _answers.reset(token)


def at_hand(evaluation: Evaluation[T], work: Callable[[], T]) -> T:
    """Return what ``work`` returns, which is the same as what the evaluation would.

    Where only light work may be done and this is not, the answer that was found elsewhere is
    returned. Raises Heavy if there is none yet.
    """
    if not is_light():
        return work()
    answers = _answers.get()
    if answers and (key := evaluation.key) in answers:
        found: T | Raised = answers[key]
        if isinstance(found, Raised):
            raise found.error
        return found
    try:
        return work()
    except TooHeavy:
        raise Heavy(evaluation) from None
