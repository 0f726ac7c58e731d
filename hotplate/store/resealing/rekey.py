"""Sealing anew: the rows of a database that was not sealed yet, and rows under older keys."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection, Engine, Table, func, select, update

from hotplate.store.database import transact
from hotplate.store.sealing import CannotOpen, Sealer
from hotplate.store.sealing.catalogue import TABLES, SealedTable
from hotplate.store.sealing.data_keys import SEALING, StoredKey, all_keys
from hotplate.store.sealing.progress import is_rekeying, note_rekeying
from hotplate.store.workflows.schema import METADATA

BATCH: Final = 500
"""Rows that one transaction touches."""

_PREFIX: Final = "$1$"
_MOST_PASSES: Final = 8


@dataclass(frozen=True, slots=True)
class KeyUse:
    """A data key and how many values it seals. No key file is needed to know that."""

    id: str
    project: str
    master_id: str
    created_at: float
    is_present: bool
    """Whether it seals what is new."""

    values: int


@dataclass(slots=True)
class Rekeyed:
    """What a rekey has done."""

    keys: int = 0
    """Data keys that were wrapped with another master key."""

    projects: int = 0
    """Projects that got a new data key."""

    values: int = 0
    """Values that were sealed with it."""

    left: int = 0
    """Values that somebody keeps writing with older keys."""


def bound_row(table: SealedTable, row: Mapping[str, Any]) -> str:
    """Return what the sealed values of a row are bound to besides table, column and project."""
    return " ".join(
        repr(value) if isinstance(value, float) else str(value)
        for value in (row[name] for name in table.key)
    )


def pages(
    connection: Connection, table: SealedTable, after: Any, more: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return the next rows of a table with what they are known by and their sealed columns."""
    columns = METADATA.tables[table.name].c
    names = dict.fromkeys((table.pages, *table.key, *table.columns, *more))
    query = select(*(columns[name] for name in names)).order_by(columns[table.pages]).limit(BATCH)
    if after is not None:
        query = query.where(columns[table.pages] > after)
    return [dict(row._mapping) for row in connection.execute(query)]


def write(
    connection: Connection, table: SealedTable, row: Mapping[str, Any], changes: Mapping[str, Any]
) -> bool:
    """Write columns of a row unless one of them has changed meanwhile; tell whether."""
    target: Table = METADATA.tables[table.name]
    unchanged = [target.c[name] == row[name] for name in changes if row[name] is not None]
    statement = (
        update(target)
        .where(target.c[table.pages] == row[table.pages], *unchanged)
        .values(**changes)
    )
    return connection.execute(statement).rowcount == 1


def rekey(engine: Engine, sealer: Sealer) -> Rekeyed:
    """Wrap all data keys with the first master key, and seal everything with new data keys.

    Engines may work on the database meanwhile, if their key files have the first master key. One
    that was interrupted is completed by the next: no new keys are made then.
    """
    done = Rekeyed()
    transact(engine, partial(_begin, sealer=sealer, done=done))
    for _ in range(_MOST_PASSES):
        done.left = 0
        changed = 0
        for table in TABLES:
            for number, left in _rewritten(engine, sealer, table):
                changed += number
                done.left += left
        done.values += changed
        if not done.left and not changed:
            break
    if not done.left:
        transact(engine, partial(note_rekeying, is_begun=False))
    return done


def key_uses(connection: Connection) -> list[KeyUse]:
    """Return the data keys that seal values, by project and age, with how many they seal."""
    counted: dict[str, int] = {}
    for table in TABLES:
        columns = METADATA.tables[table.name].c
        for name in table.columns:
            key_id = func.substr(columns[name], len(_PREFIX) + 1, _ID_LENGTH).label("key_id")
            query = (
                select(key_id, func.count())
                .where(columns[name].like(f"{_PREFIX}%"))
                .group_by(key_id)
            )
            for found, number in connection.execute(query):
                counted[found] = counted.get(found, 0) + number
    keys = [key for key in all_keys(connection) if key.purpose == SEALING]
    newest = {key.project: key.id for key in keys}
    return [
        KeyUse(
            key.id,
            key.project,
            key.master_id,
            key.created_at,
            newest[key.project] == key.id,
            counted.get(key.id, 0),
        )
        for key in keys
    ]


_ID_LENGTH = 12


def _begin(connection: Connection, sealer: Sealer, done: Rekeyed) -> None:
    keys = all_keys(connection)
    done.keys = sum(sealer.rewrap(connection, key) for key in keys)
    done.projects = 0
    if is_rekeying(connection):
        return
    for project in sorted({key.project for key in keys if key.purpose == SEALING}):
        sealer.follow(connection, project)
        done.projects += 1
    note_rekeying(connection, is_begun=True)


def _rewritten(engine: Engine, sealer: Sealer, table: SealedTable) -> Iterator[tuple[int, int]]:
    """Rewrite a table page by page; yield how many values were and how many still are to be."""
    after: Any = None
    while True:
        work = partial(_rewrite_page, sealer=sealer, table=table, after=after)
        number, left, after = transact(engine, work)
        yield number, left
        if after is None:
            return


def _rewrite_page(
    connection: Connection, sealer: Sealer, table: SealedTable, after: Any
) -> tuple[int, int, Any]:
    keys = {key.id: key for key in all_keys(connection) if key.purpose == SEALING}
    newest = {key.project: key.id for key in keys.values()}
    number = left = 0
    rows = pages(connection, table, after)
    for row in rows:
        resealed = {
            name: _resealed(connection, sealer, table, row, name, keys)
            for name in table.columns
            if _is_older(row[name], keys, newest)
        }
        changes = {name: value for name, value in resealed.items() if value is not None}
        if changes and write(connection, table, row, changes):
            number += len(changes)
        else:
            left += len(changes)
    return number, left, rows[-1][table.pages] if len(rows) == BATCH else None


def _is_older(value: Any, keys: Mapping[str, StoredKey], newest: Mapping[str, str]) -> bool:
    if not isinstance(value, str) or not value.startswith(_PREFIX):
        return False
    key = keys.get(value[len(_PREFIX) :].partition("$")[0])
    return key is not None and newest[key.project] != key.id


def _resealed(
    connection: Connection,
    sealer: Sealer,
    table: SealedTable,
    row: Mapping[str, Any],
    name: str,
    keys: Mapping[str, StoredKey],
) -> str | None:
    """Return a value sealed with the newest key; None for one that does not open."""
    value: str = row[name]
    key = keys[value[len(_PREFIX) :].partition("$")[0]]
    seals = sealer.seals(connection, key.project)
    place, at = f"{table.name}|{name}", bound_row(table, row)
    try:
        return seals.seal(place, at, seals.open(place, at, value))
    except CannotOpen:
        # It is not ours to mend, nor to stop at: whoever reads it is told.
        return None
