"""Statements that are turned into text once and then run as they are.

SQLAlchemy prepares every execution anew, row by row. For the small rows of the engine that costs
several times what SQLite needs to store them. The statements are still written with SQLAlchemy's
expressions, so there is one form for all databases.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Executable, Table, bindparam, insert, update
from sqlalchemy.exc import DBAPIError

CHUNK = 512
"""The most members of a list that one statement names."""

_JOINED = 128
"""The most rows that one update joins."""

_COPIED = 8
"""The fewest rows that are copied: a copy takes a round trip more than one execution."""

_LONGEST = 500_000
"""Characters that such a statement may have, unless a single row has more."""

_MARIADB = ("mariadb", "mysql")

Row = Sequence[Any]


@dataclass(frozen=True, slots=True)
class _Text:
    """A statement in the words of one database; ``names`` are its parameters in their order."""

    sql: str
    names: tuple[str, ...]
    constants: dict[str, Any]
    is_positional: bool
    arrange: Callable[[Row], Any]


class Prepared:
    """A statement whose parameters are given in the order of ``keys``."""

    def __init__(self, statement: Executable, keys: Iterable[str] = ()) -> None:
        self._statement: Any = statement
        self._keys = tuple(keys)
        self._texts: dict[str, _Text] = {}

    def rows(self, connection: Connection, *values: Any) -> list[Any]:
        """Return the rows that a query finds."""
        text = self._text(connection)
        return _fetch(connection, text.sql, text.arrange(values))

    def each(self, connection: Connection, *values: Any) -> Iterator[Any]:
        """Yield the rows that a query finds, while they are being read."""
        text = self._text(connection)
        yield from _stream(connection, text.sql, text.arrange(values))

    def parts(self, connection: Connection, *values: Any) -> Iterator[Sequence[Any]]:
        """Yield the same, many rows at a time."""
        text = self._text(connection)
        rows = _stream(connection, text.sql, text.arrange(values))
        while part := list(islice(rows, CHUNK)):
            yield part

    def run(self, connection: Connection, *values: Any) -> int:
        """Run a statement that changes rows; return how many it found."""
        text = self._text(connection)
        return _change(connection, text.sql, text.arrange(values))

    def run_all(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Run a statement once for each row of parameters."""
        if not rows:
            return
        text = self._text(connection)
        arranged = list(map(text.arrange, rows))
        if connection.dialect.name != "sqlite":
            connection.exec_driver_sql(text.sql, arranged)
            return
        try:
            _driver(connection).executemany(text.sql, arranged).close()
        except Exception as error:
            raise _wrapped(connection, text.sql, error) from error

    def _text(self, connection: Connection) -> _Text:
        name = connection.dialect.name
        found = self._texts.get(name)
        if found is None:
            found = self._texts[name] = self._compiled(connection)
        return found

    def _compiled(self, connection: Connection) -> _Text:
        # A list of columns says what an INSERT names; other statements take no notice of it.
        is_insert = getattr(self._statement, "is_insert", False)
        compiled = self._statement.compile(
            dialect=connection.dialect,
            column_keys=list(self._keys) if is_insert else None,
            for_executemany=is_insert,
        )
        if is_insert and compiled.insert_prefetch:
            raise AssertionError(f"no value is given for {compiled.insert_prefetch}")
        constants = {key: value for key, value in compiled.params.items() if key not in self._keys}
        positional = compiled.positiontup is not None
        names = tuple(compiled.positiontup if positional else compiled.params)
        arrange = self._in_order(names, constants) if positional else self._by_name(constants)
        return _Text(str(compiled), names, constants, positional, arrange)

    def _in_order(
        self, names: tuple[str, ...], constants: dict[str, Any]
    ) -> Callable[[Row], tuple[Any, ...]]:
        if names == self._keys:
            return tuple
        available = (*self._keys, *constants)
        extra = tuple(constants.values())
        places = [available.index(name) for name in names]
        if len(places) == 1:
            return lambda row: ((*row, *extra)[places[0]],)
        pick = itemgetter(*places)
        return lambda row: pick((*row, *extra))

    def _by_name(self, constants: dict[str, Any]) -> Callable[[Row], dict[str, Any]]:
        keys = self._keys
        return lambda row: {**constants, **dict(zip(keys, row, strict=True))}


