"""What is done for a client that leaves ends."""

import asyncio
from typing import Any

import pytest
from starlette.requests import ClientDisconnect, Request

from hotplate.api.http.leaving import unless_left


class Client:
    """Somebody who waits for an answer, and may leave."""

    def __init__(self) -> None:
        self.has_left = asyncio.Event()
        self._has_asked = False

    async def receive(self) -> dict[str, Any]:
        if not self._has_asked:
            self._has_asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.has_left.wait()
        return {"type": "http.disconnect"}

    @property
    def request(self) -> Request:
        return Request({"type": "http"}, self.receive)


def test_who_stays_gets_the_answer() -> None:
    async def play() -> int:
        return await unless_left(Client().request, asyncio.sleep(0.001, 7))

    assert asyncio.run(play()) == 7


def test_what_is_done_for_who_leaves_is_cancelled() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("work")

    async def play() -> None:
        client = Client()
        asyncio.get_running_loop().call_later(0.001, client.has_left.set)
        with pytest.raises(ClientDisconnect):
            await unless_left(client.request, work())

    asyncio.run(play())
    assert ended == ["work"]


def test_what_goes_wrong_is_said() -> None:
    async def work() -> None:
        raise ValueError("wrong")

    async def play() -> None:
        await unless_left(Client().request, work())

    with pytest.raises(ValueError, match="wrong"):
        asyncio.run(play())
