"""Patterns and queries of one task share the time it has."""

import pytest

from hotplate.bounded import Pattern, PatternTimeout, time_limit

SLOW, SUBJECT = Pattern("(?=a)(?:a|aa)+$"), "a" * 60 + "b"


def test_what_is_used_inside_is_taken_off() -> None:
    with time_limit(0.02) as allowance:
        with pytest.raises(PatternTimeout):
            SLOW.match(SUBJECT)
        assert allowance.left < 0.02


def test_when_nothing_is_left_every_pattern_is_refused() -> None:
    with time_limit(0.0), pytest.raises(PatternTimeout):
        SLOW.match(SUBJECT)


def test_an_inner_limit_cannot_extend_an_outer_one() -> None:
    with time_limit(1.0) as outer:
        with time_limit(5.0) as inner:
            assert inner.left == 1.0
            inner.left = 0.25
        assert outer.left == 0.25


def test_an_inner_limit_takes_only_what_it_used() -> None:
    with time_limit(1.0) as outer:
        with time_limit(0.5) as inner:
            inner.left = 0.25
        assert outer.left == 0.75
