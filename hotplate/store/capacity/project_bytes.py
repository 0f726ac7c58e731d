"""How many bytes a project keeps in the database."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Select,
    Table,
    Text,
    func,
    select,
    union,
)

from hotplate.store.schema import METADATA, content, inclusion, recipe, snapshot, stack

_ROW = 200
"""Bytes that a row takes besides its texts, about."""


def bytes_of_project(connection: Connection, project: str) -> int:
    """Return about how many bytes the rows of a project have, those of deleted stacks included.

    Texts that several stacks or projects share count once for each project. Reads all of it, so
    it is nothing to do with each request.
    """
    length = func.length if connection.dialect.name == "sqlite" else func.octet_length
    stacks = select(stack.c.id).where(stack.c.project == project)
    total = 0
    for table in METADATA.tables.values():
        if "project" in table.c:
            owned = table.c.project == project
        elif "stack_id" in table.c:
            owned = table.c.stack_id.in_(stacks)
        else:
            continue
        total += _sum(connection, _size(table, length).where(owned))
    # Joined, not searched with IN: MariaDB would make each union anew for every single row.
    recipes = union(
        select(stack.c.recipe.label("digest")).where(stack.c.project == project),
        select(stack.c.completed_recipe).where(stack.c.project == project),
        select(stack.c.carried_recipe).where(stack.c.project == project),
        select(snapshot.c.recipe).where(snapshot.c.stack_id.in_(stacks)),
    ).subquery("recipes")
    used = recipe.join(recipes, recipe.c.digest == recipes.c.digest)
    total += _sum(connection, _size(recipe, length, used))
    texts = (recipe.c.template.label("digest"), recipe.c.environment, recipe.c.files)
    named = union(*(select(column).select_from(used) for column in texts)).subquery("named")
    inside = inclusion.join(named, inclusion.c.holder == named.c.digest)
    contents = union(
        select(named.c.digest), select(inclusion.c.content).select_from(inside)
    ).subquery("contents")
    kept = content.join(contents, content.c.digest == contents.c.digest)
    return total + _sum(connection, _size(content, length, kept))


def _size(
    table: Table, length: Callable[..., Any], joined: FromClause | None = None
) -> Select[Any]:
    """Return the query for the size of a table, or of its rows that are ``joined``."""
    texts: list[ColumnElement[int]] = [
        func.coalesce(length(column), 0) for column in table.c if isinstance(column.type, Text)
    ]
    size: ColumnElement[int] = func.count() * _ROW
    for each in texts:
        size = size + func.coalesce(func.sum(each), 0)
    return select(size).select_from(table if joined is None else joined)


def _sum(connection: Connection, statement: Select[Any]) -> int:
    return int(connection.execute(statement).scalar() or 0)
