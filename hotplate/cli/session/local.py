"""The API in this process, on the embedded database: the same application, without a socket."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import replace
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from hotplate.client import Application
from hotplate.server import Configuration, explained_errors, running_engine, services_of

if TYPE_CHECKING:
    from hotplate.engine.context import Tools
    from hotplate.resources.catalogue import Catalogue
    from hotplate.store.database import Database


@asynccontextmanager
async def working_application(configuration: Configuration) -> AsyncIterator[Application]:
    """Run an engine and its API. Raises CannotStart or WorkerDied."""
    from hotplate.server import workflow_services, workflow_settings
    from hotplate.workflow.running import workflows

    # Whoever runs workflows on a machine of their own may reach from it what they like.
    written = {"may_reach": ["0.0.0.0/0", "::/0"], **configuration.workflows}
    extend = workflows(*workflow_settings(written))
    async with running_engine(configuration, workflow_services(written), extend) as engine:
        yield _whole(engine.operations, engine.tools, configuration)


@asynccontextmanager
async def reading_application(configuration: Configuration) -> AsyncIterator[Application]:
    """Open the database and its API, and work on nothing. Raises CannotStart."""
    from hotplate.engine.embedded import Bounds, opened, sealed  # heavy, see local_listing

    limits = configuration.limits
    services = _services_for_reading(configuration)
    with explained_errors(configuration):
        context = opened(
            configuration.database,
            services,
            open_database=sealed(configuration.key_file),
            bounds=Bounds(
                limits.most_resources, limits.deepest_nesting, limits.allow_unverified_external
            ),
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
    from hotplate.api import Application as Partial
    from hotplate.api import Engine
    from hotplate.api.stacks.listing import ENDPOINTS
    from hotplate.engine.requests.stack_list import StackList
    from hotplate.engine.world import RealWorld
    from hotplate.server import anybody

    with _opened(configuration) as store:
        # Nothing in the list of stacks asks for more than this of the engine.
        tools = SimpleNamespace(world=RealWorld())
        engine = Engine(StackList(store), tools, configuration.limits)  # type: ignore[arg-type]
        yield Partial(engine, ENDPOINTS, anybody)


@asynccontextmanager
async def showing_application(configuration: Configuration) -> AsyncIterator[Application]:
    """Open the database with what shows single stacks, without all that changes them.

    Raises CannotStart.
    """
    from hotplate.api import Application as Partial
    from hotplate.api import Engine
    from hotplate.api.stacks import listing, redirects, showing
    from hotplate.engine.requests.queries import Queries
    from hotplate.server import anybody

    modules = (listing, redirects, showing)
    with _opened(configuration) as store:
        tools = _small_tools(configuration)
        engine = Engine(Queries(store, tools), tools, configuration.limits)  # type: ignore[arg-type]
        yield Partial(engine, tuple(each for one in modules for each in one.ENDPOINTS), anybody)


@asynccontextmanager
async def validating_application(configuration: Configuration) -> AsyncIterator[Application]:
    """Open what says whether a template is right. It knows no stacks, and opens no database."""
    from hotplate.api import Application as Partial
    from hotplate.api import Engine
    from hotplate.api.templates.validate import ENDPOINTS
    from hotplate.server import anybody

    tools = _small_tools(configuration)
    yield Partial(Engine(None, tools, configuration.limits), ENDPOINTS, anybody)  # type: ignore[arg-type]


def _services_for_reading(configuration: Configuration) -> dict[str, Any]:
    """Return the services that types need which read objects. Raises CannotStart."""
    services = services_of(configuration, read_only=True)
    if configuration.workflows.get("mistral"):
        from hotplate.server import workflow_services

        services |= workflow_services(configuration.workflows)
    return services


def _small_tools(configuration: Configuration) -> "Tools":
    """Return tools whose types and services are loaded by whoever needs the first of them."""
    from hotplate.engine.context import Tools
    from hotplate.engine.recipes.book import RecipeBook
    from hotplate.engine.world import RealWorld

    limits = configuration.limits
    catalogue: Any = _LateCatalogue()
    return Tools(
        RealWorld(services=_LateServices(configuration)),
        RecipeBook(catalogue),
        catalogue,
        allows_unverified=limits.allow_unverified_external,
        most_resources=limits.most_resources,
        deepest_nesting=limits.deepest_nesting,
    )


class _LateServices(Mapping[str, Any]):
    """The services of a configuration, made when the first is asked for."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration

    def __getitem__(self, name: str) -> Any:
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)

    @cached_property
    def _made(self) -> dict[str, Any]:
        return _services_for_reading(self._configuration)


class _LateCatalogue:
    """The installed types, loaded when the first is asked for, which reading seldom does."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._installed, name)

    def __contains__(self, name: object) -> bool:
        return name in self._installed

    def __iter__(self) -> Iterator[str]:
        return iter(self._installed)

    @cached_property
    def _installed(self) -> "Catalogue":
        from hotplate.resources.catalogue import installed

        return installed()


@contextmanager
def _opened(configuration: Configuration) -> "Iterator[Database]":
    """Open the database and close it in the end. Raises CannotStart."""
    from hotplate.store.database import Database, make_file
    from hotplate.store.sealing import KeyFile, Sealer
    from hotplate.store.upgrade import upgrade

    with explained_errors(configuration):
        make_file(configuration.database)
        sealer = Sealer(KeyFile(configuration.key_file))
        store = Database(configuration.database, threads=1, sealer=sealer)
        try:
            upgrade(store.engine)
        except BaseException:
            store.close()
            raise
    try:
        yield store
    finally:
        store.close()


def _whole(operations: object, tools: object, configuration: Configuration) -> Application:
    from hotplate.api import ENDPOINTS, OPEN_ENDPOINTS, Engine
    from hotplate.api import Application as Whole
    from hotplate.server import anybody

    engine = Engine(operations, tools, configuration.limits)  # type: ignore[arg-type]
    return Whole(engine, ENDPOINTS, anybody, OPEN_ENDPOINTS)
