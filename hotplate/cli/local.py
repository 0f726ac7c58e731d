"""The API in this process, on the embedded database: the same application, without a socket."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace

from hotplate.client.in_process import Application
from hotplate.server.configuration import Configuration
from hotplate.server.engine import running_engine, services_of, told


@asynccontextmanager
async def working_application(configuration: Configuration) -> AsyncIterator[Application]:
    """Run an engine and its API. Raises CannotStart or WorkerDied."""
    from hotplate.flows.running import workflows
    from hotplate.server.workflows import workflow_services, workflow_settings

    # Whoever runs workflows on a machine of their own may reach from it what they like.
    written = {"may_reach": ["0.0.0.0/0", "::/0"], **configuration.workflows}
    extend = workflows(*workflow_settings(written))
    async with running_engine(configuration, workflow_services(written), extend) as engine:
        yield _whole(engine.operations, engine.tools, configuration)


@asynccontextmanager
async def reading_application(configuration: Configuration) -> AsyncIterator[Application]:
    """Open the database and its API, and work on nothing. Raises CannotStart."""
    from hotplate.engine.embedded import Bounds, opened  # heavy, see local_listing

    limits = configuration.limits
    services = services_of(configuration, only_to_look=True)
    if configuration.workflows.get("mistral"):
        from hotplate.server.workflows import workflow_services

        services |= workflow_services(configuration.workflows)
    with told(configuration):
        context = opened(
            configuration.database,
            services,
            allows_unverified=limits.allow_unverified_external,
            bounds=Bounds(limits.most_resources, limits.deepest_nesting),
        )
        engine = await context.__aenter__()
    try:
        yield _whole(engine.operations, engine.tools, configuration)
    finally:
        await asyncio.shield(context.__aexit__(None, None, None))


def checking_application(
    configuration: Configuration,
) -> AbstractAsyncContextManager[Application]:
    """Open the API on no database, for questions that no stack is needed for."""
    return reading_application(replace(configuration, database="sqlite://"))


@asynccontextmanager
async def listing_application(configuration: Configuration) -> AsyncIterator[Application]:
    """Open the database with the list of stacks alone: little code, so it begins at once.

    Raises CannotStart.
    """
    from hotplate.api.application import Application as Partial
    from hotplate.api.endpoint import Engine
    from hotplate.api.stack_listing import ENDPOINTS
    from hotplate.engine.asking import Asking
    from hotplate.server.identity import anybody
    from hotplate.store.database import Database
    from hotplate.store.file import make_file
    from hotplate.store.upgrade import upgrade

    with told(configuration):
        make_file(configuration.database)
        store = Database(configuration.database, threads=1)
        try:
            upgrade(store.engine)
        except BaseException:
            store.close()
            raise
    try:
        # Nothing in the list of stacks asks for more than this of the engine.
        engine = Engine(Asking(store), None, configuration.limits)  # type: ignore[arg-type]
        yield Partial(engine, ENDPOINTS, anybody)
    finally:
        store.close()


def _whole(operations: object, tools: object, configuration: Configuration) -> Application:
    from hotplate.api.application import Application as Whole
    from hotplate.api.endpoint import Engine
    from hotplate.api.endpoints import ENDPOINTS, OPEN_ENDPOINTS
    from hotplate.server.identity import anybody

    engine = Engine(operations, tools, configuration.limits)  # type: ignore[arg-type]
    return Whole(engine, ENDPOINTS, anybody, OPEN_ENDPOINTS)
