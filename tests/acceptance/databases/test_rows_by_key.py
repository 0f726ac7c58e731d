"""PostgreSQL finds the nodes that a worker names by their keys, however large the table is."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, text

from hotplate.store.database import open_engine
from hotplate.store.nodes import lock_nodes
from hotplate.store.schema import METADATA
from tests.databases import Server

_ROWS = 20_000
_CLAIMED = 128
"""Nodes that one transaction claims."""


@pytest.fixture
def connection(postgresql_server: Server) -> Iterator[Connection]:
    """A connection to a PostgreSQL with many nodes, of which it has made no statistics yet."""
    url = postgresql_server.new_database()
    engine = open_engine(url)
    with engine.connect() as connection:
        METADATA.create_all(connection)
        connection.execute(
            text(
                "INSERT INTO node (id, stack_id, sequence, version_id, name, task, need, state,"
                " generation, successors, releases)"
                " SELECT n, 'stack', 1, n, 'r' || n, 'update', 0, 'ready', 0, '[]', '[]'"
                f" FROM generate_series(1, {_ROWS}) AS n"
            )
        )
        connection.commit()
        yield connection
    engine.dispose()
    postgresql_server.drop_database(url)


def _whole_tables_read(connection: Connection) -> int:
    query = "SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'node'"
    return int(connection.execute(text(query)).scalar_one())


def test_nodes_that_are_claimed_are_found_by_their_keys(connection: Connection) -> None:
    """With PostgreSQL's own settings it would read all nodes of the database for each claim."""
    before = _whole_tables_read(connection)
    assert len(lock_nodes(connection, range(1, _CLAIMED + 1))) == _CLAIMED
    assert _whole_tables_read(connection) == before
