"""The pool as the server sees it: an evaluator whose processes can be ended at any moment."""

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from types import FunctionType, NoneType
from typing import Any, Final, TypeVar

from hotplate.bounded import Evaluation
from hotplate.document import InvalidDocument, Problem
from hotplate.engine.context import Tools
from hotplate.engine.recipes import Recipe
from hotplate.evaluation.fair_semaphore import FairSemaphore
from hotplate.evaluation.frames import GOES_ON, read_frame, write_frame
from hotplate.evaluation.priority import come_very_last, processor_seconds
from hotplate.evaluation.settings import MEGABYTE, PoolSettings
from hotplate.evaluation.transfer import Transfer
from hotplate.evaluation.zygote import Gone, Zygote
from hotplate.store.fairness.fair_queue import on_behalf_of
from hotplate.store.fairness.recent_use import RecentUse
from hotplate.validation.recipes import StackToBe

T = TypeVar("T")

_log = logging.getLogger("hotplate.evaluation")

_TRIES: Final = 3
_LARGEST_AT_ONCE: Final = 65_536
"""Bytes of an answer that are read in the event loop."""


_LONG: Final = 0.2
"""Seconds after which it is looked whether an evaluation has had half of them."""

_MUCH: Final = 0.25
"""Seconds of the processor lately, from which on what a project evaluates comes last."""

_LARGEST_RECIPE: Final = 16_384
"""Characters of a recipe that is sent from the event loop."""


class _Connection(asyncio.StreamReaderProtocol):
    """The connection to a process; what it brings is read for the project that it evaluates for."""

    project = ""


@dataclass(slots=True, eq=False)
class _Process:
    """One process, and the way to it."""

    pid: int
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    connection: "_Connection"
    is_last: bool = False
    begun: float = 0.0
    """How much of the processor it had before what it evaluates now."""

    @property
    def seconds(self) -> float:
        """How much of the processor it has had for what it evaluates."""
        return max(0.0, processor_seconds(self.pid) - self.begun)

    async def watch(self) -> None:
        """Let it come last as soon as what it evaluates is none of a small request."""
        self.begun = processor_seconds(self.pid)
        while not self.is_last:
            await asyncio.sleep(_LONG)
            if self.seconds > _LONG / 2:
                self.come_last()

    def come_last(self) -> None:
        """Let it take what the others that evaluate leave, from now on."""
        come_very_last(self.pid)
        self.is_last = True

    async def ask(self, request: Sequence[bytes]) -> bytes:
        await write_frame(self.writer, request)
        return await read_frame(self.reader)


