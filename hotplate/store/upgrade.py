"""Bringing a database to the newest schema."""

import logging
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from hotplate.store.database import create_tables, is_in_memory
from hotplate.store.sealing import OPTION, KeyMissing, Sealer
from hotplate.store.sealing.data_keys import masters
from hotplate.store.sealing.progress import is_clean, is_sealed, note_clean

_log = logging.getLogger("hotplate.store")

SCRIPTS = Path(__file__).parent / "migrations"

_FIRST_SEALED = "0012"
"""The first schema that has keys."""

_VERSION_TABLE = "alembic_version"
_LOCK = "hotplate schema"
_LOCK_NUMBER = 0x686F74706C617465
_PATIENCE = 600


class SchemaRefused(Exception):
    """The database cannot be used as it is; the text says why and what to do."""


def upgrade(engine: Engine, scripts: Path = SCRIPTS) -> Path | None:
    """Bring an empty database or any older schema to the newest; return the backup, if one is left.

    Does nothing on the newest schema. Several processes may call it at the same time: one does the
    work, the others wait. An SQLite file that holds data is copied beside itself first. Raises
    SchemaRefused for a schema that this program does not know. The tables of a new SQLite file, and
    of what is in memory only, are made without going through the steps.

    An engine with a sealer seals what is not sealed yet, once, and removes the copy then, for that
    would still tell all secrets. Raises KeyRefused if the keys are not those of the database.
    """
    if engine.dialect.name == "sqlite" and is_in_memory(engine.url):
        create_tables(engine)
        return None
    known = known_revisions(scripts)
    with engine.connect() as connection, connection.begin():
        present = _revision(connection)
        _check(engine, present, known)
        is_ready = present == known[-1] and (present < _FIRST_SEALED or _is_sealed(connection))
    if is_ready:
        return _cleaned(engine, None)
    with _alone(engine) as connection:
        present = _revision(connection)
        _check(engine, present, known)
        backup = None
        if present is None and scripts == SCRIPTS and engine.dialect.name == "sqlite":
            _make(connection, known[-1])
        elif present != known[-1]:
            if present is not None and engine.dialect.name == "sqlite" and engine.url.database:
                backup = _back_up(Path(engine.url.database), present)
            _migrate(connection, scripts)
        if known[-1] >= _FIRST_SEALED:
            _seal(connection)
    return _cleaned(engine, backup)


def _is_sealed(connection: Connection) -> bool:
    """Tell whether nothing must be sealed, and whether the keys are there. Raises KeyRefused."""
    sealer: Sealer | None = connection.get_execution_options().get(OPTION)
    if sealer is not None:
        sealer.check(connection)
        return is_sealed(connection)
    if masters(connection):
        url = connection.engine.url.render_as_string()
        raise KeyMissing(f"{url} is sealed; it is opened only with its key file")
    return True


def _seal(connection: Connection) -> None:
    sealer: Sealer | None = connection.get_execution_options().get(OPTION)
    if not _is_sealed(connection) and sealer is not None:
        from hotplate.store.resealing.first_sealing import seal_rows  # noqa: PLC0415  # once in a life

        number = seal_rows(connection, sealer)
        if number:
            _log.info("the database has been sealed", extra={"rows": number})


def _cleaned(engine: Engine, backup: Path | None) -> Path | None:
    """Leave nothing of what the rows were before they were sealed; return the copy, if it stays."""
    if engine.get_execution_options().get(OPTION) is None:
        return backup
    with engine.connect() as connection, connection.begin():
        if is_clean(connection):
            return backup
    if engine.dialect.name == "sqlite" and engine.url.database:
        file = Path(engine.url.database)
        _rewrite(file)
        if backup is not None:
            backup.unlink()
            _log.info("the plain copy was removed: all is sealed", extra={"copy": str(backup)})
        for copy in sorted(file.parent.glob(f"{file.name}.schema-*")):
            _log.warning(
                "a copy from before the database was sealed holds secrets in the clear: "
                "delete it when it is not needed any more",
                extra={"copy": str(copy)},
            )
    else:
        _log.warning(
            "the database server keeps old versions of rows until it is told to compact its "
            "tables: see the operator guide"
        )
    with engine.connect() as connection, connection.begin():
        note_clean(connection)
    return None


