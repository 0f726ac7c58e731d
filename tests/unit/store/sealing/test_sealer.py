"""What is sealed opens in its place and nowhere else; keys are made once, and followed."""

from hashlib import sha256
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, select, update

from hotplate.model import Status
from hotplate.store.database import open_engine, open_for_reading
from hotplate.store.recipes import keep_contents, read_contents
from hotplate.store.schema import content, data_key, stack, version
from hotplate.store.sealing import CannotOpen, KeyFile, KeyMissing, Sealer, seals_of
from hotplate.store.stacks import insert_stacks, read_stacks
from hotplate.store.versions import build_rows, insert_versions, read_versions, save_versions
from tests.unit.store.rows import a_version, stack_row

PLACE = "version|data"
DIGEST = sha256(b"x").hexdigest()


def test_a_value_opens_where_it_was_sealed(sealed: Engine) -> None:
    with sealed.begin() as connection:
        seals = seals_of(connection, "p")
        text = seals.seal(PLACE, 7, '{"password": "hush"}')
        assert text.startswith("$1$")
        assert "hush" not in text
        assert text == seals.seal(PLACE, 7, '{"password": "hush"}')
        assert text != seals.seal(PLACE, 7, '{"password": "hist"}')
        assert text != seals.seal(PLACE, 7, '{"password": "hush"}')
        assert seals.open(PLACE, 7, text) == '{"password": "hush"}'


@pytest.mark.parametrize(
    ("place", "row", "project"),
    [("version|data", 8, "p"), ("version|before", 7, "p"), ("version|data", 7, "q")],
)
def test_a_value_opens_nowhere_else(sealed: Engine, place: str, row: int, project: str) -> None:
    with sealed.begin() as connection:
        text = seals_of(connection, "p").seal(PLACE, 7, "[1]")
        seals_of(connection, "q").seal(PLACE, 7, "[2]")
        with pytest.raises(CannotOpen, match=r"of version \d cannot be opened: it was changed"):
            seals_of(connection, project).open(place, row, text)


def test_a_value_that_was_changed_does_not_open(sealed: Engine) -> None:
    with sealed.begin() as connection:
        seals = seals_of(connection, "p")
        text = seals.seal(PLACE, 7, "[1]")
        other = "A" if text[-10] != "A" else "B"
        for changed in (text[:-10] + other + text[-9:], text[:-3], "$1$", "$1$unknown$AAAA"):
            with pytest.raises(CannotOpen):
                seals.open(PLACE, 7, changed)


def test_what_tells_nothing_stays_and_so_does_what_was_plain(sealed: Engine) -> None:
    with sealed.begin() as connection:
        seals = seals_of(connection, "p")
        for empty in ("", "{}", "[]", "null"):
            assert seals.seal(PLACE, 7, empty) == empty
        assert seals.open(PLACE, 7, '{"plain": 1}') == '{"plain": 1}'
        # A text that looks sealed is sealed itself.
        assert seals.open(PLACE, 7, seals.seal(PLACE, 7, "$1$a$b")) == "$1$a$b"


def test_digests_are_found_again_but_not_guessed(sealed: Engine) -> None:
    with sealed.begin() as connection:
        seals, others = seals_of(connection, "p"), seals_of(connection, "q")
        stored = seals.stored(DIGEST)
        assert len(stored) == 64
        assert stored == seals.stored(DIGEST) != others.stored(DIGEST)
        assert seals.digest(stored) == DIGEST
        assert seals.stored("UNAPPLIED") == "UNAPPLIED"
        with pytest.raises(CannotOpen):
            others.digest(stored)
        bound = seals.stored_for("version|fingerprint", 1, DIGEST)
        assert seals.digest_for("version|fingerprint", 1, bound) == DIGEST
        with pytest.raises(CannotOpen):
            seals.digest_for("version|fingerprint", 2, bound)
        assert seals.mark("reference", "r") != others.mark("reference", "r")


