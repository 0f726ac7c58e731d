"""`GET /events/stream`: the list of stacks, and then each that changes, while it changes."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import orjson
from starlette.responses import Response, StreamingResponse

from hotplate.api.http.endpoint import Call, Endpoint
from hotplate.api.http.event_streams import HEADERS, SILENCE, STILL_HERE, end_message
from hotplate.api.http.faults import Fault
from hotplate.api.http.shapes import choice, record, text
from hotplate.api.stacks.documents import summary
from hotplate.engine.requests.listings import ChangedStack
from hotplate.model import Action, Status

_PAUSE = 0.5
"""Seconds between two looks: a stack in which much happens is told of once for all of it."""

_AT_ONCE = 100
_MESSAGE = record(
    {},
    {
        "event": choice("stack", "listed", "end"),
        "data": text(),
        "retry": {"type": ["integer", "string"]},
    },
)


async def _stream(call: Call) -> Response:
    stream = call.engine.event_waiter.counted(call.project, _changes(call))
    return StreamingResponse(stream, media_type="text/event-stream", headers=HEADERS)


async def _changes(call: Call) -> AsyncGenerator[bytes, None]:
    """Yield all stacks, `listed`, and from then on those in which something has happened.

    A token that has expired or was revoked ends it.
    """
    yield b"retry: 1000\n\n"
    hidden = call.engine.settings.hidden_tags
    # First the number, then the list: what happens in between is told once more.
    after = await call.listings.settled_event_number(0)
    found = await call.listings.changed_stacks(call.project, 0, 0, hidden)
    for begin in range(0, len(found), _AT_ONCE):
        yield _messages(call, found[begin : begin + _AT_ONCE])
        await asyncio.sleep(0)
    yield b"event: listed\ndata: {}\n\n"
    while True:
        is_news = await call.engine.event_waiter.wait_after(call.listings, after, SILENCE)
        try:
            await call.still_allowed()
        except Fault as fault:
            yield end_message(fault)
            return
        if not is_news:
            if call.engine.event_waiter.is_closed:
                return
            yield STILL_HERE
            continue
        await call.engine.event_waiter.turn(call.project)
        until = await call.listings.settled_event_number(after)
        found = await call.listings.changed_stacks(call.project, after, until, hidden)
        if found:
            yield _messages(call, found)
        after = until
        await asyncio.sleep(_PAUSE)


def _messages(call: Call, found: Sequence[ChangedStack]) -> bytes:
    return b"".join(
        b"event: stack\ndata: %s\n\n" % orjson.dumps(_document(call, each)) for each in found
    )


def _document(call: Call, found: ChangedStack) -> dict[str, Any]:
    document = summary(call.links, found.stack, with_project=False)
    if found.states is not None:
        document["progress"] = progress_document(found.states)
    return document


def progress_document(states: Counter[tuple[str, str]]) -> dict[str, int]:
    """Return how many resources are where, in the words of their statuses."""
    init = Action.INIT.value
    progress = {
        status.value.lower(): sum(
            number
            for (action, found), number in states.items()
            if found == status.value and action != init
        )
        for status in Status
    }
    return {**progress, "not_begun": sum(n for (a, _), n in states.items() if a == init)}


ENDPOINTS = (
    Endpoint(
        "GET",
        "/events/stream",
        _stream,
        "Follow the stacks of a project",
        "stacks",
        answers={200: _MESSAGE},
        media_type="text/event-stream",
        description="Server-sent events: every stack as the list has it, `listed`, then each in "
        "which something has happened; `progress` counts the resources of one that moves. "
        "If the token expires or is revoked, the last message is `end` with the refusal.",
        rule="stacks:stream",
    ),
)
