"""A name for the state of a simulation: two states with the same name have the same future.

The name is made of what the database holds, of the provider's objects and calls on their way, of
what each living process remembers, and of where each of its tasks stands: the chain of coroutines
with the place in each and what its variables hold. Left out is what nobody reads (times in the
past, events, reasons) and what is chance (ids are named after the versions they belong to).
Workers are interchangeable, so a process is known by what it holds and not by its number.

Clocks make up the second part of a name, all of them relative to the present.
"""

import asyncio
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, partial
from types import CoroutineType, FunctionType, MethodType, NoneType
from typing import Any

from hotplate.engine.worker.worker import Worker
from hotplate.model import Node, Stack
from hotplate.testing import SimulatedProcess, Simulation

_UNREAD = frozenset(
    (
        "attempt", "created_at", "intent_at", "reason", "root_id", "stack_id", "updated_at",
        "deadline", "traversal", "tools", "world", "rollback", "tags", "number", "project",
    )
)  # fmt: skip
_ID = "00000000-0000-4000-8000-"
"""What all ids begin with, for they are small numbers; their last twelve digits follow."""

_LONG_AGO = 1e8
_STACKS = """
    SELECT number, recipe, completed_recipe, traversal IS NULL, sequence, counter, need,
    update_need, action, status, deleted_at IS NULL FROM stack ORDER BY number"""
_VERSIONS = """
    SELECT id, uuid, name, physical_id, action, status, owner, recipe, fingerprint, definition,
    requires, needed, before, replaces, replaced_by, reference, attributes, data, cookie, intent
    FROM version ORDER BY id"""
_NODES = """
    SELECT id, generation, worker, due, sequence, version_id, task, need, state, successors,
    releases, spare FROM node ORDER BY id"""
_WORKERS = "SELECT id, heartbeat FROM worker ORDER BY id"


@cache
def _read_fields(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name not in _UNREAD)


def coroutines(task: asyncio.Task[Any]) -> Iterator["CoroutineType[Any, Any, Any]"]:
    """Return the coroutines of a task, the innermost last."""
    coroutine: Any = task.get_coro()
    while isinstance(coroutine, CoroutineType):
        yield coroutine
        coroutine = coroutine.cr_await


