"""A type's own cookies as they are stored."""

from dataclasses import dataclass
from typing import Any

import pytest

from hotplate.resources.cookie import Cookie


@dataclass(frozen=True, slots=True)
class Polling(Cookie):
    id: str
    until: float | None
    tries: int = 0
    since: float | None = None


def test_what_is_stored_is_read_again() -> None:
    cookie = Polling("a", 1.5, 2, 3.0)
    assert cookie.as_data() == {"id": "a", "until": 1.5, "tries": 2, "since": 3.0}
    assert Polling.from_data(cookie.as_data()) == cookie


def test_an_optional_field_without_a_value_is_left_out() -> None:
    assert Polling("a", None).as_data() == {"id": "a", "until": None, "tries": 0}


def test_a_cookie_of_an_older_version_is_read() -> None:
    assert Polling.from_data({"id": "a", "until": None, "removed": 1}) == Polling("a", None)


@pytest.mark.parametrize("stored", [None, {}, {"id": "a"}, [1], "a"])
def test_what_is_no_such_cookie_is_none(stored: Any) -> None:
    assert Polling.from_data(stored) is None
