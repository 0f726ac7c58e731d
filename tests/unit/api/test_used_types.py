"""Which types a request uses is found out in time that grows with its length."""

import time

import pytest

from hotplate.api.stacks.used_types import _NAMES, _plain_names


def test_names_are_found() -> None:
    text = "type: OS::Heat::Value, x%AWS::A::B my.type::c plain"
    assert _NAMES.findall(text) == ["OS::Heat::Value", "AWS::A::B", "my.type::c"]


def test_a_long_word_is_read_once() -> None:
    """Reading it anew from each of its letters would take minutes, and nobody else would go on."""
    before = time.process_time()
    assert _NAMES.findall("a" * 1_000_000) == []
    assert time.process_time() - before < 20


@pytest.mark.parametrize("before", range(64 * 1024 - 20, 64 * 1024 + 4))
def test_a_name_at_the_edge_of_two_pieces_is_found_whole(before: int) -> None:
    text = " " * before + "OS::Nova::Server" + " x" * 70_000
    found = _plain_names([text])
    assert found is not None
    assert "OS::Nova::Server" in found


def test_a_name_longer_than_any_type_has_is_looked_at_with_care() -> None:
    assert _plain_names(["OS::" + "x" * 512]) is None
