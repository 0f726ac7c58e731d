"""The running server: engine, application and socket, from start to a clean end."""

import asyncio
import contextlib
import dataclasses
import logging
import os
import socket
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from hotplate.api import (
    ENDPOINTS,
    OPEN_ENDPOINTS,
    WORKFLOW_ENDPOINTS,
    Application,
    Engine,
    Settings,
)
from hotplate.engine.embedded import Embedded
from hotplate.evaluation import Zygote
from hotplate.page import PageFiles
from hotplate.server.access.admission import Admission, admission
from hotplate.server.address import Address, bound_address, listen
from hotplate.server.configuration import Configuration
from hotplate.server.connections import Connections, proxies, with_descriptors
from hotplate.server.engine_process import engine_at
from hotplate.server.fair_loop import FairLoop
from hotplate.server.guard import Guard
from hotplate.server.http_protocol import protocol_of
from hotplate.server.memory import Memory, bound_allocator, keep_what_is_loaded
from hotplate.server.metrics import Metrics
from hotplate.server.pages import pages_of, web_page
from hotplate.server.record import file_of, recorded
from hotplate.server.stop_signals import StopSignals
from hotplate.server.watchdog import Watchdog
from hotplate.store.capacity.reserve import Reserve

_log = logging.getLogger("hotplate.server")

_PATIENCE = 10
"""Seconds that requests in hand get to finish."""

_KEEP_ALIVE = 75
"""Seconds that an idle connection is kept; longer than clients and proxies pause."""

_SWITCH = 0.001
"""Seconds after which a thread that works lets others go on. Python's own five milliseconds add up:
a small request changes threads a dozen times, and waits each time for all that work."""

_ACCEPTED_AT_ONCE = 64
"""Connections that one step of the event loop takes."""

_BACKLOG = 1024
"""Connections that may wait to be taken."""

_RESERVE = 16 * 1024 * 1024
"""Bytes beside an SQLite file that are given up when the disk is full."""

Ready = Callable[[Address], None]


def application(
    engine: Embedded,
    admission: Admission | None = None,
    settings: Settings | None = None,
    metrics: Metrics | None = None,
    is_full: Callable[[], bool] = lambda: False,
) -> Application:
    """Return the whole API of an engine; without an ``admission`` everybody is let in."""
    admission = admission or Admission()
    metrics = metrics or Metrics()
    metrics.watch(engine)
    return Application(
        Engine(
            engine.operations,
            engine.tools,
            settings or Settings(),
            authorization=admission.authorization,
            is_full=is_full,
        ),
        ENDPOINTS,
        admission.identify,
        OPEN_ENDPOINTS,
        {**pages_of(engine, metrics, is_full), **web_page(admission, PageFiles())},
        metrics.observe_request,
        WORKFLOW_ENDPOINTS,
    )


def run(configuration: Configuration, ready: Ready, is_working: bool = True) -> None:
    """Do as `serve`, in a process that has one thread yet."""
    # Before there is a second one: a process that has several cannot be forked safely.
    bound_allocator()
    sys.setswitchinterval(_SWITCH)
    zygote = Zygote.forked() if configuration.limits.evaluation_processes else None
    with asyncio.Runner(loop_factory=FairLoop) as runner:
        runner.run(serve(configuration, ready, zygote, is_working))


