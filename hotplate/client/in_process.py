"""A transport to an application in this process; unlike httpx's own, answers come as a stream."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any

from hotplate.client.http import httpx

_Message = MutableMapping[str, Any]
Application = Callable[..., Awaitable[None]]
"""An ASGI application."""

_CHUNKS = 16
"""Pieces of an answer that may wait to be read."""


class InProcess(httpx.AsyncBaseTransport):
    """Hands requests to an ASGI application that runs on the same loop."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer as soon as its head is known."""
        body = await request.aread()
        exchange = _Exchange(body)
        exchange.task = asyncio.create_task(
            self._run(_scope(request), exchange), name=f"{request.method} {request.url.path}"
        )
        head = await exchange.next()
        if head is None:
            raise httpx.ReadError("the application ended without an answer", request=request)
        return httpx.Response(head["status"], headers=head["headers"], stream=exchange)

    async def _run(self, scope: _Message, exchange: "_Exchange") -> None:
        try:
            await self._application(scope, exchange.receive, exchange.send)
        finally:
            # A reader that has disconnected takes nothing from the queue any more.
            if not exchange.is_closed:
                await exchange.messages.put(None)


class _Exchange(httpx.AsyncByteStream):
    """One request and its answer: the application writes, the client reads."""

    def __init__(self, body: bytes) -> None:
        self.messages: asyncio.Queue[_Message | None] = asyncio.Queue(_CHUNKS)
        self.task: asyncio.Task[None] | None = None
        self.is_closed = False
        self._body: bytes | None = body
        self._disconnected = asyncio.Event()

    async def receive(self) -> _Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._disconnected.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: _Message) -> None:
        await self.messages.put(message)

    async def next(self) -> _Message | None:
        """Return the next message of the application, None at its end."""
        message = await self.messages.get()
        if message is None and self.task is not None:
            await self.task  # raises whatever ended the application
        return message

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (message := await self.next()) is not None:
            if message.get("body"):
                yield message["body"]
            if not message.get("more_body", False):
                return

    async def aclose(self) -> None:
        """End the request; the application is cancelled if it still writes."""
        self.is_closed = True
        self._disconnected.set()
        task = self.task
        if task is None:
            return
        # All has been read: the last lines of the application may run.
        for _ in range(3):
            if not task.done():
                await asyncio.sleep(0)
        if not task.done():
            task.cancel()
        await asyncio.wait([task])


def _scope(request: httpx.Request) -> _Message:
    return {
        "type": "http",
        # From this version on Starlette does not wait for a disconnect beside the answer.
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": request.method,
        "headers": [(key.lower(), value) for key, value in request.headers.raw],
        "scheme": request.url.scheme,
        "path": request.url.path,
        "raw_path": request.url.raw_path.split(b"?")[0],
        "query_string": request.url.query,
        "server": (request.url.host, request.url.port),
        "client": ("127.0.0.1", 0),
        "root_path": "",
    }
