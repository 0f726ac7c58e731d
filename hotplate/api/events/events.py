"""Events: what happened, in a stack and in its nested stacks."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from hotplate.api.events.documents import EVENT, EVENT_DETAIL, event_document
from hotplate.api.http.addressed_stack import addressed_stack
from hotplate.api.http.endpoint import Call, Endpoint, json_answer, off_loop
from hotplate.api.http.faults import Fault
from hotplate.api.http.fields import Query, QueryKind
from hotplate.api.http.nested_depth import NESTED_DEPTH, depth_of
from hotplate.api.http.shapes import LINKS, listed, record
from hotplate.engine.recipes.hidden_parameters import secrets_of
from hotplate.engine.refusals import Entity, NotFound
from hotplate.model import Stack
from hotplate.store.event_listing import WantedEvents

_PATH = "/stacks/{stack_name}/{stack_id}"
_OF_RESOURCE = f"{_PATH}/resources/{{resource_name}}/events"
_MANY = 100
"""Events that are written down in the event loop."""

_ORDERS = {"event_time": "", "created_at": "", "resource_type": "type"}
_FILTERS = {
    "resource_status": "status",
    "resource_action": "action",
    "resource_name": "name",
    "resource_type": "type",
}
_QUERY = (
    Query("limit", QueryKind.COUNT, "How many events a page has at most."),
    Query("marker", description="The id of the last event of the page before."),
    Query("sort_keys", QueryKind.WORDS, "What to order by.", aliases=("sort_key",)),
    Query("sort_dir", description="asc or desc", choices=("asc", "desc")),
    NESTED_DEPTH,
    *(Query(name, QueryKind.WORDS, "Only those with one of these values.") for name in _FILTERS),
)


def wanted_events(call: Call, stack: Stack) -> WantedEvents:
    """Return which events a request asks for."""
    query = call.query
    order = (_ORDERS[key] for key in query.get("sort_keys", ()) if key in _ORDERS)
    return WantedEvents(
        top=stack.id,
        depth=depth_of(call),
        filters={column: query[name] for name, column in _FILTERS.items() if name in query},
        order=tuple(dict.fromkeys(column for column in order if column)),
        descending=query.get("sort_dir", "desc") == "desc",
        limit=min(query.get("limit", _bound(call)), _bound(call)),
        marker=query.get("marker"),
    )


def _bound(call: Call) -> int:
    return call.engine.settings.most_events


async def _list(call: Call) -> Response:
    stack = await addressed_stack(call, deleted=True)
    wanted = wanted_events(call, stack)
    address = f"{call.links.of_stack(stack)}/events"
    return _page(call, address, await _documents(call, stack, wanted))


def _page(call: Call, address: str, documents: list[dict[str, Any]]) -> Response:
    """Return events, and where to go on if the server did not list them all of its own accord."""
    answer: dict[str, Any] = {"events": documents}
    if len(documents) == _bound(call) and documents:
        given = [
            (name, value)
            for name, value in call.request.query_params.multi_items()
            if name != "marker"
        ]
        query = urlencode([*given, ("marker", documents[-1]["id"])])
        address = (
            f"{call.links.base}/{call.project}{call.request.url.path.partition(call.project)[2]}"
        )
        answer["links"] = [{"rel": "next", "href": f"{address}?{query}"}]
    return json_answer(answer)


async def _documents(call: Call, stack: Stack, wanted: WantedEvents) -> list[dict[str, Any]]:
    root = call.links.of_stack(stack) if wanted.depth else None
    found = await call.listings.events(wanted)
    return await off_loop(
        lambda: [event_document(call.links, call.project, item, root) for item in found],
        len(found) > _MANY,
    )


async def _of_resource(call: Call) -> Response:
    stack = await addressed_stack(call, deleted=True)
    name = call.path["resource_name"]
    wanted = wanted_events(call, stack)
    wanted = replace(wanted, depth=0, filters={**wanted.filters, "name": (name,)})
    documents = await _documents(call, stack, wanted)
    if not documents:
        raise Fault(404, f"No events found for resource {name}", "HTTPNotFound")
    address = f"{call.links.resource(call.links.of_stack(stack), name)}/events"
    return _page(call, address, documents)


async def _show(call: Call) -> Response:
    stack = await addressed_stack(call, deleted=True)
    wanted = WantedEvents(
        stack.id, filters={"id": (call.path["event_id"],), "name": (call.path["resource_name"],)}
    )
    found = await call.listings.events(wanted)
    if not found:
        raise NotFound(Entity.EVENT, call.path["event_id"])
    document = event_document(call.links, call.project, found[0])
    document["resource_type"] = found[0].type
    document["resource_properties"] = await _properties(call, stack, found[0].name)
    return json_answer({"event": document})


async def _properties(call: Call, stack: Stack, name: str) -> dict[str, Any]:
    """Return the properties of a resource as last applied; none for one that was deleted."""
    if stack.deleted_at is not None:
        return {}
    try:
        version = await call.operations.resource(stack, name)
    except NotFound:
        return {}
    bound = await call.operations.bound(stack)
    shown: dict[str, Any] = secrets_of(bound).masked(version.definition.properties)
    return shown


_EVENTS = record({"events": listed(EVENT)}, {"links": LINKS})

ENDPOINTS = (
    Endpoint(
        "GET",
        f"{_PATH}/events",
        _list,
        "List the events of a stack, with nested_depth those of nested stacks as well",
        "events",
        _QUERY,
        answers={200: _EVENTS},
        rule="events:index",
    ),
    Endpoint(
        "GET",
        _OF_RESOURCE,
        _of_resource,
        "List the events of a resource",
        "events",
        _QUERY,
        answers={200: _EVENTS},
        rule="events:index",
    ),
    Endpoint(
        "GET",
        f"{_OF_RESOURCE}/{{event_id}}",
        _show,
        "Show an event",
        "events",
        answers={200: record({"event": EVENT_DETAIL})},
        rule="events:show",
    ),
)
