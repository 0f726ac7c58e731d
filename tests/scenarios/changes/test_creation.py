"""Creating, and changing one's mind while creating."""

from hotplate.testing import NOTHING, Fault, Story, plan
from tests.scenarios.plans import BASE
from tests.scenarios.tellers import Teller

WITH_F = BASE.changed("F(D, E)")


def test_basic_create(tell: Teller) -> None:
    """Resources are created in the order of their dependencies."""
    with tell() as story:
        story.create(BASE)
        story.finish()
        story.verify(BASE, "CREATE_COMPLETE")
        for first, then in ("AC", "BC", "CD", "CE"):
            story.order((first, "CREATE_COMPLETE"), (then, "CREATE_IN_PROGRESS"))
        assert story.news[0] == ("story", "CREATE_IN_PROGRESS")
        assert story.news[-1] == ("story", "CREATE_COMPLETE")
        assert len(story.versions) == 5


def test_disjoint_create(tell: Teller) -> None:
    """The stack is complete when all of its unconnected parts are."""
    parts = plan("""
        A()
        B()
        C(A) = "4alpha"
        D() = ref C
        E()
    """)
    with tell() as story:
        story.cloud.hold("B", "create")
        story.create(parts)
        story.until(lambda: story.state("D") == "CREATE_COMPLETE")
        assert story.status == "CREATE_IN_PROGRESS"
        story.cloud.let_go("B", "create")
        story.finish()
        story.verify(parts, "CREATE_COMPLETE")


def test_basic_create_rollback(tell: Teller) -> None:
    """A creation that fails with rollback on takes everything away in reverse order."""
    with tell() as story:
        story.failing("E", "create", Fault.REFUSED)
        story.create(BASE, rollback=True)
        story.finish()
        story.verify(NOTHING, "ROLLBACK_COMPLETE")
        states = [state for name, state in story.news if name == "story"]
        assert states[:3] == ["CREATE_IN_PROGRESS", "CREATE_FAILED", "ROLLBACK_IN_PROGRESS"]
        assert states[-1] == "ROLLBACK_COMPLETE"
        story.order(("C", "DELETE_COMPLETE"), ("A", "DELETE_IN_PROGRESS"))
        story.order(("C", "DELETE_COMPLETE"), ("B", "DELETE_IN_PROGRESS"))
        assert not story.cloud.objects


def test_basic_create_rollback_by_the_user(tell: Teller) -> None:
    """Rolled back by hand at any step, nothing is left and nothing begins any more."""

    def ending(story: Story) -> None:
        story.verify(NOTHING, "ROLLBACK_COMPLETE")
        since = story.news[story.news.index(("story", "ROLLBACK_IN_PROGRESS")) :]
        assert not [name for name, state in since if state == "CREATE_IN_PROGRESS"]

    tell.at_every_step(lambda story: story.create(BASE), Story.roll_back, ending)


def test_create_early_delete(tell: Teller) -> None:
    """Deleted while C is in creation: D and E never begin, and all goes in order."""
    with tell() as story:
        story.cloud.hold("C", "create")
        story.create(BASE)
        story.until(lambda: story.exists("C"))
        story.delete()
        story.cloud.let_go("C", "create")
        story.finish()
        story.verify_gone()
        assert not story.made("D")
        assert not story.made("E")
        story.order(("C", "DELETE_COMPLETE"), ("A", "DELETE_IN_PROGRESS"))


def test_create_early_delete_at_every_step(tell: Teller) -> None:
    tell.at_every_step(lambda story: story.create(BASE), Story.delete, Story.verify_gone)


def test_update_add_concurrent(tell: Teller) -> None:
    """An update during the creation takes over what is under way; nothing is made twice."""
    with tell() as story:
        story.cloud.hold("C", "create")
        story.create(BASE)
        story.until(lambda: story.exists("C"))
        story.update(WITH_F)
        story.cloud.let_go("C", "create")
        story.finish()
        story.verify(WITH_F, "UPDATE_COMPLETE")
        assert all(story.made(name) == 1 for name in "ABCDEF")
        states = [state for name, state, _ in story.events if name == "story"]
        assert "CREATE_COMPLETE" not in states
        assert "CREATE_FAILED" not in states


def test_update_add_concurrent_at_every_step(tell: Teller) -> None:
    def ending(story: Story) -> None:
        story.verify(WITH_F, "UPDATE_COMPLETE")
        assert all(story.made(name) == 1 for name in "ABCDEF")

    tell.at_every_step(lambda story: story.create(BASE), lambda story: story.update(WITH_F), ending)


