"""Statements that are turned into text once: same rows, same errors, lists of any length."""

import pytest
from sqlalchemy import Connection, bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError

from hotplate.store.prepared import CHUNK, Prepared, PreparedList
from hotplate.store.schema import node, recipe

_KEYS = ("digest", "template", "environment", "files", "body")
_INSERT = Prepared(insert(recipe), _KEYS)
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
    with pytest.raises(IntegrityError) as caught:
        _INSERT.run_all(connection, [("d", "t", "e", "f", "secret")])
    if connection.dialect.name == "sqlite":
        assert "secret" not in str(caught.value)


def test_an_insert_names_every_column_that_needs_a_value(connection: Connection) -> None:
    with pytest.raises(AssertionError, match="no value is given"):
        Prepared(insert(node), ("id",)).run_all(connection, [(1,)])
