"""Old objects that give up a key before their replacements are made, and get it back.

The provider refuses a second object with the same key. An exclusive object must be deleted before
another one can have its key; from an attached one the key can be taken.
"""

import pytest

from hotplate.model import Action
from hotplate.plan.decide import Step
from hotplate.testing import Fault, Plan, Story, plan
from tests.scenarios.tellers import Teller
from tests.simulation.previews import previewed

KINDS = {"exclusive": "remove", "attached": "release"}
"""The kinds of objects with a key, and the call by which they give it up."""

kinds = pytest.mark.parametrize("kind", KINDS)


def keyed(kind: str, value: str) -> Plan:
    return plan(f"""
        A()
        C:{kind}(A) = ! "{value}"
        D() = ref C
    """)


def created(story: Story, kind: str) -> None:
    story.create(keyed(kind, "one"))
    story.finish()


def relations(story: Story) -> list[str]:
    return [version.relation for version in story.versions if version.name == "C"]


def reasons(story: Story) -> list[tuple[str, str]]:
    return [(state, reason) for name, state, reason in story.events if name == "C"]


@kinds
def test_the_old_one_gives_up_its_key_before_the_new_one_is_made(tell: Teller, kind: str) -> None:
    with tell() as story:
        created(story, kind)
        wanted = keyed(kind, "two")
        story.update(wanted)
        story.finish()
        story.verify(wanted, "UPDATE_COMPLETE")
        story.replaced("C")
        story.order(
            ("C", "UPDATE_IN_PROGRESS"),
            ("C", "UPDATE_COMPLETE"),
            ("C", "CREATE_IN_PROGRESS"),
            ("C", "CREATE_COMPLETE"),
            ("D", "UPDATE_COMPLETE"),
            ("C", "DELETE_COMPLETE"),
        )
        begun = "being prepared for its replacement: gives up its key"
        assert ("UPDATE_IN_PROGRESS", begun) in reasons(story)
        assert ("UPDATE_COMPLETE", "prepared for its replacement") in reasons(story)
        deleted = story.cloud.count("delete", "C")
        assert deleted == (0 if kind == "exclusive" else 1), "what is gone is not deleted again"


@kinds
def test_nothing_is_prepared_where_nothing_clashes(tell: Teller, kind: str) -> None:
    with tell() as story:
        created(story, kind)
        wanted = keyed(kind, "z has no key")
        story.update(wanted)
        story.finish()
        story.verify(wanted, "UPDATE_COMPLETE")
        assert story.cloud.count(KINDS[kind]) == 0
        assert ("C", "UPDATE_IN_PROGRESS") not in story.news


def alone(kind: str, value: str) -> Plan:
    """Nothing but the object: a story that is told again and again should be short."""
    return plan(f'C:{kind}() = ! "{value}"')


def replacing(story: Story, kind: str) -> None:
    """An update that replaces the object; giving up the key takes a while."""
    story.create(alone(kind, "one"))
    story.finish()
    story.cloud.behaviour.building = lambda verb, name: 0.5 if verb == KINDS[kind] else 0.0
    story.update(alone(kind, "two"))


@kinds
def test_a_worker_dies_at_any_step(tell: Teller, kind: str) -> None:
    for number in tell.steps():
        with tell(seed=number, workers=1) as story:
            replacing(story, kind)
            if story.steps(number):
                assert number > 3, "there was nothing to interrupt"
                return
            story.crash()
            story.start_worker()
            story.finish()
            story.verify(alone(kind, "two"), "UPDATE_COMPLETE")


@kinds
def test_a_rollback_at_any_step_brings_the_old_one_back(tell: Teller, kind: str) -> None:
    def ending(story: Story) -> None:
        story.verify(alone(kind, "one"), "ROLLBACK_COMPLETE")
        if kind == "attached" and story.cloud.count("create") == 1:
            assert not story.cloud.count("delete"), "the old one is taken up again"

    tell.at_every_step(lambda story: replacing(story, kind), Story.roll_back, ending)


@kinds
@pytest.mark.parametrize("value", ["one", "three"])
def test_a_newer_update_at_any_step(tell: Teller, kind: str, value: str) -> None:
    wanted = alone(kind, value)
    tell.at_every_step(
        lambda story: replacing(story, kind),
        lambda story: story.update(wanted),
        lambda story: story.verify(wanted, "UPDATE_COMPLETE"),
    )


@kinds
def test_a_deletion_at_any_step(tell: Teller, kind: str) -> None:
    tell.at_every_step(lambda story: replacing(story, kind), Story.delete, Story.verify_gone)


@kinds
def test_a_cancelled_update_leaves_the_old_one_marked(tell: Teller, kind: str) -> None:
    with tell() as story:
        created(story, kind)
        story.cloud.hold("C", KINDS[kind])
        story.update(keyed(kind, "two"))
        story.until(lambda: story.cloud.count(KINDS[kind]) == 1)
        story.cancel(roll_back=False)
        story.cloud.let_go("C", KINDS[kind])
        story.finish()
        assert story.status == "UPDATE_FAILED"
        assert relations(story) == ["prepared"]
        story.update(keyed(kind, "one"))
        story.finish()
        story.verify(keyed(kind, "one"), "UPDATE_COMPLETE")
        assert relations(story) == ["managed"]


