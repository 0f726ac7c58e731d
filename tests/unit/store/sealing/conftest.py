"""A sealed database in a file, with the tables and nothing else."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from hotplate.store.database import create_tables, open_engine
from hotplate.store.sealing import KeyFile, Sealer


@pytest.fixture
def file(tmp_path: Path) -> KeyFile:
    found = KeyFile(tmp_path / "keys")
    found.make()
    return found


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'sealed.db'}"


@pytest.fixture
def sealed(url: str, file: KeyFile) -> Iterator[Engine]:
    engine = open_engine(url, Sealer(file))
    create_tables(engine)
    yield engine
    engine.dispose()
