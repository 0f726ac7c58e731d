"""Where the processor time of a creation goes: by layer, for each resource.

Each layer is some functions of hotplate. They are wrapped here, and the clock of the thread is read
when one begins and when it ends; what runs inside another layer counts there alone. What no layer
has is the event loop, the threads and their queues. Reading the clock costs about a fifth.
"""

import asyncio
import functools
import inspect
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import process_time, thread_time
from typing import Any, Final

from hotplate.engine.check import run, wanted
from hotplate.engine.check.actions import Actions
from hotplate.engine.event_log import NewEvents
from hotplate.engine.recipes import Recipe
from hotplate.plan import decide
from hotplate.resources import acting
from hotplate.store import database, events, nodes, prepared, versions
from hotplate.store.sealing import sealer
from hotplate.validation.recipes import recipe_check
from tests.benchmarks.engine import chain, ended, engine, flat
from tests.benchmarks.figure import Figure

COUNT: Final = 1_000

_LAYERS: Final[dict[str, tuple[tuple[Any, str], ...]]] = {
    "acceptance: validation": ((recipe_check, "validated"),),
    "check: resolve what is wanted": ((wanted, "wanted_definition"),),
    "check: decide": ((decide, "decide"),),
    "check: what the version shall be": ((run, "want"),),
    "check: the type": ((acting, "act"),),
    "check: whether the answer can be kept": ((sys.modules[Actions.__module__], "unstorable"),),
    "check: all else": ((run.Checker, "at_once"),),
    "rows to facts, facts to rows": (
        (versions, "_rows"),
        (versions, "_versions"),
        (nodes, "_row"),
        (nodes, "node_of"),
    ),
    "sealing": tuple(
        (kind, name)
        for kind in (sealer.Seals, sealer._Sealing)
        for name in ("seal", "open", "stored", "digest", "stored_for", "digest_for", "mark")
    ),
    "events": ((NewEvents, "version"), (events, "insert_events")),
    "SQL": ((prepared, "_fetch"), (prepared, "_change"), (prepared.Prepared, "run_all")),
    "transactions: begin, commit": ((database, "transact"),),
}
_WORK: Final = {"claim_nodes": "claim: all else", "record": "record: all else"}
_OTHER_WORK: Final = "acceptance: plan and write the graph"
_REST: Final = "event loop, threads, queues"


class Layers:
    """Adds up what threads spend in layers."""

    def __init__(self) -> None:
        self._of_thread = threading.local()
        self._spent: list[dict[str, float]] = []

    def begin(self, layer: str) -> None:
        """Count what this thread does from now on to a layer."""
        mine = self._of_thread
        if not hasattr(mine, "open"):
            mine.open, mine.spent, mine.since = [], defaultdict(float), 0.0
            self._spent.append(mine.spent)
        self._count(mine)
        mine.open.append(layer)

    def end(self) -> None:
        """Count it to the layer around again."""
        mine = self._of_thread
        self._count(mine)
        mine.open.pop()

    def _count(self, mine: Any) -> None:
        now = thread_time()
        if mine.open:
            mine.spent[mine.open[-1]] += now - mine.since
        mine.since = now

    @property
    def spent(self) -> dict[str, float]:
        """Seconds by layer, of all threads."""
        layers = {layer for spent in self._spent for layer in spent}
        return {layer: sum(spent.get(layer, 0.0) for spent in self._spent) for layer in layers}

    def wrap(self, function: Callable[..., Any], layer: str) -> Callable[..., Any]:
        """Return the same function, counted to a layer. A coroutine must never wait."""
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def waiting(*args: Any, **kwargs: Any) -> Any:
                self.begin(layer)
                try:
                    return await function(*args, **kwargs)
                finally:
                    self.end()

            return waiting

        @functools.wraps(function)
        def calling(*args: Any, **kwargs: Any) -> Any:
            self.begin(layer)
            try:
                return function(*args, **kwargs)
            finally:
                self.end()

        return calling

    def wrap_transactions(self, transact: Callable[..., Any]) -> Callable[..., Any]:
        """Return the same function; the work of a transaction is a layer by its name."""

        @functools.wraps(transact)
        def transacting(engine: Any, work: Any) -> Any:
            inner = getattr(work, "keywords", {}).get("work", work)
            name = getattr(getattr(inner, "func", inner), "__name__", "")
            return transact(engine, self.wrap(work, _WORK.get(name, _OTHER_WORK)))

        return transacting


@contextmanager
def layered() -> Iterator[Layers]:
    """Let all layers be counted in here."""
    layers = Layers()
    undo: list[tuple[Any, str, Any]] = []
    for layer, places in _LAYERS.items():
        for holder, name in places:
            original = vars(holder)[name]
            wrapped = layers.wrap(original, layer)
            if original is database.transact:
                wrapped = layers.wrap(layers.wrap_transactions(original), layer)
            for owner in (holder, *_modules()):
                if vars(owner).get(name) is original:
                    undo.append((owner, name, original))
                    setattr(owner, name, wrapped)
    try:
        yield layers
    finally:
        for owner, name, original in reversed(undo):
            setattr(owner, name, original)


def _modules() -> list[Any]:
    """Modules of hotplate: each that has imported a function has a name for it of its own."""
    return [module for name, module in sys.modules.items() if name.startswith("hotplate.")]


async def _creation(make: Callable[[int], str], is_sealed: bool) -> tuple[float, dict[str, float]]:
    """Return the CPU seconds of a creation, and what of them the layers have."""
    with tempfile.TemporaryDirectory() as folder, layered() as layers:
        async with engine(Path(folder) / "bench.db", is_sealed) as operations:
            first = await operations.create("bench", "first", Recipe(make(10)))
            await ended(operations, first)
            before = layers.spent  # what is done once for each process
            start = process_time()
            stack_id = await operations.create("bench", "stack", Recipe(make(COUNT)))
            await ended(operations, stack_id)
            seconds, spent = process_time() - start, layers.spent
            return seconds, {key: spent[key] - before.get(key, 0.0) for key in spent}


def figures() -> Iterator[Figure]:
    shapes: tuple[tuple[str, Callable[[int], str], bool], ...] = (
        ("flat", flat, False),
        ("flat, sealed", flat, True),
        ("chain", chain, False),
    )
    for shape, make, is_sealed in shapes:
        tries = [asyncio.run(_creation(make, is_sealed)) for _ in range(3)]
        seconds, spent = min(tries, key=lambda each: each[0])
        whole = f"create, {shape}: all"
        yield Figure(whole, COUNT, seconds)
        spent[_REST] = seconds - sum(spent.values())
        for layer in (*_LAYERS, *_WORK.values(), _OTHER_WORK, _REST):
            own = spent.get(layer, 0.0)
            yield Figure(f"  {layer}", COUNT, own, note=f"{own / seconds:.0%}")