class PreparedInsert(Prepared):
    """An insertion of rows into some columns of a table.

    PostgreSQL gets many rows as a copy: that costs it half of what their executions cost, and us a
    quarter.
    """

    def __init__(self, table: Table, columns: Iterable[str]) -> None:
        super().__init__(insert(table), columns)
        self._table = table.name
        self._copying = ""

    def run_all(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Insert all rows."""
        if len(rows) < _COPIED or connection.dialect.name != "postgresql":
            super().run_all(connection, rows)
            return
        if not self._copying:
            quoted = connection.dialect.identifier_preparer.quote
            columns = ", ".join(map(quoted, self._keys))
            self._copying = f"COPY {quoted(self._table)} ({columns}) FROM STDIN"
        _copy(connection, self._copying, rows)


class PreparedUpdate(Prepared):
    """An update of some columns of rows that are found by their key, given first.

    Servers get all rows as one table that is joined. What MariaDB would send an answer to each
    statement for are values of a query there; PostgreSQL gets an array for each column.
    """

    def __init__(self, table: Table, key: str, columns: Sequence[str]) -> None:
        values: dict[str, Any] = {name: bindparam(f"to_{name}") for name in columns}
        super().__init__(
            update(table).where(table.c[key] == bindparam("at_key")).values(values),
            ("at_key", *(f"to_{name}" for name in columns)),
        )
        self._table = table
        self._key = key
        self._columns = tuple(columns)
        self._by_arrays = ""

    def run_all(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Change the row of each key; the last of several with the same key holds."""
        if len(rows) < 2 or connection.dialect.name == "sqlite":
            super().run_all(connection, rows)
            return
        given = list({row[0]: row for row in rows}.values())
        if connection.dialect.name in _MARIADB:
            for chunk in _chunks(given):
                values = tuple(value for row in chunk for value in row)
                connection.exec_driver_sql(self._joined(connection, len(chunk)), values)
            return
        if not self._by_arrays:
            self._by_arrays = self._unnested(connection)
        for start in range(0, len(given), CHUNK):
            columns = zip(*given[start : start + CHUNK], strict=True)
            connection.exec_driver_sql(self._by_arrays, tuple(map(_array, columns)))

    def _joined(self, connection: Connection, count: int) -> str:
        table, key, columns, changes = self._quoted(connection)
        first = ", ".join(f"%s AS {name}" for name in (key, *columns))
        others = f" UNION ALL SELECT {', '.join(['%s'] * (len(columns) + 1))}" * (count - 1)
        changes = [f"{table}.{change}" for change in changes]
        # In this order, and by the key: whatever else is read would be locked as well.
        return (
            f"UPDATE (SELECT {first}{others}) AS given STRAIGHT_JOIN {table} FORCE INDEX (PRIMARY) "  # noqa: S608 (names of the schema)
            f"ON {table}.{key} = given.{key} SET {', '.join(changes)}"
        )

    def _unnested(self, connection: Connection) -> str:
        table, key, columns, changes = self._quoted(connection)
        kinds = [
            # Without their lengths: what is too long is refused by its column, and not cut off.
            self._table.c[name].type.compile(connection.dialect).partition("(")[0]
            for name in (self._key, *self._columns)
        ]
        return (
            f"UPDATE {table} SET {', '.join(changes)} "  # noqa: S608 (names of the schema)
            f"FROM unnest({', '.join(f'%s::{kind}[]' for kind in kinds)}) "
            f"AS given ({', '.join((key, *columns))}) WHERE {table}.{key} = given.{key}"
        )

    def _quoted(self, connection: Connection) -> tuple[str, str, list[str], list[str]]:
        """Return the names of the table, the key and the columns, and what these become."""
        quoted = connection.dialect.identifier_preparer.quote
        columns = list(map(quoted, self._columns))
        changes = [f"{name} = given.{name}" for name in columns]
        return quoted(self._table.name), quoted(self._key), columns, changes


def _array(values: Sequence[Any]) -> str:
    """Return values as PostgreSQL reads an array; the driver would take three times as long.

    Most columns of rows that are written together have the same value in all of them.
    """
    first, last = values[0], values[-1]
    if first == last and values.count(first) == len(values):
        return f"{{{','.join([_element(first)] * len(values))}}}"
    return f"{{{','.join(map(_element, values))}}}"


def _element(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, int | float):
        return repr(value)
    raise TypeError(f"a column of the type {type(value).__name__} has no form in an array")


def _chunks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield rows in lists that make no statement longer than a server takes."""
    chunk: list[Row] = []
    size = 0
    for row in rows:
        length = sum(len(value) for value in row if isinstance(value, str))
        if chunk and (len(chunk) == _JOINED or size + length > _LONGEST):
            yield chunk
            chunk, size = [], 0
        chunk.append(row)
        size += length
    if chunk:
        yield chunk


class PreparedList(Prepared):
    """A statement with one list of any length among its parameters, which is given first.

    Lengths are rounded up, so that few different texts occur and the database knows them again.
    """

    def __init__(self, statement: Executable, name: str, keys: Iterable[str] = ()) -> None:
        super().__init__(statement, keys)
        self._name = name
        self._sizes: dict[tuple[str, int], str] = {}

    def rows(self, connection: Connection, *values: Any) -> list[Any]:
        """Return the rows that a query finds."""
        items, *others = values
        found: list[Any] = []
        for sql, parameters in self._calls(connection, items, others):
            found.extend(_fetch(connection, sql, parameters))
        return found

    def each(self, connection: Connection, *values: Any) -> Iterator[Any]:
        """Yield the rows that a query finds; on SQLite while they are being read.

        Servers would not answer another question of the same transaction meanwhile.
        """
        items, *others = values
        is_sqlite = connection.dialect.name == "sqlite"
        for sql, parameters in self._calls(connection, items, others):
            yield from (_stream if is_sqlite else _fetch)(connection, sql, parameters)

    def run(self, connection: Connection, *values: Any) -> int:
        """Run a statement that changes rows; return how many it found."""
        items, *others = values
        return sum(
            _change(connection, sql, parameters)
            for sql, parameters in self._calls(connection, items, others)
        )

    def _calls(
        self, connection: Connection, items: Iterable[Any], others: Row
    ) -> Iterable[tuple[str, Any]]:
        text = self._text(connection)
        values = {**text.constants, **dict(zip(self._keys, others, strict=True))}
        listed = list(items)
        if connection.dialect.name == "postgresql":
            # One text for lists of any length: neither the driver nor the server reads it anew.
            for start in range(0, len(listed), CHUNK):
                chunk = listed[start : start + CHUNK]
                yield self._sized(connection, text, 0), {**values, self._name: _array(chunk)}
            return
        for start in range(0, len(listed), CHUNK):
            chunk = listed[start : start + CHUNK]
            size = 1 << (len(chunk) - 1).bit_length()
            chunk += [chunk[-1]] * (size - len(chunk))
            sql = self._sized(connection, text, size)
            if not text.is_positional:
                yield sql, {**values, **{f"{self._name}_{at}": v for at, v in enumerate(chunk)}}
                continue
            ordered: list[Any] = []
            for name in text.names:
                if name == self._name:
                    ordered.extend(chunk)
                else:
                    ordered.append(values[name])
            yield sql, tuple(ordered)

    def _sized(self, connection: Connection, text: _Text, size: int) -> str:
        key = (connection.dialect.name, size)
        found = self._sizes.get(key)
        if found is None and not size:
            found = self._sizes[key] = _by_array(text.sql, self._name)
        if found is None:
            if text.is_positional:
                mark = "?" if connection.dialect.paramstyle == "qmark" else "%s"
                marks = [mark] * size
            else:
                marks = [f"%({self._name}_{at})s" for at in range(size)]
            found = text.sql.replace(f"__[POSTCOMPILE_{self._name}]", ", ".join(marks))
            self._sizes[key] = found
        return found

    def _in_order(
        self, names: tuple[str, ...], constants: dict[str, Any]
    ) -> Callable[[Row], tuple[Any, ...]]:
        constants.pop(self._name, None)
        return tuple

    def _by_name(self, constants: dict[str, Any]) -> Callable[[Row], dict[str, Any]]:
        constants.pop(self._name, None)
        return super()._by_name(constants)


def _by_array(sql: str, name: str) -> str:
    """Return a statement of PostgreSQL with an array in place of a list."""
    listed = f"IN (__[POSTCOMPILE_{name}])"
    if listed not in sql:
        raise AssertionError(f"the statement names no list {name}: {sql}")
    return sql.replace(listed, f"= ANY (%({name})s)")


def _stream(connection: Connection, sql: str, parameters: Any) -> Iterator[Any]:
    if connection.dialect.name != "sqlite":
        options = {"stream_results": True, "yield_per": CHUNK}
        yield from connection.exec_driver_sql(sql, parameters, options)
        return
    try:
        yield from _driver(connection).execute(sql, parameters)
    except sqlite3.Error as error:
        raise _wrapped(connection, sql, error) from error


def _fetch(connection: Connection, sql: str, parameters: Any) -> list[Any]:
    if connection.dialect.name != "sqlite":
        return _fetch_from_server(connection, sql, parameters)
    try:
        cursor = _driver(connection).execute(sql, parameters)
        found: list[Any] = cursor.fetchall()
        cursor.close()
    except Exception as error:
        raise _wrapped(connection, sql, error) from error
    return found


def _fetch_from_server(connection: Connection, sql: str, parameters: Any) -> list[Any]:
    cursor = None
    try:
        cursor = _driver(connection).cursor()
        cursor.execute(sql, parameters)
        found = list(cursor.fetchall())
    except BaseException as error:
        # It knows whether the connection is lost, and lets go of it and of those as old as it.
        connection._handle_dbapi_exception(error, sql, None, cursor, None)
    cursor.close()
    return found


def _copy(connection: Connection, sql: str, rows: Iterable[Row]) -> None:
    cursor = None
    try:
        cursor = _driver(connection).cursor()
        with cursor.copy(sql) as copy:
            for row in rows:
                copy.write_row(row)
    except BaseException as error:
        # As above; the parameters stay out, for they may be secret.
        connection._handle_dbapi_exception(error, sql, None, cursor, None)
    if connection._has_events or connection.engine._has_events:
        # Whoever listens to statements hears of this one as well.
        connection.dispatch.after_cursor_execute(connection, cursor, sql, None, None, True)
    cursor.close()


def _change(connection: Connection, sql: str, parameters: Any) -> int:
    if connection.dialect.name != "sqlite":
        return connection.exec_driver_sql(sql, parameters).rowcount
    try:
        cursor = _driver(connection).execute(sql, parameters)
        count: int = cursor.rowcount
        cursor.close()
    except Exception as error:
        raise _wrapped(connection, sql, error) from error
    return count


def _driver(connection: Connection) -> Any:
    """Return the driver's own connection.

    With SQLite's a statement costs a sixth, and a query of a server costs this process half.
    """
    return connection.connection.driver_connection


def _wrapped(connection: Connection, sql: str, error: Exception) -> BaseException:
    """Return the error as SQLAlchemy would raise it. Parameters stay out: they may be secret."""
    kind: Any = connection.dialect.loaded_dbapi.Error
    return DBAPIError.instance(sql, None, error, kind, dialect=connection.dialect)
