"""The time of day goes on evenly, whatever is done to the machine's clock."""

import pytest

from hotplate.clock import Clock

HOUR = 3600.0
DAY = 24 * HOUR


class Machine:
    """A machine whose clock can be set."""

    def __init__(self) -> None:
        self.steady = 50.0
        self.ahead = 1_000_000.0

    def wall(self) -> float:
        return self.steady + self.ahead


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def clock(machine: Machine) -> Clock:
    return Clock(machine.wall, lambda: machine.steady)


def passed(machine: Machine, clock: Clock, seconds: float) -> float:
    """Let time pass in steps; return by how much the clock has gone on."""
    begin = clock.now()
    for _ in range(100):
        machine.steady += seconds / 100
        clock.now()
    return clock.now() - begin


def test_it_is_the_clock_of_the_machine_while_nobody_sets_that(
    machine: Machine, clock: Clock
) -> None:
    for step in (0.0, 1.0, 0.3, DAY):
        machine.steady += step
        machine.ahead += 0.2  # a machine that asks others for the time
        assert clock.now() == machine.wall()


@pytest.mark.parametrize("jump", [-HOUR, HOUR, -30 * DAY, DAY - 10])
def test_a_jump_makes_no_wait_more_than_a_tenth_longer_or_shorter(
    machine: Machine, clock: Clock, jump: float
) -> None:
    begin = clock.now()
    machine.ahead += jump
    assert clock.now() == begin
    assert 0.9 * 600 <= passed(machine, clock, 600) <= 1.1 * 600 + 0.001


@pytest.mark.parametrize("jump", [-HOUR, HOUR])
def test_after_ten_times_the_jump_both_clocks_agree(
    machine: Machine, clock: Clock, jump: float
) -> None:
    clock.now()
    machine.ahead += jump
    passed(machine, clock, 11 * HOUR)
    assert clock.now() == machine.wall()


def test_it_never_goes_back(machine: Machine, clock: Clock) -> None:
    last = clock.now()
    for jump in (-HOUR, -2.0, HOUR, -5 * HOUR):
        machine.ahead += jump
        machine.steady += 1.0
        assert clock.now() > last
        last = clock.now()


def test_a_machine_that_had_no_clock_is_believed_when_it_has_one(
    machine: Machine, clock: Clock
) -> None:
    clock.now()
    machine.ahead += 365 * DAY
    assert clock.now() == machine.wall()


def test_a_process_goes_on_where_others_were_before_the_clock_was_put_back(
    machine: Machine, clock: Clock
) -> None:
    noted = machine.wall() + HOUR
    clock.begin_at(noted)
    assert clock.now() == noted
    assert passed(machine, clock, 600) >= 0.9 * 600


def test_times_that_lie_behind_or_far_ahead_are_no_reason_to_go_on_from_them(
    machine: Machine, clock: Clock
) -> None:
    for noted in (machine.wall() - HOUR, machine.wall() + 2 * DAY, 0.0):
        clock.begin_at(noted)
        assert clock.now() == machine.wall()
