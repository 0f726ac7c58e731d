"""Migrations on real databases: what they make is what the code expects."""

import shutil
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect, text

from hotplate.model import Status
from hotplate.store.database import create_tables, open_engine
from hotplate.store.schema import METADATA
from hotplate.store.stacks import read_stacks
from hotplate.store.upgrade import SCRIPTS, SchemaRefused, known_revisions, upgrade

_NEWEST = known_revisions()[-1]
_NEXT = f"{int(_NEWEST) + 1:04}"
_NEXT_SCRIPT = f'''
"""A column more."""

import sqlalchemy as sa
from alembic import op

revision = "{_NEXT}"
down_revision = "{_NEWEST}"


def upgrade() -> None:
    with op.batch_alter_table("worker") as batch:
        batch.add_column(sa.Column("colour", sa.String(20)))
'''


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = open_engine(database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def newer_scripts(tmp_path: Path) -> Path:
    scripts = tmp_path / "migrations"
    shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    (scripts / "versions" / f"{_NEXT}_next.py").write_text(_NEXT_SCRIPT)
    return scripts


def test_the_migrated_schema_is_the_one_in_the_code(engine: Engine) -> None:
    upgrade(engine)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        assert compare_metadata(context, METADATA) == []


def test_the_names_of_the_files_are_the_revisions() -> None:
    revisions = [script.revision for script in ScriptDirectory(str(SCRIPTS)).walk_revisions()]
    assert revisions[::-1] == known_revisions()


def test_texts_are_compared_exactly(engine: Engine) -> None:
    """Also on a server whose defaults take upper and lower case for the same."""
    upgrade(engine)
    row = "INSERT INTO content (digest, body) VALUES (:digest, :body)"
    with engine.begin() as connection:
        for digest in ("a", "A", "a ", "ä", "😀"):
            connection.execute(text(row), {"digest": digest, "body": "😀" + "x" * 200_000})
        found = connection.execute(text("SELECT digest FROM content WHERE digest = 'a'")).scalars()
        assert found.all() == ["a"]
        bodies = connection.execute(text("SELECT body FROM content")).scalars().all()
        assert {len(body) for body in bodies} == {200_001}


def test_upgrading_twice_changes_nothing(engine: Engine) -> None:
    assert upgrade(engine) is None
    assert upgrade(engine) is None


def test_an_older_schema_is_brought_to_the_newest(engine: Engine, newer_scripts: Path) -> None:
    upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO worker (name, heartbeat) VALUES ('ann', 1)"))
    backup = upgrade(engine, newer_scripts)
    with engine.begin() as connection:
        assert connection.execute(text("SELECT name, colour FROM worker")).all() == [("ann", None)]
    if engine.dialect.name != "sqlite":
        assert backup is None
        return
    assert backup is not None
    assert backup.name == f"hotplate.db.schema-{_NEWEST}"
    assert backup.stat().st_mode & 0o777 == 0o600
    with sqlite3.connect(backup) as old:
        assert old.execute("SELECT * FROM worker").fetchall() == [(1, "ann", 1.0)]
    old.close()


def test_a_newer_schema_is_refused(engine: Engine, newer_scripts: Path) -> None:
    upgrade(engine, newer_scripts)
    with pytest.raises(SchemaRefused, match=f"has schema {_NEXT}.*knows schemas up to {_NEWEST}"):
        upgrade(engine)


def test_tables_of_unknown_origin_are_refused(engine: Engine) -> None:
    create_tables(engine)
    with pytest.raises(SchemaRefused, match="name an empty database"):
        upgrade(engine)


def test_an_interrupted_first_upgrade_can_be_repeated(engine: Engine) -> None:
    """Where DDL is not transactional, some tables are there and the mark is not."""
    upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM alembic_version"))
        connection.execute(text("DROP TABLE snapshot"))
    upgrade(engine)
    assert inspect(engine).has_table("snapshot")


def test_every_older_schema_reaches_the_newest_with_its_rows(
    engine: Engine, tmp_path: Path
) -> None:
    oldest = tmp_path / "oldest"
    shutil.copytree(SCRIPTS, oldest, ignore=shutil.ignore_patterns("__pycache__"))
    for revision in known_revisions()[1:]:
        next((oldest / "versions").glob(f"{revision}_*.py")).unlink()
    upgrade(engine, oldest)
    row = (
        "INSERT INTO stack (id, name, project, root_id, depth, recipe, sequence, counter, need,"
        " update_need, action, status, reason, rollback, tags, created_at) VALUES"
        " ('s', 'web', 'p', 's', 0, 'r', 1, 0, 0, 0, 'CREATE', 'COMPLETE', '', :no, '[]', 1)"
    )
    with engine.begin() as connection:
        connection.execute(text(row), {"no": False})
    upgrade(engine)
    with engine.begin() as connection:
        found = read_stacks(connection, ["s"])["s"]
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        assert compare_metadata(context, METADATA) == []
    assert (found.name, found.status, found.username) == ("web", Status.COMPLETE, "")


def test_several_processes_may_upgrade_at_once(database_url: str) -> None:
    errors: list[Exception] = []

    def run() -> None:
        engine = open_engine(database_url)
        try:
            upgrade(engine)
        except Exception as error:
            errors.append(error)
        finally:
            engine.dispose()

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
