"""A database in memory, and rows to put into it."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine

from hotplate.store.database import create_tables, open_engine


@pytest.fixture
def engine() -> Iterator[Engine]:
    engine = open_engine("sqlite://")
    create_tables(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def connection(engine: Engine) -> Iterator[Connection]:
    with engine.begin() as connection:
        yield connection