class StateNames:
    """Names the states of one simulation with the given workers."""

    def __init__(self, simulation: Simulation, workers: dict[SimulatedProcess, Worker]) -> None:
        self._simulation = simulation
        self._workers = workers
        self._owners: dict[int, SimulatedProcess] = {}
        for process, worker in workers.items():
            parts = (
                process, worker, worker._ports, worker._recorder, worker._checker,
                worker._lease, worker._outage, worker._sweep, worker._store,
                worker._coordination,
            )  # fmt: skip
            self._owners |= {id(part): process for part in parts}
        self._generations: dict[int, int] = {}
        self._creation_tokens: dict[str, str] = {}
        self._digits: dict[str, str] = {}
        self._memory: dict[int, str] = {}
        self._clocks: list[Any] = []
        self._own = 0

    def name(self, *more: Any) -> tuple[bytes, bytes]:
        """Return the state without its clocks, and the clocks."""
        database, cloud, loop = (
            self._simulation.database, self._simulation.cloud, self._simulation.loop
        )  # fmt: skip
        self._memory, self._clocks = {}, []
        versions = database.rows(_VERSIONS)
        nodes = database.rows(_NODES)
        beats = database.rows(_WORKERS)
        self._creation_tokens = {row[1]: f"v{row[0]}" for row in versions}
        self._digits = {uuid[-12:]: name for uuid, name in self._creation_tokens.items()}
        self._generations = {row[0]: row[1] for row in nodes}
        processes = self._processes()
        ranks = {worker_id: rank for rank, (_, worker_id, _) in enumerate(processes)}
        parts: list[Any] = [more, database.rows(_STACKS)]
        parts.append([(self._creation_token(row[1]), *row[2:]) for row in versions])
        # Claims compare generations; besides, it only matters whether there ever was one.
        parts.append(
            [(row[0], row[1] > 0, ranks.get(row[2], row[2] and "dead"), *row[4:]) for row in nodes]
        )
        parts.append([ranks.get(row[0], "dead") for row in beats])
        parts.append(sorted(self._object(item) for item in cloud.objects.values()))
        parts.append(
            sorted(
                (call.verb, self._creation_token(call.creation_token))
                for call in cloud.in_flight.values()
            )
        )
        parts.append(self._simulation.broker.queued)
        now = loop.time()
        clocks = [
            [round(row[3] - now, 3) for row in nodes if row[3] is not None],
            sorted((str(ranks.get(row[0], "dead")), round(row[1] - now, 3)) for row in beats),
            [times for _, _, times in processes],
            sorted(round(timer.when() - now, 3) for timer in loop.timers()),
        ]
        texts = [text for text, _, _ in processes]
        return digest(f"{self._named(repr(parts))}{texts}"), digest(repr(clocks))

    def _processes(self) -> list[tuple[str, int, list[Any]]]:
        """Return text, worker's id and clocks of each process that is alive, in a fixed order."""
        tasks: dict[SimulatedProcess | None, list[str]] = {}
        times: dict[SimulatedProcess | None, list[Any]] = {}
        for task in asyncio.all_tasks(self._simulation.loop):
            if task.done():
                continue
            frames = [c.cr_frame for c in coroutines(task)]
            chain = [(frame, frame.f_locals) for frame in frames if frame is not None]
            process = self._owner(chain)
            if process is not None and not process.is_alive:
                continue
            self._own = self._workers[process].id if process in self._workers else 0
            self._clocks = []
            self._memory = {}
            text = "/".join([self._frame(frame, variables) for frame, variables in chain])
            tasks.setdefault(process, []).append(self._named(text))
            times.setdefault(process, []).append(self._clocks)
        found = []
        for process, worker in self._workers.items():
            if not process.is_alive:
                continue
            self._own, self._clocks = worker.id, []
            lines = worker._recorder._outcomes._lines.values()
            waiting = [outcome for line in lines for outcome, _ in line.waiting]
            known = {
                key[1]: (sorted(value.ids.items()), self._text(value.data))
                for key, value in worker._published._values.items()
            }
            own = (+worker._in_hand.counts, worker._sweep._sooner.is_set(), known, waiting)
            whole = repr((sorted(tasks.pop(process, [])), self._named(self._text(own))))
            untils = (worker._lease._until, worker._sweep._until, worker._sweep._next)
            clocks = sorted(
                [*times.get(process, []), *([round(each - self._now, 3)] for each in untils)]
            )
            found.append((whole, worker.id, clocks))
        rest = sorted(text for texts in tasks.values() for text in texts)
        found.sort()
        return [*found, (repr(rest), 0, [])]

    @property
    def _now(self) -> float:
        return self._simulation.loop.time()

    def _owner(self, chain: list[Any]) -> SimulatedProcess | None:
        """Return the process that a task belongs to; requests and messages belong to none."""
        for _, variables in reversed(chain):
            for name in ("self", "process", "worker"):
                owner = self._owners.get(id(variables.get(name)))
                if owner is not None:
                    return owner
        return None

    def _frame(self, frame: Any, variables: dict[str, Any]) -> str:
        words = [f"{name}={self._text(variables[name])}" for name in sorted(variables)]
        return f"{frame.f_code.co_qualname}:{frame.f_lasti}({','.join(words)})"

    def _text(self, value: Any) -> str:
        kind: type = type(value)
        write, is_fact = _writing(kind)
        if not is_fact:
            return write(self, value)
        known = self._memory.get(id(value))
        if known is None:
            # Ids of objects that are gone may be given again: only what stays alive is remembered.
            known = self._memory[id(value)] = write(self, value)
        return known

    def _number(self, value: float) -> str:
        if value < _LONG_AGO:
            return repr(value)
        self._clocks.append(round(value - self._now, 3))
        return "@"

    def _list(self, value: Any) -> str:
        return f"[{','.join([self._text(each) for each in value])}]"

    def _set(self, value: Any) -> str:
        return f"[{','.join(sorted([self._text(each) for each in value]))}]"

    def _dict(self, value: dict[Any, Any]) -> str:
        return repr(sorted([(self._text(key), self._text(each)) for key, each in value.items()]))

    def _partial(self, value: "partial[Any]") -> str:
        named = {key: each for key, each in value.keywords.items() if key not in _UNREAD}
        return f"{value.func.__qualname__}{self._dict(named)}"

    def _node(self, value: Node) -> str:
        current = value.generation == self._generations.get(value.id)
        mine = value.worker == self._own
        return f"node{value.id, value.state.value, current, mine, value.sequence}"

    def _stack(self, value: Stack) -> str:
        # Of a stack in memory nobody reads the counters: each transaction reads them anew.
        return f"stack{value.sequence, value.action.value, value.recipe}"

    def _fact(self, value: Any) -> str:
        kind: type = type(value)
        words = [self._text(getattr(value, name)) for name in _read_fields(kind)]
        return f"{kind.__name__}({','.join(words)})"

    def _object(self, item: Any) -> tuple[Any, ...]:
        return (
            self._creation_token(item.creation_token),
            item.id,
            item.value,
            item.is_broken,
            item.is_going,
        )

    def _creation_token(self, creation_token: str) -> str:
        return self._creation_tokens.get(creation_token, "gone")

    def _named(self, text: str) -> str:
        """Return a text with names in place of ids."""
        head, *rest = text.split(_ID)
        digits = self._digits
        return head + "".join([digits.get(each[:12], "?") + each[12:] for each in rest])


_PLAIN: dict[type, Callable[[StateNames, Any], str]] = {
    **dict.fromkeys((bool, int, str, NoneType), lambda _, value: repr(value)),
    float: StateNames._number,
}
_WRITERS: tuple[tuple[tuple[type, ...], Callable[[StateNames, Any], str]], ...] = (
    ((Enum,), lambda _, value: str(value.name)),
    ((slice, range), lambda _, value: repr(value)),
    ((list, tuple), StateNames._list),
    ((set, frozenset), StateNames._set),
    ((dict,), StateNames._dict),
    ((partial,), StateNames._partial),
    ((Node,), StateNames._node),
    ((Stack,), StateNames._stack),
    ((FunctionType, MethodType), lambda _, value: value.__qualname__),
)
_KNOWN_BY_KIND = ("Tools", "Bound", "SimulatedWorld")


@cache
def _writing(kind: type) -> tuple[Callable[[StateNames, Any], str], bool]:
    """Return what writes values of a kind, and whether they are facts, which are written once."""
    if kind in _PLAIN:
        return _PLAIN[kind], False
    is_fact = is_dataclass(kind)
    for kinds, write in _WRITERS:
        if issubclass(kind, kinds):
            return write, is_fact
    if is_fact and kind.__module__.startswith("hotplate.") and kind.__name__ not in _KNOWN_BY_KIND:
        return StateNames._fact, True
    return lambda _, value: kind.__name__, False


def digest(text: str) -> bytes:
    """Return a short name for a text."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
