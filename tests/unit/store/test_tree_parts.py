"""A large stack whose versions have nothing to do with each other is listed in parts."""

from typing import Any

import pytest
from sqlalchemy import Connection

from hotplate.store import tree
from hotplate.store.stacks import insert_stacks
from hotplate.store.tree import listed_versions
from hotplate.store.versions import insert_versions
from tests.unit.store.rows import a_version, stack_row

SIZE = 5


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let two versions be many; statements that know another number are made anew."""
    monkeypatch.setattr(tree, "_PART", 2)
    tree._listed.cache_clear()
    yield
    tree._listed.cache_clear()


def _listed(connection: Connection, **last: Any) -> list[list[int]]:
    insert_stacks(connection, [stack_row("s")])
    versions = [a_version(number) for number in range(1, SIZE)]
    insert_versions(connection, [*versions, a_version(SIZE, **last)])
    return [[each.id for each in part] for part in listed_versions(connection, "s", 0, False)]


def test_it_comes_in_parts(connection: Connection) -> None:
    assert _listed(connection) == [[1, 2], [3, 4], [5]]


@pytest.mark.parametrize("last", [{"name": "name1"}, {"requires": [1]}])
def test_what_belongs_together_comes_at_once(connection: Connection, last: Any) -> None:
    assert _listed(connection, **last) == [[1, 2, 3, 4, 5]]
