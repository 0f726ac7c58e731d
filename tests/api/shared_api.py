"""One API for all tests of a module that change nothing, or do not mind what others changed."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hotplate.api.http.settings import Settings
from hotplate.engine.embedded import embedded
from tests.api.conftest import Api, WatchedDatabase, nothing_late


@contextmanager
def shared_api(
    directory: Path, settings: Settings, services: Mapping[str, Any] | None = None
) -> Iterator[Api]:
    """Run the API with an engine on an SQLite file in the directory."""
    running = embedded(directory / "hotplate.db", services, open_database=WatchedDatabase)
    with asyncio.Runner() as runner:
        api = Api(runner, runner.run(running.__aenter__()), settings)
        try:
            with nothing_late(runner):
                yield api
        finally:
            runner.run(api.client.aclose())
            runner.run(running.__aexit__(None, None, None))
