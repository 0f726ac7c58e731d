"""Queries that tell whether a database can be read and written."""

from sqlalchemy import Connection, insert, text, update

from hotplate.store.schema import latch

_NAME = "health"


def read_something(connection: Connection) -> None:
    """Read the least that can be read."""
    connection.execute(text("SELECT 1"))


def write_something(connection: Connection) -> None:
    """Write the least that can be written: the same row each time."""
    turn = update(latch).where(latch.c.name == _NAME).values(turns=latch.c.turns + 1)
    if not connection.execute(turn).rowcount:
        connection.execute(insert(latch).values(name=_NAME, turns=1))
