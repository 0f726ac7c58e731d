"""Where tenants' expressions are evaluated: not in the event loop, not while others wait to write.

A transaction that comes upon heavy work is given up, and run again with the answer at hand.
"""

import logging
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar

from sqlalchemy import Connection

from hotplate.bounded import Evaluation, Heavy, Raised, TooHeavy, light_with
from hotplate.engine.context import Tools
from hotplate.engine.store import Store

T = TypeVar("T")

_log = logging.getLogger("hotplate.evaluation")

_MOST_TURNS: Final = 1000
"""Pieces of heavy work that one transaction may need; more is a fault of ours."""


class InThread:
    """Evaluates in threads of this process."""

    def __init__(self, store: Store, tools: Tools) -> None:
        self._store = store
        self._tools = tools

    async def run(self, evaluation: Evaluation[T]) -> T:
        """Return what the evaluation returns."""
        tools = self._tools
        if evaluation.reads:
            return await self._store.read(lambda connection: evaluation.run(tools, connection))
        return await tools.world.aside(lambda: evaluation.run(tools, None))


class LightStore:
    """A store whose transactions do light work only; heavy work is done aside, between two tries.

    Nothing is lost by that: a transaction that is given up has changed nothing.
    """

    def __init__(self, store: Store, tools: Tools) -> None:
        self._store = store
        self._tools = tools

    @property
    def is_contended(self) -> bool:
        """Whether several projects write."""
        return self._store.is_contended

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
                return await run(partial(_lightly, work=work, answers=answers))
            except Heavy as heavy:
                evaluation = heavy.evaluation
                answers[evaluation.key] = await self._answer(evaluation)
            except TooHeavy:
                # Nobody said how to do this elsewhere; it must be done all the same.
                _log.warning(
                    "an expensive expression is evaluated inside a transaction", exc_info=True
                )
                return await run(work)
        raise AssertionError(f"a transaction needs more than {_MOST_TURNS} answers")

    async def _answer(self, evaluation: Evaluation[Any]) -> Any:
        try:
            return await self._tools.evaluate(evaluation)
        except Exception as error:  # it is raised where the answer is needed
            return Raised(error)


def _lightly(
    connection: Connection, work: Callable[[Connection], T], answers: dict[bytes, Any]
) -> T:
    with light_with(answers):
        return work(connection)


def evaluating(tools: Tools, store: Store) -> Tools:
    """Return the same tools; what has no evaluator yet evaluates in threads of this process."""
    return tools if tools.evaluator else replace(tools, evaluator=InThread(store, tools))
