"""Queries on workers: who is alive, by the clock of the database."""

from sqlalchemy import Connection, delete, insert, select, text, update

from hotplate.store.schema import worker

_NOW = {
    "sqlite": text("SELECT (julianday('now') - 2440587.5) * 86400.0"),
    "postgresql": text("SELECT extract(epoch from clock_timestamp())::float8"),
    "mysql": text("SELECT unix_timestamp(now(6)) + 0e0"),
    "mariadb": text("SELECT unix_timestamp(now(6)) + 0e0"),
}


def database_time(connection: Connection) -> float:
    """Return the time by the database's clock, the only one that all workers share."""
    return float(connection.execute(_NOW[connection.dialect.name]).scalar_one())


def register_worker(connection: Connection, name: str, now: float) -> int:
    """Insert a worker and return its id."""
    result = connection.execute(insert(worker).values(name=name, heartbeat=now))
    return int(result.inserted_primary_key[0])  # type: ignore[index]


def beat(connection: Connection, worker_id: int, now: float) -> bool:
    """Note that a worker is alive; False if it has been removed as dead."""
    statement = update(worker).where(worker.c.id == worker_id).values(heartbeat=now)
    return connection.execute(statement).rowcount == 1


def remove_worker(connection: Connection, worker_id: int) -> None:
    """Remove a worker that has stopped."""
    connection.execute(delete(worker).where(worker.c.id == worker_id))


def remove_dead_workers(connection: Connection, expired: float) -> None:
    """Remove workers that have not been heard of since ``expired``."""
    connection.execute(delete(worker).where(worker.c.heartbeat < expired))


def live_workers(connection: Connection, since: float) -> list[str]:
    """Return the names of the workers heard of since then."""
    return list(
        connection.execute(select(worker.c.name).where(worker.c.heartbeat >= since)).scalars()
    )
