"""Queries behind lists of the workflow API: filters, order and pages."""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    String,
    Text,
    and_,
    func,
    literal,
    or_,
    select,
)

from hotplate.store.sealing import PLACES, seals_of
from hotplate.store.workflows.schema import (
    workflow_action,
    workflow_definition,
    workflow_environment,
    workflow_execution,
    workflow_task,
    workflow_trigger,
)


class Comparison(StrEnum):
    """How a filter compares; the value is the word that stands before the colon."""

    EQ = "eq"
    NEQ = "neq"
    IN = "in"
    NIN = "nin"
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"
    HAS = "has"


@dataclass(frozen=True, slots=True)
class Filter:
    """Keeps the rows whose column compares well with the value; a list for IN and NIN."""

    column: str
    comparison: Comparison
    value: Any


_KEY, _OWNER = "key of the row", "project of the row"

LARGEST: Final = 32_000_000
"""Bytes of texts that a list may hold: its reader holds it in memory several times."""


class ListRefused(ValueError):
    """The list cannot be answered; the text says why."""


class NotCompared(ListRefused):
    """The column is stored sealed: databases can neither compare nor order what it holds."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} cannot be filtered or sorted by: it may hold secrets")


class ListTooLarge(ListRefused):
    """The texts of the entries together exceed the limit of the query."""

    def __init__(self, size: int, largest: int) -> None:
        super().__init__(
            f"the list has {size} bytes, and {largest} are answered at once; ask for fewer "
            "entries, with a limit or with filters"
        )


@dataclass(frozen=True, slots=True)
class ListQuery:
    """What part of a list is wanted. ``order`` holds names of columns and whether downwards.

    ``project`` None means all projects; with ``public`` also what others made public. ``names``
    are the columns that are needed, all if it is empty; ``largest`` bounds their texts together.
    """

    project: str | None
    filters: Sequence[Filter] = ()
    order: Sequence[tuple[str, bool]] = (("created_at", False),)
    limit: int | None = None
    marker: str | None = None
    public: bool = False
    names: Sequence[str] = ()
    largest: int = LARGEST


@dataclass(frozen=True, slots=True)
class _Source:
    """Where the entries of a list come from: columns by the names that the API has for them."""

    columns: Mapping[str, ColumnElement[Any]]
    tie: Sequence[str]
    build: Callable[[Sequence[ColumnElement[Any]]], Select[Any]]
    scope: ColumnElement[Any] | None = None
    project: str = "project"
    fixed: Sequence[ColumnElement[bool]] = field(default_factory=tuple)


_E = workflow_execution.c
_T = workflow_task.c
_A = workflow_action.c
_RUN = workflow_execution

_EXECUTIONS = _Source(
    {column.name: column for column in _E},
    ("number",),
    lambda columns: select(*columns),
)
_TASKS = _Source(
    {
        **{column.name: column for column in _T},
        "workflow_name": _E.workflow_name,
        "workflow_id": _E.workflow_id,
        "namespace": _E.namespace,
    },
    ("execution_id", "number"),
    lambda columns: select(*columns).join(_RUN, _E.id == _T.execution_id),
)
_ACTIONS = _Source(
    {
        **{column.name: column for column in _A},
        "workflow_name": _E.workflow_name,
        "namespace": _E.namespace,
        "task_name": _T.name,
    },
    ("execution_id", "number", "id"),
    lambda columns: (
        select(*columns)
        .outerjoin(workflow_task, _T.id == _A.task_id)
        .outerjoin(_RUN, _E.id == _A.execution_id)
    ),
    # Calls of other workflows are executions of their own, and shown as such.
    fixed=(_A.calls.is_(False),),
)


def _definitions(kind: str) -> _Source:
    table = workflow_definition
    return _Source(
        {column.name: column for column in table.c},
        ("number",),
        lambda columns: select(*columns),
        scope=table.c.scope,
        fixed=(table.c.kind == kind,),
    )


SOURCES: Final[Mapping[str, _Source]] = {
    "executions": _EXECUTIONS,
    "tasks": _TASKS,
    "action_executions": _ACTIONS,
    "workflows": _definitions("workflow"),
    "workbooks": _definitions("workbook"),
    "actions": _definitions("action"),
    "environments": _Source(
        {column.name: column for column in workflow_environment.c},
        ("number",),
        lambda columns: select(*columns),
    ),
    "cron_triggers": _Source(
        {column.name: column for column in workflow_trigger.c},
        ("number",),
        lambda columns: select(*columns),
    ),
}


def columns_of(source: str) -> frozenset[str]:
    """Return the names by which a list can be filtered and ordered."""
    return frozenset(SOURCES[source].columns)


def listed_rows(connection: Connection, source: str, query: ListQuery) -> list[dict[str, Any]]:
    """Return rows of a list as maps of names to values. Raises ListTooLarge.

    A marker that is not in the list is taken for none.
    """
    place = SOURCES[source]
    wanted = {name: place.columns[name] for name in query.names or place.columns}
    for name in (*(each.column for each in query.filters), *(name for name, _ in query.order)):
        if _is_sealed(place.columns[name]):
            raise NotCompared(name)
    conditions = list(place.fixed)
    if query.project is not None:
        own = place.columns[place.project] == query.project
        is_shared = query.public and place.scope is not None
        conditions.append(or_(own, place.scope == "public") if is_shared else own)  # type: ignore[arg-type]
    conditions.extend(_condition(place, each) for each in query.filters)
    order = [*query.order]
    chosen = {name for name, _ in order}
    is_descending = bool(order) and order[-1][1]
    order.extend((name, is_descending) for name in place.tie if name not in chosen)
    if query.marker is not None:
        names = [name for name, _ in order]
        found = connection.execute(
            place.build([_sortable(place, name) for name in names]).where(
                *conditions, place.columns["id"] == query.marker
            )
        ).first()
        if found is not None:
            conditions.append(_after(place, order, found))

    def picked(columns: Sequence[ColumnElement[Any]]) -> Select[Any]:
        statement = place.build(columns).where(*conditions)
        if query.limit is not None:
            statement = statement.limit(query.limit)
        return statement.order_by(
            *(
                _sortable(place, name).desc() if down else _sortable(place, name)
                for name, down in order
            )
        )

    texts = [column for column in wanted.values() if isinstance(column.type, Text)]
    if texts and query.limit != 1:
        _check_size(connection, picked([_size(connection, texts).label("size")]), query.largest)
    sealed = {name: _place(column) for name, column in wanted.items() if _is_sealed(column)}
    more = {} if not sealed else {_KEY: place.columns["id"], _OWNER: place.columns["project"]}
    statement = picked([column.label(name) for name, column in (wanted | more).items()])
    return [_opened(connection, row, sealed) for row in connection.execute(statement)]


def _opened(connection: Connection, row: Any, sealed: Mapping[str, str]) -> dict[str, Any]:
    fields = dict(row._mapping)
    if sealed:
        key, seals = fields.pop(_KEY), seals_of(connection, fields.pop(_OWNER))
        for name, place in sealed.items():
            if fields[name] is not None:
                fields[name] = seals.open(place, key, fields[name])
    return fields


def _is_sealed(column: Any) -> bool:
    return column.name in PLACES.get(column.table.name, ())


def _place(column: Any) -> str:
    return f"{column.table.name}|{column.name}"


def one_row(
    connection: Connection, source: str, entry_id: str, project: str | None
) -> dict[str, Any] | None:
    """Return the row with an id, if the project has it; of any project for None."""
    rows = listed_rows(
        connection, source, ListQuery(project, (Filter("id", Comparison.EQ, entry_id),), limit=1)
    )
    return rows[0] if rows else None


def _check_size(connection: Connection, sizes: Select[Any], largest: int) -> None:
    """Ask how large the rows are before they are read: they may hold anything."""
    size = connection.execute(select(func.sum(sizes.subquery().c.size))).scalar()
    if size is not None and size > largest:
        raise ListTooLarge(int(size), largest)


def _size(connection: Connection, texts: Sequence[ColumnElement[Any]]) -> ColumnElement[Any]:
    # Of a text that is stored aside, PostgreSQL knows the bytes without reading it.
    measure = func.length if connection.dialect.name == "sqlite" else func.octet_length
    size: ColumnElement[Any] = literal(0)
    for column in texts:
        size = size + func.coalesce(measure(column), 0)
    return size


def _after(
    place: _Source, order: Sequence[tuple[str, bool]], values: Sequence[Any]
) -> ColumnElement[bool]:
    """Return the condition that a row stands behind the one with these values."""
    either = []
    equal: list[ColumnElement[bool]] = []
    for (name, down), value in zip(order, values, strict=True):
        column = _sortable(place, name)
        either.append(and_(*equal, column < value if down else column > value))
        equal.append(column == value)
    return or_(*either)


def _sortable(place: _Source, name: str) -> ColumnElement[Any]:
    """Return a column with a value for none: databases do not agree where null stands."""
    column = place.columns[name]
    return func.coalesce(column, "" if isinstance(column.type, String | Text) else 0)


def _same(column: ColumnElement[Any], value: Any) -> ColumnElement[bool]:
    return column.is_(None) if value is None else column == value


def _other(column: ColumnElement[Any], value: Any) -> ColumnElement[bool]:
    return column.is_not(None) if value is None else or_(column != value, column.is_(None))


_COMPARE: Mapping[Comparison, Callable[[ColumnElement[Any], Any], ColumnElement[bool]]] = {
    Comparison.EQ: _same,
    Comparison.NEQ: _other,
    Comparison.IN: lambda column, value: column.in_(value),
    Comparison.NIN: lambda column, value: column.not_in(value),
    Comparison.GT: operator.gt,
    Comparison.GTE: operator.ge,
    Comparison.LT: operator.lt,
    Comparison.LTE: operator.le,
    Comparison.HAS: lambda column, value: column.contains(value, autoescape=True),
}


def _condition(place: _Source, wanted: Filter) -> ColumnElement[bool]:
    return _COMPARE[wanted.comparison](place.columns[wanted.column], wanted.value)
