"""Queries that list stacks: filters, tags, order, pages."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, exists, func, not_, or_, select

from hotplate.model import Stack
from hotplate.store.schema import event, stack, version
from hotplate.store.stacks import COLUMNS, stack_of

ORDERS: Mapping[str, ColumnElement[Any]] = {
    "name": stack.c.name,
    "status": stack.c.status,
    "created_at": stack.c.created_at,
    "updated_at": func.coalesce(stack.c.updated_at, 0.0),
}
"""What stacks can be ordered by."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which stacks are asked for. ``project`` of None asks for those of all projects.

    ``filters`` maps columns to the values they may have; ``states`` are pairs of action and
    status, either of which may be None for any.
    """

    project: str | None
    deleted: bool = False
    nested: bool = False
    without_any_tag: tuple[str, ...] = ()
    with_all_tags: tuple[str, ...] = ()
    with_any_tag: tuple[str, ...] = ()
    without_all_tags: tuple[str, ...] = ()
    hidden_tags: tuple[str, ...] = ()
    filters: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    states: tuple[tuple[str | None, str | None], ...] = ()
    order: tuple[str, ...] = ()
    descending: bool = False
    limit: int | None = None
    marker: str | None = None

    @property
    def values(self) -> int:
        """How many values it names besides tags that are hidden: each makes the query longer."""
        tags = (self.without_any_tag, self.with_all_tags, self.with_any_tag, self.without_all_tags)
        return len(self.states) + sum(map(len, (*tags, *self.filters.values())))


def list_stacks(connection: Connection, wanted: Wanted) -> list[Stack]:
    """Return one page of the stacks that fit, in a total order; ties go by age.

    An unknown marker is no marker, and those of other projects are unknown.
    """
    keys = [ORDERS[name] for name in wanted.order]
    keys.append(stack.c.number)
    statement = _narrowed(select(*COLUMNS), connection, wanted)
    if wanted.marker is not None:
        place = select(*keys).where(stack.c.id == wanted.marker)
        if wanted.project is not None:
            place = place.where(stack.c.project == wanted.project)
        last = connection.execute(place).first()
        if last is not None:
            statement = statement.where(beyond(keys, last, wanted.descending))
    statement = statement.order_by(*(key.desc() if wanted.descending else key for key in keys))
    if wanted.limit is not None:
        statement = statement.limit(wanted.limit)
    return [stack_of(row) for row in connection.execute(statement)]


def count_stacks(connection: Connection, wanted: Wanted) -> int:
    """Return how many stacks fit, on all pages together."""
    statement = _narrowed(select(func.count()).select_from(stack), connection, wanted)
    return int(connection.execute(statement).scalar_one())


def beyond(keys: Sequence[ColumnElement[Any]], last: Any, descending: bool) -> ColumnElement[bool]:
    """Return the condition that a row comes after the last one of the page before."""
    cases = []
    for place, key in enumerate(keys):
        same = [earlier == last[number] for number, earlier in enumerate(keys[:place])]
        further = key < last[place] if descending else key > last[place]
        cases.append(and_(*same, further))
    return or_(*cases)


def _narrowed(statement: Select[Any], connection: Connection, wanted: Wanted) -> Select[Any]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.project is not None:
        conditions.append(stack.c.project == wanted.project)
    if not wanted.deleted:
        conditions.append(stack.c.deleted_at.is_(None))
    if not wanted.nested and "parent_id" not in wanted.filters:
        conditions.append(stack.c.parent_id.is_(None))
    for name, values in wanted.filters.items():
        conditions.append(stack.c[name].in_(list(values)))
    if wanted.states:
        conditions.append(or_(*map(_state, wanted.states)))

    def has(tag: str) -> ColumnElement[bool]:
        return _has_tag(connection, tag)

    conditions.extend(has(tag) for tag in wanted.with_all_tags)
    if wanted.with_any_tag:
        conditions.append(or_(*map(has, wanted.with_any_tag)))
    if wanted.without_all_tags:
        conditions.append(not_(and_(*map(has, wanted.without_all_tags))))
    unwanted = (*wanted.without_any_tag, *wanted.hidden_tags)
    conditions.extend(not_(has(tag)) for tag in unwanted)
    return statement.where(*conditions)


def _state(pair: tuple[str | None, str | None]) -> ColumnElement[bool]:
    action, status = pair
    parts = []
    if action is not None:
        parts.append(stack.c.action == action)
    if status is not None:
        parts.append(stack.c.status == status)
    return and_(*parts)


def _has_tag(connection: Connection, tag: str) -> ColumnElement[bool]:
    """Return the condition that a tag is in the list, which is kept as JSON text."""
    find = func.strpos if connection.dialect.name == "postgresql" else func.instr
    return find(stack.c.tags, json.dumps(tag)) > 0


def changed_roots(connection: Connection, project: str, after: int, until: int) -> list[str]:
    """Return the root stacks of a project in whose trees something happened between two numbers.

    Of events: those after ``after`` and up to ``until`` count. Reads each of them.
    """
    statement = (
        select(event.c.root_id)
        .join(stack, stack.c.id == event.c.root_id)
        .where(event.c.number > after, event.c.number <= until, stack.c.project == project)
        .distinct()
    )
    return list(connection.execute(statement).scalars())


def count_states(
    connection: Connection, root_ids: Sequence[str]
) -> dict[str, Counter[tuple[str, str]]]:
    """Return how many resources in a tree have each action and status, by the id of its root.

    Those that are stacks themselves do not count: what is in them does.
    """
    counts: dict[str, Counter[tuple[str, str]]] = {root: Counter() for root in root_ids}
    if not root_ids:
        return counts
    is_stack = exists().where(stack.c.parent_version == version.c.id)
    statement = (
        select(version.c.root_id, version.c.action, version.c.status, func.count())
        .where(version.c.root_id.in_(list(root_ids)), not_(is_stack))
        .group_by(version.c.root_id, version.c.action, version.c.status)
    )
    for root, action, status, number in connection.execute(statement):
        counts[root][action, status] = number
    return counts
