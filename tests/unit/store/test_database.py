"""Transactions, and which of them are run again."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymysql
import pytest
from psycopg import errors
from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.exc import DBAPIError, OperationalError

from hotplate.store import database as module
from hotplate.store.database import (
    Database,
    gave_up,
    is_transient,
    open_engine,
    open_for_reading,
    transact,
)
from hotplate.store.workers import known_workers, register_worker


def wrapped(origin: BaseException) -> DBAPIError:
    return OperationalError("statement", None, origin)


def sqlite_error(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("message")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        (errors.DeadlockDetected(), True),
        (errors.SerializationFailure(), True),
        (errors.LockNotAvailable(), True),
        (errors.UndefinedTable(), False),
        (pymysql.err.OperationalError(1213, "deadlock"), True),
        (pymysql.err.OperationalError(1205, "lock wait timeout"), True),
        (pymysql.err.OperationalError(1020, "record has changed"), True),
        (pymysql.err.OperationalError(1045, "access denied"), False),
        (sqlite_error(sqlite3.SQLITE_BUSY), True),
        (sqlite_error(sqlite3.SQLITE_BUSY_SNAPSHOT), True),
        (sqlite_error(sqlite3.SQLITE_FULL), False),
    ],
    ids=repr,
)
def test_only_what_the_database_gave_up_is_worth_another_try(
    origin: BaseException, expected: bool
) -> None:
    assert gave_up(wrapped(origin)) is expected


class Flaky:
    """Work that the database gives up a number of times."""

    def __init__(self, times: int, origin: BaseException) -> None:
        self.times = times
        self.origin = origin
        self.runs = 0

    def __call__(self, connection: Connection) -> int:
        self.runs += 1
        register_worker(connection, f"run {self.runs}", 1.0)
        if self.runs <= self.times:
            raise wrapped(self.origin)
        return self.runs


def workers(engine: Engine) -> list[str]:
    return list(transact(engine, known_workers).values())


def test_a_transaction_that_was_given_up_leaves_nothing_and_is_run_again(engine: Engine) -> None:
    assert transact(engine, Flaky(2, errors.DeadlockDetected())) == 3
    assert workers(engine) == ["run 3"]


def test_a_commit_that_a_galera_cluster_refuses_is_run_again(engine: Engine) -> None:
    """Whoever loses a race between two nodes of the cluster hears of it at the commit."""
    refusals = [pymysql.err.OperationalError(1213, "Deadlock found when trying to get lock")] * 2

    def refuse(connection: Connection) -> None:
        if refusals:
            connection.connection.driver_connection.rollback()  # type: ignore[union-attr]
            raise wrapped(refusals.pop())

    work = Flaky(0, errors.DeadlockDetected())
    event.listen(engine, "commit", refuse)
    try:
        assert transact(engine, work) == 3
    finally:
        event.remove(engine, "commit", refuse)
    assert workers(engine) == ["run 3"]


def test_a_node_that_has_left_its_galera_cluster_may_come_back() -> None:
    assert is_transient(wrapped(pymysql.err.OperationalError(1047, "WSREP has not yet prepared")))


def test_other_errors_are_handed_on_at_once(engine: Engine) -> None:
    work = Flaky(2, errors.UndefinedTable())
    with pytest.raises(OperationalError):
        transact(engine, work)
    assert work.runs == 1
    assert workers(engine) == []


def test_tries_are_bounded(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PAUSE", 0)
    work = Flaky(1_000, errors.DeadlockDetected())
    with pytest.raises(OperationalError):
        transact(engine, work)
    assert work.runs == 12


@pytest.mark.parametrize("opened", [open_engine, open_for_reading])
def test_the_words_of_an_error_hold_no_values(
    opened: Callable[[str], Engine], tmp_path: Path
) -> None:
    # They end in logs, and as reasons of resources in events.
    engine = opened(f"sqlite:///{tmp_path / 'd'}")
    with pytest.raises(DBAPIError) as caught, engine.connect() as connection:
        connection.execute(text("SELECT nothing, :value"), {"value": "top secret"})
    assert "top secret" not in str(caught.value)
    engine.dispose()


@pytest.mark.parametrize(
    ("url", "driver"),
    [
        ("postgresql://h/d", "postgresql+psycopg"),
        ("postgres://h/d", "postgresql+psycopg"),
        ("mysql://h/d", "mariadb+pymysql"),
        ("mariadb://h/d", "mariadb+pymysql"),
        ("postgresql+psycopg://h/d", "postgresql+psycopg"),
        ("sqlite://", "sqlite"),
    ],
)
def test_a_url_needs_no_driver(url: str, driver: str) -> None:
    assert open_engine(url).url.drivername == driver


def test_a_database_answers_with_what_was_committed_or_the_error() -> None:
    async def story() -> list[Any]:
        database = Database("sqlite://")
        try:
            one = await database.transact(lambda c: c.execute(text("SELECT 1")).scalar())
            with pytest.raises(OperationalError):
                await database.transact(lambda c: c.execute(text("SELECT * FROM nothing")))
            many = [database.transact(lambda c, n=n: n) for n in range(5)]  # type: ignore[misc]
            return [one, *await asyncio.gather(*many)]
        finally:
            database.close()

    assert asyncio.run(story()) == [1, 0, 1, 2, 3, 4]


def test_reads_of_moments_do_not_wait_behind_long_ones(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'db'}")
    release = threading.Event()

    def long(connection: Connection) -> None:
        connection.execute(text("SELECT 1"))
        release.wait(60)

    async def story() -> None:
        waiting = [asyncio.ensure_future(database.read(long)) for _ in range(8)]
        await asyncio.sleep(0)
        async with asyncio.timeout(30):
            found = await database.read_soon(lambda each: each.execute(text("SELECT 7")).scalar())
        assert found == 7
        assert not any(each.done() for each in waiting)
        release.set()
        await asyncio.gather(*waiting)

    asyncio.run(story())
    database.close()


def test_what_sqlite_keeps_for_later_is_let_go_and_work_goes_on(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'x.db'}")
    closed = []
    event.listen(database.engine, "close", lambda connection, record: closed.append(connection))

    def write(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE IF NOT EXISTS t (a TEXT)"))
        connection.execute(text("INSERT INTO t VALUES (:a)"), {"a": "x" * 1_000_000})

    def count(connection: Connection) -> int:
        return int(connection.execute(text("SELECT count(*) FROM t")).scalar_one())

    async def play() -> None:
        await database.transact(write)
        assert await database.read(count) == 1
        database.let_go()
        assert len(closed) == 1
        await database.transact(write)
        assert await database.read(count) == await database.read_soon(count) == 2

    try:
        asyncio.run(play())
    finally:
        database.close()


def test_a_database_in_memory_is_not_let_go() -> None:
    database = Database("sqlite://")

    async def play() -> None:
        await database.transact(lambda connection: connection.execute(text("CREATE TABLE t (a)")))
        database.let_go()
        await database.transact(lambda connection: connection.execute(text("SELECT * FROM t")))

    try:
        asyncio.run(play())
    finally:
        database.close()
