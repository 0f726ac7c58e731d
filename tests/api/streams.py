"""A stream of server-sent events, read as a browser does."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.api.conftest import PROJECT, Api
from tests.api.trees import Item

PATIENCE = 60


class Messages:
    """A stream as a browser reads it: messages with an id, a kind and data."""

    def __init__(self, chunks: "asyncio.Queue[bytes | None]") -> None:
        self._chunks = chunks
        self._text = ""
        self.comments: list[str] = []

    async def next(self) -> Item | None:
        """Return the next message, None if the server has ended the stream."""
        while True:
            block, end, rest = self._text.partition("\n\n")
            if end:
                self._text = rest
                lines = block.split("\n")
                fields = dict(line.split(": ", 1) for line in lines if not line.startswith(":"))
                if "data" in fields:
                    return {**fields, "data": json.loads(fields["data"])}
                self.comments.append(block)
                continue
            chunk = await self._chunks.get()
            if chunk is None:
                return None
            self._text += chunk.decode()


@asynccontextmanager
async def streamed(api: Api, path: str, last: str = "", query: str = "") -> AsyncIterator[Messages]:
    """Follow what is below a project until the block ends, then go away as a browser does."""
    chunks: asyncio.Queue[bytes | None] = asyncio.Queue()
    gone = asyncio.Event()
    status: list[int] = []

    async def receive() -> dict[str, Any]:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            status.append(message["status"])
            headers = dict(message["headers"])
            assert headers[b"content-type"].startswith(b"text/event-stream")
        elif message.get("body"):
            chunks.put_nowait(message["body"])

    headers = [(b"host", b"testserver")]
    if last:
        headers.append((b"last-event-id", last.encode()))
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": f"/v1/{PROJECT}{path}",
        "query_string": query.encode(),
        "headers": headers,
        "server": ("testserver", 80),
        "client": ("127.0.0.1", 1),
    }
    task = asyncio.create_task(api.app(scope, receive, send))
    task.add_done_callback(lambda _: chunks.put_nowait(None))
    try:
        async with asyncio.timeout(PATIENCE):
            yield Messages(chunks)
            assert status == [200]
    finally:
        gone.set()
        await task