async def serve(
    configuration: Configuration,
    ready: Ready,
    zygote: "Zygote | None" = None,
    is_working: bool = True,
    lent: Admission | None = None,
) -> None:
    """Serve until a signal says stop; calls ``ready`` once requests are answered.

    Unless it ``is_working`` it leaves the nodes of stacks to workers in other processes. With an
    admission that is ``lent`` it is not for commands: these do not find it.

    Processes that evaluate what tenants wrote are forked from the ``zygote``; without one that is
    done in threads. Raises CannotStart, and WorkerDied if the worker dies of an unexpected error.
    """
    signals = StopSignals()
    async with contextlib.AsyncExitStack() as stack:
        admitted = lent or await stack.enter_async_context(admission(configuration))
        bound = await asyncio.to_thread(listen, configuration.listen)
        stack.enter_context(contextlib.closing(bound))
        stack.enter_context(signals.handled())
        address = bound_address(bound)
        async with engine_at(address, configuration, zygote, is_working) as engine:
            if isinstance(loop := asyncio.get_running_loop(), FairLoop):
                loop.heed(engine.database.precedence)
            connections = _connections(configuration)
            metrics = Metrics()
            metrics.watch_connections(connections)
            watchdog = Watchdog(loop)
            metrics.watch_loop(watchdog)
            reserve = await _reserve(configuration, engine)
            metrics.watch_disk(lambda: reserve.is_full)
            api = application(
                engine, admitted, configuration.limits, metrics, lambda: reserve.is_full
            )
            server = _Server(
                _uvicorn_settings(configuration, _guarded(configuration, api), connections),
                connections,
                reserve,
                lambda: ready(address),
                partial(_let_go, engine),
            )

            def stop() -> None:
                api.end_streams()
                server.stop()

            signals.stop = stop
            if lent is None:
                stack.enter_context(recorded(configuration, address))
            with watchdog.watching():
                await server.serve([bound])
            _log.info("stopping", extra={"signal": signals.first or "none"})
    _log.info("stopped")


def _guarded(configuration: Configuration, api: Application) -> ASGIApp:
    if configuration.auth != "none":
        return api
    return Guard(api, configuration.listen, configuration.names)


async def _reserve(configuration: Configuration, engine: Embedded) -> Reserve:
    """Return the reserve of an SQLite file; other databases have none."""
    file = file_of(configuration.database)
    if file is None:
        return Reserve(Path(os.devnull), 0)
    reserve = Reserve(file, _RESERVE)
    await asyncio.to_thread(reserve.check)
    engine.database.on_full = reserve.give_up
    return reserve


def _connections(configuration: Configuration) -> Connections:
    limits = configuration.connections
    limits = dataclasses.replace(limits, most=with_descriptors(limits))
    return Connections(limits, proxies(configuration.proxy))


def _uvicorn_settings(
    configuration: Configuration, application: ASGIApp, connections: Connections
) -> uvicorn.Config:
    return uvicorn.Config(
        application,
        http=protocol_of(connections, _KEEP_ALIVE),
        loop="asyncio",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(configuration.proxy),
        forwarded_allow_ips=configuration.proxy or None,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_PATIENCE,
        backlog=_ACCEPTED_AT_ONCE,
        headers=[("x-content-type-options", "nosniff")],
    )


def _let_go(engine: Embedded) -> None:
    """Forget what is remembered only to save time."""
    engine.database.let_go()
    engine.tools.book.let_go()


class _Server(uvicorn.Server):
    """uvicorn's server, with signals left to us and a word when it is ready."""

    def __init__(
        self,
        config: uvicorn.Config,
        connections: Connections,
        reserve: Reserve,
        ready: Callable[[], None],
        let_go: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._connections = connections
        self._reserve = reserve
        self._memory = Memory(let_go=let_go)
        self._memory_check: asyncio.Future[bool] | None = None
        self._ready = ready

    def stop(self) -> None:
        """Take no more requests, finish those in hand, and end."""
        self.should_exit = True

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(_BACKLOG)
        keep_what_is_loaded()
        if not self.should_exit:
            self._ready()

    def _check_memory(self) -> None:
        # Not waited for: threads may all have something to do, and clients are checked here.
        if self._memory_check is None or self._memory_check.done():
            self._memory_check = asyncio.ensure_future(asyncio.to_thread(self._memory.check))

    async def on_tick(self, counter: int) -> bool:
        if counter % 10 == 0:
            self._connections.check(asyncio.get_running_loop().time())
            self._check_memory()
        if counter % 50 == 0:
            await asyncio.to_thread(self._reserve.check)
        return await super().on_tick(counter)
