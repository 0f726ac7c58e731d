"""How far a database has been sealed: numbers that are kept in its table of latches."""

from typing import Final

from sqlalchemy import Connection, insert, select, update

from hotplate.store.schema import latch

_SEALED: Final = "sealed"
_REKEY: Final = "rekey"
_ROWS: Final = 1
_WHOLE: Final = 2


def is_sealed(connection: Connection) -> bool:
    """Tell whether all rows are sealed."""
    return _number(connection, _SEALED) >= _ROWS


def is_clean(connection: Connection) -> bool:
    """Tell whether nothing is left of what the rows were before they were sealed."""
    return _number(connection, _SEALED) >= _WHOLE


def note_sealed(connection: Connection, is_clean: bool) -> None:
    """Note that all rows are sealed; ``is_clean`` if there were none that had been plain."""
    _set(connection, _SEALED, _WHOLE if is_clean else _ROWS)


def note_clean(connection: Connection) -> None:
    """Note that nothing is left."""
    _set(connection, _SEALED, _WHOLE)


def is_rekeying(connection: Connection) -> bool:
    """Tell whether a rekey has begun that has not come to its end."""
    return _number(connection, _REKEY) > 0


def note_rekeying(connection: Connection, is_begun: bool) -> None:
    """Note that a rekey begins or ends."""
    _set(connection, _REKEY, int(is_begun))


def _number(connection: Connection, name: str) -> int:
    return connection.execute(select(latch.c.turns).where(latch.c.name == name)).scalar() or 0


def _set(connection: Connection, name: str, number: int) -> None:
    changed = connection.execute(update(latch).where(latch.c.name == name).values(turns=number))
    if not changed.rowcount:
        connection.execute(insert(latch).values(name=name, turns=number))
