"""A tree of stacks read by one query, on each kind of database."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import Connection, Engine

from hotplate.model import Action, Status
from hotplate.store.database import create_tables, open_engine
from hotplate.store.deleted import listed_resources
from hotplate.store.events import EventRow, insert_events
from hotplate.store.large.clearing import failed_versions as failures
from hotplate.store.prepared import CHUNK
from hotplate.store.stacks import change_stack, insert_stacks
from hotplate.store.tree import failed_versions, stacks_of_tree
from hotplate.store.versions import (
    insert_versions,
    read_versions,
    remove_versions_of,
    save_versions,
)
from tests.unit.store.rows import a_version, stack_row

CHILDREN = {"early": ("s", 9), "late": ("s", 10), "grandchild": ("late", 11)}
"""The stacks inside, with the stack and the version they belong to."""


@pytest.fixture
def database(database_url: str) -> Iterator[Engine]:
    engine = open_engine(database_url)
    create_tables(engine)
    with engine.begin() as connection:
        rows = [stack_row("s", parent_version=None)]
        rows.extend(
            stack_row(name, root_id="s", parent_id=parent, parent_version=version)
            for name, (parent, version) in CHILDREN.items()
        )
        insert_stacks(connection, rows)
        versions = [a_version(8), a_version(12, stack_id="early"), a_version(13, stack_id="late")]
        versions.append(a_version(14, stack_id="grandchild", status=Status.FAILED))
        versions.extend(
            a_version(number, stack_id=parent, physical_id=name)
            for name, (parent, number) in CHILDREN.items()
        )
        insert_versions(connection, sorted(versions, key=lambda version: version.id))
    yield engine
    engine.dispose()


def seen(connection: Connection, top: str = "s", depth: int = 9) -> list[tuple[object, ...]]:
    return [
        (item.stack_id, item.depth, item.owner_name, item.name, item.child_id)
        for group in listed_resources(connection, top, depth, with_attributes=True)
        for item in group
    ]


EVERYTHING = [
    ("s", 0, None, "name8", None),
    ("s", 0, None, "name9", "early"),
    ("s", 0, None, "name10", "late"),
    ("early", 1, "name9", "name12", None),
    ("late", 1, "name10", "name11", "grandchild"),
    ("late", 1, "name10", "name13", None),
    ("grandchild", 2, "name11", "name14", None),
]


def test_a_tree_is_listed_depth_first_and_versions_by_number(database: Engine) -> None:
    with database.begin() as connection:
        assert seen(connection) == EVERYTHING
        assert seen(connection, depth=1) == EVERYTHING[:6]
        assert seen(connection, depth=0) == EVERYTHING[:3]
        inner = [(stack, depth - 1, *rest) for stack, depth, *rest in EVERYTHING[4:]]
        assert seen(connection, "late") == inner
        assert [stack.id for stack in stacks_of_tree(connection, "s", 9)] == ["s", *CHILDREN]
        failed = failed_versions(connection, "s", 9)
        assert [row.name for row in failed] == ["name9", "name10", "name11", "name14"]


def test_users_are_told_of_versions_in_the_order_in_which_they_came_to_be(
    database: Engine,
) -> None:
    """PostgreSQL keeps a row that was written again behind the others, and reads it as the last."""
    numbers = range(100, 100 + CHUNK + 100)
    with database.begin() as connection:
        made = [a_version(number, stack_id="early") for number in reversed(numbers)]
        insert_versions(connection, made)
        save_versions(connection, [replace(each, status=Status.FAILED) for each in made])
    with database.begin() as connection:
        failed = failures(connection, "early")
        assert [each.id for each in failed] == list(numbers)
        assert list(read_versions(connection, reversed(numbers))) == list(numbers)


def deletion(stack: str, name: str, physical_id: str | None, status: Status) -> EventRow:
    return (
        f"{stack}-{name}-{status.value}", stack, "s", 5.0, name, "T", physical_id,
        Action.DELETE.value, status.value, "",
    )  # fmt: skip


def test_what_a_deletion_has_taken_is_listed_in_its_place(database: Engine) -> None:
    with database.begin() as connection:
        insert_events(connection, [("old", "late", "s", 1.0, "removed before", "T", "x",
                                    "DELETE", "COMPLETE", "")])  # fmt: skip
        insert_events(connection, [("made", "s", "s", 2.0, "s", "OS::Heat::Stack", "s",
                                    "CREATE", "COMPLETE", "")])  # fmt: skip
        for stack, _, _, name, child in EVERYTHING[4:]:
            physical = child or name
            for status in (Status.IN_PROGRESS, Status.COMPLETE):
                insert_events(connection, [deletion(stack, name, physical, status)])
        change_stack(connection, "s", action=Action.DELETE)
        for stack in ("late", "grandchild"):
            remove_versions_of(connection, stack)
            change_stack(connection, stack, action=Action.DELETE, deleted_at=6.0)
        assert seen(connection) == EVERYTHING
        for stack in ("s", "early"):
            remove_versions_of(connection, stack)
            change_stack(connection, stack, action=Action.DELETE, deleted_at=7.0)
        assert seen(connection) == [
            ("late", 1, None, "name11", "grandchild"),
            ("late", 1, None, "name13", None),
            ("grandchild", 2, "name11", "name14", None),
        ]
        (group,) = listed_resources(connection, "grandchild", 0, with_attributes=False)
        (item,) = group
        assert (item.owner_name, item.name, item.action, item.status) == (
            *("name11", "name14"),
            *("DELETE", "COMPLETE"),
        )
