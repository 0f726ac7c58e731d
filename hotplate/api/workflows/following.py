"""Executions of workflows as they go: those of a project, and one with its tasks."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Any

import orjson
from starlette.responses import Response, StreamingResponse

from hotplate.api.http.endpoint import Call, Endpoint, off_loop
from hotplate.api.http.event_streams import HEADERS, SILENCE, STILL_HERE, end_message
from hotplate.api.http.execution_waiter import Watched
from hotplate.api.http.faults import Fault
from hotplate.api.http.fields import Query, QueryKind
from hotplate.api.http.shapes import choice, record, text
from hotplate.api.http.times import shown_time
from hotplate.api.workflows.documents import task_context
from hotplate.api.workflows.project_executions import HEAD, execution_head, no_such_execution
from hotplate.store.workflows.listing import Comparison, Filter, ListQuery, ListTooLarge

_PAUSE = 0.3
"""Seconds between two looks: an execution in which much happens is told of once for all of it."""

_USUAL = 200
_MOST = 1000
_AT_ONCE = 100
_MUCH = 100_000
_LONGEST_MARK = 12
_TASK_MARK = ("id", "number", "state", "processed", "updated_at")
_TASK = (
    "id", "name", "kind", "state", "state_info", "details", "created_at", "updated_at",
    "started_at", "finished_at",
)  # fmt: skip

Row = Mapping[str, Any]


async def _stream_all(call: Call) -> Response:
    return StreamingResponse(_executions(call), media_type="text/event-stream", headers=HEADERS)


async def _stream_one(call: Call) -> Response:
    row = await _execution(call)
    if row is None:
        raise no_such_execution(call)
    return StreamingResponse(
        _execution_with_tasks(call, row["tree"]), media_type="text/event-stream", headers=HEADERS
    )


async def _executions(call: Call) -> AsyncIterator[bytes]:
    """Yield the newest executions, `listed`, and from then on each that changes.

    One that is removed, or not among the newest any more, is `gone`.
    """
    known: dict[str, tuple[Any, ...]] = {}
    looks = _Looks(call, Watched(call.project), None)
    async for piece in looks.pieces():
        if piece is not None:
            yield piece
            continue
        found = await call.listings.executions(_newest(call))
        now = {row["id"]: (row["revision"], row["state"], row["updated_at"]) for row in found}
        # The oldest first: whoever shows each above the one before has them in their order.
        changed = [row for row in reversed(found) if known.get(row["id"]) != now[row["id"]]]
        gone = [{"id": each} for each in known if each not in now]
        news = [
            *(_message("execution", execution_head(row)) for row in changed),
            *(_message("gone", each) for each in gone),
        ]
        for begin in range(0, len(news), _AT_ONCE):
            yield b"".join(news[begin : begin + _AT_ONCE])
            # Others come first, of which there may be as many streams as connections.
            await asyncio.sleep(0)
        if not looks.is_told:
            yield b"event: listed\ndata: {}\n\n"
        known = now


async def _execution_with_tasks(call: Call, tree: str) -> AsyncIterator[bytes]:
    """Yield an execution and its tasks, `listed`, and from then on what changes.

    It ends when the execution has been removed. Whoever comes back with the id of the last message
    gets nothing again if nothing has happened since, and all of it otherwise.
    """
    last = call.request.headers.get("last-event-id", "")
    seen = int(last) if last.isascii() and last.isdecimal() and len(last) < _LONGEST_MARK else None
    head: dict[str, Any] | None = None
    known: dict[str, tuple[Any, ...]] = {}
    looks = _Looks(call, Watched(call.project, tree), seen)
    async for piece in looks.pieces():
        if piece is not None:
            yield piece
            continue
        row = await _execution(call)
        if row is None:
            yield b"event: gone\ndata: %s\n\n" % orjson.dumps({"id": call.path["execution_id"]})
            return
        if head != execution_head(row):
            head = execution_head(row)
            yield _message("execution", head)
        marks = await _tasks(call, [], _TASK_MARK)
        now = {each["id"]: tuple(each[name] for name in _TASK_MARK) for each in marks}
        changed = [each for each in now if known.get(each) != now[each]]
        for begin in range(0, len(changed), _AT_ONCE):
            rows = await _changed_tasks(call, changed[begin : begin + _AT_ONCE])
            is_large = sum(len(each["details"]) for each in rows) > _MUCH
            yield await off_loop(partial(_task_messages, rows), is_large)
        known = now
        yield b"id: %d\nevent: listed\ndata: {}\n\n" % (looks.mark or 0)


class _Looks:
    """When to look at the database: at first, and after each change, for as long as one may.

    A token that has expired or was revoked ends it, as does a server that stops.
    """

    def __init__(self, call: Call, watched: Watched, seen: int | None) -> None:
        self._call = call
        self._watched = watched
        self.mark = seen
        self.is_told = False
        """Whether one look has been taken already."""

    async def pieces(self) -> AsyncIterator[bytes | None]:
        """Yield pieces of the stream, and None where it is time to look."""
        waiter, listings = self._call.engine.execution_waiter, self._call.listings
        yield b"retry: 1000\n\n"
        while True:
            mark = await waiter.mark_after(listings, self._watched, self.mark, SILENCE)
            try:
                await self._call.still_allowed()
            except Fault as fault:
                yield end_message(fault)
                return
            if waiter.is_closed:
                return
            if mark == self.mark:
                yield STILL_HERE
                continue
            self.mark = mark
            yield None
            self.is_told = True
            await asyncio.sleep(_PAUSE)


def _newest(call: Call) -> ListQuery:
    filters = [Filter("task_id", Comparison.EQ, None)]
    if "workflow_name" in call.query:
        filters.append(Filter("workflow_name", Comparison.IN, call.query["workflow_name"]))
    limit = min(call.query.get("limit", _USUAL), _MOST)
    return ListQuery(call.project, filters, (("number", True),), limit, names=(*HEAD, "revision"))


async def _execution(call: Call) -> Row | None:
    wanted = [Filter("id", Comparison.EQ, call.path["execution_id"])]
    found = await call.listings.executions(
        ListQuery(call.project, wanted, limit=1, names=(*HEAD, "tree"))
    )
    return found[0] if found else None


async def _tasks(
    call: Call, filters: Sequence[Filter], names: Sequence[str], limit: int | None = None
) -> list[Row]:
    own = Filter("execution_id", Comparison.EQ, call.path["execution_id"])
    return await call.listings.tasks(
        ListQuery(call.project, (own, *filters), (("number", False),), limit, names=names)
    )


async def _changed_tasks(call: Call, ids: Sequence[str]) -> list[Row]:
    try:
        return await _tasks(call, [Filter("id", Comparison.IN, ids)], _TASK)
    except ListTooLarge:
        # With large items each: one by one they are never too large.
        found = [await _tasks(call, [Filter("id", Comparison.EQ, each)], _TASK, 1) for each in ids]
        return [row for rows in found for row in rows]


def _task_messages(rows: Sequence[Row]) -> bytes:
    return b"".join(_message("task", _task_document(each)) for each in rows)


def _task_document(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "name": row["name"],
        "type": row["kind"],
        "state": row["state"],
        "state_info": row["state_info"] or "",
        "runtime_context": task_context(row),
        "created_at": shown_time(row["created_at"]),
        "updated_at": shown_time(row["updated_at"]),
        "started_at": shown_time(row["started_at"]),
        "finished_at": shown_time(row["finished_at"]),
    }


def _message(event: str, document: dict[str, Any]) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (event.encode(), orjson.dumps(document))


def _shape(*events: str) -> dict[str, Any]:
    return record(
        {},
        {
            "id": text(),
            "event": choice(*events, "listed", "gone", "end"),
            "data": text(),
            "retry": {"type": ["integer", "string"]},
        },
    )


ENDPOINTS = (
    Endpoint(
        "GET",
        "/executions/stream",
        _stream_all,
        "Follow the executions of workflows of a project",
        "stacks",
        (
            Query("workflow_name", QueryKind.LISTED, "Only those of these workflows."),
            Query("limit", QueryKind.COUNT, f"How many; {_USUAL} by default, {_MOST} at most."),
        ),
        answers={200: _shape("execution")},
        media_type="text/event-stream",
        description="Server-sent events: the newest that no other execution started, the oldest "
        "of them first, `listed`, then each that changes; `gone` is one that was removed or is "
        "not among the newest any more. If the token expires or is revoked, the last message is "
        "`end` with the refusal.",
        rule="executions:stream",
    ),
    Endpoint(
        "GET",
        "/executions/{execution_id}/stream",
        _stream_one,
        "Follow an execution of a workflow and its tasks",
        "stacks",
        answers={200: _shape("execution", "task")},
        media_type="text/event-stream",
        description="Server-sent events: the execution, its tasks, `listed`, then what changes, "
        "again with `listed` behind it; `gone` and the end when it is removed. `Last-Event-ID` "
        "with the id of the last `listed` leaves out what was told if nothing has changed. If "
        "the token expires or is revoked, the last message is `end` with the refusal.",
        rule="executions:stream",
    ),
)
