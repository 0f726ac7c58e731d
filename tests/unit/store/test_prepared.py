"""Statements that are turned into text once: same rows, same errors, lists of any length."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, bindparam, event, insert, select, update
from sqlalchemy.exc import DataError, IntegrityError

from hotplate.store.database import open_engine
from hotplate.store.prepared import (
    CHUNK,
    Prepared,
    PreparedInsert,
    PreparedList,
    PreparedUpdate,
)
from hotplate.store.schema import METADATA, node, recipe

_KEYS = ("digest", "template", "environment", "files", "body")
_INSERT = Prepared(insert(recipe), _KEYS)
_INSERT_MANY = PreparedInsert(recipe, _KEYS)
_UPDATE_MANY = PreparedUpdate(recipe, "digest", ("body", "template"))
_AWKWARD = [
    "", "NULL", "null", "{}", "[1, 2]", 'a "quoted" word', "back\\slash \\N", "a,b", "{a,b}",
    "line\nbreak\ttab\r", "%s %(name)s %%", "'", "é ☃ 😀", " leading and trailing ", "\\.",
]  # fmt: skip
_SOME = PreparedList(
    select(recipe.c.digest)
    .where(
        recipe.c.digest.in_(bindparam("digests", expanding=True)),
        recipe.c.body == bindparam("body_is"),
        recipe.c.files == "f",
    )
    .order_by(recipe.c.digest),
    "digests",
    ("body_is",),
)
_CHANGE = Prepared(
    update(recipe)
    .where(recipe.c.digest == bindparam("at"), recipe.c.body == "b")
    .values(template=bindparam("to"), environment="changed"),
    ("at", "to"),
)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """A database of each kind, for each is spoken to in its own way."""
    engine = open_engine(database_url)
    METADATA.create_all(engine, [node, recipe])
    yield engine
    engine.dispose()


def _fill(connection: Connection, count: int) -> list[str]:
    names = [f"{number:05}" for number in range(count)]
    _INSERT.run_all(connection, [(name, "t", "e", "f", "b") for name in names])
    return names


def test_a_list_may_be_longer_than_a_statement(connection: Connection) -> None:
    names = _fill(connection, 2 * CHUNK + 3)
    found = [row[0] for row in _SOME.rows(connection, [*names, "absent"], "b")]
    assert found == names
    assert _SOME.rows(connection, names, "other") == []


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_a_short_list_finds_each_row_once(connection: Connection, count: int) -> None:
    names = _fill(connection, 8)
    assert [row[0] for row in _SOME.rows(connection, names[:count], "b")] == names[:count]


def test_parameters_and_constants_find_their_places(connection: Connection) -> None:
    names = _fill(connection, 3)
    assert _CHANGE.run(connection, names[1], "new") == 1
    assert _CHANGE.run(connection, "absent", "new") == 0
    rows = connection.execute(select(recipe).order_by(recipe.c.digest)).all()
    assert [(row.template, row.environment) for row in rows] == [
        ("t", "e"),
        ("new", "changed"),
        ("t", "e"),
    ]


def test_errors_are_those_of_sqlalchemy_and_tell_no_values(connection: Connection) -> None:
    _INSERT.run_all(connection, [("d", "t", "e", "f", "secret")])
    with pytest.raises(IntegrityError) as caught, connection.begin_nested():
        _INSERT.run_all(connection, [("d", "t", "e", "f", "secret")])
    if connection.dialect.name == "sqlite":
        assert "secret" not in str(caught.value)


def test_an_insert_names_every_column_that_needs_a_value(connection: Connection) -> None:
    with pytest.raises(AssertionError, match="no value is given"):
        Prepared(insert(node), ("id",)).run_all(connection, [(1,)])


def _bodies(connection: Connection) -> list[str]:
    return list(connection.execute(select(recipe.c.body).order_by(recipe.c.digest)).scalars())


@pytest.mark.parametrize("count", [1, 3, len(_AWKWARD)])
def test_rows_arrive_as_they_are_however_many(connection: Connection, count: int) -> None:
    texts = _AWKWARD[:count]
    rows = [(f"{at:05}", "t", "e", "f", text) for at, text in enumerate(texts)]
    _INSERT_MANY.run_all(connection, rows)
    assert _bodies(connection) == texts
    turned = texts[::-1]
    _UPDATE_MANY.run_all(connection, [(f"{at:05}", text, "n") for at, text in enumerate(turned)])
    assert _bodies(connection) == turned


@pytest.mark.parametrize("text", _AWKWARD)
def test_what_is_the_same_in_all_rows_arrives_as_it_is(connection: Connection, text: str) -> None:
    names = _fill(connection, 3)
    _UPDATE_MANY.run_all(connection, [(name, text, "n") for name in names])
    assert _bodies(connection) == [text] * 3


def test_the_last_change_of_a_row_holds_and_others_stay_as_they_are(connection: Connection) -> None:
    names = _fill(connection, 4)
    changes = [(names[1], "first", "t"), (names[2], "x", "t"), (names[1], "last", "t")]
    _UPDATE_MANY.run_all(connection, changes)
    assert _bodies(connection) == ["b", "last", "x", "b"]


def test_numbers_and_nothing_are_changed_to_what_they_are(connection: Connection) -> None:
    rows = [
        (
            at,
            "s",
            1,
            at,
            f"n{at}",
            "update",
            0,
            "ready",
            0,
            None,
            None,
            "[]",
            "[]",
            None,
            None,
            None,
        )
        for at in range(1, 13)
    ]
    PreparedInsert(node, [column.name for column in node.c]).run_all(connection, rows)
    parking = PreparedUpdate(node, "id", ("due", "worker", "spare"))
    big, small = 1 << 40, 1_700_000_000.1234567
    parking.run_all(connection, [(at, small + at, None, big + at) for at in range(1, 12)])
    found = connection.execute(select(node.c.due, node.c.worker, node.c.spare).order_by(node.c.id))
    assert [tuple(row) for row in found] == [
        *((small + at, None, big + at) for at in range(1, 12)),
        (None, None, None),
    ]


@pytest.mark.parametrize("count", [2, 20])
def test_what_is_there_already_is_refused_by_many_as_by_one(
    connection: Connection, count: int
) -> None:
    names = _fill(connection, 1)
    rows = [(f"x{at:05}", "t", "e", "f", "b") for at in range(count)]
    with pytest.raises(IntegrityError), connection.begin_nested():
        _INSERT_MANY.run_all(connection, [*rows, (names[0], "t", "e", "f", "b")])
    assert _bodies(connection) == ["b"]


def test_what_is_too_long_is_refused_and_not_cut_off(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        pytest.skip("SQLite knows no lengths")
    names = _fill(connection, 2)
    changes = [(name, "b", "t" * 100) for name in names]
    with pytest.raises(DataError), connection.begin_nested():
        _UPDATE_MANY.run_all(connection, changes)


@pytest.mark.parametrize("count", [1, 20])
def test_who_listens_to_statements_hears_of_many_rows_as_of_one(
    connection: Connection, count: int
) -> None:
    if connection.dialect.name == "sqlite":
        pytest.skip("its statements go past SQLAlchemy")
    heard: list[str] = []
    event.listen(
        connection,
        "after_cursor_execute",
        lambda connection, cursor, statement, *more: heard.append(statement),
    )
    _INSERT_MANY.run_all(connection, [(f"{at:05}", "t", "e", "f", "b") for at in range(count)])
    (statement,) = heard
    assert statement.split()[0] in ("INSERT", "COPY")
