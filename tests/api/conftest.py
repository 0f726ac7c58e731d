"""The whole API over a real engine, in the process of the test and without a socket."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
from sqlalchemy import Connection

from hotplate.api.http.settings import Settings
from hotplate.engine.embedded import Bounds, Embedded, Extend, embedded
from hotplate.resources import Catalogue, ResourceType
from hotplate.resources.catalogue import installed
from hotplate.resources.directory import Directory
from hotplate.server.service import application
from hotplate.server.watchdog import EXCUSED, Watchdog
from hotplate.store.database import Database
from tests.databases import new_sqlite_file

T = TypeVar("T")

PROJECT = "project"
_PATIENCE = 60


class WatchedDatabase(Database):
    """Says when something may have changed, so that nobody has to look again and again."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.changed = asyncio.Event()

    async def transact(self, work: Callable[[Connection], T]) -> T:
        result = await super().transact(work)
        self.changed.set()
        return result


class Api:
    """The API of a project, asked from a test that is not asynchronous itself.

    The engine works while a request is answered or `wait` waits, and stands still in between.
    ``client`` is the httpx.AsyncClient behind it, for `run`.
    """

    def __init__(self, runner: asyncio.Runner, engine: Embedded, settings: Settings) -> None:
        self.engine = engine
        self.settings = settings
        self.app = application(engine, settings=settings)
        self.client = httpx.AsyncClient(
            transport=httpx.ASGITransport(self.app, raise_app_exceptions=False),
            base_url=f"http://testserver/v1/{PROJECT}",
        )
        self._runner = runner

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the engine's loop."""
        return self._runner.run(work)

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Ask; a path begins below the project, a whole address is taken as it is."""
        return self.run(self.client.request(method, path, **options))

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.request("GET", path, **options)

    def post(self, path: str, **options: Any) -> httpx.Response:
        return self.request("POST", path, **options)

    def put(self, path: str, **options: Any) -> httpx.Response:
        return self.request("PUT", path, **options)

    def patch(self, path: str, **options: Any) -> httpx.Response:
        return self.request("PATCH", path, **options)

    def delete(self, path: str, **options: Any) -> httpx.Response:
        return self.request("DELETE", path, **options)

    def wait(self, stack_id: str) -> str:
        """Return the state in which a stack, given by its id, has come to rest."""

        async def state() -> str:
            stack = await self.engine.operations.stack(stack_id)
            return f"{stack.action.value}_{stack.status.value}"

        return self.until(state, lambda state: not state.endswith("_IN_PROGRESS"))

    def until(self, look: Callable[[], Awaitable[T]], is_enough: Callable[[T], bool] = bool) -> T:
        """Look each time something may have changed, until it is enough."""
        database = self.engine.database
        assert isinstance(database, WatchedDatabase)

        async def watch() -> T:
            async with asyncio.timeout(_PATIENCE):
                while True:
                    database.changed.clear()
                    seen = await look()
                    if is_enough(seen):
                        return seen
                    await database.changed.wait()

        return self.run(watch())


@contextmanager
def nothing_late(runner: asyncio.Runner) -> Iterator[None]:
    """Fail if a step of the event loop takes too long; see `Watchdog`."""
    watchdog = Watchdog(runner.get_loop())
    with watchdog.watching():
        yield
    late = {place: count for place, count in watchdog.late.items() if place not in EXCUSED}
    assert not late, f"late steps: {late}, longest {watchdog.longest:.3f} s of the processor"


@pytest.fixture
def api_settings() -> Settings:
    """The limits of the API; a test module may override this."""
    return Settings()


@pytest.fixture
def api_types() -> tuple[ResourceType, ...]:
    """Types that are known besides those that are installed; a test module may override this."""
    return ()


@pytest.fixture
def api_services() -> dict[str, Any]:
    """Services that types may use besides the directory; a test module may override this."""
    return {}


@pytest.fixture
def api_extension() -> Extend | None:
    """What else the engine runs, such as workflows; a test module may override this."""
    return None


@pytest.fixture
def api(
    tmp_path: Path,
    api_settings: Settings,
    api_types: tuple[ResourceType, ...],
    api_services: dict[str, Any],
    api_extension: Extend | None,
) -> Iterator[Api]:
    """The API with an engine on an SQLite file; the directory provider is on."""
    stack = AsyncExitStack()
    services = {"directory": Directory(tmp_path / "objects"), **api_services}
    file = new_sqlite_file(tmp_path / "hotplate.db")
    known = installed()
    catalogue = Catalogue((*map(known.get, known), *api_types))
    allowed = api_settings.allow_unverified_external
    with asyncio.Runner() as runner:
        engine = runner.run(
            stack.enter_async_context(
                embedded(
                    file,
                    services,
                    catalogue,
                    WatchedDatabase,
                    api_extension,
                    bounds=Bounds(allows_unverified=allowed),
                )
            )
        )
        api = Api(runner, engine, api_settings)
        try:
            with nothing_late(runner):
                yield api
        finally:
            runner.run(api.client.aclose())
            runner.run(stack.aclose())
