"""`If-Match`: what it may say."""

from typing import Any, cast

import pytest
from starlette.requests import Request

from hotplate.api.http.endpoint import Call
from hotplate.api.http.faults import Fault
from hotplate.api.http.preconditions import expected_sequence


class _Asked:
    """As much of a call as the header needs."""

    def __init__(self, *given: str) -> None:
        headers: list[Any] = [(b"if-match", each.encode()) for each in given]
        self.request = Request({"type": "http", "headers": headers})


def _expected(*given: str) -> int | None:
    return expected_sequence(cast(Call, _Asked(*given)))


@pytest.mark.parametrize(
    ("given", "sequence"), [((), None), (("*",), None), (('"7"',), 7), (('W/"12"',), 12)]
)
def test_the_mark_of_a_stack_is_read(given: tuple[str, ...], sequence: int | None) -> None:
    assert _expected(*given) == sequence


@pytest.mark.parametrize("given", ["abc", '"-1"', '"1", "2"', '"1234567890"', '"٣"'])
def test_anything_else_names_the_header(given: str) -> None:
    with pytest.raises(Fault, match="If-Match"):
        _expected(given)