def test_basic_update_delete(tell: Teller) -> None:
    """Created, updated meanwhile, deleted: everything goes in reverse order."""
    with tell() as story:
        story.create(BASE)
        story.until(lambda: story.state("C") == "CREATE_IN_PROGRESS")
        story.update(WITH_F)
        story.finish()
        story.delete()
        story.finish()
        story.verify_gone()
        for first, then in ("FD", "FE", "DC", "EC", "CA", "CB"):
            story.order((first, "DELETE_COMPLETE"), (then, "DELETE_IN_PROGRESS"))


def test_basic_update_delete_at_every_step(tell: Teller) -> None:
    def beginning(story: Story) -> None:
        story.create(BASE)
        story.steps(15)
        story.update(WITH_F)

    tell.at_every_step(beginning, Story.delete, Story.verify_gone)


def test_create_fail_sibling_completes(tell: Teller) -> None:
    """What runs beside a failure finishes; what has not begun stays as it is."""
    wanted = plan("""
        A()
        B()
        C(A, B)
    """)
    with tell() as story:
        story.cloud.hold("A", "create")
        story.failing("B", "create")
        story.create(wanted)
        story.until(lambda: story.status == "CREATE_FAILED")
        assert story.state("A") == "CREATE_IN_PROGRESS"
        story.cloud.let_go("A", "create")
        story.finish()
        assert story.state("A") == "CREATE_COMPLETE"
        assert story.state("C") == "INIT_COMPLETE"
        assert [state for name, state in story.news if name == "story"].count("CREATE_FAILED") == 1
        story.working("B", "create")
        story.update(wanted)
        story.finish()
        story.verify(wanted, "UPDATE_COMPLETE")
        story.kept("A")
        story.replaced("B")


def test_create_timeout(tell: Teller) -> None:
    """When its time is up, the stack fails, and what depends on the slow one never begins."""
    wanted = plan("""
        A()
        B(A)
    """)
    with tell() as story:
        story.cloud.hold("A", "create")
        story.create(wanted, timeout=1)
        story.finish()
        assert story.status == "CREATE_FAILED"
        assert story.reason == "Timed out"
        assert story.state("A") == "CREATE_FAILED"
        assert not story.made("B")
        story.cloud.let_go("A", "create")
        story.update(wanted)
        story.finish()
        story.verify(wanted, "UPDATE_COMPLETE")


def _told_ids(story: Story, name: str) -> list[tuple[str, str | None]]:
    rows = story.simulation.database.rows(
        "SELECT name, action, status, physical_id FROM event ORDER BY number"
    )
    return [(f"{row[1]}_{row[2]}", row[3]) for row in rows if row[0] == name]


def test_a_creation_without_an_answer_keeps_the_name_of_what_may_exist(tell: Teller) -> None:
    """Events tell how to find it, from the beginning of the creation to the end of the clean-up."""
    with tell() as story:
        story.failing("A", "create", Fault.LOST_REPLY)
        story.create(plan('A:untraceable() = "one"'))
        story.finish()
        story.delete()
        story.finish()
        told = _told_ids(story, "A")
        assert [state for state, _ in told] == [
            "CREATE_IN_PROGRESS", "CREATE_FAILED", "DELETE_IN_PROGRESS", "DELETE_COMPLETE",
        ]  # fmt: skip
        assert len({physical_id for _, physical_id in told}) == 1
        assert str(told[0][1]).startswith("story-A-")


def test_a_creation_that_is_aborted_keeps_it_as_well(tell: Teller) -> None:
    """Also if it is deleted before there was an answer; an id takes its place once it is known."""
    with tell() as story:
        story.cloud.behaviour.goes_on = lambda verb, name: verb == "create"
        story.create(plan('A:elsewhere() = "one"'))
        story.until(lambda: story.state("A") == "CREATE_IN_PROGRESS")
        story.until(lambda: story.version("A").cookie is not None)
        story.delete()
        story.finish()
        told = _told_ids(story, "A")
        assert [state for state, _ in told][:2] == ["CREATE_IN_PROGRESS", "CREATE_FAILED"]
        assert None not in [physical_id for _, physical_id in told]


def test_what_never_has_an_id_keeps_its_name(tell: Teller) -> None:
    """A wait condition is called by its physical name in all of its events."""
    with tell() as story:
        story.create(plan('W:condition() = "1" of H\nH:handle()'))
        story.until(lambda: story.state("W") == "CREATE_IN_PROGRESS")
        assert _told_ids(story, "W")[0][1] is not None
        story.delete()
        story.finish()
        assert len({physical_id for _, physical_id in _told_ids(story, "W")}) == 1
