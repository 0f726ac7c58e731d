"""Bodies of requests: what counts as one, and what cannot be read."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from starlette.requests import Request

from hotplate.api.http.body import BodyShares, Share, read_body
from hotplate.api.http.faults import Fault
from hotplate.api.http.fields import Body

OPTIONAL = Body(required=False)
TURNS: list[Callable[[], Any]] = []
"""What was done in turn for the body that was read last."""


def read(
    *pieces: bytes, declared: Body | None = OPTIONAL, most: int = 1000, **headers: str
) -> dict[str, Any]:
    """Read a body that arrives in pieces."""
    messages = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces] + [
        {"type": "http.request", "body": b"", "more_body": False}
    ]

    async def receive() -> Any:
        return messages.pop(0)

    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    request = Request({"type": "http", "method": "POST", "headers": raw}, receive)
    share = Share(BodyShares(most), "project")

    async def in_turn(work: Callable[[], Any]) -> Any:
        TURNS.append(work)
        return work()

    TURNS.clear()
    return asyncio.run(read_body(request, declared, most, share, in_turn))


def test_a_body_may_arrive_in_pieces() -> None:
    assert read(b'{"a"', b": [1, ", b'"\xc3\xa4"]}') == {"a": [1, "ä"]}


@pytest.mark.parametrize("kind", ["", "application/json; charset=utf-8", "text/plain", "a/b+json"])
def test_json_has_several_names(kind: str) -> None:
    assert read(b' {"a": 1}', content_type=kind) == {"a": 1}


@pytest.mark.parametrize("text", [b"", b"[1]", b"a=b", b"null"])
def test_what_is_no_object_is_no_body(text: bytes) -> None:
    assert read(text) == {}
    with pytest.raises(Fault, match="needs a body"):
        read(text, declared=Body())


def test_another_content_type_is_no_body() -> None:
    assert read(b'{"a": 1}', content_type="application/x-yaml") == {}


def test_an_endpoint_without_a_body_reads_none() -> None:
    assert read(b'{"a": ', declared=None) == {}


@pytest.mark.parametrize("text", [b'{"a": ', b'{"a": NaN}', b'{"a": "\xff"}', b"{} {}"])
def test_broken_json_is_told_with_its_place(text: bytes) -> None:
    with pytest.raises(Fault, match=r"not valid JSON: .*: line 1, column"):
        read(text)


def test_an_escaped_nul_is_refused_and_what_looks_like_one_is_not() -> None:
    with pytest.raises(Fault, match="NUL"):
        read(rb'{"a": "\\\u0000"}')
    assert read(rb'{"a": "\\u0000"}') == {"a": r"\u0000"}


def test_a_body_has_a_largest_size_told_or_not() -> None:
    for headers in ({}, {"content_length": "1001"}):
        with pytest.raises(Fault, match="1000 bytes") as refusal:
            read(b"{" + b" " * 999, b"}", **headers)  # type: ignore[arg-type]
        assert refusal.value.kind == "RequestLimitExceeded"
    assert read(b"{" + b" " * 998, b"}") == {}


def test_a_large_body_is_read_in_turn_in_pieces_that_take_moments() -> None:
    size = 3 * 1024 * 1024
    text = b'{"a": "' + b"x" * size + b'"}'
    pieces = [text[at : at + 65_536] for at in range(0, len(text), 65_536)]
    assert read(*pieces, most=2 * size) == {"a": "x" * size}
    assert len(TURNS) > 4  # what is counted, read and checked; others may go first in between
    assert read(b'{"a": 1}') == {"a": 1}
    assert not TURNS


def test_the_values_of_a_large_body_are_counted_across_its_pieces() -> None:
    few, many = (b'{"a": [' + b"1," * count + b"1]}" for count in (400_000, 600_000))
    assert len(read(few, most=10**7)["a"]) == 400_001
    with pytest.raises(Fault, match="more than the maximum of 500000 values"):
        read(many, most=10**7)
    inside = b'{"a": "' + b"," * 600_000 + b'"}'
    assert read(inside, most=10**7) == {"a": "," * 600_000}
    texts = b'{"a": [' + b'"\\",[",' * 300_000 + b"1]}"
    assert len(read(texts, most=10**7)["a"]) == 300_001
    with pytest.raises(Fault, match="more than the maximum of 500000 values"):
        read(texts.replace(b"1]", b"1," * 300_000 + b"1]"), most=10**7)
