"""Reading beside writing, on each kind of database."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from hotplate.store.database import Database, create_tables

PATIENCE = 30


def tell(url: str, story: Callable[[Database], Awaitable[None]]) -> None:
    async def told() -> None:
        database = Database(url, threads=2)
        create_tables(database.engine)
        try:
            async with asyncio.timeout(PATIENCE):
                await story(database)
        finally:
            await asyncio.to_thread(database.close)

    asyncio.run(told())


def add_worker(connection: Connection) -> None:
    connection.execute(text("INSERT INTO worker (name, heartbeat) VALUES ('w', 1)"))


def count_workers(connection: Connection) -> int:
    return int(connection.execute(text("SELECT count(*) FROM worker")).scalar_one())


def test_whoever_reads_does_not_wait_for_a_writer_and_sees_what_is_committed(
    database_url: str,
) -> None:
    async def story(database: Database) -> None:
        may_end, has_begun = threading.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def write(connection: Connection) -> None:
            add_worker(connection)
            loop.call_soon_threadsafe(has_begun.set)
            assert may_end.wait(PATIENCE)

        writing = asyncio.ensure_future(database.transact(write))
        try:
            await has_begun.wait()
            assert await database.read(count_workers) == 0
        finally:
            may_end.set()
        await writing
        assert await database.read(count_workers) == 1

    tell(database_url, story)


def test_reading_is_refused_to_write(database_url: str) -> None:
    async def story(database: Database) -> None:
        with pytest.raises(DBAPIError):
            await database.read(add_worker)
        assert await database.read(count_workers) == 0

    tell(database_url, story)


def test_what_is_read_is_of_one_moment(database_url: str) -> None:
    async def story(database: Database) -> None:
        may_go_on, has_begun = threading.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def look_twice(connection: Connection) -> tuple[int, int]:
            first = count_workers(connection)
            loop.call_soon_threadsafe(has_begun.set)
            assert may_go_on.wait(PATIENCE)
            return first, count_workers(connection)

        looking = asyncio.ensure_future(database.read(look_twice))
        try:
            await has_begun.wait()
            await database.transact(add_worker)
        finally:
            may_go_on.set()
        assert await looking == (0, 0)

    tell(database_url, story)


def test_a_stream_lets_go_of_the_database_however_slow_the_client_is(database_url: str) -> None:
    async def story(database: Database) -> None:
        is_read = asyncio.Event()
        loop = asyncio.get_running_loop()

        def rows(connection: Connection) -> Iterator[bytes]:
            for number in range(500):
                count_workers(connection)
                yield b"%d " % number
            loop.call_soon_threadsafe(is_read.set)

        chunks = database.stream(rows)
        first = await anext(chunks)
        # The client takes nothing more, and yet all is read.
        await is_read.wait()
        rest = b"".join([chunk async for chunk in chunks])
        assert first + rest == b"".join(b"%d " % number for number in range(500))

    tell(database_url, story)


def test_a_client_that_goes_away_stops_the_reading(database_url: str) -> None:
    async def story(database: Database) -> None:
        is_closed = asyncio.Event()
        loop = asyncio.get_running_loop()

        def endless(connection: Connection) -> Iterator[bytes]:
            try:
                while True:
                    count_workers(connection)
                    yield b"x"
            finally:
                loop.call_soon_threadsafe(is_closed.set)

        async with aclosing(database.stream(endless)) as chunks:
            assert await anext(chunks) == b"x"
        await is_closed.wait()
        assert await database.read(count_workers) == 0

    tell(database_url, story)


def test_an_error_in_the_middle_of_a_stream_reaches_whoever_reads_it(database_url: str) -> None:
    async def story(database: Database) -> None:
        def broken(connection: Connection) -> Iterator[bytes]:
            yield b"begun"
            connection.execute(text("SELECT * FROM no_such_table"))

        chunks = database.stream(broken)
        assert await anext(chunks) == b"begun"
        with pytest.raises(DBAPIError, match="no_such_table"):
            await anext(chunks)

    tell(database_url, story)


def test_a_database_in_memory_is_read_by_its_only_connection() -> None:
    async def story(database: Database) -> None:
        await database.transact(add_worker)
        assert await database.read(count_workers) == 1

    tell("sqlite://", story)
