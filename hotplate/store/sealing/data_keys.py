"""Queries on data keys. They are stored wrapped with a master key, and never removed."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, bindparam, select, update

from hotplate.store.prepared import Prepared
from hotplate.store.schema import data_key, unless_known

SEALING: Final = "seal"
"""Purpose of the keys that seal texts; the one with the greatest number is used for new ones."""

INDEX: Final = "index"
"""Purpose of the key that digests and marks of a project are made with."""

MASTER: Final = "master"
"""Purpose of the row that tells which master key the database began with."""

_BYTES = 32
_D = data_key.c
_READ = select(
    _D.id, _D.project, _D.purpose, _D.number, _D.master_id, _D.wrapped, _D.created_at, _D.uses
)
_OF_PROJECT = Prepared(
    _READ.where(_D.project == bindparam("of_project")).order_by(_D.number), ("of_project",)
)
_BY_ID = Prepared(_READ.where(_D.id == bindparam("wanted")), ("wanted",))
_MASTERS = Prepared(select(_D.master_id).distinct())
_USE = Prepared(
    update(data_key).where(_D.id == bindparam("at_id")).values(uses=_D.uses + bindparam("more")),
    ("more", "at_id"),
)


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A data key as it is stored."""

    id: str
    project: str
    purpose: str
    number: int
    master_id: str
    wrapped: str
    created_at: float
    uses: int = 0

    @property
    def bound(self) -> str:
        """What a wrapped key is bound to."""
        return f"data_key|{self.id}|{self.purpose}|{self.project}"


def drawn(
    project: str,
    purpose: str,
    number: int,
    master_id: str,
    now: float,
    wrap: Callable[[bytes, str], str],
) -> StoredKey:
    """Return a new key, wrapped."""
    key = StoredKey(secrets.token_hex(6), project, purpose, number, master_id, "", now)
    wrapped = wrap(secrets.token_bytes(_BYTES), key.bound)
    return StoredKey(key.id, project, purpose, number, master_id, wrapped, now)


def insert(connection: Connection, new: Callable[[], StoredKey]) -> StoredKey:
    """Insert a new key unless another transaction was faster; return the one that is stored."""
    while True:
        key = new()
        row = {name: getattr(key, name) for name in StoredKey.__slots__}
        connection.execute(unless_known(connection, data_key), row)
        for each in of_project(connection, key.project):
            if (each.purpose, each.number) == (key.purpose, key.number):
                return each
        # Another project's key has this id: draw again.


def of_project(connection: Connection, project: str) -> list[StoredKey]:
    """Return the keys of a project, older ones first."""
    return [StoredKey(*row) for row in _OF_PROJECT.rows(connection, project)]


def by_id(connection: Connection, key_id: str) -> StoredKey | None:
    """Return one key."""
    rows = _BY_ID.rows(connection, key_id)
    return StoredKey(*rows[0]) if rows else None


def all_keys(connection: Connection) -> list[StoredKey]:
    """Return all keys, by project and age."""
    order = (_D.project, _D.purpose, _D.number)
    return [StoredKey(*row) for row in connection.execute(_READ.order_by(*order))]


def masters(connection: Connection) -> set[str]:
    """Return the ids of the master keys that data keys are wrapped with."""
    return {row[0] for row in _MASTERS.rows(connection)}


def use(connection: Connection, key_id: str, uses: int) -> None:
    """Note that a key is going to be used so many times."""
    _USE.run(connection, uses, key_id)


def rewrap(connection: Connection, key: StoredKey, master_id: str, wrapped: str) -> bool:
    """Store a key wrapped with another master, unless another process has; tell whether."""
    statement = (
        update(data_key)
        .where(_D.id == key.id, _D.master_id == key.master_id)
        .values(master_id=master_id, wrapped=wrapped)
    )
    return connection.execute(statement).rowcount == 1
