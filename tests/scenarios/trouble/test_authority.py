"""With whose rights the engine goes on when the user is away."""

from collections.abc import Coroutine
from typing import Any

import pytest

from hotplate.authority import AuthorityClouds, AuthoritySettings, sweep
from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.operations import Operations
from hotplate.identity import Credentials
from hotplate.model import Action
from hotplate.testing import plan
from hotplate.testing.process import SimulatedProcess
from hotplate.testing.store import SimulatedStore
from hotplate.testing.story import Story
from tests.scenarios.tellers import Teller
from tests.scenarios.users import Keystone

PAIR = plan("A()\nB(A)")
CHANGED = plan('A() = "2"\nB(A)')


def authorities(story: Story) -> list[tuple[Any, ...]]:
    found = story.simulation.database.rows(
        "SELECT user_name, state, reason FROM authority ORDER BY user_name"
    )
    return [tuple(row) for row in found]


def reason(story: Story, name: str) -> str:
    rows = story.simulation.database.rows("SELECT name, reason, stack_id FROM version")
    return next(row[1] for row in rows if row[0] == name and row[2] == story.stack_id)


def shown_reason(story: Story) -> str:
    """Return the reason of the stack as the API shows it."""

    async def ask(operations: Operations) -> str:
        found = await operations.stack(story.stack_id)
        return (await operations.listings.reasons([found]))[0].reason

    return str(story.simulation.answer(ask))


def let_pass(story: Story, seconds: float) -> None:
    end = story.simulation.loop.time() + seconds
    story.until(lambda: story.simulation.loop.time() >= end)


def waits(story: Story, name: str) -> bool:
    return any(v.name == name for v in story.versions) and reason(story, name).startswith("waits:")


def test_a_token_that_expires_in_the_middle_is_used_with_one_of_the_server(tell: Teller) -> None:
    """A creation that outlives the token of its user goes on with a service token beside it."""
    keystone = Keystone()
    with tell(connect=keystone.connect) as story:
        story.caller = keystone.credentials("ann", lifetime=140)
        story.cloud.hold("A", "create")
        story.create(PAIR)
        let_pass(story, 10)
        assert set(keystone.used) == {"ann"}
        let_pass(story, 140)
        story.cloud.let_go("A", "create")
        story.finish()
        story.verify(PAIR, "CREATE_COMPLETE")
        assert "ann with server" in keystone.used
        assert set(keystone.logins) == {"hotplate"}
        assert not keystone.trusts


def test_a_lost_authority_parks_and_another_member_takes_over(tell: Teller) -> None:
    """If a user is disabled, work waits with a reason; an update by another member goes on."""
    keystone = Keystone()
    with tell(connect=keystone.connect) as story:
        story.caller = keystone.credentials("ann")
        story.cloud.hold("A", "create")
        story.create(PAIR)
        story.until(lambda: story.exists("A"))
        keystone.disable("ann")
        story.until(lambda: waits(story, "A"))
        assert story.status == "CREATE_IN_PROGRESS"
        assert reason(story, "A") == (
            "waits: the token of user ann (project demo) is no longer accepted, and there is no "
            "trust; any member of the project can take the stack over: update it; "
            "if the project is gone, an administrator can delete and then abandon it"
        )
        assert shown_reason(story) == (
            "Stack CREATE started; resources.A waits: the token of user ann (project demo) is no "
            "longer accepted, and there is no trust; any member of the project can take the stack "
            "over: update it; if the project is gone, an administrator can delete and then abandon "
            "it"
        )
        # It is said once, and tried again with growing pauses.
        tried = len(keystone.logins)
        let_pass(story, 400)
        told = [each for each in story.events if each[2].startswith("waits:")]
        assert [each[:2] for each in told] == [("A", "CREATE_IN_PROGRESS")]
        assert len(keystone.logins) - tried <= 2
        assert authorities(story)[0][:2] == ("ann", "suspended")

        story.cloud.let_go("A", "create")
        story.caller = keystone.credentials("bob")
        story.update(PAIR)
        assert shown_reason(story) == "Stack UPDATE started"
        began = story.simulation.loop.time()
        story.finish()
        assert story.simulation.loop.time() - began < 30
        story.verify(PAIR, "UPDATE_COMPLETE")
        assert story.made("A") == 1
        assert keystone.used[-1] == "bob"