class ProcessPool:
    """Evaluates in processes of its own, fairly between projects. Close it at the end.

    A process that takes too much time or memory is ended, as is one whose answer nobody waits for
    any more. The processes are started when the first one is needed. ``tools`` are those of the
    engine: answers refer to its templates and types. Without a zygote, one is started.
    """

    def __init__(self, settings: PoolSettings, tools: Tools, zygote: Zygote | None = None) -> None:
        self._settings = settings
        self._transfer = Transfer(tools)
        self._turns = FairSemaphore(settings.processes)
        self._use = RecentUse()
        self._idle: list[_Process] = []
        self._zygote = zygote
        self._starting = asyncio.Lock()
        # In turn: both hold the interpreter, for which all that is small waits.
        self._in_turn = tools.world.in_turn
        self.ended = 0
        """Processes that were ended because of what they evaluated."""

    @property
    def pids(self) -> list[int]:
        """The processes that there are, and the one from which they are forked."""
        zygote = [] if self._zygote is None else [self._zygote.pid]
        return [*zygote, *(each.pid for each in self._idle)]

    @property
    def waiting(self) -> int:
        """How many evaluations wait for a process."""
        return self._turns.waiting

    async def run(self, evaluation: Evaluation[T]) -> T:
        """Return what the evaluation returns, or raise what it raises."""
        project = evaluation.project
        if _is_small(evaluation):
            request = self._transfer.pieces(evaluation)
        else:
            request = await self._in_turn(partial(self._transfer.pieces, evaluation))
        await self._turns.take(project)
        try:
            answer = await self._answer(request, project)
        finally:
            self._turns.give_back(project)
        if len(answer) > _LARGEST_AT_ONCE or any(map(_is_about_many, evaluation.args)):
            is_error, found = await self._in_turn(
                partial(self._transfer.loads, answer, evaluation.args)
            )
        else:
            is_error, found = self._transfer.loads(answer, evaluation.args)
        if is_error:
            raise found
        return found

    async def close(self) -> None:
        """End all processes."""
        for process in self._idle:
            process.writer.close()
        self._idle.clear()
        if self._zygote is not None:
            await asyncio.to_thread(self._zygote.close)
            self._zygote = None

    async def _answer(self, request: Sequence[bytes], project: str) -> bytes:
        for _ in range(_TRIES):
            try:
                process = await self._taken(self._use.of(project, time.monotonic()) > _MUCH)
            except Gone:
                continue
            goes_on = False
            process.connection.project = project
            watching = asyncio.create_task(process.watch())
            try:
                async with asyncio.timeout(self._settings.patience):
                    answer = await process.ask(request)
                goes_on = answer.startswith(GOES_ON)
            except (TimeoutError, EOFError, ConnectionError):
                if self._zygote is not None and not self._zygote.is_alive:
                    continue  # it was not the fault of what is evaluated
                self.ended += 1
                raise self._too_much() from None
            finally:
                watching.cancel()
                self._use.add(project, process.seconds, time.monotonic())
                if goes_on:
                    self._idle.append(process)
                else:
                    await asyncio.shield(self._end(process))
            return answer[1:]
        raise Gone("no process can be started to evaluate templates")

    async def _taken(self, is_much: bool) -> _Process:
        """Return a process: one that comes last for those who have evaluated much lately.

        A process that comes last cannot be told otherwise, so others get a new one.
        """
        for process in reversed(self._idle):
            if process.is_last == is_much:
                self._idle.remove(process)
                return process
        process = self._idle.pop() if self._idle else await self._started()
        if process.is_last:
            await asyncio.shield(self._end(process))
            process = await self._started()
        if is_much:
            process.come_last()
        return process

    async def _started(self) -> _Process:
        async with self._starting:
            if self._zygote is None or not self._zygote.is_alive:
                self._idle.clear()
                self._zygote = await asyncio.to_thread(Zygote.spawned)
            pid, connection = await asyncio.to_thread(self._zygote.fork, self._settings)
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(loop=loop)
        protocol = _Connection(reader, loop=loop)
        # It outlives what it is started for, and must not count as that for ever.
        with on_behalf_of(""):
            transport, _ = await loop.create_unix_connection(lambda: protocol, sock=connection)
        writer = asyncio.StreamWriter(transport, protocol, reader, loop)
        return _Process(pid, reader, writer, protocol)

    async def _end(self, process: _Process) -> None:
        process.writer.close()
        async with self._starting:
            if self._zygote is not None and self._zygote.is_alive:
                try:
                    await asyncio.to_thread(self._zygote.kill, process.pid)
                except Gone:
                    _log.warning("the process that evaluates templates is gone")

    def _too_much(self) -> InvalidDocument:
        settings = self._settings
        return InvalidDocument(
            [
                Problem(
                    f"evaluating this takes more than {settings.seconds:g} s of processor time or "
                    f"{settings.memory // MEGABYTE} MB of memory",
                    hint="make the template smaller, or its expressions simpler",
                )
            ]
        )


def _is_small(evaluation: Evaluation[Any]) -> bool:
    """Tell whether an evaluation can be sent in a moment; False if that is not plain."""
    return all(
        not each
        or isinstance(each, _PLAIN)
        or (isinstance(each, Recipe) and each.size < _LARGEST_RECIPE and not each.adopted)
        for each in evaluation.args
    )


_PLAIN: Final = (FunctionType, NoneType, StackToBe, bool)
"""Arguments that say no more than a few words."""


def _is_about_many(argument: object) -> bool:
    """Tell whether a short answer may stand for much: a recipe that repeats what it says."""
    return isinstance(argument, Recipe) and argument.is_repeated
