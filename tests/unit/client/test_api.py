"""The API from the other side: following events while the server comes and goes."""

import asyncio
import json
from collections.abc import AsyncIterator

import httpx
import pytest

from hotplate.client.api import Api, StackName
from hotplate.client.refusal import Refusal, Unreachable

STACK = StackName("app", "id")
_LONG = 61.0


class Broken(httpx.AsyncByteStream):
    """Messages, and then the connection breaks."""

    def __init__(self, text: str) -> None:
        self._text = text

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._text.encode()
        raise httpx.ReadError("broken")


def message(number: int) -> str:
    return f"id: {number}\ndata: {json.dumps({'id': str(number)})}\n\n"


def followed(*answers: httpx.Response | Exception, pause: float = 0) -> tuple[list[str], list[str]]:
    """Return the ids of the events, and after which one each request asked to go on."""
    waiting = list(answers)
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers.get("last-event-id", ""))
        found = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        if isinstance(found, Exception):
            raise found
        return found

    async def story() -> list[str]:
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
            api = Api(http, "http://server/v1/p", retry_pause=pause)
            return [event.id async for event in api.follow(STACK) if event is not None]

    return asyncio.run(story()), asked


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_server_that_cannot_answer_for_the_moment_is_asked_again(status: int) -> None:
    away = httpx.Response(status, json={"error": {"message": "The database is away."}})
    begun = httpx.Response(200, stream=Broken(message(1)))
    events, asked = followed(begun, httpx.ConnectError("gone"), away, httpx.Response(200))
    assert events == ["1"]
    assert asked == ["", "1", "1", "1"]


def test_a_refusal_is_no_matter_of_time() -> None:
    with pytest.raises(Refusal, match="not found"):
        followed(httpx.Response(404, json={"error": {"message": "not found"}}))


def test_patience_has_an_end() -> None:
    with pytest.raises(Unreachable, match="does not answer"):
        followed(httpx.ConnectError("gone"), pause=_LONG)
    with pytest.raises(Refusal, match="away"):
        followed(httpx.Response(503, json={"error": {"message": "away"}}), pause=_LONG)


ENDED = 'event: end\ndata: {"code": 401, "error": {"message": "expired"}}\n\n'


def test_a_stream_that_ends_with_the_token_is_opened_anew_where_it_was() -> None:
    ended = httpx.Response(200, text=message(1) + ENDED)
    events, asked = followed(ended, httpx.Response(200, text=message(2)))
    assert events == ["1", "2"]
    assert asked == ["", "1"]


def test_who_has_no_other_token_is_refused_then() -> None:
    refused = httpx.Response(401, json={"error": {"message": "sign in again"}})
    with pytest.raises(Refusal, match="sign in again"):
        followed(httpx.Response(200, text=ENDED), refused)