@pytest.mark.parametrize("verb", ["create", "update", "delete"])
def test_nothing_is_made_twice_by_waiting(tell: Teller, verb: str) -> None:
    """A call that was refused for want of an authority is made once it is there again."""
    keystone = Keystone()
    with tell(connect=keystone.connect) as story:
        story.caller = keystone.credentials("ann")
        if verb != "create":
            story.create(PAIR)
            story.finish()
        doomed = story.caller
        story.caller = keystone.credentials("ann")
        for each in (doomed, story.caller):
            del keystone.tokens[each.token]  # both are revoked after the request was let in
        keystone.tokens[story.caller.token] = ("nobody", 0.0)
        match verb:
            case "create":
                story.create(PAIR)
            case "update":
                story.update(CHANGED)
            case _:
                story.delete()
        first = "B" if verb == "delete" else "A"
        story.until(lambda: waits(story, first))
        story.caller = keystone.credentials("ann", lifetime=7200)
        if verb == "delete":
            story.delete()
            story.finish()
            story.verify_gone()
        else:
            wanted = PAIR if verb == "create" else CHANGED
            story.update(wanted)
            story.finish()
            story.verify(wanted, "UPDATE_COMPLETE")
        assert story.made("A") == 1


def test_a_delete_needs_the_deleter_only(tell: Teller) -> None:
    """A stack whose owner is gone is deleted with the token of another member, without a trust."""
    keystone = Keystone()
    with tell(connect=keystone.connect) as story:
        story.caller = keystone.credentials("ann")
        story.create(PAIR)
        story.finish()
        keystone.disable("ann")
        story.caller = keystone.credentials("bob")
        story.delete()
        story.finish()
        story.verify_gone()
        assert keystone.used[-1] == "bob"
        assert not keystone.trusts
        assert [each[1] for each in authorities(story)] == ["good", "good"]


def test_a_check_is_done_with_the_rights_of_whoever_asks(tell: Teller) -> None:
    """A reader's check uses the reader's token; later changes are made as before."""
    keystone = Keystone()
    with tell(connect=keystone.connect) as story:
        story.caller = keystone.credentials("ann")
        story.create(PAIR)
        story.finish()
        story.caller = keystone.credentials("eve", role_ids=("r9",))
        story.visit(Action.CHECK)
        story.finish()
        assert keystone.used[-1] == "eve"
        rows = story.simulation.database.rows(
            "SELECT a.user_name, b.user_name FROM stack s "
            "JOIN authority a ON a.id = s.authority_id JOIN authority b ON b.id = s.visitor_id"
        )
        assert [tuple(row) for row in rows] == [("ann", "eve")]


def test_nested_stacks_are_worked_on_with_the_authority_of_their_root(tell: Teller) -> None:
    """What is nested is taken over with its root, also what an update leaves alone."""
    nested = plan("A()\nN(A)").holding("N", plan("X()\nY(X)"))
    keystone = Keystone()
    with tell(connect=keystone.connect) as story:
        story.caller = keystone.credentials("ann")
        story.create(nested)
        story.finish()
        story.caller = keystone.credentials("bob")
        story.update(nested)
        story.finish()
        rows = story.simulation.database.rows(
            "SELECT DISTINCT a.user_name FROM stack s JOIN authority a ON a.id = s.authority_id"
        )
        assert [row[0] for row in rows] == ["bob"]


