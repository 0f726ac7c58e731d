"""Migrations on real databases: what they make is what the code expects."""

import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect, text

from hotplate.model import ReasonCode, Status
from hotplate.store.database import create_tables, open_engine
from hotplate.store.schema import METADATA
from hotplate.store.stacks import read_stacks
from hotplate.store.upgrade import SCRIPTS, SchemaRefused, known_revisions, upgrade
from hotplate.store.versions import read_versions
from tests.databases import scripts_up_to

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
def steps(tmp_path: Path) -> Path:
    """A copy of the steps: a new SQLite file goes through those, not through ours."""
    scripts = tmp_path / "steps"
    shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    return scripts


@pytest.fixture
def newer_scripts(tmp_path: Path) -> Path:
    scripts = tmp_path / "migrations"
    shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    (scripts / "versions" / f"{_NEXT}_next.py").write_text(_NEXT_SCRIPT)
    return scripts


def test_the_migrated_schema_is_the_one_in_the_code(engine: Engine, steps: Path) -> None:
    upgrade(engine, steps)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        assert compare_metadata(context, METADATA) == []


def test_a_new_file_has_the_tables_that_the_steps_make(tmp_path: Path, steps: Path) -> None:
    """It is made without them."""
    shapes = []
    for name, scripts in (("made", SCRIPTS), ("migrated", steps)):
        engine = open_engine(f"sqlite:///{tmp_path / name}")
        upgrade(engine, scripts)
        engine.dispose()
        shapes.append(_shape(tmp_path / name))
    assert shapes[0] == shapes[1]


def _shape(file: Path) -> dict[str, object]:
    found: dict[str, object] = {}
    with closing(sqlite3.connect(file)) as connection:
        for name, kind, sql in connection.execute("SELECT name, type, sql FROM sqlite_master"):
            if kind == "table":
                columns = sorted(
                    row[1:] for row in connection.execute(f"PRAGMA table_info({name})")
                )
                keys = connection.execute(f"PRAGMA foreign_key_list({name})")
                found[name] = (columns, sorted(row[2:] for row in keys), "AUTOINCREMENT" in sql)
            else:
                found[name] = sql and " ".join(sql.split())
        found["revision"] = connection.execute("SELECT * FROM alembic_version").fetchall()
    return found


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
    upgrade(engine, scripts_up_to(known_revisions()[0], tmp_path))
    with engine.begin() as connection:
        _insert_stack(connection, "s", "CREATE", "COMPLETE", "")
    upgrade(engine)
    with engine.begin() as connection:
        found = read_stacks(connection, ["s"])["s"]
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        assert compare_metadata(context, METADATA) == []
    assert (found.name, found.status, found.username) == ("web", Status.COMPLETE, "")


def test_reasons_that_are_there_get_their_codes(engine: Engine, tmp_path: Path) -> None:
    upgrade(engine, scripts_up_to("0009", tmp_path))
    partly = ". 'CHECK' not fully supported (see resources)"
    stacks = [
        ("CREATE", "FAILED", "Timed out", ReasonCode.TIMED_OUT),
        ("UPDATE", "FAILED", "Stack UPDATE cancelled", ReasonCode.CANCELLED),
        (
            "CHECK",
            "COMPLETE",
            f"Stack CHECK completed successfully{partly}",
            ReasonCode.PARTLY_CHECKED,
        ),
        (
            "CHECK",
            "FAILED",
            f"Resource CHECK failed: NotFound: resources.a: no{partly}",
            ReasonCode.PARTLY_CHECKED,
        ),
        ("CREATE", "FAILED", "Resource CREATE failed: no: CREATE aborted", ReasonCode.ABORTED),
        ("CREATE", "FAILED", "Resource CREATE failed: it was cancelled", ReasonCode.NONE),
        ("CREATE", "COMPLETE", "Stack CREATE completed successfully", ReasonCode.NONE),
    ]
    versions = [
        ("FAILED", "ResourceFailed: resources.a: Stack CREATE cancelled", ReasonCode.ABORTED),
        ("FAILED", "CREATE aborted (Timed out)", ReasonCode.ABORTED),
        ("FAILED", "Error: resources.a: the provider has aborted", ReasonCode.NONE),
        ("COMPLETE", "CHECK not supported for OS::A", ReasonCode.NOT_CHECKED),
        ("COMPLETE", "CHECK not supported for OS::B", ReasonCode.NONE),
        ("COMPLETE", "state changed", ReasonCode.NONE),
    ]
    with engine.begin() as connection:
        for number, (action, status, reason, _) in enumerate(stacks):
            _insert_stack(connection, str(number), action, status, reason)
        for number, (status, reason, _) in enumerate(versions):
            _insert_version(connection, number, status, reason)
    upgrade(engine)
    with engine.begin() as connection:
        found = read_stacks(connection, map(str, range(len(stacks))))
        made = read_versions(connection, range(len(versions)))
    codes = [found[str(number)].reason_code for number in range(len(stacks))]
    assert codes == [code for *_, code in stacks]
    assert [made[number].reason_code for number in range(len(versions))] == [
        code for *_, code in versions
    ]


def _insert_stack(
    connection: Connection, stack_id: str, action: str, status: str, reason: str
) -> None:
    row = (
        "INSERT INTO stack (id, name, project, root_id, depth, recipe, sequence, counter, need,"
        " update_need, action, status, reason, rollback, tags, created_at) VALUES"
        " (:id, 'web', 'p', :id, 0, 'r', 1, 0, 0, 0, :action, :status, :reason, :no, '[]', 1)"
    )
    values = {"id": stack_id, "action": action, "status": status, "reason": reason, "no": False}
    connection.execute(text(row), values)


def _insert_version(connection: Connection, number: int, status: str, reason: str) -> None:
    row = (
        "INSERT INTO version (id, uuid, stack_id, root_id, name, type, action, status, reason,"
        ' owner, recipe, fingerprint, definition, requires, needed, "before", attributes, data,'
        " attempt, created_at) VALUES (:id, 'u', '0', '0', 'a', 'OS::A', 'CREATE', :status,"
        " :reason, 1, 'r', '', '{}', '[]', '[]', '{}', '{}', '{}', 0, 1)"
    )
    if connection.dialect.name in ("mysql", "mariadb"):
        row = row.replace('"', "`")
    connection.execute(text(row), {"id": number, "status": status, "reason": reason})


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
