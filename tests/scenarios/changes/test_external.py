"""Objects of somebody else: handed over, switched and returned, interrupted at every step.

That nobody touches them meanwhile is an invariant, checked after every step of every story.
"""

from hotplate.model import Action
from hotplate.testing import Fault, Plan, Story, plan
from tests.scenarios.tellers import Teller

OURS = plan("""
    A() = "a"
    B(A) = att A
""")


def theirs(object_id: str) -> Plan:
    return plan(f"""
        A@{object_id}() = "a"
        B(A) = att A
    """)


def created(story: Story, wanted: Plan = OURS) -> str:
    story.create(wanted)
    story.finish()
    return story.ids["A"] or ""


def crashed(story: Story) -> None:
    story.crash()
    story.start_worker()


def test_hand_over_crashed_at_every_step(tell: Teller) -> None:
    for number in tell.steps():
        with tell(seed=number) as story:
            own = created(story)
            story.update(theirs(own))
            ended = story.steps(number)
            crashed(story)
            story.finish()
            story.verify(theirs(own), "UPDATE_COMPLETE")
            story.kept("A", "B")
            assert story.cloud.count("update", "A") == 0
            story.delete()
            story.finish()
            assert list(story.cloud.objects) == [own]
            if ended:
                break


def test_switch_crashed_at_every_step(tell: Teller) -> None:
    """The managed object goes, after its dependants have moved; the other one is untouched."""
    for number in tell.steps():
        with tell(seed=number) as story:
            own = created(story)
            other = story.external.make("x").id
            story.update(theirs(other))
            ended = story.steps(number)
            crashed(story)
            story.finish()
            story.verify(theirs(other), "UPDATE_COMPLETE")
            assert own not in story.cloud.objects
            story.order(("A", "CHECK_COMPLETE"), ("B", "UPDATE_COMPLETE"))
            story.order(("B", "UPDATE_COMPLETE"), ("A", "DELETE_IN_PROGRESS"))
            if ended:
                break


def test_return_crashed_at_every_step(tell: Teller) -> None:
    for number in tell.steps():
        with tell(seed=number) as story:
            other = story.external.make("x").id
            created(story, theirs(other))
            story.update(OURS)
            ended = story.steps(number)
            crashed(story)
            story.finish()
            story.verify(OURS, "UPDATE_COMPLETE")
            story.kept("A")
            assert story.ids["A"] == other
            assert story.made("A") == 0
            story.delete()
            story.finish()
            story.verify_gone()
            if ended:
                break


def test_return_of_what_is_gone_crashed_at_every_step(tell: Teller) -> None:
    """A new object is made, once, and its dependants move to it."""
    for number in tell.steps():
        with tell(seed=number) as story:
            other = story.external.make("x").id
            created(story, theirs(other))
            story.external.remove(other)
            story.update(OURS)
            ended = story.steps(number)
            crashed(story)
            story.finish()
            story.verify(OURS, "UPDATE_COMPLETE")
            assert story.made("A") == 1
            assert story.ids["A"] != other
            story.delete()
            story.finish()
            story.verify_gone()
            if ended:
                break


def test_a_resource_of_the_stack_reads_what_another_one_manages(tell: Teller) -> None:
    """It follows its manager to a new object if it is referred to, and minds nothing otherwise."""
    with tell() as story:
        own = created(story)
        both = plan(f"""
            A() = "a"
            B(A) = att A
            R@{own}()
        """)
        story.update(both)
        story.finish()
        story.verify(both, "UPDATE_COMPLETE")
        story.update(both.changed('A() = ! "b"'))
        story.finish()
        assert story.status == "UPDATE_COMPLETE"
        assert own not in story.cloud.objects
        assert story.version("R").is_external
        story.visit(Action.CHECK)
        story.finish()
        assert story.status == "CHECK_FAILED"
        story.delete()
        story.finish()
        story.verify_gone()


def test_hand_over_of_what_is_being_changed(tell: Teller) -> None:
    """An update is overtaken by a hand-over at every step; what had begun is not repeated."""

    def beginning(story: Story) -> None:
        created(story)
        story.update(OURS.changed('A() = "b"'))

    def interruption(story: Story) -> None:
        story.update(theirs(story.ids["A"] or ""))
        crashed(story)

    tell.at_every_step(
        beginning,
        interruption,
        lambda story: story.verify(theirs(story.ids["A"] or ""), "UPDATE_COMPLETE"),
    )


def test_return_overtaken_by_another_hand_over(tell: Teller) -> None:
    """Somebody changes their mind: at every step the object may be theirs again."""
    for number in tell.steps():
        with tell(seed=number) as story:
            other = story.external.make("x").id
            created(story, theirs(other))
            story.update(OURS)
            ended = story.steps(number)
            story.update(theirs(other))
            crashed(story)
            story.finish()
            story.verify(theirs(other), "UPDATE_COMPLETE")
            story.delete()
            story.finish()
            assert list(story.cloud.objects) == [other]
            if ended:
                break


