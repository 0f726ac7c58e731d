"""How answers are written: large ones in pieces, and to the same bytes."""

import json
from typing import Any

import pytest

from hotplate.api.http.endpoint import json_bytes, written_in_pieces

NARROW: Any = {"a": 1}
for _ in range(30):
    NARROW = {"a": [NARROW], "b": {}}


@pytest.mark.parametrize(
    "document",
    [
        {},
        [],
        "text",
        {"events": [{"id": str(number), "links": [{"rel": "x"}]} for number in range(3000)]},
        {"defaults": {f"p{number}": ["x", None, 1.5] for number in range(3000)}},
        {"wide": [list(range(100)), {}, {str(number): [] for number in range(1000)}] * 20},
        [[[[["deep"] * 1000]]] * 3],
        {1: 2, "é\n": [True]},
        NARROW,
    ],
)
def test_a_document_in_pieces_has_the_same_bytes_as_in_one(document: Any) -> None:
    assert written_in_pieces(document) == json_bytes(document)


def test_numbers_of_any_size_are_written() -> None:
    document = {"a": [2**70, *range(1000)], "b": {"c": -(2**80)}}
    assert json.loads(written_in_pieces(document)) == document
