"""Bad requests are refused in Heat's form, in words that name the field; nothing is written."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest

from hotplate.api.http.settings import Settings
from hotplate.engine.embedded import embedded
from hotplate.resources.directory import Directory
from tests.api.bad_requests.stage import Stage
from tests.api.conftest import Api, WatchedDatabase


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("bad_requests")
    file = folder / "hotplate.db"
    stack = AsyncExitStack()
    services = {"directory": Directory(folder / "objects")}
    with asyncio.Runner() as runner:
        opening = embedded(file, services, open_database=WatchedDatabase)
        engine = runner.run(stack.enter_async_context(opening))
        api = Api(runner, engine, Settings())
        try:
            yield Stage(api, file)
        finally:
            runner.run(api.client.aclose())
            runner.run(stack.aclose())


@pytest.fixture(autouse=True)
def nothing_is_written(stage: Stage) -> Iterator[None]:
    before = stage.rows()
    yield
    assert stage.rows() == before