def test_a_stack_deleted_while_an_object_returns_leaves_it(tell: Teller) -> None:
    """Until it has returned it is not ours; from then on it is, and goes with the stack."""
    for number in tell.steps():
        with tell(seed=number) as story:
            other = story.external.make("x").id
            created(story, theirs(other))
            story.update(OURS)
            ended = story.steps(number)
            story.delete()
            crashed(story)
            story.finish()
            assert story.is_gone
            if ended:
                assert not story.cloud.objects
                break
            assert set(story.cloud.objects) <= {other}


def test_a_return_that_fails_stays_external_and_can_be_tried_again(tell: Teller) -> None:
    for verb in ("adopt", "update"):
        for fault in (Fault.REFUSED, Fault.LOST_REPLY, Fault.BREAKS):
            with tell() as story:
                other = story.external.make("x").id
                created(story, theirs(other))
                story.failing("A", verb, fault)
                story.update(OURS)
                story.finish()
                if fault is Fault.BREAKS and verb == "adopt":
                    story.cloud.objects[other].is_broken = False
                assert story.status == "UPDATE_FAILED"
                assert story.version("A").relation == "lent"
                story.working("A", verb)
                story.cloud.objects[other].is_broken = False
                story.update(OURS)
                story.finish()
                story.verify(OURS, "UPDATE_COMPLETE")
                assert story.ids["A"] == other


def test_a_rollback_takes_back_what_was_handed_over(tell: Teller) -> None:
    with tell() as story:
        own = created(story)
        story.failing("C", "create")
        story.update(theirs(own).changed("C(A)"), rollback=True)
        story.finish()
        story.verify(OURS, "ROLLBACK_COMPLETE")
        story.kept("A", "B")


def test_a_rollback_takes_nothing_that_was_never_managed(tell: Teller) -> None:
    """Ours was deleted before something else failed: a new one is made."""
    with tell() as story:
        created(story)
        other = story.external.make("x").id
        story.cloud.hold("C", "create")
        story.update(theirs(other).changed("C(A)"), rollback=True)
        story.until(lambda: story.exists("C") and not story.cloud.named("A"))
        story.cloud.named("C")[0].is_broken = True
        story.cloud.let_go("C", "create")
        story.finish()
        story.verify(OURS, "ROLLBACK_COMPLETE")
        story.replaced("A")
        assert other in story.cloud.objects


def test_inside_a_stack_a_rollback_takes_nothing_that_was_never_managed(tell: Teller) -> None:
    """A stack inside is told to go back by an update, and knows all the same."""
    with tell() as story:
        outer = plan("S()").holding("S", plan('A() = "a"'))
        other = story.external.make("x").id
        story.create(outer)
        story.finish()
        story.failing("C", "create")
        moved = plan("S()\nC(S)").holding("S", plan(f"A@{other}()"))
        story.update(moved, rollback=True)
        story.finish()
        story.verify(outer, "ROLLBACK_COMPLETE")
        assert other in story.cloud.objects


def test_a_missing_object_changes_nothing(tell: Teller) -> None:
    with tell() as story:
        own = created(story)
        story.update(theirs("object-0"))
        story.finish()
        assert story.status == "UPDATE_FAILED"
        assert story.version("A").relation == "kept"
        story.update(OURS)
        story.finish()
        story.verify(OURS, "UPDATE_COMPLETE")
        assert story.ids["A"] == own
        assert story.cloud.count("update", "A") == 0


def test_back_to_the_object_that_was_to_be_deleted(tell: Teller) -> None:
    """A switch is overtaken by the wish to keep the old object: it is kept if it is still there."""
    for number in tell.steps():
        with tell(seed=number) as story:
            own = created(story)
            other = story.external.make("x").id
            story.update(theirs(other))
            ended = story.steps(number)
            going = own not in story.cloud.objects or story.cloud.objects[own].is_going
            begun = ("A", "DELETE_IN_PROGRESS") in story.news
            story.update(theirs(own))
            story.finish()
            if going or begun:
                assert story.status == "UPDATE_FAILED"
            elif story.status == "UPDATE_COMPLETE":
                story.verify(theirs(own), "UPDATE_COMPLETE")
            else:
                assert own not in story.cloud.objects
            assert other in story.cloud.objects
            if ended:
                break


def test_visits_leave_it_alone(tell: Teller) -> None:
    with tell() as story:
        other = story.external.make("x").id
        created(story, theirs(other))
        for action in (Action.SUSPEND, Action.RESUME, Action.CHECK):
            story.visit(action)
            story.finish()
            assert story.status == f"{action.value}_COMPLETE"
        assert story.cloud.count("suspend", "A") == 0
        assert story.cloud.count("suspend", "B") == 1
        story.update(OURS)
        story.finish()
        story.verify(OURS, "UPDATE_COMPLETE")