def _rewrite(file: Path) -> None:
    """Write an SQLite file anew, without what was deleted in it, and empty its log."""
    with closing(sqlite3.connect(file, isolation_level=None, timeout=_PATIENCE)) as connection:
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def known_revisions(scripts: Path = SCRIPTS) -> list[str]:
    """Return the numbers of all schemas this program knows, oldest first."""
    return sorted(path.name[:4] for path in (scripts / "versions").glob("[0-9]*.py"))


def _revision(connection: Connection) -> str | None:
    """Return the number of the present schema, None if there is none yet."""
    inspector = inspect(connection)
    if inspector.has_table(_VERSION_TABLE):
        statement = text(f"SELECT version_num FROM {_VERSION_TABLE}")  # noqa: S608 (a constant)
        present: str | None = connection.execute(statement).scalar()
        return present
    if inspector.has_table("stack"):
        raise SchemaRefused(
            f"{connection.engine.url.render_as_string()} holds tables that no version of hotplate "
            "has marked as its own; name an empty database"
        )
    return None


def _check(engine: Engine, present: str | None, known: list[str]) -> None:
    if present is not None and present not in known:
        raise SchemaRefused(
            f"{engine.url.render_as_string()} has schema {present}, which is newer than this "
            f"program: it knows schemas up to {known[-1]}; install the version of hotplate that "
            "last used this database, or a newer one"
        )


@contextmanager
def _alone(engine: Engine) -> Iterator[Connection]:
    """A transaction during which no other process changes the schema."""
    with engine.connect() as connection, _LOCKED[engine.dialect.name](connection):
        yield connection


@contextmanager
def _sqlite_lock(connection: Connection) -> Iterator[None]:
    with connection.begin():  # begins IMMEDIATE: one writer at a time
        yield


@contextmanager
def _postgresql_lock(connection: Connection) -> Iterator[None]:
    with connection.begin():
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK_NUMBER})
        yield


@contextmanager
def _mariadb_lock(connection: Connection) -> Iterator[None]:
    """DDL ends transactions here, so the lock belongs to the session."""
    lock = {"lock": f"{_LOCK} {connection.engine.url.database}"[:64], "patience": _PATIENCE}
    with connection.begin():
        if connection.execute(text("SELECT get_lock(:lock, :patience)"), lock).scalar() != 1:
            raise SchemaRefused("another process has been changing the schema for ten minutes")
    try:
        with connection.begin():
            yield
    finally:
        with connection.begin():
            connection.execute(text("SELECT release_lock(:lock)"), lock)


_LOCKED: dict[str, Callable[[Connection], AbstractContextManager[None]]] = {
    "sqlite": _sqlite_lock,
    "postgresql": _postgresql_lock,
    "mysql": _mariadb_lock,
    "mariadb": _mariadb_lock,
}


def _back_up(path: Path, revision: str) -> Path:
    """Copy an SQLite file beside itself, with all that has been committed."""
    backup = path.with_name(f"{path.name}.schema-{revision}")
    number = 1
    while backup.exists():
        number += 1
        backup = path.with_name(f"{path.name}.schema-{revision}.{number}")
    unfinished = backup.with_name(f"{backup.name}.part")
    unfinished.unlink(missing_ok=True)
    # It may hold secrets: only the owner reads it, from its first byte on.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    os.close(os.open(unfinished, flags, 0o600))
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(unfinished)) as target:
        source.backup(target)
    unfinished.rename(backup)
    return backup


def _make(connection: Connection, revision: str) -> None:
    """Make the tables of a new database as they are after all steps.

    What takes the steps would stay in memory for as long as the process lives, 12 MB of it.
    """
    create_tables(connection)
    version = _VERSION_TABLE
    connection.execute(
        text(
            f"CREATE TABLE IF NOT EXISTS {version} (version_num VARCHAR(32) NOT NULL,"
            f" CONSTRAINT {version}_pkc PRIMARY KEY (version_num))"
        )
    )
    statement = text(f"INSERT INTO {version} (version_num) VALUES (:revision)")  # noqa: S608
    connection.execute(statement, {"revision": revision})


def _migrate(connection: Connection, scripts: Path) -> None:
    # Imported here: a database that is up to date does not pay for it.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
