"""Whoever stops a stack stops the work that goes on for it elsewhere, at whatever moment."""

from collections.abc import Callable

import pytest

from hotplate.testing import Plan, Story, plan
from hotplate.testing.notation import LONGEST_WAIT
from hotplate.testing.picture import VersionRow
from tests.scenarios.tellers import Teller

STEPS = 45
"""By then all that can be begun has been begun, and looked at more than once."""

WORK = plan("""
    A:elsewhere() = "one"
    B(A) = "two"
""")
CHANGED = WORK.changed('A:elsewhere() = "three"')
INSIDE = plan('A() = "one"').holding("A", plan("W:elsewhere() = param"))
INSIDE_CHANGED = plan('A() = "three"').holding("A", plan("W:elsewhere() = param"))

Stop = Callable[[Story], None]

STOPS: dict[str, tuple[Stop, str]] = {
    "delete": (Story.delete, "DELETE_COMPLETE"),
    "rollback": (Story.roll_back, "ROLLBACK_COMPLETE"),
    "cancel": (lambda story: story.cancel(roll_back=False), "_FAILED"),
}
UPDATE_STOPS = {
    **STOPS,
    "cancel with rollback": (lambda story: story.cancel(roll_back=True), "ROLLBACK_COMPLETE"),
}


def endless(story: Story) -> None:
    """Let all work go on from now on until somebody stops it; a deletion ends by itself."""
    story.cloud.behaviour.goes_on = lambda verb, name: verb != "delete"


def ended(story: Story, status: str) -> None:
    """Come to rest without anybody ending what goes on elsewhere. Rest is checked for that."""
    story.finish()
    assert story.status.endswith(status), (story.status, story.reason)


@pytest.mark.parametrize("how", STOPS)
@pytest.mark.parametrize("wanted", [WORK, INSIDE], ids=["flat", "nested"])
def test_a_creation_is_stopped_at_any_moment(tell: Teller, wanted: Plan, how: str) -> None:
    """Noted, being started, being looked at, asleep: whatever the work is at, it is stopped."""
    stop, status = STOPS[how]
    for number in range(*_steps(tell)):
        with tell(seed=number) as story:
            endless(story)
            story.create(wanted)
            story.steps(number)
            stop(story)
            ended(story, status)
            if how != "cancel":
                assert not story.cloud.objects


@pytest.mark.parametrize("how", UPDATE_STOPS)
@pytest.mark.parametrize("is_nested", [False, True], ids=["flat", "nested"])
def test_an_update_is_stopped_at_any_moment(tell: Teller, is_nested: bool, how: str) -> None:
    before, after = (INSIDE, INSIDE_CHANGED) if is_nested else (WORK, CHANGED)
    stop, status = UPDATE_STOPS[how]
    for number in range(*_steps(tell)):
        with tell(seed=number) as story:
            story.create(before)
            story.finish()
            endless(story)
            story.update(after)
            story.steps(number)
            # What goes back may work elsewhere as well, and that comes to its end.
            story.cloud.behaviour.goes_on = lambda verb, name: False
            stop(story)
            ended(story, status)
            if status == "ROLLBACK_COMPLETE":
                story.verify(before, status)


@pytest.mark.parametrize("how", STOPS)
def test_work_whose_worker_died_is_stopped(tell: Teller, how: str) -> None:
    """Whoever takes over finds out that nobody wants it any more."""
    stop, status = STOPS[how]
    for number in range(*_steps(tell)):
        with tell(seed=number) as story:
            endless(story)
            story.create(WORK)
            story.steps(number)
            story.crash()
            stop(story)
            story.crash(1)
            story.start_worker()
            ended(story, status)


def test_what_is_no_longer_in_the_template_is_stopped(tell: Teller) -> None:
    """Its clean-up does not wait for a creation that never ends."""
    without = plan('C() = "four"')
    for number in range(*_steps(tell)):
        with tell(seed=number) as story:
            endless(story)
            story.create(WORK)
            story.steps(number)
            story.update(without)
            ended(story, "UPDATE_COMPLETE")
            story.verify(without, "UPDATE_COMPLETE")


