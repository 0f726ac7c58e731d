"""A plain database is sealed by the upgrade; sealed ones get new keys beside their engines."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, insert, select

from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import fetch
from hotplate.engine.recipes.stored import keep
from hotplate.model import Snapshot, Status, Version
from hotplate.store.database import open_engine, transact
from hotplate.store.deferred_changes import deferred_changes_of, insert_deferred_change
from hotplate.store.resealing import rekey as rekeying
from hotplate.store.resealing.rekey import key_uses, rekey
from hotplate.store.schema import content, data_key, recipe, stack
from hotplate.store.sealing import KeyFile, KeyMissing, Sealer
from hotplate.store.sealing.catalogue import TABLES
from hotplate.store.signals import find_handle, insert_signal, signals_after
from hotplate.store.snapshots import insert_snapshot, read_snapshot
from hotplate.store.stacks import insert_stacks, read_stacks
from hotplate.store.upgrade import upgrade
from hotplate.store.versions import insert_versions, read_versions
from tests.unit.store.rows import a_version, stack_row

RECIPE = Recipe("template hush", {"f": "file hush"}, environment="hush", parameters={"a": "hush"})
FULL = a_version(
    1,
    project="p",
    data={"a": "hush"},
    reference="hush",
    attributes={"v": "hush"},
    fingerprint="a" * 64,
)


@pytest.fixture
def file(tmp_path: Path) -> KeyFile:
    return KeyFile(tmp_path / "keys" / "secrets.key")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hotplate.db"


def filled(connection: Connection) -> None:
    for project, stack_id in (("p", "s"), ("q", "t")):
        digest = keep(connection, project, RECIPE)
        insert_stacks(connection, [stack_row(stack_id, project=project, recipe=digest)])
    insert_versions(
        connection,
        [
            replace(FULL, recipe=digest),
            replace(FULL, id=2, stack_id="t", root_id="t", project="q", recipe=digest),
        ],
    )
    insert_signal(connection, "p", 1, "s", 1.5, {"data": "hush"})
    insert_deferred_change(connection, "p", "s", 1, 2.5, {"data": "hush"})
    kept = Snapshot("n", "s", None, Status.COMPLETE, "", digest, {"data": "hush"}, 1.0)
    insert_snapshot(connection, "p", kept)


def check(connection: Connection) -> None:
    for project, stack_id in (("p", "s"), ("q", "t")):
        found = read_stacks(connection, [stack_id])[stack_id]
        assert fetch(connection, project, found.recipe) == RECIPE
    versions = read_versions(connection, [1, 2])
    first = replace(versions[1], recipe=FULL.recipe)
    assert first == FULL
    assert versions[2].data == FULL.data
    assert [each.body for each in signals_after(connection, first)] == [{"data": "hush"}]
    assert find_handle(connection, first, "hush") == 1
    (change,) = deferred_changes_of(connection, "p", "s")
    assert change.body == {"data": "hush"}
    snapshot = read_snapshot(connection, "s", "n")
    assert snapshot is not None
    assert snapshot.data == {"data": "hush"}
    assert fetch(connection, "p", snapshot.recipe) == RECIPE


def opened(path: Path, file: KeyFile | None) -> Engine:
    return open_engine(f"sqlite:///{path}", None if file is None else Sealer(file))


def plain(path: Path) -> None:
    engine = opened(path, None)
    upgrade(engine)
    transact(engine, filled)
    transact(engine, check)
    engine.dispose()
    assert b"hush" in everything(path)


def everything(path: Path) -> bytes:
    """Return all bytes of a database, its log and its copies."""
    return b"".join(each.read_bytes() for each in path.parent.glob(f"{path.name}*"))


def test_a_plain_database_is_sealed_once_and_nothing_plain_is_left(
    path: Path, file: KeyFile
) -> None:
    plain(path)
    engine = opened(path, file)
    assert upgrade(engine) is None
    transact(engine, check)
    assert b"hush" not in everything(path)
    with engine.begin() as connection:
        assert len(connection.execute(select(recipe)).all()) == 2
        assert len(connection.execute(select(content)).all()) == 8
        keys = connection.execute(select(data_key)).all()
    upgrade(engine)
    with engine.begin() as connection:
        assert connection.execute(select(data_key)).all() == keys
    engine.dispose()


def test_the_copy_of_an_older_schema_is_removed_with_what_is_in_it(
    path: Path, file: KeyFile, caplog: pytest.LogCaptureFixture
) -> None:
    plain(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '0011'")
    older = path.with_name(f"{path.name}.schema-0009")
    older.write_text("hush")
    engine = opened(path, file)
    with caplog.at_level("WARNING"):
        assert upgrade(engine) is None
    transact(engine, check)
    engine.dispose()
    assert [each.name for each in path.parent.glob("*.schema-*")] == [older.name]
    assert "holds secrets in the clear" in caplog.text
    older.unlink()
    assert b"hush" not in everything(path)


def test_a_sealed_database_is_not_opened_without_its_keys(path: Path, file: KeyFile) -> None:
    engine = opened(path, file)
    upgrade(engine)
    transact(engine, filled)
    without = opened(path, None)
    with pytest.raises(KeyMissing, match="is opened only with its key file"):
        upgrade(without)
    file.path.rename(file.path.with_name("away"))
    gone = opened(path, KeyFile(file.path))
    with pytest.raises(KeyMissing, match=r"is sealed with the master key k\w+, and there is no"):
        upgrade(gone)
    assert not file.path.exists()
    file.path.with_name("away").rename(file.path)
    back = opened(path, KeyFile(file.path))
    upgrade(back)
    transact(back, check)
    for each in (engine, without, gone, back):
        each.dispose()


def test_everything_gets_new_keys_beside_an_engine_that_has_the_old_ones(
    path: Path, file: KeyFile
) -> None:
    engine = opened(path, file)
    upgrade(engine)
    transact(engine, filled)
    before = transact(engine, key_uses)
    assert {each.project: each.values for each in before} == {"p": 11, "q": 8}
    other = opened(path, KeyFile(file.path))
    old = list(file.keys)
    new = file.add()
    done = rekey(opened(path, file), Sealer(file))
    assert (done.keys, done.projects, done.values, done.left) == (5, 2, 19, 0)
    after = transact(other, key_uses)
    assert {each.master_id for each in after} == {new}
    assert [each.values for each in after if not each.is_present] == [0, 0]
    transact(other, check)
    transact(engine, check)
    transact(engine, lambda connection: insert_signal(connection, "p", 2, "s", 9.5, {"x": "hush"}))
    assert [each.values for each in transact(other, key_uses) if not each.is_present] == [0, 0]
    assert old[0] in file.keys
    assert b"hush" not in everything(path)
    engine.dispose()
    other.dispose()


def test_a_rekey_that_was_interrupted_is_completed(
    path: Path, file: KeyFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = opened(path, file)
    upgrade(engine)
    transact(engine, filled)

    with monkeypatch.context() as patched:
        patched.setattr(rekeying, "TABLES", (*TABLES[:1], None, *TABLES[1:]))
        with pytest.raises(AttributeError):
            rekey(engine, Sealer(file))
    half = transact(engine, key_uses)
    assert all(each.values for each in half)
    transact(engine, check)
    done = rekey(engine, Sealer(KeyFile(file.path)))
    assert done.projects == 0
    assert [each.values for each in transact(engine, key_uses) if not each.is_present] == [0, 0]
    transact(engine, check)
    again = rekey(engine, Sealer(KeyFile(file.path)))
    assert again.projects == 2
    engine.dispose()


def test_versions_that_wait_are_found_after_the_upgrade(path: Path, file: KeyFile) -> None:
    plain(path)
    with closing(sqlite3.connect(path)) as old, old:
        old.execute("UPDATE alembic_version SET version_num = '0011'")
        old.execute("UPDATE version SET reference_mark = NULL")
        cookie = json.dumps({"id": "01234567-89ab-4cde-8123-456789abcdef", "action": "x"})
        old.execute("UPDATE version SET cookie = ? WHERE id = 2", (cookie,))
    engine = opened(path, file)
    upgrade(engine)
    with engine.begin() as connection:
        found: Version = read_versions(connection, [1])[1]
        assert find_handle(connection, found, "hush") == 1
        row = connection.exec_driver_sql("SELECT awaits FROM version WHERE id = 2").scalar()
        assert row == "01234567-89ab-4cde-8123-456789abcdef"
    engine.dispose()


def test_a_stack_without_a_stored_recipe_does_not_stop_the_upgrade(
    path: Path, file: KeyFile
) -> None:
    engine = opened(path, None)
    upgrade(engine)
    with engine.begin() as connection:
        connection.execute(insert(stack).values(stack_row("s", recipe="b" * 64)))
    engine.dispose()
    engine = opened(path, file)
    upgrade(engine)
    with engine.begin() as connection:
        assert connection.execute(select(stack.c.recipe)).scalar_one() != "b" * 64
        assert read_stacks(connection, ["s"])["s"].recipe == "b" * 64
    engine.dispose()


def test_a_backup_is_restored_with_the_key_file_it_was_made_with(path: Path, file: KeyFile) -> None:
    engine = opened(path, file)
    upgrade(engine)
    transact(engine, filled)
    copy = path.with_name("copy.db")
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    assert b"hush" not in copy.read_bytes()
    # Keys that were exchanged since are no use for it; the old one stays in the file.
    file.add()
    rekey(engine, Sealer(file))
    engine.dispose()
    other = KeyFile(path.with_name("others"))
    other.make()
    wrong = opened(copy, other)
    with pytest.raises(KeyMissing, match="which is not in the key file"):
        upgrade(wrong)
    restored = opened(copy, KeyFile(file.path))
    upgrade(restored)
    transact(restored, check)
    wrong.dispose()
    restored.dispose()
