"""How many bytes a project keeps in the database."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, Text, func, or_, select, union

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
    recipes = union(
        select(stack.c.recipe).where(stack.c.project == project),
        select(stack.c.completed_recipe).where(stack.c.project == project),
        select(stack.c.carried_recipe).where(stack.c.project == project),
        select(snapshot.c.recipe).where(snapshot.c.stack_id.in_(stacks)),
    ).scalar_subquery()
    total += _sum(connection, _size(recipe, length).where(recipe.c.digest.in_(recipes)))
    named = union(
        *(
            select(column).where(recipe.c.digest.in_(recipes))
            for column in (recipe.c.template, recipe.c.environment, recipe.c.files)
        )
    ).scalar_subquery()
    included = select(inclusion.c.content).where(inclusion.c.holder.in_(named))
    of_both = or_(content.c.digest.in_(named), content.c.digest.in_(included))
    return total + _sum(connection, _size(content, length).where(of_both))


def _size(table: Table, length: Callable[..., Any]) -> Select[Any]:
    texts: list[ColumnElement[int]] = [
        func.coalesce(length(column), 0) for column in table.c if isinstance(column.type, Text)
    ]
    size: ColumnElement[int] = func.count() * _ROW
    for each in texts:
        size = size + func.coalesce(func.sum(each), 0)
    return select(size).select_from(table)


def _sum(connection: Connection, statement: Select[Any]) -> int:
    return int(connection.execute(statement).scalar() or 0)
