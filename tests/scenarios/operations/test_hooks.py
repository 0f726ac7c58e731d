"""Resources that wait until somebody says that they may go on, and what overtakes them."""

import pytest

from hotplate.engine.refusals import BadHook, NotFound
from hotplate.model import Action
from hotplate.store.nodes import wake_version
from hotplate.testing import Plan, Story, plan
from tests.scenarios.plans import CHAIN
from tests.scenarios.tellers import Teller

OTHER = CHAIN.changed('t2(t1) = "Test2"')
REPLACED = plan("""
    t1() = "Test1"
    t2(t1) = ! "Test1"
    t3(t2) = "Test1"
""")
REPLACEMENT = REPLACED.changed('t2(t1) = ! "Test2"')
WITHOUT = plan('t1() = "Test1"')
TREE = plan("""
    a() = "x"
    b(a) = att a
""").holding("b", plan("c() = param"))


def hooked(story: Story, *hooks: str, name: str = "t2") -> None:
    story.resources = {name: {"hooks": list(hooks)}}


def waiting(story: Story, hook: str, name: str = "t2", inside: str = "") -> None:
    story.until(lambda: story.waits_at(name, hook, inside))


def created(story: Story, wanted: Plan = CHAIN) -> None:
    story.create(wanted)
    story.finish()


def reasons(story: Story, name: str) -> list[tuple[str, str]]:
    return [(state, reason) for who, state, reason in story.events if who == name]


def test_before_a_creation(tell: Teller) -> None:
    """What does not depend on it goes on; it and what needs it wait, at no cost."""
    with tell() as story:
        hooked(story, "pre-create")
        story.create(CHAIN)
        waiting(story, "pre-create")
        calls = len(story.cloud.calls)
        for _ in range(20):
            story.steps(10)
        assert len(story.cloud.calls) == calls
        assert (story.status, story.state("t1")) == ("CREATE_IN_PROGRESS", "CREATE_COMPLETE")
        assert (story.state("t2"), story.made("t2")) == ("INIT_COMPLETE", 0)
        story.clear("t2", "pre-create")
        story.finish()
        story.verify(CHAIN, "CREATE_COMPLETE")
        assert reasons(story, "t2")[:3] == [
            ("INIT_COMPLETE", "CREATE paused until Hook pre-create is cleared"),
            ("INIT_COMPLETE", "Hook pre-create is cleared"),
            ("CREATE_IN_PROGRESS", "state changed"),
        ]


def test_after_a_creation(tell: Teller) -> None:
    """The object exists; what needs it waits."""
    with tell() as story:
        hooked(story, "post-create")
        story.create(CHAIN)
        waiting(story, "post-create")
        assert (story.state("t2"), story.state("t3")) == ("CREATE_COMPLETE", "INIT_COMPLETE")
        story.clear("t2", "post-create")
        story.finish()
        story.verify(CHAIN, "CREATE_COMPLETE")
        assert [reason for _, reason in reasons(story, "t2")] == [
            "state changed",
            "state changed",
            "CREATE paused until Hook post-create is cleared",
            "Hook post-create is cleared",
        ]


def test_before_and_after_an_update_by_a_pattern(tell: Teller) -> None:
    """Each update meets its hooks anew; one that changes nothing meets none."""
    with tell() as story:
        created(story)
        hooked(story, "pre-update", "post-update", name="t*")
        for wanted in (OTHER, CHAIN):
            story.update(wanted)
            waiting(story, "pre-update")
            assert story.state("t2").endswith("_COMPLETE")
            story.clear("t2", "pre-update")
            waiting(story, "post-update")
            assert story.state("t2") == "UPDATE_COMPLETE"
            story.clear("t2", "post-update")
            story.finish()
            story.verify(wanted, "UPDATE_COMPLETE")
        story.update(CHAIN)
        story.finish()
        story.kept("t1", "t2", "t3")


def test_a_replacement_meets_the_hook_of_the_update_only(tell: Teller) -> None:
    with tell() as story:
        created(story, REPLACED)
        hooks = ("pre-create", "post-create", "pre-update", "pre-delete", "post-delete")
        hooked(story, *hooks)
        story.update(REPLACEMENT)
        waiting(story, "pre-update")
        assert len(story.versions) == 3
        story.clear("t2", "pre-update")
        story.finish()
        story.verify(REPLACEMENT, "UPDATE_COMPLETE")
        story.replaced("t2")


