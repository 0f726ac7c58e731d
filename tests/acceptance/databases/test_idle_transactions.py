"""A process that stands still in the middle of a transaction keeps its locks for a while only."""

from collections.abc import Iterator
from typing import Any, cast

import pytest
from sqlalchemy import Connection, Engine, text

from hotplate.store import workers
from hotplate.store.database import open_engine
from hotplate.store.workers import end_stalled_transactions
from tests.databases import Server


@pytest.fixture
def engine(postgresql_server: Server) -> Iterator[Engine]:
    """A PostgreSQL with a table."""
    url = postgresql_server.new_database()
    engine = open_engine(url)
    with engine.begin() as setting_up:
        setting_up.execute(text("CREATE TABLE t (a INTEGER)"))
    yield engine
    engine.dispose()
    postgresql_server.drop_database(url)


def assert_ended(other: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one transaction that stands still is ended when its time is up, and not before."""
    assert end_stalled_transactions(other) == 0
    other.rollback()
    at_once = workers._END_STALLED.replace(f"{workers.IDLE_SECONDS} seconds", "0 seconds")
    monkeypatch.setattr(workers, "_END_STALLED", at_once)
    assert end_stalled_transactions(other) == 1


def test_mariadb_ends_transactions_that_stand_still(mariadb_server: Server) -> None:
    url = mariadb_server.new_database()
    engine = open_engine(url)
    with engine.connect() as connection:
        found = connection.execute(text("SELECT @@session.idle_transaction_timeout")).scalar()
    engine.dispose()
    mariadb_server.drop_database(url)
    assert found == workers.IDLE_SECONDS


def test_a_transaction_that_stands_still_is_ended(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after statements that were sent many at a time, for which PostgreSQL has no limit."""
    with engine.connect() as stalled, engine.connect() as other:
        stalled.execute(text("INSERT INTO t VALUES (:a)"), [{"a": 1}, {"a": 2}])
        assert_ended(other, monkeypatch)
        stalled.invalidate()


def test_a_transaction_that_stands_still_while_it_sends_statements_is_ended(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a one is not idle for PostgreSQL: it waits for the rest of what is being sent."""
    with engine.connect() as stalled, engine.connect() as other:
        stalled.execute(text("INSERT INTO t VALUES (1)"))
        wire = cast(Any, stalled.connection.driver_connection).pgconn
        wire.enter_pipeline_mode()
        wire.send_query_params(b"INSERT INTO t VALUES (2)", [])
        wire.send_flush_request()
        wire.flush()
        asked = "SELECT state FROM pg_stat_activity WHERE backend_xid IS NOT NULL"
        while other.execute(text(asked)).scalar() != "active":
            other.rollback()
        assert_ended(other, monkeypatch)
        stalled.invalidate()
