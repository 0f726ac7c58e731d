"""Resources that call no provider end in the transaction that makes them ready."""

from itertools import islice, pairwise

from hotplate.testing import Plan, Story, plan
from tests.scenarios.tellers import Teller

LENGTH = 40


def chain(first: str, length: int = LENGTH) -> Plan:
    links = [f'R0:instant() = "{first}"']
    links += [f"R{each}:instant() = att R{each - 1}" for each in range(1, length)]
    return plan("\n".join(links))


def transactions(story: Story) -> int:
    return story.simulation.database.transactions


def in_order(story: Story, action: str, names: list[str]) -> None:
    for first, then in pairwise(names):
        story.order((first, f"{action}_COMPLETE"), (then, f"{action}_IN_PROGRESS"))


def test_a_chain_takes_few_transactions(tell: Teller) -> None:
    """Creation, change and deletion; each resource has its events, in the order of the chain."""
    names = [f"R{each}" for each in range(LENGTH)]
    with tell(workers=1) as story:
        before = transactions(story)
        story.create(chain("a"))
        story.finish()
        story.verify(chain("a"), "CREATE_COMPLETE")
        in_order(story, "CREATE", names)
        story.update(chain("b"))
        story.finish()
        story.verify(chain("b"), "UPDATE_COMPLETE")
        in_order(story, "UPDATE", names)
        story.delete()
        story.finish()
        story.verify_gone()
        in_order(story, "DELETE", names[::-1])
        assert transactions(story) - before < LENGTH


def mixed(first: str) -> Plan:
    """A chain in which one resource in the middle has an object."""
    return plan(f"""
        A:instant() = "{first}"
        B:instant() = att A
        C() = att B
        D:instant() = att C
        E:instant() = att D
    """)


def test_what_asks_a_provider_in_the_middle_of_a_chain_is_waited_for(tell: Teller) -> None:
    with tell() as story:
        story.cloud.hold("C", "create")
        story.create(mixed("x"))
        story.until(lambda: story.state("C") == "CREATE_IN_PROGRESS")
        assert story.state("B") == "CREATE_COMPLETE"
        assert story.state("D") == "INIT_COMPLETE"
        story.cloud.let_go("C", "create")
        story.finish()
        story.verify(mixed("x"), "CREATE_COMPLETE")


def test_a_failure_in_the_middle_of_a_chain_fails_the_stack_with_its_own_reason(
    tell: Teller,
) -> None:
    broken = chain("x", 6).changed('R3:instant(R2) = "refused"')
    with tell() as story:
        story.create(broken)
        story.finish()
        assert story.status == "CREATE_FAILED"
        assert "resources.R3: it may not be that" in story.reason
        assert [story.state(f"R{each}") for each in (2, 3, 4)] == [
            "CREATE_COMPLETE",
            "CREATE_FAILED",
            "INIT_COMPLETE",
        ]
        mended = chain("x", 6)
        story.update(mended)
        story.finish()
        story.verify(mended, "UPDATE_COMPLETE")


def test_a_chain_is_overtaken_at_any_step(tell: Teller) -> None:
    """The newer template counts, whatever of the older one was done by then."""

    def ending(story: Story) -> None:
        story.finish()
        story.verify(mixed("b"), "UPDATE_COMPLETE")

    tell.at_every_step(
        lambda story: story.create(mixed("a")), lambda story: story.update(mixed("b")), ending
    )


def test_a_worker_dies_at_any_step_of_a_chain(tell: Teller) -> None:
    for number in islice(tell.steps(), 30):
        with tell(seed=number) as story:
            story.create(mixed("a"))
            story.steps(number)
            story.crash()
            story.finish()
            story.verify(mixed("a"), "CREATE_COMPLETE")
