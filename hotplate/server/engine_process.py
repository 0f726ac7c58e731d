"""The engine of a process that goes on until it is stopped: a server, or a worker."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from hotplate.engine.embedded import Embedded
from hotplate.engine.worker.lease import LONGEST_CALL
from hotplate.evaluation import Zygote
from hotplate.resources.signals import SERVICE, Addresses
from hotplate.server.address import Address
from hotplate.server.configuration import Configuration
from hotplate.server.engine import running_engine
from hotplate.server.fair_loop import FairLoop
from hotplate.server.memory import bound_allocator
from hotplate.server.stop_signals import StopSignals
from hotplate.server.workflows import workflow_services, workflow_settings
from hotplate.workflow.running import workflows

_log = logging.getLogger("hotplate.server")

_FOR_TESTS = ("OS::Heat::TestResource",)
"""Types that wait and fail as they are told; nobody but who tests wants them on a server."""


@asynccontextmanager
async def engine_at(
    address: Address,
    configuration: Configuration,
    zygote: Zygote | None = None,
    is_working: bool = True,
) -> AsyncIterator[Embedded]:
    """Run the engine of a configuration, whose API others find at an address.

    Raises CannotStart or WorkerDied.
    """
    addresses = _addresses(configuration, address)
    settings = workflow_settings(configuration.workflows)
    extend = workflows(*settings, addresses.base.removesuffix("/v1"))
    services = {SERVICE: addresses, **workflow_services(configuration.workflows)}
    off = () if configuration.test_resources else _FOR_TESTS
    async with running_engine(
        configuration, services, extend, zygote, off, is_working=is_working
    ) as engine:
        yield engine


def run_worker(configuration: Configuration, ready: Callable[[], None]) -> None:
    """Work until a signal says stop, in a process that has one thread yet.

    Raises CannotStart or WorkerDied.
    """
    bound_allocator()
    # Before there is a second one: a process that has several cannot be forked safely.
    # A large stack waits until the first worker has bound its template.
    has_pool = configuration.limits.evaluation_processes > 0
    zygote = Zygote.forked(is_needed_soon=True) if has_pool else None
    with asyncio.Runner(loop_factory=FairLoop) as runner:
        runner.run(_work(configuration, ready, zygote))


async def _work(
    configuration: Configuration, ready: Callable[[], None], zygote: Zygote | None
) -> None:
    signals, stopped = StopSignals(), asyncio.Event()
    with signals.handled():
        async with engine_at(configuration.listen, configuration, zygote) as engine:
            signals.stop = stopped.set
            ready()
            await stopped.wait()
            _log.info("stopping", extra={"signal": signals.first or "none"})
            # What is in hand comes to its next resting point; others go on with the rest at once.
            await engine.worker.drain(LONGEST_CALL)
    _log.info("stopped")


def _addresses(configuration: Configuration, address: Address) -> Addresses:
    """Return what makes the addresses that servers and people are given."""
    root = configuration.public_url
    if not root and address.is_wildcard:
        _log.warning("other machines are given no address of this server: set --public-url")
        address = Address("127.0.0.1", address.port)
    return Addresses(f"{root or f'http://{address}'}/v1")
