"""Between what templates write and what services tell."""

from typing import Any

import pytest

from hotplate.resources.openstack.schema import map_of, maps, text, texts
from hotplate.resources.openstack.translation import at, in_form_of, steps

ADDRESSES = maps("addresses", {"subnet": text("a"), "ip_address": text("b")})
ONE, TWO = {"subnet": "s", "ip_address": "1"}, {"subnet": "t", "ip_address": "2"}


@pytest.mark.parametrize(
    ("path", "found"), [("a", ["x"]), ("b[].c", ["y", "z"]), ("b[]", []), ("none.c", [])]
)
def test_a_path_leads_to_values(path: str, found: list[str]) -> None:
    value = {"a": "x", "b": [{"c": "y"}, {"c": ""}, {"c": "z"}] if "c" in path else []}
    assert list(at(value, steps(path))) == found


@pytest.mark.parametrize(
    ("written", "told", "expected"),
    [
        ([{"subnet": "s", "ip_address": None}], [ONE], [{"subnet": "s", "ip_address": None}]),
        ([TWO, ONE], [ONE, TWO], [TWO, ONE]),
        ([TWO], [ONE, TWO], [TWO, ONE]),
        ([TWO], [ONE], [ONE]),
        (None, [ONE], [ONE]),
    ],
)
def test_lists_are_told_as_they_are_written(written: Any, told: Any, expected: Any) -> None:
    assert in_form_of(ADDRESSES, written, told) == expected


def test_keys_of_a_free_map_are_all_told() -> None:
    assert in_form_of(map_of("m"), {"a": 1}, {"a": 1, "b": 2}) == {"a": 1, "b": 2}
    assert in_form_of(texts("t"), ["b", "a"], ["a", "b"]) == ["b", "a"]
