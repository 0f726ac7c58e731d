"""Which types a request uses is found out in time that grows with its length."""

import time

from hotplate.api.stacks.used_types import _NAMES


def test_names_are_found() -> None:
    text = "type: OS::Heat::Value, x%AWS::A::B my.type::c plain"
    assert _NAMES.findall(text) == ["OS::Heat::Value", "AWS::A::B", "my.type::c"]


def test_a_long_word_is_read_once() -> None:
    """Reading it anew from each of its letters would take minutes, and nobody else would go on."""
    before = time.process_time()
    assert _NAMES.findall("a" * 1_000_000) == []
    assert time.process_time() - before < 20