def test_a_user_who_comes_back_wakes_all_their_stacks(tell: Teller) -> None:
    """A new token of the user lets everything go on that waited for it, at once."""
    keystone = Keystone()
    with tell(connect=keystone.connect) as story:
        story.caller = keystone.credentials("ann")
        story.cloud.hold("A", "create")
        story.create(PAIR)
        story.until(lambda: story.exists("A"))
        keystone.tokens.clear()
        story.until(lambda: waits(story, "A"))
        let_pass(story, 300)
        story.cloud.let_go("A", "create")
        make(story, "z", keystone.credentials("ann"))
        began = story.simulation.loop.time()
        story.finish()
        assert story.simulation.loop.time() - began < 10
        story.verify(PAIR, "CREATE_COMPLETE")
        assert story.made("A") == 1
        assert authorities(story) == [("ann", "good", "")]


def test_an_authority_is_shared_and_goes_with_its_last_stack(tell: Teller) -> None:
    """Ten stacks of one user have one authority and one trust; both go with the last of them."""
    keystone = Keystone()
    with tell(connect=keystone.connect) as story:
        ann, bob = keystone.credentials("ann"), keystone.credentials("bob")
        clouds = clouds_of(story, keystone)
        ids = []
        for number in range(10):
            assert answer(story, clouds.delegate(ann)) == ""
            ids.append(make(story, f"s{number}", ann))
        story.finish()
        assert len(keystone.trusts) == 1
        assert authorities(story) == [("ann", "good", "")]

        for stack_id in ids[:9]:
            delete(story, stack_id, ann)
        story.finish()
        assert answer(story, sweep(clouds)) == 0
        assert len(keystone.trusts) == 1

        # The user's token is gone by now: the trust is deleted by its own means.
        del keystone.tokens[ann.token]
        delete(story, ids[9], bob)
        story.finish()
        assert answer(story, sweep(clouds)) == 2
        assert not keystone.trusts
        assert authorities(story) == []


def test_a_trust_that_cannot_be_deleted_is_tried_again(tell: Teller) -> None:
    """What Keystone does not let go stays with the reason, until it does."""
    keystone = Keystone()
    with tell(connect=keystone.connect) as story:
        ann = keystone.credentials("ann")
        clouds = clouds_of(story, keystone)
        answer(story, clouds.delegate(ann))
        keystone.disable("ann")
        assert answer(story, sweep(clouds)) == 0
        [(user, state, why)] = authorities(story)
        assert (user, state) == ("ann", "ending")
        assert "the trustor is disabled" in why
        keystone.disabled.clear()
        assert answer(story, sweep(clouds)) == 1
        assert authorities(story) == []
        assert not keystone.trusts


def test_a_trust_takes_over_when_tokens_are_of_no_use(tell: Teller) -> None:
    """When the token has expired and no service token helps, there is the trust: one login."""
    keystone = Keystone(settings=AuthoritySettings(service_tokens=False))
    with tell(connect=keystone.connect, workers=1) as story:
        story.caller = keystone.credentials("ann", lifetime=140)
        answer(story, clouds_of(story, keystone).delegate(story.caller))
        story.cloud.hold("A", "create")
        story.create(PAIR)
        let_pass(story, 150)
        story.cloud.let_go("A", "create")
        story.finish()
        story.verify(PAIR, "CREATE_COMPLETE")
        assert keystone.used[-1] == "ann by trust"
        assert keystone.logins == ["hotplate", "ann"]


def test_a_lost_trust_waits_until_the_user_may_again(tell: Teller) -> None:
    """Keystone's words are in the reason, and all goes on by itself when the cause is gone."""
    keystone = Keystone()
    with tell(connect=keystone.connect) as story:
        story.caller = keystone.credentials("ann")
        answer(story, clouds_of(story, keystone).delegate(story.caller))
        story.cloud.hold("A", "create")
        story.create(PAIR)
        story.until(lambda: story.exists("A"))
        keystone.disable("ann")
        story.until(lambda: waits(story, "A"))
        assert "Keystone does not accept the trust of user ann (project demo)" in reason(story, "A")
        assert "the trustor is disabled" in reason(story, "A")
        keystone.disabled.clear()
        story.cloud.let_go("A", "create")
        story.finish()
        story.verify(PAIR, "CREATE_COMPLETE")
        assert story.made("A") == 1
        assert authorities(story) == [("ann", "good", "")]


