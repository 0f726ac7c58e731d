"""Queries on workers: who is alive, by the clock of the database."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from hotplate.store.prepared import Prepared
from hotplate.store.schema import worker

# Not unix_timestamp(): it goes by the session's time zone, in which an hour may come twice.
_MARIADB_NOW = "SELECT timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) / 1e6"
TIME_QUERIES: Final = {
    "sqlite": "SELECT (julianday('now') - 2440587.5) * 86400.0",
    "postgresql": "SELECT extract(epoch from clock_timestamp())::float8",
    "mysql": _MARIADB_NOW,
    "mariadb": _MARIADB_NOW,
}
IDLE_SECONDS: Final = 15
"""How long a transaction may stand still: longer than a silent worker counts as alive."""

_END_STALLED = f"""
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
    AND (
        state IN ('idle in transaction', 'idle in transaction (aborted)')
        OR state = 'active' AND wait_event_type = 'Client' AND backend_xid IS NOT NULL
    )
    AND state_change < clock_timestamp() - interval '{IDLE_SECONDS} seconds'
"""  # noqa: S608 (a number of ours)

# Every worker asks these all the time, whether there is something to do or not.
_BEAT = Prepared(
    update(worker).where(worker.c.id == bindparam("at_id")).values(heartbeat=bindparam("now")),
    ("at_id", "now"),
)
_BEAT_BACK = Prepared(
    update(worker)
    .where(worker.c.heartbeat > bindparam("later"))
    .values(heartbeat=bindparam("now")),
    ("later", "now"),
)
_REMOVE_DEAD = Prepared(
    delete(worker).where(worker.c.heartbeat < bindparam("expired")), ("expired",)
)
_KNOWN = Prepared(select(worker.c.id, worker.c.name))


def database_time(connection: Connection) -> float:
    """Return the time by the database's clock, the only one that all workers share."""
    query = TIME_QUERIES[connection.dialect.name]
    return float(connection.exec_driver_sql(query).scalar_one())


def register_worker(connection: Connection, name: str, now: float) -> int:
    """Insert a worker and return its id."""
    result = connection.execute(insert(worker).values(name=name, heartbeat=now))
    return int(result.inserted_primary_key[0])  # type: ignore[index]


def beat(connection: Connection, worker_id: int, now: float) -> bool:
    """Note that a worker is alive; False if it has been removed as dead."""
    return _BEAT.run(connection, worker_id, now) == 1


def end_stalled_transactions(connection: Connection) -> int:
    """End transactions of processes that stand still, and return how many; on PostgreSQL only.

    Who is stopped in the middle of one keeps its locks, be it between two statements or while it
    sends many at a time. Who was only slow begins anew.
    """
    if connection.dialect.name != "postgresql":
        return 0
    return len(connection.exec_driver_sql(_END_STALLED).all())


def bring_back_heartbeats(connection: Connection, now: float, tolerated: float) -> None:
    """Let no heartbeat lie in the future: the database's clock was put back since.

    Who is alive beats again soon; who is dead would be taken for alive until that time has come.
    """
    _BEAT_BACK.run(connection, now + tolerated, now)


def remove_worker(connection: Connection, worker_id: int) -> None:
    """Remove a worker that has stopped."""
    connection.execute(delete(worker).where(worker.c.id == worker_id))


def remove_dead_workers(connection: Connection, expired: float) -> None:
    """Remove workers that have had no heartbeat since ``expired``."""
    _REMOVE_DEAD.run(connection, expired)


def known_workers(connection: Connection) -> dict[int, str]:
    """Return the names of all workers by id, whether they are alive or not."""
    return {row[0]: row[1] for row in _KNOWN.rows(connection)}


def heartbeats(connection: Connection, ids: Iterable[int]) -> dict[int, tuple[str, float]]:
    """Return the names and the last heartbeats of those workers that are known."""
    statement = select(worker.c.id, worker.c.name, worker.c.heartbeat)
    rows = connection.execute(statement.where(worker.c.id.in_(list(ids))))
    return {row.id: (row.name, row.heartbeat) for row in rows}


@dataclass(frozen=True, slots=True)
class KnownWorker:
    """A worker, and how long it has been silent by the clock of the database."""

    id: int
    name: str
    heartbeat: float
    silence: float


def workers(connection: Connection) -> list[KnownWorker]:
    """Return all workers that have not been removed, oldest first."""
    now = database_time(connection)
    rows = connection.execute(select(worker).order_by(worker.c.id))
    return [
        KnownWorker(row.id, row.name, row.heartbeat, max(0.0, now - row.heartbeat)) for row in rows
    ]


def live_workers(connection: Connection, since: float) -> list[str]:
    """Return the names of the workers with a heartbeat since then."""
    return list(
        connection.execute(select(worker.c.name).where(worker.c.heartbeat >= since)).scalars()
    )
