"""Pauses between polls."""

import itertools

import pytest

from hotplate.cloud.pace import LONGEST, SHORTEST, Pace


def polls(pace: Pace, duration: float, began: float = 1000.0) -> list[float]:
    """When one polls what takes so long, the last time after its end."""
    now, found = began, []
    while now < began + duration:
        now += pace.pause(now, began)
        found.append(now - began)
    return found


def test_pauses_grow_with_the_time_that_has_passed() -> None:
    found = polls(Pace(), 300)
    assert found[:3] == [2.0, 4.0, 6.0]
    assert len(found) < 50
    assert max(b - a for a, b in itertools.pairwise(found)) <= LONGEST


@pytest.mark.parametrize("duration", [3.0, 20.0, 200.0])
def test_the_end_is_noticed_soon(duration: float) -> None:
    assert polls(Pace(), duration)[-1] < duration * 1.2 + 2


def test_what_is_known_to_take_long_is_not_polled_before() -> None:
    pace = Pace()
    for _ in range(3):
        pace.ended(10.0)
    found = polls(pace, 10.0)
    assert found[0] >= 7.5
    assert len(found) <= 3


def test_those_who_wait_at_the_same_time_poll_at_the_same_moments() -> None:
    moments = {now + Pace().pause(now, now - 20) for now in (1000.1, 1000.7, 1001.4, 1001.9)}
    assert len(moments) == 1


def test_moments_of_long_pauses_are_among_those_of_short_ones() -> None:
    for elapsed in (0, 10, 20, 50, 90):
        now = 1000.3
        assert (now + Pace().pause(now, now - elapsed)) % SHORTEST == pytest.approx(0)


@pytest.mark.parametrize("elapsed", [3.0, 10.0, 30.0])
def test_pauses_are_as_long_as_wanted_on_the_average(elapsed: float) -> None:
    """They were longer by half of the distance between two moments."""
    starts = [1000 + step / 16 for step in range(16 * 8)]
    mean = sum(Pace().pause(now, now - elapsed) for now in starts) / len(starts)
    assert mean == pytest.approx(max(SHORTEST, elapsed * 0.15), rel=0.05)


def test_a_pause_is_never_nothing() -> None:
    for step in range(1000):
        assert Pace(usual=2.0).pause(1000 + step / 7, 1000) >= SHORTEST / 2