def test_an_update_waits_for_work_that_it_wants(tell: Teller) -> None:
    """Nothing is stopped that the newer update goes on from."""
    with tell() as story:
        endless(story)
        story.create(WORK)
        story.until(lambda: bool(story.cloud.at_work))
        story.update(CHANGED)
        for _ in range(30):
            story.steps(1)
            assert reason(story, "A") == WAITS
        assert [item.work for item in story.cloud.at_work] == ["create"]
        story.cloud.behaviour.goes_on = lambda verb, name: False
        story.cloud.at_work[0].work = ""
        story.finish()
        story.verify(CHANGED, "UPDATE_COMPLETE")
        assert story.made("A") == 1
        assert reason(story, "A") == "state changed"


def test_an_update_says_what_it_waits_for_whoever_holds_it(tell: Teller) -> None:
    """Also where the update itself goes on with the work, because its worker is gone."""
    for number in range(*_steps(tell)):
        with tell(seed=number) as story:
            story.cloud.hold("A", "create")
            story.create(plan('A() = "one"'))
            story.until(lambda story=story: story.exists("A"))  # type: ignore[misc]
            story.steps(number)
            story.update(plan('A() = "two"'))
            story.steps(number)
            assert reason(story, "A") == WAITS
            story.cloud.let_go("A", "create")
            story.finish()
            assert reason(story, "A") == "state changed"


WAITS = "the stack waits with its UPDATE until the CREATE that is under way has ended"


def reason(story: Story, name: str) -> str:
    rows = story.simulation.database.rows("SELECT name, reason FROM version ORDER BY id")
    return [text for found, text in rows if found == name][-1]


def test_a_second_delete_does_not_stop_the_first(tell: Teller) -> None:
    """A deletion that goes on elsewhere is wanted by both."""
    for number in range(*_steps(tell)):
        with tell(seed=number) as story:
            story.create(WORK)
            story.finish()
            story.cloud.behaviour.goes_on = lambda verb, name: verb == "delete"
            story.delete()
            story.steps(number)
            story.delete()
            story.until(lambda story=story: bool(story.cloud.at_work))  # type: ignore[misc]
            story.steps(10)
            assert story.cloud.count("stop", "A") <= 2
            for item in story.cloud.at_work:
                item.work = ""
            story.finish()
            story.verify_gone()
            assert ("A", "DELETE_FAILED") not in story.news


SIGNALLED = plan("""
    H:handle()
    W:condition() = "1" of H
    B(W) = "two"
""")


@pytest.mark.parametrize("how", STOPS)
def test_a_wait_for_signals_is_given_up_at_any_moment(tell: Teller, how: str) -> None:
    """Asleep, or woken by a signal that is not enough: nobody waits for the others."""
    stop, status = STOPS[how]
    for number in range(*_steps(tell)):
        with tell(seed=number) as story:
            story.create(SIGNALLED.changed('W:condition() = "2" of H'))
            story.until(lambda story=story: story.state("W") == "CREATE_IN_PROGRESS")  # type: ignore[misc]
            story.steps(number % 8)
            story.signal("H", id="first")
            story.steps(number // 8)
            stop(story)
            began = story.simulation.loop.time()
            ended(story, status)
            assert story.simulation.loop.time() - began < LONGEST_WAIT / 2


def test_a_wait_inside_ends_when_the_stack_around_it_fails(tell: Teller) -> None:
    """What was cancelled with its parent does not sleep until its time is up."""
    inside = plan("""
        H:handle()
        W:condition() = "1" of H
    """)
    with tell() as story:
        story.cloud.hold("B", "create")
        story.create(plan('A()\nB() = "one"').holding("A", inside))
        story.until(lambda: "A" in story.nested and story.exists("B"))
        story.until(lambda: any(v.cookie and v.name == "W" for v in _all(story)))
        story.cloud.named("B")[0].is_broken = True
        story.cloud.let_go("B", "create")
        began = story.simulation.loop.time()
        ended(story, "CREATE_FAILED")
        assert story.simulation.loop.time() - began < LONGEST_WAIT / 2


def _all(story: Story) -> list[VersionRow]:
    return list(story.simulation.invariants.now.versions.values())


def _steps(tell: Teller) -> tuple[int, int, int]:
    """After how many steps a story is interrupted; on the servers only a few."""
    first, stride = {"sqlite": (0, 2)}.get(tell.kind, (3, 15))
    return first, STEPS, stride
