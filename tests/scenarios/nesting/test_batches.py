"""Groups that are changed a few members at a time, and what may come in between."""

from dataclasses import replace
from itertools import islice

import pytest

from hotplate.testing import Plan, Story, plan
from tests.scenarios.tellers import Teller


def group(value: str, count: int = 3, batch: int = 1, removed: tuple[str, ...] = ()) -> Plan:
    """A group G that works in batches, and S beside it, which has its value."""
    things = plan(f'G[{count}]() = "{value}"\nS() = att G').things
    paced = replace(things["G"], batch=batch, removed=removed)
    return Plan({**things, "G": paced})


STRIDE = 13
"""A pause is many steps long in which little happens; so not all of them are tried."""


def created(story: Story) -> None:
    story.create(group("one", batch=0))
    story.finish()


def changing(story: Story) -> None:
    created(story)
    story.update(group("two"))


def values(story: Story) -> list[str | None]:
    """The values of the members, by their numbers."""
    members = [item for item in story.cloud.objects.values() if item.name in "0123456789"]
    return [item.value for item in sorted(members, key=lambda item: item.name)]


def test_rolling_update(tell: Teller) -> None:
    """One after the other, the highest first, and nobody is replaced."""
    with tell() as story:
        created(story)
        before = set(story.cloud.objects)
        story.update(group("two"))
        story.until(lambda: "two-2" in values(story))
        assert values(story)[:2] == ["one-0", "one-1"]
        story.until(lambda: "two-1" in values(story))
        assert values(story)[0] == "one-0"
        story.finish()
        story.verify(group("two"), "UPDATE_COMPLETE")
        assert before <= set(story.cloud.objects)
        story.order(("G", "UPDATE_COMPLETE"), ("S", "UPDATE_IN_PROGRESS"))


@pytest.mark.slow
def test_batches_outlive_every_worker(tell: Teller) -> None:
    """Whenever all workers die, the next one goes on with the batch that was next."""
    for number in islice(tell.steps(), 0, None, STRIDE):
        with tell(seed=number) as story:
            changing(story)
            story.steps(number)
            is_over = story.status == "UPDATE_COMPLETE"
            story.crash(0)
            story.crash(1)
            story.start_worker()
            story.finish()
            story.verify(group("two"), "UPDATE_COMPLETE")
            assert story.made("0") == story.made("1") == story.made("2") == 1
        if is_over:
            return


@pytest.mark.slow
def test_batches_overtaken(tell: Teller) -> None:
    """A newer update goes on from whatever batch was reached, without those it takes out."""
    wanted = group("three", 2, 2, ("1",))
    for number in islice(tell.steps(), 0, None, STRIDE):
        with tell(seed=number) as story:
            changing(story)
            story.steps(number)
            is_over = story.status == "UPDATE_COMPLETE"
            story.update(wanted)
            story.finish()
            story.verify(wanted, "UPDATE_COMPLETE")
        if is_over:
            return


@pytest.mark.slow
def test_batches_cancelled(tell: Teller) -> None:
    """However far it got, it can be taken up again."""

    def again(story: Story) -> None:
        assert story.status == "UPDATE_FAILED"
        assert story.state("G") != "UPDATE_IN_PROGRESS"
        story.update(group("two"))
        story.finish()
        story.verify(group("two"), "UPDATE_COMPLETE")

    for number in islice(tell.steps(), 0, None, STRIDE):
        with tell(seed=number) as story:
            changing(story)
            story.steps(number)
            if story.status == "UPDATE_COMPLETE":
                return
            story.cancel(roll_back=False)
            story.finish()
            again(story)


@pytest.mark.slow
def test_batches_rolled_back(tell: Teller) -> None:
    """A cancelled update goes back to what was there."""
    for number in islice(tell.steps(), 0, None, STRIDE):
        with tell(seed=number) as story:
            changing(story)
            story.steps(number)
            if story.status == "UPDATE_COMPLETE":
                return
            story.cancel(roll_back=True)
            story.finish()
            story.verify(group("one", batch=0), "ROLLBACK_COMPLETE")


def test_batches_deleted(tell: Teller) -> None:
    """A deletion does not wait for a pause."""
    with tell() as story:
        changing(story)
        story.until(lambda: "two-2" in values(story))
        story.until(lambda: "until" in (story.version("G").cookie or ""))
        story.delete()
        story.finish(seconds=15)
        story.verify_gone()
