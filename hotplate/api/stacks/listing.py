"""`GET /stacks`: which stacks there are."""

from collections.abc import Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from hotplate.api.http.endpoint import Call, Endpoint, json_answer, off_loop
from hotplate.api.http.faults import bad_request
from hotplate.api.http.fields import Query, QueryKind
from hotplate.api.http.shapes import LINKS, listed, record
from hotplate.api.stacks.documents import SUMMARY, full, summary
from hotplate.model import Action, Stack, Status
from hotplate.store.stack_listing import Wanted

_ORDERS = {
    "stack_name": "name",
    "name": "name",
    "stack_status": "status",
    "status": "status",
    "creation_time": "created_at",
    "created_at": "created_at",
    "updated_time": "updated_at",
    "updated_at": "updated_at",
}
_COLUMNS = {
    "id": "id",
    "name": "name",
    "stack_name": "name",
    "action": "action",
    "stack_action": "action",
    "stack_status_reason": "reason",
    "tenant": "project",
    "username": "username",
    "stack_owner": "username",
    "owner_id": "parent_id",
    "parent": "parent_id",
}
_STATES = ("status", "stack_status")
_TAGS = {
    "tags": "with_all_tags",
    "tags_any": "with_any_tag",
    "not_tags": "without_all_tags",
    "not_tags_any": "without_any_tag",
}
_WORDS = QueryKind.WORDS
_QUERY = (
    Query("limit", QueryKind.COUNT, "How many stacks a page has at most."),
    Query("marker", description="The id of the last stack of the page before."),
    Query("sort_keys", _WORDS, "What to order by.", aliases=("sort_key",)),
    Query("sort_dir", description="asc or desc", choices=("asc", "desc")),
    Query("global_tenant", QueryKind.FLAG, "The stacks of all projects; for administrators."),
    Query("show_deleted", QueryKind.FLAG, "Deleted stacks as well."),
    Query("show_nested", QueryKind.FLAG, "Nested stacks as well."),
    Query("show_hidden", QueryKind.FLAG, "Stacks with a hidden tag as well."),
    Query("with_count", QueryKind.FLAG, "Also return how many there are on all pages."),
    *(
        Query(name, QueryKind.LISTED, "Tags, with commas.", aliases=(name.replace("_", "-"),))
        for name in _TAGS
    ),
    *(Query(name, _WORDS, "Only those with one of these values.") for name in _COLUMNS),
    *(Query(name, _WORDS, "Only those with one of these statuses.") for name in _STATES),
    Query("disable_rollback", QueryKind.FLAG, "Only those without, or with, rollback."),
    Query("timeout_mins", QueryKind.COUNT, "Only those with this timeout."),
)
_MANY = 100
"""Stacks that are written down in the event loop."""

_ACTIONS = frozenset(action.value for action in Action)
_STATUSES = frozenset(status.value for status in Status)


async def _list(call: Call) -> Response:
    wanted = _wanted(call)
    stacks = await call.with_reasons(await call.operations.list_stacks(wanted))
    documents = await off_loop(partial(_summaries, call, stacks), len(stacks) > _MANY)
    answer: dict[str, object] = {"stacks": documents}
    if wanted.limit and len(stacks) == wanted.limit:
        answer["links"] = [{"rel": "next", "href": _next_page(call, stacks[-1])}]
    if call.query.get("with_count"):
        answer["count"] = await call.operations.count_stacks(wanted)
    return json_answer(answer)


def _summaries(call: Call, stacks: Sequence[Stack]) -> list[dict[str, Any]]:
    return [summary(call.links, stack, call.caller.is_admin) for stack in stacks]


async def _detail(call: Call) -> Response:
    stacks = await call.with_reasons(await call.operations.list_stacks(_wanted(call)))
    documents = []
    for stack in stacks:
        bound = await call.operations.bound(stack)
        documents.append(full(call, stack, bound, await call.operations.timeout(stack)))
    return json_answer({"stacks": documents})


def _wanted(call: Call) -> Wanted:
    query, settings = call.query, call.engine.settings
    project: str | None = call.project
    if query.get("global_tenant"):
        call.require("stacks:global_index")
        project = None
    for name in _TAGS:
        if len(query.get(name, ())) > settings.most_tags:
            raise bad_request(f'"{name}" takes at most {settings.most_tags} tags')
        for tag in query.get(name, ()):
            if len(tag) > settings.longest_tag:
                raise bad_request(
                    f'the tag "{tag[:20]}…" in "{name}" is longer than '
                    f"{settings.longest_tag} characters"
                )
    filters: dict[str, list[object]] = {}
    for name, column in _COLUMNS.items():
        if name in query:
            filters.setdefault(column, []).extend(query[name])
    if "disable_rollback" in query:
        filters["rollback"] = [not query["disable_rollback"]]
    if "timeout_mins" in query:
        filters["timeout"] = [min(query["timeout_mins"], 2**31 - 1)]
    order = tuple(
        dict.fromkeys(_ORDERS[key] for key in query.get("sort_keys", ()) if key in _ORDERS)
    )
    return Wanted(
        project=project,
        deleted=query.get("show_deleted", False),
        nested=query.get("show_nested", False),
        hidden_tags=() if query.get("show_hidden") else settings.hidden_tags,
        filters=filters,
        states=tuple(_state(word) for name in _STATES for word in query.get(name, ())),
        order=order,
        descending=query.get("sort_dir", "asc" if order else "desc") == "desc",
        limit=query.get("limit"),
        marker=query.get("marker"),
        **{field: query.get(name, ()) for name, field in _TAGS.items()},
    )


def _state(word: str) -> tuple[str | None, str | None]:
    """Split `CREATE_COMPLETE` into both; what is a status alone stays one."""
    action, _, status = word.partition("_")
    if action in _ACTIONS and status in _STATUSES:
        return action, status
    return None, word


def _next_page(call: Call, last: Stack) -> str:
    given = [
        (name, value) for name, value in call.request.query_params.multi_items() if name != "marker"
    ]
    query = urlencode([*given, ("marker", last.id)])
    return f"{call.links.base}/{call.project}/stacks?{query}"


_LIST = record({"stacks": listed(SUMMARY)}, {"links": LINKS, "count": {"type": "integer"}})

ENDPOINTS = (
    Endpoint(
        "GET",
        "/stacks",
        _list,
        "List stacks",
        "stacks",
        _QUERY,
        answers={200: _LIST},
        rule="stacks:index",
    ),
    Endpoint(
        "GET",
        "/stacks/detail",
        _detail,
        "List stacks with all that they say about themselves",
        "stacks",
        _QUERY,
        answers={200: record({"stacks": listed(SUMMARY)})},
        rule="stacks:detail",
    ),
)