@kinds
def test_a_replacement_that_fails_is_rolled_back(tell: Teller, kind: str) -> None:
    with tell() as story:
        created(story, kind)
        original = story.ids["C"]
        story.failing("C", "create", Fault.BREAKS)
        story.update(keyed(kind, "two"), rollback=True)
        story.until(lambda: story.status == "ROLLBACK_IN_PROGRESS")
        story.working("C", "create")
        story.finish()
        story.verify(keyed(kind, "one"), "ROLLBACK_COMPLETE")
        assert (story.ids["C"] == original) is (kind == "attached")
        restored = "it gave up what a replacement needed, and is restored"
        assert ("UPDATE_IN_PROGRESS", restored) in reasons(story)


@kinds
def test_a_preparation_that_fails_lets_nothing_be_made(tell: Teller, kind: str) -> None:
    with tell() as story:
        created(story, kind)
        original = story.ids["C"]
        story.failing("C", KINDS[kind])
        story.update(keyed(kind, "two"))
        story.finish()
        assert story.status == "UPDATE_FAILED"
        assert story.reason.endswith(f"resources.C: the {KINDS[kind]} of C failed")
        assert story.made("C") == 1
        assert (story.state("C"), relations(story)) == ("UPDATE_FAILED", ["prepared"])
        story.working("C", KINDS[kind])
        story.update(keyed(kind, "one"))
        story.finish()
        story.verify(keyed(kind, "one"), "UPDATE_COMPLETE")
        assert story.ids["C"] == original


@kinds
def test_a_restoration_that_fails_is_made_good_by_the_next_update(tell: Teller, kind: str) -> None:
    verb = {"exclusive": "create", "attached": "attach"}[kind]
    with tell() as story:
        created(story, kind)
        story.cloud.hold("D", "update")
        story.update(keyed(kind, "two"))
        story.until(lambda: len(relations(story)) == 2 and story.state("C") == "CREATE_COMPLETE")
        story.failing("C", verb, Fault.LOST_REPLY)
        story.cloud.let_go("D", "update")
        story.roll_back()
        story.finish()
        assert story.status == "ROLLBACK_FAILED"
        assert "restoring" in relations(story)
        story.working("C", verb)
        story.update(keyed(kind, "one"))
        story.finish()
        story.verify(keyed(kind, "one"), "UPDATE_COMPLETE")


@kinds
def test_what_changes_besides_is_changed_when_it_is_restored(tell: Teller, kind: str) -> None:
    first = plan(f'C:{kind}() = "one"')
    with tell() as story:
        story.create(first)
        story.finish()
        story.failing("C", "create")
        story.update(plan(f'C:{kind}() = ! "two"'))
        story.finish()
        assert story.status == "UPDATE_FAILED"
        story.working("C", "create")
        wanted = plan(f'C:{kind}() = "three"')
        story.update(wanted)
        story.finish()
        story.verify(wanted, "UPDATE_COMPLETE")
        assert story.cloud.count("update", "C") == 1


@kinds
def test_an_object_that_failed_is_not_restored_but_replaced(tell: Teller, kind: str) -> None:
    with tell() as story:
        created(story, kind)
        story.mark("C")
        story.failing("C", "create")
        story.update(keyed(kind, "one"))
        story.finish()
        assert relations(story)[0] == "spent"
        story.working("C", "create")
        story.update(keyed(kind, "one"))
        story.finish()
        story.verify(keyed(kind, "one"), "UPDATE_COMPLETE")
        story.replaced("C")


@kinds
def test_a_check_leaves_alone_what_was_prepared(tell: Teller, kind: str) -> None:
    with tell() as story:
        created(story, kind)
        story.failing("C", "create")
        story.update(keyed(kind, "two"))
        story.finish()
        story.working("C", "create")
        story.visit(Action.CHECK)
        story.finish()
        assert relations(story)[0] == "prepared"
        story.update(keyed(kind, "one"))
        story.finish()
        story.verify(keyed(kind, "one"), "UPDATE_COMPLETE")


@kinds
def test_a_preview_tells_what_is_given_up_and_what_is_restored(tell: Teller, kind: str) -> None:
    with tell() as story:
        created(story, kind)
        planned = {each.path: each for each in previewed(story, keyed(kind, "two"))}["C",]
        assert planned.step is Step.REPLACE
        assert planned.reason == (
            "a change of fixed cannot be made in place; "
            "the old object gives up its key before the new one is made"
        )
        story.failing("C", "create")
        story.update(keyed(kind, "two"))
        story.finish()
        story.working("C", "create")
        planned = next(
            each
            for each in previewed(story, keyed(kind, "one"))
            if each.path == ("C",) and each.step is not None
        )
        assert planned.step is Step.UPDATE
        assert planned.reason == "it gave up what a replacement needed, and is restored"


@kinds
def test_members_of_a_group_are_replaced_and_rolled_back(tell: Teller, kind: str) -> None:
    def members(value: str) -> Plan:
        return plan(f"""
            G[3]:{kind}() = ! "{value}"
            D() = att G
        """)

    with tell() as story:
        story.create(members("one"))
        story.finish()
        story.update(members("two"))
        story.finish()
        story.verify(members("two"), "UPDATE_COMPLETE")
        story.failing("D", "update")
        story.update(members("three"), rollback=True)
        story.until(lambda: story.status == "ROLLBACK_IN_PROGRESS")
        story.working("D", "update")
        story.finish()
        story.verify(members("two"), "ROLLBACK_COMPLETE")
        story.delete()
        story.finish()
        story.verify_gone()