def test_keys_of_a_transaction_that_was_undone_are_not_used(sealed: Engine) -> None:
    with sealed.connect() as connection:
        with connection.begin() as transaction:
            lost = seals_of(connection, "p").seal(PLACE, 7, "[1]")
            transaction.rollback()
        with connection.begin():
            kept = seals_of(connection, "p").seal(PLACE, 7, "[1]")
    assert lost.split("$")[2] != kept.split("$")[2]
    with sealed.begin() as connection:
        assert seals_of(connection, "p").open(PLACE, 7, kept) == "[1]"


def test_two_processes_use_the_same_keys(sealed: Engine, url: str, file: KeyFile) -> None:
    other = open_engine(url, Sealer(KeyFile(file.path)))
    with sealed.begin() as connection:
        text = seals_of(connection, "p").seal(PLACE, 7, "[1]")
        stored = seals_of(connection, "p").stored(DIGEST)
    with other.begin() as connection:
        seals = seals_of(connection, "p")
        assert seals.open(PLACE, 7, text) == "[1]"
        assert seals.stored(DIGEST) == stored
        assert seals.seal(PLACE, 7, "[2]").split("$")[2] == text.split("$")[2]
    other.dispose()


def test_a_key_is_followed_when_it_is_old_and_still_opens(
    url: str, sealed: Engine, file: KeyFile
) -> None:
    now = [0.0]
    engine = open_engine(url, Sealer(file, lambda: now[0]))
    with engine.begin() as connection:
        old = seals_of(connection, "p").seal(PLACE, 7, "[1]")
    engine.dispose()
    now[0] = 91 * 86_400.0
    engine = open_engine(url, Sealer(file, lambda: now[0]))
    with engine.begin() as connection:
        seals = seals_of(connection, "p")
        new = seals.seal(PLACE, 7, "[1]")
        assert new.split("$")[2] != old.split("$")[2]
        assert seals.open(PLACE, 7, old) == "[1]"
    engine.dispose()


def test_whoever_reads_makes_no_keys(sealed: Engine, url: str, file: KeyFile) -> None:
    reading = open_for_reading(url, Sealer(file))
    with reading.begin() as connection:
        assert read_contents(connection, "nobody", [DIGEST]) == {}
    reading.dispose()
    with sealed.begin() as connection:
        assert connection.execute(select(data_key)).first() is None


def test_without_the_master_key_nothing_starts(sealed: Engine, url: str, tmp_path: Path) -> None:
    with sealed.begin() as connection:
        Sealer(KeyFile(tmp_path / "keys")).check(connection)
    (tmp_path / "keys").rename(tmp_path / "away")
    with sealed.begin() as connection:
        with pytest.raises(
            KeyMissing, match=r"is sealed with the master key k\w+, and there is no"
        ):
            Sealer(KeyFile(tmp_path / "keys")).check(connection)
        other = KeyFile(tmp_path / "others")
        other.make()
        with pytest.raises(KeyMissing, match=r"which is not in the key file .*others"):
            Sealer(other).check(connection)


def _stored(connection: Connection) -> None:
    insert_stacks(connection, [stack_row("s"), stack_row("t", project="q")])
    version = a_version(
        1, project="p", data={"a": "hush"}, reference="hush", cookie={"id": 1}, fingerprint=DIGEST
    )
    insert_versions(connection, [version])


def test_versions_come_back_as_they_were(sealed: Engine) -> None:
    with sealed.begin() as connection:
        _stored(connection)
        found = read_versions(connection, [1])[1]
        assert (found.data, found.reference, found.cookie) == ({"a": "hush"}, "hush", {"id": 1})
        assert (found.project, found.fingerprint) == ("p", DIGEST)
        save_versions(connection, [found])
        assert read_versions(connection, [1])[1] == found
        rows = connection.exec_driver_sql("SELECT * FROM version").fetchall()
        assert "hush" not in repr(rows)
        assert DIGEST not in repr(rows)


