"""One connection: uvicorn's protocol, with a client that is slow or sends too much given up."""

import asyncio
from enum import Enum, auto
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from hotplate.server.callers import KnownCallers
from hotplate.server.connections import Connections, Reason
from hotplate.store.fairness.fair_queue import on_behalf_of

_LARGEST_READ = 64 * 1024
"""Bytes that are taken from the socket in one step of the event loop."""

_MOST_HEADERS = 200
_MOST_PIPELINED = 16
"""Requests that a client may send before the first of them has been answered."""

_SECONDS_TO_LEAVE = 5.0
"""For the rest of a body whose request has been answered already."""

_PHRASES = {
    400: "Bad Request",
    408: "Request Timeout",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}


class _Reading(Enum):
    HEADERS = auto()
    BODY = auto()
    NOTHING = auto()


class _Refused(Exception):
    """Stops the parser: the request is answered by what the protocol has noted."""


class BoundedProtocol(HttpToolsProtocol):
    """A connection that counts bytes and seconds of its client. See `ConnectionLimits`."""

    book: Connections
    """Those of the server; `protocol_of` sets it."""

    idle_seconds: float
    """How long a connection without a request is kept."""

    callers: KnownCallers
    """Those of the server."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.address = ""
        self.since = 0.0
        self.has_answered = False
        self._project = ""
        self._reading = _Reading.HEADERS
        self._has_begun = False
        self._header_bytes = 0
        self._parsed = 0
        self._received = 0
        self._refusal = 400
        self._is_left = False
        """Whether the request that is being read has been answered already."""

        self._answered: RequestResponseCycle | None = None
        """The request that is being answered; ``cycle`` is the one that came last."""

        self._has_drained = False
        self._stalled: tuple[float, int] | None = None
        """Since when answers wait for the client, and how many bytes then did."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.max_size = _LARGEST_READ  # type: ignore[attr-defined]
        self.address = self.client[0] if self.client else "local"
        self.since = self.loop.time()
        if not self.book.admit(self):
            self._answer(503, b"retry-after: 1\r\n")

    def connection_lost(self, exc: Exception | None) -> None:
        self.book.remove(self)
        super().connection_lost(exc)
        # uvicorn tells it to the request that came last, which others may be before.
        self.pipeline.clear()
        if self._answered is not None and not self._answered.response_complete:
            self._answered.disconnected = True
            self._answered.message_event.set()
        # uvicorn leaves its timer when a connection breaks.
        self._unset_keepalive_if_required()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._has_begun = True
        if self._reading is _Reading.BODY:
            self._received += len(data)
        elif self._reading is _Reading.HEADERS:
            # What the parser has gathered of a header that does not end is told to nobody else.
            self._header_bytes += len(data)
            if self._header_bytes > self.book.limits.largest_headers + _LARGEST_READ:
                self._refuse(431)
                return
        super().data_received(data)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._reading, self.since = _Reading.HEADERS, self.loop.time()
        self._header_bytes = self._parsed = 0

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value) + 4)
        if len(self.headers) >= _MOST_HEADERS:
            self._stop(431)
        super().on_header(name, value)

    def _count(self, size: int) -> None:
        self._parsed += size
        if self._parsed > self.book.limits.largest_headers:
            self._stop(431)

    def on_headers_complete(self) -> None:
        if len(self.pipeline) >= _MOST_PIPELINED:
            self._stop(400)
        self._reading, self.since = _Reading.BODY, self.loop.time()
        self._received, self._is_left = 0, False
        waiting = len(self.pipeline)
        # Whose a request is, is known when it was let in; until then it counts as its token, or
        # the one before, did.
        self._project = self.callers.project_of(self.headers) or self.project
        with on_behalf_of(self._project):
            super().on_headers_complete()
        if len(self.pipeline) == waiting:
            self._answered = self.cycle

    def on_message_complete(self) -> None:
        self._reading, self.since = _Reading.NOTHING, self.loop.time()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self.since = self.loop.time()
        self._is_left = self._reading is _Reading.BODY
        if self._answered is not None:
            self._project = self.project
            self.callers.learn(self._answered.scope["headers"], _project_of(self._answered))
        self.has_answered = self.has_answered or not self._is_left
        following = self.pipeline[-1][0] if self.pipeline else None
        super().on_response_complete()
        if following is not None:
            self._answered = following

    def resume_writing(self) -> None:
        self._has_drained = True
        super().resume_writing()

    @property
    def project(self) -> str:
        """Whose the request is that is being answered, or was last; empty if that is not known.

        Health checks are nobody's, and leave a connection whose it was.
        """
        return (self._answered and _project_of(self._answered)) or self._project

    @property
    def _is_answering(self) -> bool:
        # Before the first request there is none, whatever uvicorn declares.
        return bool(self.cycle) and not self.cycle.response_complete

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for its client and nothing is being worked on for it."""
        is_sending = self._reading is _Reading.BODY and not self.flow.read_paused
        return is_sending or not self._is_answering

    def overdue(self, now: float) -> Reason | None:
        """Return why its client has to be given up by now, if it has to."""
        limits = self.book.limits
        if self._is_stalled(now):
            return Reason.READING
        if self.transport.is_closing():
            return None
        waited = now - self.since
        if self._reading is _Reading.NOTHING:
            is_idle = not self._is_answering and waited > self.idle_seconds + 1
            return Reason.IDLE if is_idle else None
        if self.flow.read_paused:
            # It is the server that takes no more for the moment.
            self.since = now
            return None
        if self._reading is _Reading.HEADERS:
            if self._is_answering or waited <= limits.seconds_for_headers:
                return None
            return Reason.HEADERS if self._has_begun else Reason.IDLE
        if self._is_left:
            return Reason.BODY if waited > _SECONDS_TO_LEAVE else None
        allowed = limits.seconds_for_body + self._received / max(limits.slowest_rate, 1)
        return Reason.BODY if waited > allowed else None

    def _is_stalled(self, now: float) -> bool:
        limits = self.book.limits
        size = self.transport.get_write_buffer_size()
        if not size or self._has_drained:
            self._has_drained, self._stalled = False, None
            return False
        begun, most = self._stalled or (now, size)
        self._stalled = (begun, max(most, size))
        taken = max(most, size) - size
        return now - begun > limits.seconds_to_read + taken / max(limits.slowest_rate, 1)

    def drop(self, reason: Reason) -> None:
        """Close it at once; a client that is late with its request is told so."""
        is_late = reason in (Reason.HEADERS, Reason.BODY) and not self._is_left
        if is_late:
            self._answer(408)
        elif reason is Reason.IDLE:
            self.transport.close()
        else:
            self.transport.abort()

    def _stop(self, status: int) -> None:
        """Make the parser give up; it reports that to `data_received`."""
        self._refusal = status
        raise _Refused

    def _refuse(self, status: int) -> None:
        self.book.count(Reason.MALFORMED, self.address)
        self._answer(status)

    def send_400_response(self, msg: str) -> None:
        self._refuse(self._refusal)

    def _answer(self, status: int, more: bytes = b"") -> None:
        """Write an answer that no application gives, and close."""
        if self.transport.is_closing():
            return
        if self._is_answering and self.cycle.response_started:
            self.transport.abort()
            return
        phrase = _PHRASES[status].encode()
        named = b"".join(b"%s: %s\r\n" % each for each in self.server_state.default_headers)
        self.transport.write(
            b"HTTP/1.1 %d %s\r\n%scontent-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\n"
            b"%sconnection: close\r\n\r\n%s" % (status, phrase, named, len(phrase), more, phrase)
        )
        self.transport.close()


def _project_of(cycle: RequestResponseCycle) -> str:
    """Return in which project a request was let in; empty if it was not, or not yet."""
    project: str = cycle.scope["state"].get("project", "")
    return project


def protocol_of(connections: Connections, keep_alive: float) -> type[BoundedProtocol]:
    """Return the protocol of a server with these connections."""
    own = {"book": connections, "idle_seconds": keep_alive, "callers": KnownCallers()}
    return type("BoundedProtocol", (BoundedProtocol,), own)
