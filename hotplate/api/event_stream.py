"""A live stream of events, as server-sent events: what happens arrives while it happens."""

from collections.abc import AsyncIterator
from functools import partial

import orjson
from starlette.responses import Response, StreamingResponse

from hotplate.api.endpoint import Call, Endpoint
from hotplate.api.event_documents import event_document
from hotplate.api.lookup import addressed_stack
from hotplate.api.resources import DEPTH, depth_of
from hotplate.model import Stack
from hotplate.store.event_listing import (
    ListedEvent,
    WantedEvents,
    list_events,
    number_of_event,
)

_PAGE = 500
_SILENCE = 15.0
"""Seconds after which a comment is sent, so that proxies keep the connection."""

_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}


async def _stream(call: Call) -> Response:
    stack = await addressed_stack(call, deleted=True)
    after = 0
    last = call.request.headers.get("last-event-id", "")
    if last:
        found = await call.operations.ask(partial(number_of_event, event_id=last))
        after = found or 0
    return StreamingResponse(
        _events(call, stack, after), media_type="text/event-stream", headers=_HEADERS
    )


async def _events(call: Call, stack: Stack, after: int) -> AsyncIterator[bytes]:
    """Yield events for as long as there can be more: until the stack has been deleted."""
    arrivals = call.engine.arrivals
    root = call.links.of_stack(stack)
    yield b"retry: 1000\n\n"
    while True:
        wanted = WantedEvents(stack.id, depth_of(call), descending=False, limit=_PAGE, after=after)
        found = await call.operations.ask(partial(list_events, wanted=wanted))
        for item in found:
            document = event_document(call.links, call.project, item, root)
            document["resource_type"] = item.type
            yield _message(item, orjson.dumps(document))
            after = item.number
        if any(_is_end(stack, item) for item in found):
            return
        if len(found) == _PAGE:
            continue
        if not found:
            current = await call.operations.stack(stack.id)
            if current.deleted_at is not None:
                return
        if not await arrivals.after(call.operations, after, _SILENCE):
            yield b": still here\n\n"


def _is_end(stack: Stack, item: ListedEvent) -> bool:
    """Tell whether nothing can come any more."""
    return (item.stack_id, item.physical_id, item.action, item.status) == (
        stack.id,
        stack.id,
        "DELETE",
        "COMPLETE",
    )


def _message(item: ListedEvent, document: bytes) -> bytes:
    kind = "stack" if item.physical_id == item.stack_id else "resource"
    return b"id: %s\nevent: %s\ndata: %s\n\n" % (item.id.encode(), kind.encode(), document)


ENDPOINTS = (
    Endpoint(
        "GET",
        "/stacks/{stack_name}/{stack_id}/events/stream",
        _stream,
        "Follow the events of a stack as they happen",
        "events",
        (DEPTH,),
        answers={200: None},
        description="Server-sent events; `Last-Event-ID` goes on after the event with that id.",
    ),
)