def test_what_is_in_progress_is_remembered_for_the_next_write_and_what_rests_is_not(
    sealed: Engine,
) -> None:
    with sealed.begin() as connection:
        for number, status in ((1, Status.IN_PROGRESS), (2, Status.COMPLETE)):
            item = a_version(number, status=status, data={"a": "hush"}, project="p")
            insert_versions(connection, [item])
            stored = select(version.c.data).where(version.c.id == number)
            before = connection.execute(stored).scalar_one()
            save_versions(connection, [item])
            after = connection.execute(stored).scalar_one()
            assert (after == before) is (status is Status.IN_PROGRESS)


def test_a_version_or_a_stack_moved_to_another_project_does_not_open(sealed: Engine) -> None:
    with sealed.begin() as connection:
        _stored(connection)
    for statement in (
        "UPDATE version SET stack_id = 't'",
        "UPDATE stack SET project = 'q' WHERE id = 's'",
        "UPDATE version SET data = attributes, attributes = data",
        "UPDATE version SET id = 2",
    ):
        with sealed.connect() as connection, connection.begin() as transaction:
            connection.exec_driver_sql(statement)
            with pytest.raises(CannotOpen):
                read_versions(connection, [1, 2])
            transaction.rollback()


def test_contents_are_shared_inside_a_project_only(sealed: Engine) -> None:
    with sealed.begin() as connection:
        for project in ("p", "p", "q"):
            keep_contents(connection, project, ["hush hush"])
        rows = connection.execute(select(content)).all()
        assert len(rows) == 2
        assert "hush" not in repr(rows)
        digest = sha256(b"hush hush").hexdigest()
        assert digest not in repr(rows)
        assert read_contents(connection, "p", [digest]) == {digest: "hush hush"}


def test_a_recipe_of_a_stack_is_known_by_its_digest(sealed: Engine) -> None:
    with sealed.begin() as connection:
        insert_stacks(connection, [stack_row("s", recipe=DIGEST)])
        assert connection.execute(select(stack.c.recipe)).scalar_one() != DIGEST
        assert read_stacks(connection, ["s"])["s"].recipe == DIGEST


def test_a_data_key_that_was_exchanged_is_not_used(sealed: Engine, url: str, file: KeyFile) -> None:
    with sealed.begin() as connection:
        text = seals_of(connection, "p").seal(PLACE, 7, "[1]")
        seals_of(connection, "q").seal(PLACE, 7, "[1]")
    with sealed.begin() as connection:
        wrapped = select(data_key.c.wrapped).where(
            data_key.c.project == "q", data_key.c.purpose == "seal"
        )
        other = connection.execute(wrapped).scalar_one()
        connection.execute(update(data_key).where(data_key.c.project == "p").values(wrapped=other))
    fresh = open_engine(url, Sealer(file))
    with fresh.begin() as connection, pytest.raises(KeyMissing, match="does not open the data key"):
        seals_of(connection, "p").open(PLACE, 7, text)
    fresh.dispose()


def test_a_database_in_memory_is_plain(file: KeyFile) -> None:
    engine = open_engine("sqlite://", Sealer(file))
    with engine.begin() as connection:
        assert seals_of(connection, "p").seal(PLACE, 7, "[1]") == "[1]"
        assert seals_of(connection, "p").stored(DIGEST) == DIGEST
        connection.execute(select(1))
    engine.dispose()


def test_rows_are_built_before_a_lock_only_with_keys_at_hand(sealed: Engine) -> None:
    """Else the row of a key would be locked first, and that of a stack after it."""
    version = a_version(7, project="p", data={"k": "v"})
    with sealed.begin() as connection:
        insert_stacks(connection, [stack_row("s")])
        insert_versions(connection, [version])
    with sealed.begin() as connection:
        seals_of(connection, "p").seal(PLACE, 8, "[1]")
    with sealed.begin() as connection:
        built = build_rows(connection, [version])
        assert list(built) == [7]
        save_versions(connection, [version], built)
        assert read_versions(connection, [7]) == {7: version}
        assert not seals_of(connection, "p").is_at_hand(1 << 30)
        assert not seals_of(connection, "unknown").is_at_hand(1)
        assert build_rows(connection, [a_version(9, project="unknown")]) == {}
