"""Versions that a traversal carries are read as its own, though nothing was written to them."""

from sqlalchemy import Connection

from hotplate.model import Stack
from hotplate.store.large.portions import carry, disown
from hotplate.store.large.survey import glances, survey
from hotplate.store.stacks import insert_stacks, read_stacks
from hotplate.store.tree import listed_versions
from hotplate.store.versions import (
    insert_versions,
    members_of_stacks,
    published,
    read_versions,
    save_versions,
    versions_of,
)
from tests.unit.store.rows import a_version, stack_row

OLD, NEW = "a" * 64, "b" * 64
KNOWN = "f" * 64
BASE = 1 << 32
"""What precedes the ids of the first stack."""


def _carrying(connection: Connection) -> Stack:
    """Return a stack whose fifth traversal carries the first two of four versions."""
    insert_stacks(connection, [stack_row("s", sequence=5, recipe=NEW)])
    versions = [
        a_version(BASE + number, owner=owner, recipe=OLD, fingerprint=KNOWN)
        for number, owner in enumerate((1, 3, 4, 5), start=1)
    ]
    insert_versions(connection, versions)
    carry(connection, read_stacks(connection, ["s"])["s"])
    return read_stacks(connection, ["s"])["s"]


def test_what_is_carried_belongs_to_the_traversal_and_its_recipe(connection: Connection) -> None:
    _carrying(connection)
    expected = [(5, NEW), (5, NEW), (4, OLD), (5, OLD)]
    assert [(each.owner, each.recipe) for each in survey(connection, "s")] == expected
    assert [(each.owner, each.recipe) for each in versions_of(connection, "s")] == expected
    listed = [each for group in listed_versions(connection, "s", 0, False) for each in group]
    assert [each.recipe for each in listed] == [recipe for _, recipe in expected]
    assert [each.owner for each in members_of_stacks(connection, ["s"])] == [5, 5, 4, 5]


def test_what_is_carried_was_published_for_the_traversal(connection: Connection) -> None:
    _carrying(connection)
    names = [f"name{BASE + number}" for number in range(1, 5)]
    found = published(connection, "s", 5, names)
    assert {each.id - BASE for each in found} == {1, 2, 4}


def test_what_is_carried_counts_as_confirmed(connection: Connection) -> None:
    stack = _carrying(connection)
    for recipe, confirmed in ((NEW, {1, 2}), (OLD, {1, 2, 3, 4}), ("c" * 64, set())):
        rows = [row for part in glances(connection, stack, recipe) for row in part]
        assert {row[0] - BASE for row in rows if row[3] is None} == confirmed


def test_what_is_written_again_is_not_carried_any_more(connection: Connection) -> None:
    stack = _carrying(connection)
    first = read_versions(connection, [BASE + 1])[BASE + 1]
    save_versions(connection, [first])
    stack.sequence = 7
    disown(connection, stack, [read_versions(connection, [BASE + 2])[BASE + 2]])
    stack.recipe = "c" * 64
    carry(connection, stack)
    found = [(each.owner, each.recipe) for each in survey(connection, "s")]
    assert found == [(7, "c" * 64), (6, NEW), (7, "c" * 64), (7, "c" * 64)]
