"""Large answers wait packed, and others go on while one is unpacked and sent."""

import asyncio
import os
from collections.abc import MutableMapping
from itertools import pairwise
from typing import Any

import pytest

from hotplate.api.http.packed import Packed, PackedAnswer, packed

ALIKE = [b'{"resource_name": "r%d", "changes": []}' % number for number in range(20_000)]
DIFFERENT = [os.urandom(300) for _ in range(2_000)]


@pytest.mark.parametrize("pieces", [ALIKE, DIFFERENT, [b"a" * 1_000_000], [b"x"], []])
def test_what_was_packed_comes_out_little_by_little(pieces: list[bytes]) -> None:
    whole = b"".join(pieces)
    found = packed(pieces)
    chunks = list(found.chunks())
    assert b"".join(chunks) == whole
    assert found.size == len(whole)
    assert max(map(len, chunks)) <= 65_536


def test_others_go_on_while_an_answer_is_sent_to_a_client_that_reads_fast() -> None:
    body = packed(ALIKE)
    turns, sent, between = 0, bytearray(), []

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def send(message: MutableMapping[str, Any]) -> None:
        between.append(turns)
        sent.extend(message.get("body", b""))

    async def receive() -> MutableMapping[str, Any]:
        await asyncio.sleep(60)
        raise AssertionError("the client does not leave")

    async def play() -> None:
        others_task = asyncio.create_task(others())
        answer = PackedAnswer(b"[", body, b",", Packed(body.data, body.size), b"]")
        assert answer.headers["content-length"] == str(2 * body.size + 3)
        await answer({"type": "http"}, receive, send)
        others_task.cancel()

    asyncio.run(play())
    whole = b"".join(ALIKE)
    assert bytes(sent) == b"[" + whole + b"," + whole + b"]"
    chunks = between[1:-1]  # without the head and the end
    assert all(later > earlier for earlier, later in pairwise(chunks))
