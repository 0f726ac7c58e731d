"""Queries on contents and recipes."""

import pytest
from sqlalchemy import Connection, func, select
from sqlalchemy.exc import NoResultFound

from hotplate.store.recipes import (
    digest_of,
    keep_contents,
    keep_inclusions,
    keep_recipe,
    read_contents,
    read_recipe,
)
from hotplate.store.schema import content, inclusion

BODY = {"template": "t", "environment": "e", "files": "f", "parameters": {"b": 1, "a": [None]}}


def test_one_row_for_each_content(connection: Connection) -> None:
    assert keep_contents(connection, "p", ["a", "b", "a"]) == {digest_of("a"), digest_of("b")}
    assert keep_contents(connection, "p", ["b", "c"]) == {digest_of("c")}
    assert keep_contents(connection, "p", []) == set()
    assert connection.execute(select(func.count()).select_from(content)).scalar() == 3


def test_contents_are_read_by_digest(connection: Connection) -> None:
    texts = [f"text {number}" for number in range(1_201)]
    keep_contents(connection, "p", texts)
    found = read_contents(connection, "p", {digest_of(text) for text in [*texts, "unknown"]})
    assert found == {digest_of(text): text for text in texts}


def test_a_recipe_is_stored_once(connection: Connection) -> None:
    first = keep_recipe(connection, "p", BODY)
    assert keep_recipe(connection, "p", dict(reversed(BODY.items()))) == first
    assert read_recipe(connection, "p", first) == BODY
    with pytest.raises(NoResultFound):
        read_recipe(connection, "p", "unknown")


def test_inclusions_may_be_noted_twice(connection: Connection) -> None:
    keep_inclusions(connection, "p", "holder", ["a", "b", "a"])
    keep_inclusions(connection, "p", "holder", ["b"])
    keep_inclusions(connection, "p", "empty", [])
    assert connection.execute(select(func.count()).select_from(inclusion)).scalar() == 2
