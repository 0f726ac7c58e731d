"""Wide and deep stacks, conditions, outputs, and dependencies that turn round."""

from dataclasses import replace

from hotplate.testing import Plan, plan
from tests.scenarios.plans import REPL
from tests.scenarios.tellers import Teller


def test_condition_disable_enable(tell: Teller) -> None:
    """Switched off, X goes and Y stays; switched on, there is a new X."""
    on = replace(
        plan("""
            X()
            Y(X)
        """),
        extra={
            "parameters": {"on": {"type": "boolean", "default": True}},
            "conditions": {"is_on": {"get_param": "on"}},
        },
        conditions={"X": "is_on"},
    )
    off = replace(on, disabled=frozenset("X"))
    with tell() as story:
        story.create(on)
        story.finish()
        story.update(off, on=False)
        story.finish()
        story.verify(off, "UPDATE_COMPLETE")
        story.kept("Y")
        story.update(on, on=True)
        story.finish()
        story.verify(on, "UPDATE_COMPLETE")
        story.kept("Y")
        assert story.made("X") == 2


def test_outputs_follow_update(tell: Teller) -> None:
    """When the update is complete, outputs show the new values."""
    outputs = {"c": {"value": {"get_attr": ["C", "value"]}}, "d": {"value": {"get_resource": "C"}}}
    first = replace(REPL, extra={"outputs": outputs})
    with tell() as story:
        story.create(first)
        story.finish()
        story.update(first.changed('A() = "updated"'))
        story.finish()
        shown = story.simulation.answer(lambda ops: ops.outputs(story.stack_id))
        assert shown == {"c": "updated", "d": story.ids["C"]}


def test_wide_fan_in(tell: Teller) -> None:
    """Twelve before one, and one after twelve."""
    sources = [f"S{number}" for number in range(12)]
    wide = plan("\n".join([*(f"{name}()" for name in sources), f"Z({', '.join(sources)})"]))
    with tell() as story:
        story.create(wide)
        story.finish()
        story.verify(wide, "CREATE_COMPLETE")
        for name in sources:
            story.order((name, "CREATE_COMPLETE"), ("Z", "CREATE_IN_PROGRESS"))
        story.delete()
        story.finish()
        story.verify_gone()
        for name in sources:
            story.order(("Z", "DELETE_COMPLETE"), (name, "DELETE_IN_PROGRESS"))


def _chain(value: str) -> Plan:
    links = [f"L{number}() = att L{number - 1}" for number in range(1, 12)]
    return plan("\n".join([f'L0() = "{value}"', *links]))


def test_deep_chain(tell: Teller) -> None:
    """A change at the end travels down twelve links in one update."""
    with tell() as story:
        story.create(_chain("first"))
        story.finish()
        story.update(_chain("second"))
        story.finish()
        story.verify(_chain("second"), "UPDATE_COMPLETE")
        story.kept(*(f"L{number}" for number in range(12)))


def test_dependencies_turned_round_do_not_make_a_stack_undeletable(tell: Teller) -> None:
    """B referred to A; then A depends on B, which keeps its value as a literal. Heat is stuck."""
    with tell() as story:
        story.create(plan('A() = "x"\nB() = att A'))
        story.finish()
        turned = plan('B() = "x"\nA(B) = "y"')
        story.update(turned)
        story.finish()
        story.verify(turned, "UPDATE_COMPLETE")
        story.kept("A", "B")
        story.quiet("B")
        story.delete()
        story.finish()
        story.verify_gone()
        story.order(("A", "DELETE_COMPLETE"), ("B", "DELETE_IN_PROGRESS"))


def test_a_chain_of_replacements_does_not_keep_a_stack_from_going_on(tell: Teller) -> None:
    """B1 needs A1, B2 replaces B1, A1 needs B2: the order of versions of one name gives way."""
    with tell() as story:
        story.create(plan('A() = "x"\nB() = ! att A'))
        story.finish()
        story.cloud.hold("A", "update")
        story.update(plan('B() = ! "n"\nA(B) = "y"'))
        story.until(lambda: story.state("A") == "UPDATE_IN_PROGRESS")
        story.delete()
        story.finish()
        story.verify_gone()
