"""Bringing a database to the newest schema."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from hotplate.store.database import create_tables, is_in_memory

SCRIPTS = Path(__file__).parent / "migrations"

_VERSION_TABLE = "alembic_version"
_LOCK = "hotplate schema"
_LOCK_NUMBER = 0x686F74706C617465
_PATIENCE = 600


class SchemaRefused(Exception):
    """The database cannot be used as it is; the text says why and what to do."""


def upgrade(engine: Engine, scripts: Path = SCRIPTS) -> Path | None:
    """Bring an empty database or any older schema to the newest; return the backup, if one is made.

    Does nothing on the newest schema. Several processes may call it at the same time: one does the
    work, the others wait. An SQLite file that holds data is copied beside itself first. Raises
    SchemaRefused for a schema that this program does not know. What is in memory only is always
    new: its tables are made without going through the steps.
    """
    if engine.dialect.name == "sqlite" and is_in_memory(engine.url):
        create_tables(engine)
        return None
    known = known_revisions(scripts)
    with engine.connect() as connection, connection.begin():
        present = _revision(connection)
        _check(engine, present, known)
    if present == known[-1]:
        return None
    with _alone(engine) as connection:
        present = _revision(connection)
        if present == known[-1]:
            return None
        _check(engine, present, known)
        backup = None
        if present is not None and engine.dialect.name == "sqlite" and engine.url.database:
            backup = _back_up(Path(engine.url.database), present)
        _migrate(connection, scripts)
    return backup


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
    unfinished.touch(mode=0o600)
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(unfinished)) as target:
        source.backup(target)
    unfinished.rename(backup)
    return backup


def _migrate(connection: Connection, scripts: Path) -> None:
    # Imported here: a database that is up to date does not pay for it.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
