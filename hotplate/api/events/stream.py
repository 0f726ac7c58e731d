"""A live stream of events, as server-sent events: what happens arrives while it happens."""

import asyncio
from collections.abc import AsyncGenerator

import orjson
from starlette.responses import Response, StreamingResponse

from hotplate.api.events.documents import event_document
from hotplate.api.http.addressed_stack import addressed_stack
from hotplate.api.http.endpoint import Call, Endpoint
from hotplate.api.http.event_streams import HEADERS, SILENCE, STILL_HERE, end_message
from hotplate.api.http.faults import Fault
from hotplate.api.http.nested_depth import NESTED_DEPTH, depth_of
from hotplate.api.http.shapes import choice, record, text
from hotplate.model import Stack
from hotplate.store.event_listing import ListedEvent

_PAGE = 500
_AT_ONCE = 100
_MESSAGE = record(
    {},
    {
        "id": text(),
        "event": choice("stack", "resource", "end"),
        "data": text(),
        "retry": {"type": ["integer", "string"]},
    },
)
"""One of the messages; `data` is an event as JSON, at the `end` what a new request would get."""


async def _stream(call: Call) -> Response:
    stack = await addressed_stack(call, deleted=True)
    after = 0
    last = call.request.headers.get("last-event-id", "")
    if last:
        found = await call.listings.event_number(last)
        after = found or 0
    stream = call.engine.event_waiter.counted(call.project, _events(call, stack, after))
    return StreamingResponse(stream, media_type="text/event-stream", headers=HEADERS)


async def _events(call: Call, stack: Stack, after: int) -> AsyncGenerator[bytes, None]:
    """Yield events for as long as there can be more: until the stack has been deleted.

    And for as long as a new request would be let in: a token that has expired or was revoked ends
    it, and so does a Keystone that cannot be asked. The server ends it as well when it stops;
    whoever comes back goes on where they were.
    """
    root = call.links.of_stack(stack)
    yield b"retry: 1000\n\n"
    while True:
        try:
            await call.still_allowed()
        except Fault as fault:
            yield end_message(fault)
            return
        await call.engine.event_waiter.turn(call.project)
        page = await call.listings.follow_events(stack.id, depth_of(call), after, _PAGE)
        for begin in range(0, len(page.events), _AT_ONCE):
            some = page.events[begin : begin + _AT_ONCE]
            yield b"".join(_message(call, item, root) for item in some)
            # Others come first, of which there may be as many streams as connections.
            await asyncio.sleep(0)
        if page.is_over:
            return
        # Not the number of the last event: those of other stacks would wake this one for ever.
        after = page.after
        if len(page.events) == _PAGE:
            continue
        if not await call.engine.event_waiter.wait_after(call.listings, after, SILENCE):
            if call.engine.event_waiter.is_closed:
                return
            yield STILL_HERE


def _message(call: Call, item: ListedEvent, root: str) -> bytes:
    event = event_document(call.links, call.project, item, root)
    event["resource_type"] = item.type
    document = orjson.dumps(event)
    event_name = "stack" if item.physical_id == item.stack_id else "resource"
    return b"id: %s\nevent: %s\ndata: %s\n\n" % (item.id.encode(), event_name.encode(), document)


ENDPOINTS = (
    Endpoint(
        "GET",
        "/stacks/{stack_name}/{stack_id}/events/stream",
        _stream,
        "Follow the events of a stack as they happen",
        "events",
        (NESTED_DEPTH,),
        answers={200: _MESSAGE},
        media_type="text/event-stream",
        description="Server-sent events; `Last-Event-ID` goes on after the event with that id. "
        "If the token expires or is revoked, the last message is `end` with the refusal.",
        rule="events:stream",
    ),
)