def test_what_an_update_adds_and_removes(tell: Teller) -> None:
    with tell() as story:
        created(story, WITHOUT)
        hooked(story, "pre-create", "pre-delete")
        story.update(CHAIN)
        waiting(story, "pre-create")
        story.clear("t2", "pre-create")
        story.finish()
        story.update(WITHOUT)
        waiting(story, "pre-delete")
        assert (story.state("t2"), story.state("t3")) == ("CREATE_COMPLETE", "DELETE_COMPLETE")
        story.clear("t2", "pre-delete")
        story.finish()
        story.verify(WITHOUT, "UPDATE_COMPLETE")


def test_before_and_after_a_deletion(tell: Teller) -> None:
    with tell() as story:
        hooked(story, "pre-delete", "post-delete")
        created(story)
        story.delete()
        waiting(story, "pre-delete")
        assert (story.state("t2"), story.state("t3")) == ("CREATE_COMPLETE", "DELETE_COMPLETE")
        story.clear("t2", "pre-delete")
        waiting(story, "post-delete")
        assert (story.state("t2"), story.state("t1")) == ("DELETE_COMPLETE", "CREATE_COMPLETE")
        story.clear("t2", "post-delete")
        story.finish()
        story.verify_gone()


def test_a_resource_that_is_a_stack_and_one_inside_it(tell: Teller) -> None:
    with tell() as story:
        hooks = ["pre-create", "post-create", "pre-delete"]
        story.resources = {"b": {"hooks": hooks, "*": {"hooks": "pre-create"}}}
        story.create(TREE)
        waiting(story, "pre-create", "b")
        assert story.nested == {}
        story.clear("b", "pre-create")
        waiting(story, "pre-create", "c", inside="b")
        assert story.made("c") == 0
        story.clear("c", "pre-create", inside="b")
        waiting(story, "post-create", "b")
        assert story.status == "CREATE_IN_PROGRESS"
        story.clear("b", "post-create")
        story.finish()
        story.verify(TREE, "CREATE_COMPLETE")
        story.delete()
        waiting(story, "pre-delete", "b")
        story.clear("b", "pre-delete")
        story.finish()
        story.verify_gone()


def test_what_cannot_be_cleared(tell: Teller) -> None:
    with tell() as story:
        hooked(story, "pre-create")
        story.create(CHAIN)
        waiting(story, "pre-create")
        with pytest.raises(
            BadHook, match='"pre-update" hook is not defined on Findable "t2" Stack'
        ):
            story.clear("t2", "pre-update")
        with pytest.raises(BadHook, match='"pre-create" hook is not defined on Findable "t1"'):
            story.clear("t1", "pre-create")
        with pytest.raises(BadHook, match='Invalid hook type "lunch" for Findable "t2"'):
            story.clear("t2", "lunch")
        with pytest.raises(NotFound):
            story.clear("t9", "pre-create")
        story.clear("t2", "pre-create")
        with pytest.raises(BadHook):
            story.clear("t2", "pre-create")
        story.finish()


def test_a_cleared_hook_is_not_met_again_after_a_crash(tell: Teller) -> None:
    """At whatever step the worker dies after the hook has been cleared."""
    for number in tell.steps():
        with tell(seed=number, workers=1) as story:
            hooked(story, "pre-create", "post-create")
            story.create(CHAIN)
            waiting(story, "pre-create")
            story.clear("t2", "pre-create")
            is_over = story.steps(number)
            if not is_over:
                is_over = story.waits_at("t2", "post-create")
            story.crash()
            story.start_worker()
            waiting(story, "post-create")
            story.clear("t2", "post-create")
            story.finish()
            story.verify(CHAIN, "CREATE_COMPLETE")
            asked = [reason for _, reason in reasons(story, "t2") if "paused" in reason]
            assert len(asked) == 2
            if is_over:
                assert number > 3, "there was nothing to interrupt"
                return


def test_an_update_overtakes_what_waits(tell: Teller) -> None:
    """The new template has no hooks: nothing waits any more, and nothing is left behind."""
    for hook in ("pre-create", "post-create"):
        with tell() as story:
            hooked(story, hook)
            story.create(CHAIN)
            waiting(story, hook)
            story.resources = {}
            story.update(OTHER)
            story.finish()
            story.verify(OTHER, "UPDATE_COMPLETE")


