"""An application in the same process: answers come as a stream, and end when the reader goes."""

import asyncio
from typing import Any

import httpx
import pytest

from hotplate.client.api import Api, StackName
from hotplate.client.in_process import InProcess
from hotplate.client.refusal import Refusal, Unreachable


class Streaming:
    """Sends one piece after the other, without an end."""

    def __init__(self) -> None:
        self.was_cancelled = False
        self.sent = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        try:
            while True:
                self.sent += 1
                body = b'id: 1\ndata: {"id": "%d"}\n\n' % self.sent
                await send({"type": "http.response.body", "body": body, "more_body": True})
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise


def test_a_stream_is_read_while_it_is_written_and_ends_with_its_reader() -> None:
    application = Streaming()

    async def read() -> list[str]:
        async with httpx.AsyncClient(transport=InProcess(application)) as http:
            seen = []
            api = Api(http, "http://x/v1/p")
            async for event in api.follow(StackName("s", "1")):
                assert event is not None
                seen.append(event.id)
                if len(seen) == 40:
                    break
            return seen

    assert asyncio.run(read()) == [str(number) for number in range(1, 41)]
    # Nobody takes more than a few pieces in advance.
    assert application.sent < 80
    assert application.was_cancelled


def answering(status: int, body: bytes) -> Any:
    async def application(scope: Any, receive: Any, send: Any) -> None:
        message = await receive()
        assert message["type"] == "http.request"
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return application


async def asked(application: Any) -> Any:
    async with httpx.AsyncClient(transport=InProcess(application)) as http:
        return await Api(http, "http://x/v1/p").call("GET", "/stacks")


def test_answers_and_refusals_are_read() -> None:
    assert asyncio.run(asked(answering(200, b'{"stacks": []}'))) == {"stacks": []}
    with pytest.raises(Refusal, match="gone") as refusal:
        asyncio.run(asked(answering(404, b'{"error": {"message": "gone", "type": "T"}}')))
    assert refusal.value.is_missing
    with pytest.raises(Refusal, match="the server answers 502: Bad <Gateway>"):
        asyncio.run(asked(answering(502, b"Bad <Gateway>")))
    with pytest.raises(Unreachable, match="not as an orchestration API does"):
        asyncio.run(asked(answering(200, b"<html>")))


def test_an_application_that_dies_is_unreachable_or_raises() -> None:
    async def silent(scope: Any, receive: Any, send: Any) -> None:
        return

    with pytest.raises(Unreachable, match="ended without an answer"):
        asyncio.run(asked(silent))