def test_expired_tokens_are_kept_for_work_in_progress_only(tell: Teller) -> None:
    """A token that has expired stays while something began with it, and goes then."""
    keystone = Keystone()
    with tell(connect=keystone.connect) as story:
        story.caller = keystone.credentials("ann", lifetime=140)
        clouds = clouds_of(story, keystone)
        story.cloud.hold("A", "create")
        story.create(PAIR)
        let_pass(story, 150)
        answer(story, sweep(clouds))
        query = "SELECT token FROM authority"
        assert [row[0] for row in story.simulation.database.rows(query)] == [story.caller.token]
        story.cloud.let_go("A", "create")
        story.finish()
        answer(story, sweep(clouds))
        assert [row[0] for row in story.simulation.database.rows(query)] == [""]


GROUP = plan("""
    A[1-3]() = "a"
    P:policy() = "+1" of A
""")


def test_a_group_is_scaled_by_a_trust_after_the_token_has_expired(tell: Teller) -> None:
    """Accepting a stack that acts by itself later makes one trust, which is used then."""
    keystone = Keystone(settings=AuthoritySettings(service_tokens=False))
    with tell(connect=keystone.connect) as story:
        story.caller = keystone.credentials("ann", lifetime=140)
        story.create(GROUP)
        story.finish()
        assert [each["roles"] for each in keystone.trusts.values()] == [[{"id": "r1"}]]
        let_pass(story, 150)
        story.signal("P")
        story.finish()
        assert story.size("A") == 2
        assert keystone.used[-1] == "ann by trust"

        story.caller = keystone.credentials("ann")
        story.update(GROUP)
        story.finish()
        assert len(keystone.trusts) == 1
        # Who deletes needs no trust.
        story.caller = keystone.credentials("bob")
        story.delete()
        story.finish()
        assert len(keystone.trusts) == 1


def test_an_application_credential_makes_stacks_and_is_told_what_will_not_work(
    tell: Teller,
) -> None:
    """A signal that comes when nothing is accepted any more is kept, and waits for a member."""
    keystone = Keystone(settings=AuthoritySettings(service_tokens=False))
    with tell(connect=keystone.connect) as story:
        story.caller = keystone.credentials("ann", lifetime=140, is_delegated=True)
        story.create(GROUP)
        story.finish()
        assert not keystone.trusts
        told = [text for name, _, text in story.events if "there is no trust" in text]
        assert len(told) == 1
        assert "an application credential, a trust or EC2 keys can make none" in told[0]

        let_pass(story, 150)
        story.signal("P")
        let_pass(story, 60)
        assert story.size("A") == 1
        # The stack is at rest, and its reason tells all the same that its group is not.
        assert story.status == "CREATE_COMPLETE"
        now = shown_reason(story)
        assert now.startswith("Stack CREATE completed successfully; resources")
        assert "any member of the project can take the stack over: update it" in now
        story.caller = keystone.credentials("bob")
        story.update(GROUP)
        story.finish()
        assert story.size("A") == 2


def clouds_of(story: Story, keystone: Keystone) -> AuthorityClouds:
    process = SimulatedProcess(story.simulation.loop, "operator")
    store = SimulatedStore(story.simulation.database, process)
    return keystone.connect(story.cloud, process, store)


def answer(story: Story, question: Coroutine[Any, Any, Any]) -> Any:
    return story.simulation.answer(lambda operations: question)


def make(story: Story, name: str, caller: Credentials) -> str:
    single = plan("Z()")
    recipe = Recipe(single.hot())
    asked = story.simulation.ask(
        f"create {name}",
        lambda ops: ops.on_behalf_of(caller.user_name, "project", caller).create(
            "project", name, recipe
        ),
        single,
    )
    story.until(lambda: asked.is_over)
    assert asked.task is not None
    return str(asked.task.result())


def delete(story: Story, stack_id: str, caller: Credentials) -> None:
    story.simulation.answer(
        lambda ops: ops.on_behalf_of(caller.user_name, "project", caller).delete(stack_id)
    )