def test_an_update_that_overtakes_meets_the_hook_anew(tell: Teller) -> None:
    with tell() as story:
        hooked(story, "pre-create")
        story.create(CHAIN)
        waiting(story, "pre-create")
        story.update(OTHER)
        waiting(story, "pre-create")
        story.clear("t2", "pre-create")
        story.finish()
        story.verify(OTHER, "UPDATE_COMPLETE")


def test_a_hook_is_overtaken_at_every_step(tell: Teller) -> None:
    """An update without hooks comes while the node is on its way there, waits, or goes on."""

    def beginning(story: Story) -> None:
        hooked(story, "pre-create", "post-create")
        story.create(CHAIN)

    def interruption(story: Story) -> None:
        if story.waits_at("t2", "pre-create"):
            story.clear("t2", "pre-create")
            story.steps(40)
        if story.waits_at("t2", "post-create"):
            story.clear("t2", "post-create")
        story.resources = {}
        story.update(OTHER)

    with tell(seed=1) as story:
        beginning(story)
        waiting(story, "pre-create")
        longest = story.simulation.loop.steps + 20
    for number in tell.steps():
        if number > longest:
            return
        with tell(seed=number) as story:
            beginning(story)
            story.steps(number)
            interruption(story)
            story.finish()
            story.verify(OTHER, "UPDATE_COMPLETE")


@pytest.mark.parametrize("hook", ["pre-create", "post-create"])
def test_a_deletion_overtakes_what_waits(tell: Teller, hook: str) -> None:
    with tell() as story:
        hooked(story, hook)
        story.create(CHAIN)
        waiting(story, hook)
        story.delete()
        story.finish()
        story.verify_gone()


def test_a_deletion_overtakes_what_waits_inside(tell: Teller) -> None:
    with tell() as story:
        story.resources = {"b": {"c": {"hooks": "pre-create"}}}
        story.create(TREE)
        waiting(story, "pre-create", "c", inside="b")
        story.delete()
        story.finish()
        story.verify_gone()


def test_a_second_deletion_meets_the_hook_anew(tell: Teller) -> None:
    with tell() as story:
        hooked(story, "pre-delete")
        created(story)
        story.delete()
        waiting(story, "pre-delete")
        story.delete()
        waiting(story, "pre-delete")
        story.clear("t2", "pre-delete")
        story.finish()
        story.verify_gone()


@pytest.mark.parametrize("roll_back", [True, False])
def test_a_cancelled_update_does_not_wait(tell: Teller, roll_back: bool) -> None:
    with tell() as story:
        created(story)
        hooked(story, "pre-update")
        story.update(OTHER)
        waiting(story, "pre-update")
        story.cancel(roll_back)
        story.finish()
        if roll_back:
            story.verify(CHAIN, "ROLLBACK_COMPLETE")
        else:
            assert (story.status, story.state("t2")) == ("UPDATE_FAILED", "CREATE_COMPLETE")


def test_a_rollback_makes_and_deletes_without_hooks(tell: Teller) -> None:
    """It is there to get out of trouble."""
    with tell() as story:
        hooked(story, "pre-delete", "pre-create")
        story.create(CHAIN, rollback=True)
        waiting(story, "pre-create")
        story.failing("t3", "create")
        story.clear("t2", "pre-create")
        story.finish()
        assert story.status == "ROLLBACK_COMPLETE"
        assert story.versions == []


def test_the_failure_of_another_ends_the_waiting(tell: Teller) -> None:
    wanted = plan("""
        a() = "1"
        b() = "1"
    """)
    with tell() as story:
        hooked(story, "pre-create", name="a")
        story.failing("b", "create")
        story.create(wanted)
        story.finish()
        assert (story.status, story.state("a")) == ("CREATE_FAILED", "INIT_COMPLETE")
        story.working("b", "create")
        story.resources = {}
        story.update(wanted)
        story.finish()
        story.verify(wanted, "UPDATE_COMPLETE")


