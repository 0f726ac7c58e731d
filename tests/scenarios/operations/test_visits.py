"""Stacks inside that nothing changes: an update looks into those in which something asks for it."""

import json
from typing import Any

from hotplate.model import Action
from hotplate.plan.decide import Step
from hotplate.testing import Plan, Story, plan
from tests.scenarios.tellers import Teller
from tests.simulation.previews import previewed


def around(inner: Plan, count: str = "") -> Plan:
    """The inner template in a stack in a stack, and S beside it that gets its value."""
    mid = plan(f'inner{count}() = "m"').holding("inner", inner)
    return plan('mid() = "m"\nS() = att mid').holding("mid", mid)


def created(story: Story, wanted: Plan) -> None:
    story.create(wanted)
    story.finish()
    story.verify(wanted, "CREATE_COMPLETE")


def updated(story: Story, wanted: Plan) -> None:
    story.update(wanted)
    story.finish()
    story.verify(wanted, "UPDATE_COMPLETE")


def offered(story: Story, name: str) -> Any:
    """What a resource of the outermost stack has taken over of the stack that it is."""
    rows = story.simulation.database.rows("SELECT stack_id, name, attributes FROM version")
    return next(json.loads(row[2]) for row in rows if tuple(row[:2]) == (story.stack_id, name))


def test_what_is_updated_every_time_is_so_deep_inside_as_well(tell: Teller) -> None:
    for count in ("", "[2]"):
        with tell() as story:
            wanted = around(plan('T:restless() = "t"'), count)
            created(story, wanted)
            members = len(story.cloud.named("T"))
            for number in (1, 2):
                updated(story, wanted)
                assert story.cloud.count("update", "T") == number * members
            story.kept("mid", "S")
            story.quiet("S")


def test_only_the_stacks_on_the_way_are_looked_into(tell: Teller) -> None:
    with tell() as story:
        wanted = plan('loud() = "a"\nstill() = "b"')
        wanted = wanted.holding("loud", plan('T:restless() = "t"'))
        wanted = wanted.holding("still", plan('U() = "u"'))
        created(story, wanted)
        updated(story, wanted)
        story.quiet("still")
        assert ("loud", "UPDATE_COMPLETE") in story.news


def test_when_nothing_asks_for_it_any_more_nobody_looks(tell: Teller) -> None:
    with tell() as story:
        created(story, around(plan('T:restless() = "t"')))
        calm = around(plan('T() = "t"'))
        updated(story, calm)
        updated(story, calm)
        story.quiet("mid", "S")


def test_what_somebody_else_changes_reaches_those_outside(tell: Teller) -> None:
    """The value of an object that is external deep inside comes up with the next update."""
    with tell() as story:
        other = story.external.make("x").id
        wanted = around(plan(f"T@{other}()"))
        created(story, wanted)
        assert story.cloud.named("S")[0].value == "x"
        story.external.change(other, "y")
        updated(story, wanted)
        assert story.cloud.named("S")[0].value == "y"
        story.kept("mid", "S")


def test_what_a_check_sees_inside_is_known_outside(tell: Teller) -> None:
    with tell() as story:
        other = story.external.make("x").id
        wanted = around(plan(f"T@{other}()"))
        created(story, wanted)
        story.external.change(other, "y")
        story.visit(Action.CHECK)
        story.finish()
        assert story.status == "CHECK_COMPLETE"
        assert offered(story, "mid") == {"value": "y"}
        updated(story, wanted)
        assert story.cloud.named("S")[0].value == "y"


def test_members_that_a_signal_adds_are_looked_at(tell: Teller) -> None:
    """A group that grows between two updates, in a stack of its own."""
    with tell() as story:
        inner = plan('G[0-3]:restless() = "g"\nP:policy() = "+1" of G')
        wanted = plan("mid()").holding("mid", inner)
        created(story, wanted)
        updated(story, wanted)
        story.quiet("mid")
        story.signal("P", "mid")
        story.finish()
        updated(story, wanted)
        assert ("mid", "UPDATE_COMPLETE") in story.news
        assert story.cloud.count("update") == 1


def test_a_restricted_stack_is_left_as_it_is(tell: Teller) -> None:
    """Nothing about it changes, so the update is not refused either."""
    with tell() as story:
        wanted = around(plan('T:restless() = "t"'))
        created(story, wanted)
        story.resources = {"mid": {"restricted_actions": "update"}}
        updated(story, wanted)
        story.quiet("mid", "S")
        assert story.cloud.count("update", "T") == 0


def test_interrupted_at_every_step(tell: Teller) -> None:
    """Whoever looks into the stacks inside may die: the next one goes on."""
    for number in tell.steps():
        with tell(seed=number) as story:
            other = story.external.make("x").id
            wanted = around(plan(f'T@{other}()\nU:restless(T) = "u"'))
            created(story, wanted)
            story.external.change(other, "y")
            story.update(wanted)
            ended = story.steps(number)
            story.crash()
            story.start_worker()
            story.finish()
            story.verify(wanted, "UPDATE_COMPLETE")
            if ended:
                assert story.cloud.count("update", "U") == 1
                break


def test_a_preview_says_what_the_look_will_bring(tell: Teller) -> None:
    """Those outside are left if nothing inside has changed, and updated if something has."""
    with tell() as story:
        other = story.external.make("x").id
        wanted = around(plan(f"T@{other}()"))
        created(story, wanted)
        expected = {each.path: each for each in previewed(story, wanted)}
        assert expected["mid",].step is expected["mid", "inner"].step is Step.UPDATE
        assert expected["mid", "inner", "T"].step is expected["S",].step is Step.LEAVE
        assert expected["S",].certain
        story.external.change(other, "y")
        expected = {each.path: each for each in previewed(story, wanted)}
        assert expected["S",].step is Step.UPDATE
        assert expected["S",].changes[0].new == "y"
