"""Whoever lets a stack go on that acts by itself later leaves it an authority that lasts."""

from collections.abc import Callable

import pytest

from hotplate.authority import AuthoritySettings
from hotplate.model import Action
from hotplate.testing import plan
from hotplate.testing.story import Story
from tests.scenarios.tellers import Teller
from tests.scenarios.users import Keystone

GROUP = plan("""
    A[1-3]() = "a"
    P:policy() = "+1" of A
""")
OTHER = plan("""
    A[1-3]() = "a"
    P:policy() = "+1" of A
    B()
""")
ALONE = plan("B()")


def rolled_back(story: Story) -> None:
    story.failing("B", "create")
    story.update(OTHER)
    story.finish()


def cancelled(story: Story) -> None:
    story.cloud.hold("B", "create")
    story.update(OTHER)
    story.until(lambda: story.exists("B"))


def retried(story: Story) -> None:
    story.failing("B", "create")
    story.update(OTHER)
    story.finish()
    story.working("B", "create")


CASES: dict[str, tuple[Callable[[Story], None], Callable[[Story], None]]] = {
    "rollback": (rolled_back, lambda story: story.roll_back()),
    "cancel": (cancelled, lambda story: story.cancel(roll_back=True)),
    "retry": (retried, lambda story: story.retry()),
}


@pytest.mark.parametrize("case", CASES)
def test_what_another_member_lets_go_on_is_scaled_with_their_trust(tell: Teller, case: str) -> None:
    """A rollback, a cancel or a retry takes a stack over, and a trust is made for it."""
    before, let = CASES[case]
    keystone = Keystone(settings=AuthoritySettings(service_tokens=False))
    with tell(connect=keystone.connect) as story:
        story.caller = keystone.credentials("ann")
        story.create(GROUP)
        story.finish()
        before(story)
        story.caller = keystone.credentials("bob", lifetime=150)
        let(story)
        story.cloud.let_go("B", "create")
        story.finish()
        assert sorted(each["user"] for each in keystone.trusts.values()) == ["ann", "bob"]
        _pass(story, 200)
        story.signal("P")
        story.finish()
        assert story.size("A") == 2
        assert keystone.used[-1] == "bob by trust"


def test_a_restored_group_is_scaled_with_the_trust_of_whoever_restored_it(tell: Teller) -> None:
    """What the snapshot has counts, not what the stack is made of when it is restored."""
    keystone = Keystone(settings=AuthoritySettings(service_tokens=False))
    with tell(connect=keystone.connect) as story:
        story.caller = ann = keystone.credentials("ann")
        story.create(GROUP)
        story.finish()
        kept = story.simulation.answer(
            lambda ops: ops.on_behalf_of("ann", "project", ann).take_snapshot(story.stack_id)
        )
        story.finish()
        story.update(ALONE)
        story.finish()
        bob = keystone.credentials("bob", lifetime=150)
        asked = story.simulation.ask(
            "restore",
            lambda ops: ops.on_behalf_of("bob", "project", bob).restore(story.stack_id, kept),
            GROUP,
        )
        story.until(lambda: asked.is_over)
        story.finish()
        assert "bob" in {each["user"] for each in keystone.trusts.values()}


def test_an_update_that_fails_leaves_the_group_an_authority_that_lasts(tell: Teller) -> None:
    """Whoever takes the group out of a stack may have to put it back: a trust is made for it."""
    keystone = Keystone(settings=AuthoritySettings(service_tokens=False))
    with tell(connect=keystone.connect) as story:
        story.caller = keystone.credentials("ann")
        story.create(GROUP)
        story.finish()
        story.failing("B", "create")
        story.caller = keystone.credentials("bob", lifetime=150)
        story.update(ALONE, rollback=True)
        story.finish()
        assert story.status == "ROLLBACK_COMPLETE"
        _pass(story, 200)
        story.signal("P")
        story.finish()
        assert story.size("A") == 2
        assert keystone.used[-1] == "bob by trust"


def test_who_resumes_their_own_stack_makes_the_trust_that_it_needs(tell: Teller) -> None:
    """A stack that could get no trust when it was made gets one when its owner resumes it."""
    keystone = Keystone(settings=AuthoritySettings(service_tokens=False))
    with tell(connect=keystone.connect) as story:
        story.caller = keystone.credentials("ann")
        keystone.makes_trusts = False
        story.create(GROUP)
        story.finish()
        assert [text for _, _, text in story.events if "there is no trust" in text]
        story.visit(Action.SUSPEND)
        story.finish()
        keystone.makes_trusts = True
        story.caller = keystone.credentials("bob")
        story.visit(Action.RESUME)
        story.finish()
        assert not keystone.trusts  # later changes are not made with the rights of a visitor
        story.visit(Action.SUSPEND)
        story.finish()
        story.caller = keystone.credentials("ann", lifetime=150)
        story.visit(Action.RESUME)
        story.finish()
        assert [each["user"] for each in keystone.trusts.values()] == ["ann"]


def test_what_acts_never_later_gets_no_trust_however_it_goes_on(tell: Teller) -> None:
    """Rollback, retry and resume of a stack without groups ask Keystone for nothing."""
    keystone = Keystone()
    with tell(connect=keystone.connect) as story:
        story.caller = keystone.credentials("ann")
        story.create(ALONE)
        story.finish()
        story.failing("C", "create")
        story.update(plan("B()\nC()"))
        story.finish()
        story.retry()
        story.finish()
        story.roll_back()
        story.finish()
        story.visit(Action.SUSPEND)
        story.finish()
        story.visit(Action.RESUME)
        story.finish()
        assert not keystone.trusts
        assert not keystone.logins


def _pass(story: Story, seconds: float) -> None:
    end = story.simulation.loop.time() + seconds
    story.until(lambda: story.simulation.loop.time() >= end)
