"""Large answers wait packed, and are unpacked little by little."""

import asyncio
import json
import tracemalloc

from hotplate.api.http.packed import PackedAnswer, packed

ITEM = json.dumps({"name": "member", "type": "OS::Heat::RandomString"}).encode()


def test_it_says_what_the_pieces_say() -> None:
    pieces = [b"[", b",".join([ITEM] * 10_000), b"]"]
    found = packed(pieces)
    assert b"".join(found.chunks()) == b"".join(pieces)
    assert found.size == sum(map(len, pieces))
    assert len(found.data) * 20 < found.size


def test_nothing_can_be_packed() -> None:
    found = packed([])
    assert b"".join(found.chunks()) == b""
    assert found.size == 0


def test_no_chunk_keeps_the_event_loop() -> None:
    assert max(map(len, packed([ITEM] * 100_000).chunks())) <= 65_536


def test_megabytes_are_never_in_memory_as_they_are() -> None:
    tracemalloc.start()
    try:
        size = sum(map(len, packed(ITEM for _ in range(200_000)).chunks()))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size == 200_000 * len(ITEM)
    assert most < size / 8


def test_an_answer_says_how_long_it_is() -> None:
    answer = PackedAnswer(b'{"all":[', packed([ITEM, b",", ITEM]), b"]}")

    async def sent() -> bytes:
        return b"".join([bytes(chunk) async for chunk in answer.body_iterator])  # type: ignore[arg-type]

    body = asyncio.run(sent())
    assert json.loads(body) == {"all": [json.loads(ITEM)] * 2}
    assert answer.headers["content-length"] == str(len(body))
    assert answer.headers["content-type"] == "application/json"
