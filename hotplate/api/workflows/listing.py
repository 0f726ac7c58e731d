"""Lists of the workflow API: what a request may ask of them, and the page that answers it."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from hotplate.api.http.endpoint import Call, json_answer
from hotplate.api.http.faults import bad_request
from hotplate.api.http.fields import Query, QueryKind
from hotplate.api.workflows.reading import kind_of
from hotplate.store.workflows.listing import Comparison, Filter, ListQuery
from hotplate.workflow.engine import read_time

PAGING = (
    Query("marker", description="The id of the last entry of the page before."),
    Query("limit", QueryKind.COUNT, "The most entries to answer."),
    Query("sort_keys", QueryKind.LISTED, "Names of fields to sort by."),
    Query("sort_dirs", QueryKind.LISTED, "asc or desc for each of them."),
    Query("fields", QueryKind.LISTED, "Names of the fields to answer; the id is always there."),
)
FIELDS = (PAGING[-1],)
ALL_PROJECTS = (
    Query("project_id", description="Of another project; for administrators."),
    Query("all_projects", QueryKind.FLAG, "Of all projects; for administrators."),
)
_WORDS = frozenset(each.value for each in Comparison)
_TIMES = frozenset(("created_at", "updated_at", "started_at", "finished_at"))
_NUMBERS = frozenset(("remaining",))
_FLAGS = frozenset(("processed", "accepted"))
_JSON = frozenset(("params", "input", "output", "published", "variables"))
_OPEN = {"next_at", "first_at"}


@dataclass(frozen=True, slots=True)
class List:
    """One list. ``filters`` map what a request may name to columns; ``hidden`` is left out."""

    key: str
    filters: Mapping[str, str]
    document: Callable[[Mapping[str, Any]], dict[str, Any]]
    hidden: frozenset[str] = field(default_factory=frozenset)
    is_shared: bool = False

    @property
    def query(self) -> tuple[Query, ...]:
        """The parameters that the list takes."""
        named = (
            Query(name, description=f"Only entries with this {name}; see the manual for more.")
            for name in self.filters
            if name != "id"
        )
        return (*PAGING, *named)


async def list_answer(
    call: Call, listed: List, fixed: Sequence[Filter] = (), shown: frozenset[str] = frozenset()
) -> Response:
    """Answer with a page of a list. ``shown`` are fields that are hidden otherwise."""
    list_query, order = _list_query(call, listed, fixed)
    rows = await call.workflows.entries(listed.key, list_query)
    documents = [listed.document(row) for row in rows]
    return page_answer(call, listed, documents, order, listed.hidden - shown)


def page_answer(
    call: Call,
    listed: List,
    documents: Sequence[dict[str, Any]],
    order: Sequence[tuple[str, bool]],
    hidden: frozenset[str] = frozenset(),
) -> Response:
    """Answer with documents, and the address of the next page if there may be one."""
    fields = call.query.get("fields")
    page: dict[str, Any] = {listed.key: [_chosen(each, fields, hidden) for each in documents]}
    limit = call.query.get("limit")
    if limit is not None and documents and len(documents) == limit:
        kept = {
            name: call.query[name]
            for name in (*listed.filters, "project_id", "all_projects", "include_output")
            if name in call.query
        }
        query = {
            "sort_keys": ",".join(name for name, _ in order),
            "sort_dirs": ",".join("desc" if down else "asc" for _, down in order),
            **{
                name: str(value).lower() if value is True else value for name, value in kept.items()
            },
            "limit": limit,
            "marker": documents[-1]["id"],
        }
        if fields:
            query["fields"] = ",".join(fields)
        path = call.request.scope["path"].rstrip("/").partition("/v2")[2]
        page["next"] = f"{call.links.base}{path}?{urlencode(query, safe=',:')}"
    return json_answer(page)


def chosen_answer(call: Call, document: dict[str, Any], status: int = 200) -> Response:
    """Answer with one document, with the fields that were asked for."""
    return json_answer(_chosen(document, call.query.get("fields"), frozenset()), status)


def _chosen(
    document: dict[str, Any], fields: Sequence[str] | None, hidden: frozenset[str]
) -> dict[str, Any]:
    if not fields:
        return {name: value for name, value in document.items() if name not in hidden}
    return {name: document[name] for name in ("id", *fields) if name in document}


def _list_query(
    call: Call, listed: List, fixed: Sequence[Filter]
) -> tuple[ListQuery, Sequence[tuple[str, bool]]]:
    query = call.query
    limit = query.get("limit")
    if limit == 0:
        raise bad_request("Limit must be positive: 0")
    order = wanted_order(call, listed.filters)
    filters = [*fixed]
    for name, column in listed.filters.items():
        if name in query:
            filters.extend(_filters(name, column, query[name]))
    for name in query.get("nulls", ()):
        if name not in listed.filters:
            raise bad_request(f"there is no field {name} that could be null")
        filters.append(Filter(listed.filters[name], Comparison.EQ, None))
    list_query = ListQuery(
        _project(call),
        filters,
        [(listed.filters.get(name, name), down) for name, down in order],
        limit,
        query.get("marker"),
        listed.is_shared,
    )
    return list_query, order


def wanted_order(call: Call, columns: Mapping[str, str]) -> Sequence[tuple[str, bool]]:
    """Return the fields to sort by, and whether downwards. Raises Fault."""
    keys = call.query.get("sort_keys") or ("created_at",)
    directions = call.query.get("sort_dirs") or ()
    if len(directions) > len(keys):
        raise bad_request("there are more sort_dirs than sort_keys")
    for key in keys:
        if key not in columns and key not in ("id", "created_at"):
            raise bad_request(f"Unknown sort key: {key}")
    for each in directions:
        if each not in ("asc", "desc"):
            raise bad_request(f"Unknown sort direction, must be 'asc' or 'desc': {each}")
    padded = [*directions, *(["asc"] * (len(keys) - len(directions)))]
    return [(key, way == "desc") for key, way in zip(keys, padded, strict=True)]


def _project(call: Call) -> str | None:
    wanted, is_all = call.query.get("project_id"), call.query.get("all_projects", False)
    if is_all or wanted not in (None, call.project):
        call.require(f"{kind_of(call)}:list:all_projects")
    if wanted is not None:
        return str(wanted)
    return None if is_all else call.project


def _filters(name: str, column: str, text: str) -> list[Filter]:
    word, colon, rest = text.partition(":")
    comparison = Comparison.EQ
    if colon and word in _WORDS:
        comparison, text = Comparison(word), rest
    if comparison in (Comparison.IN, Comparison.NIN):
        return [
            Filter(column, comparison, [_value(name, column, each) for each in text.split(",")])
        ]
    if comparison is Comparison.HAS:
        if column in _TIMES | _NUMBERS | _FLAGS | _OPEN:
            raise bad_request(f"{name} is not a text that could have another in it")
        return [Filter(column, comparison, text)]
    value = _value(name, column, text)
    if comparison is Comparison.EQ and column in _TIMES | _OPEN:
        # Times are shown without their fractions.
        return [
            Filter(column, Comparison.GTE, value),
            Filter(column, Comparison.LT, value + 1),
        ]
    if column == "tags":
        each = [tag.strip() for tag in text.split(",") if tag.strip()]
        return [Filter(column, Comparison.HAS, json.dumps(tag)) for tag in each]
    return [Filter(column, comparison, value)]


def _value(name: str, column: str, text: str) -> Any:
    try:
        if column in _TIMES | _OPEN:
            return read_time(text)
        if column in _NUMBERS:
            return int(text[:9])
        if column in _FLAGS:
            return {"true": True, "false": False}[text.lower()]
        if column in _JSON:
            return json.dumps(json.loads(text))
    except (ValueError, KeyError, OverflowError, RecursionError):
        raise bad_request(f'"{text}" is not a value for {name}') from None
    return text