def test_a_time_out_ends_the_waiting(tell: Teller) -> None:
    with tell() as story:
        hooked(story, "pre-create")
        story.create(CHAIN, timeout=1)
        waiting(story, "pre-create")
        story.finish()
        assert (story.status, story.reason) == ("CREATE_FAILED", "Timed out")
        assert story.state("t2") == "INIT_COMPLETE"


def test_a_visit_meets_no_hooks(tell: Teller) -> None:
    with tell() as story:
        hooked(story, "pre-update", "post-update", "pre-delete")
        created(story)
        for action in (Action.SUSPEND, Action.RESUME, Action.CHECK):
            story.visit(action)
            story.finish()
            assert story.status == f"{action.value}_COMPLETE"


@pytest.mark.parametrize(
    ("old", "new", "restricted"),
    [(CHAIN, OTHER, "update"), (REPLACED, REPLACEMENT, "replace")],
)
def test_a_restricted_action_fails_before_anything_is_touched(
    tell: Teller, old: Plan, new: Plan, restricted: str
) -> None:
    """The resource is in order as before; without the change, or the restriction, all goes well."""
    with tell() as story:
        created(story, old)
        story.resources = {"t?": {"restricted_actions": restricted}}
        calls = len(story.cloud.calls)
        story.update(new)
        story.finish()
        words = f"{restricted} is restricted for resource."
        why = f"ResourceActionRestricted: resources.t2: {words}"
        assert (story.status, story.reason) == (
            "UPDATE_FAILED",
            f"Resource UPDATE failed: {why}",
        )
        assert reasons(story, "t2")[-1] == ("UPDATE_FAILED", words)
        assert story.state("t2") == "CREATE_COMPLETE"
        assert len(story.cloud.calls) == calls
        story.update(old)
        story.finish()
        story.verify(old, "UPDATE_COMPLETE")
        story.kept("t2")
        story.resources = {}
        story.update(new)
        story.finish()
        story.verify(new, "UPDATE_COMPLETE")


def test_a_refused_update_is_rolled_back_and_its_resource_stays(tell: Teller) -> None:
    with tell() as story:
        created(story)
        story.resources = {"t2": {"restricted_actions": ["update", "replace"]}}
        story.update(OTHER.changed('t1() = "Test2"'), rollback=True)
        story.finish()
        story.verify(CHAIN, "ROLLBACK_COMPLETE")
        story.kept("t1", "t2", "t3")
        story.quiet("t3")


def test_only_the_restricted_action_is_refused(tell: Teller) -> None:
    with tell() as story:
        created(story, REPLACED)
        story.resources = {"t2": {"restricted_actions": "update"}}
        story.update(REPLACEMENT)
        story.finish()
        story.verify(REPLACEMENT, "UPDATE_COMPLETE")


def test_a_restricted_resource_inside_a_stack(tell: Teller) -> None:
    with tell() as story:
        created(story, TREE)
        story.resources = {"b": {"c": {"restricted_actions": ["update", "replace"]}}}
        story.update(TREE.changed('a() = "y"'))
        story.finish()
        why = (
            "ResourceActionRestricted: resources.b.resources.c: update is restricted for resource."
        )
        assert story.reason == f"Resource UPDATE failed: {why}"
        story.resources = {}
        story.update(TREE.changed('a() = "y"'))
        story.finish()
        story.verify(TREE.changed('a() = "y"'), "UPDATE_COMPLETE")


def woken_by_mistake(story: Story, name: str) -> None:
    database = story.simulation.database
    database.transact(lambda connection: wake_version(connection, story.version(name).id))
    database.after_commit()


def test_what_is_woken_by_mistake_waits_on_and_is_asked_once(tell: Teller) -> None:
    """The hook may be cleared at any step on its way back to sleep."""
    for number in range(30):
        with tell(seed=number) as story:
            hooked(story, "pre-create")
            story.create(CHAIN)
            waiting(story, "pre-create")
            woken_by_mistake(story, "t2")
            assert not story.waits_at("t2", "pre-create")
            story.steps(number)
            assert story.made("t2") == 0
            story.clear("t2", "pre-create")
            story.finish()
            story.verify(CHAIN, "CREATE_COMPLETE")
            assert [reason for _, reason in reasons(story, "t2")][:3] == [
                "CREATE paused until Hook pre-create is cleared",
                "Hook pre-create is cleared",
                "state changed",
            ]
