"""Each requirement of the seed document, by its number.

T21, the documentation of the algorithm, is checked for its presence. T22 is the folder itself.
"""
# ruff: noqa: N802 (the requirements are numbered with a capital T)

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.operations import Operations
from hotplate.engine.traversal import begin
from hotplate.model import Action, Status, Task, Version
from hotplate.plan.choose import choose
from hotplate.plan.prepare import prepare
from hotplate.store.large.survey import survey as survey_in_database
from hotplate.testing import NOTHING, Plan, Request, Story, plan
from hotplate.testing.invariants import NodeRow
from tests.scenarios.plans import BASE, REPL
from tests.scenarios.tellers import Teller
from tests.simulation.templates import random_plan

UPDATED = REPL.changed('A() = "updated"')
SCENARIOS = """
    basic_create disjoint_create basic_create_rollback create_early_delete update_add_concurrent
    basic_update_delete update_add update_add_rollback update_add_rollback_early update_remove
    update_remove_rollback update_replace update_replace_missed_cleanup update_replace_rollback
    update_user_replace update_user_replace_rollback no_change_update
    concurrent_update_after_create concurrent_update_failed_create
    cancel_update_without_rollback cancel_when_idle mark_unhealthy_replace update_fail_then_fix
    update_fail_auto_rollback replace_fail_manual_rollback replace_fail_auto_rollback
    create_fail_sibling_completes delete_during_update update_while_deleting
    condition_disable_enable outputs_follow_update wide_fan_in deep_chain nested_update
    create_timeout
"""


def created(story: Story, wanted: Plan) -> None:
    story.create(wanted)
    story.finish()


def interrupted_replacement(story: Story) -> None:
    """C#2 exists beside C#1, and E has not moved yet."""
    created(story, REPL)
    story.cloud.hold("E", "update")
    story.update(UPDATED)
    story.until(lambda: story.state("D") == "UPDATE_COMPLETE")


def nodes(story: Story) -> list[NodeRow]:
    """The nodes of the current traversal."""
    now = story.simulation.invariants.now
    sequence = now.stacks[story.stack_id].sequence
    return [node for node in now.nodes.values() if node.sequence == sequence]


def version(number: int, name: str, **facts: Any) -> Version:
    known: dict[str, Any] = {
        "uuid": str(number),
        "stack_id": "s",
        "root_id": "s",
        "type": "T",
        "action": Action.CREATE,
        "status": Status.COMPLETE,
        "owner": 1,
        "recipe": "old",
        "created_at": float(number),
    }
    return Version(id=number, name=name, **(known | facts))


def test_T1_the_graph_covers_all_extant_versions(tell: Teller) -> None:
    with tell() as story:
        interrupted_replacement(story)
        extant = {v.id for v in story.versions}
        story.update(UPDATED.changed('A() = "third"'))
        cleaned = {node.version_id for node in nodes(story) if node.task == "cleanup"}
        settled = {v.id for v in story.versions if v.owner == nodes(story)[0].sequence}
        assert extant <= cleaned | settled
        assert len([v for v in story.versions if v.name == "C"]) == 2


def test_T2_every_operation_begins_from_what_the_database_holds(
    tell: Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    original = survey_in_database

    def survey(connection: Connection, stack_id: str) -> list[Version]:
        read.append(stack_id)
        return original(connection, stack_id)

    monkeypatch.setattr(begin, "survey", survey)
    with tell() as story:
        created(story, BASE)
        story.update(UPDATED)
        story.finish()
        story.roll_back()
        story.finish()
        story.delete()
        assert read == [story.stack_id] * 4


def test_T3_the_most_up_to_date_version_in_a_valid_state_is_chosen() -> None:
    healthy = version(1, "C", replaced_by=2)
    failed = version(2, "C", status=Status.FAILED, recipe="new", replaces=1)
    going = version(3, "C", action=Action.DELETE, recipe="new")
    target = version(4, "C", recipe="target", created_at=0.0)
    assert choose([healthy, failed, going], "new", "newer") is healthy
    assert choose([failed, going], "new", "newer") is failed
    assert choose([healthy, target], "old", "target") is target
    assert choose([version(5, "C"), version(6, "C")], "old", "new") == version(6, "C")


def test_T4_a_row_is_made_for_what_has_no_version(tell: Teller) -> None:
    with tell() as story:
        created(story, BASE)
        story.update(BASE.changed("F()"))
        assert story.state("F") == "INIT_COMPLETE"


@pytest.mark.parametrize("seed", range(10))
def test_T5_updates_visit_in_the_order_of_dependencies(tell: Teller, seed: int) -> None:
    with tell(seed) as story:
        wanted = random_plan(story.simulation.random)
        created(story, wanted)
        for name, thing in wanted.things.items():
            for other in {*thing.needs, *filter(None, [thing.other])}:
                story.order((other, "CREATE_COMPLETE"), (name, "CREATE_IN_PROGRESS"))


@pytest.mark.parametrize("seed", range(10))
def test_T6_cleanup_visits_all_versions_in_reverse_order(tell: Teller, seed: int) -> None:
    with tell(seed) as story:
        wanted = random_plan(story.simulation.random)
        created(story, wanted)
        story.delete()
        story.finish()
        story.verify_gone()
        for name, thing in wanted.things.items():
            for other in {*thing.needs, *filter(None, [thing.other])}:
                story.order((name, "DELETE_COMPLETE"), (other, "DELETE_IN_PROGRESS"))


def test_T7_cleanup_of_every_version_waits_for_the_update_of_its_name() -> None:
    versions = [version(1, "C", replaced_by=2), version(2, "C", replaces=1, recipe="middle")]
    prepared = prepare(versions, {"C": ()}, "middle", "new", {}, lambda name, chosen: False)
    (update,) = [node for node in prepared.nodes if node.task is Task.UPDATE]
    cleanups = [node for node in prepared.nodes if node.task is Task.CLEANUP]
    assert {node.version_id for node in cleanups} == {1, 2}
    assert {node.position for node in cleanups} <= set(update.successors)


def traversal_of(story: Story) -> str:
    rows = story.simulation.database.rows("SELECT id, traversal FROM stack")
    return str(dict(rows)[story.stack_id])


def test_T8_each_operation_has_a_traversal_id_of_its_own(tell: Teller) -> None:
    with tell() as story:
        seen = []
        story.create(BASE)
        seen.append(traversal_of(story))
        story.update(BASE.changed("F()"))
        seen.append(traversal_of(story))
        story.roll_back()
        seen.append(traversal_of(story))
        story.delete()
        seen.append(traversal_of(story))
        assert len(set(seen)) == 4
        assert all(len(each) == 36 for each in seen)


def test_T9_there_is_one_sync_point_for_each_node(tell: Teller) -> None:
    with tell() as story:
        story.create(BASE)
        assert sorted(node.name for node in nodes(story)) == sorted(BASE.things)
        story.finish()
        story.update(REPL)
        keys = [(node.version_id, node.task) for node in nodes(story)]
        assert len(keys) == len(set(keys))


def test_T10_the_stacks_own_sync_point_counts_what_is_to_come(tell: Teller) -> None:
    """The invariants check it after every transaction; here, that it ends at zero."""
    with tell() as story:
        story.create(BASE)
        stack = story.simulation.invariants.now.stacks[story.stack_id]
        assert (stack.need, stack.update_need) == (5, 5)
        story.finish()
        stack = story.simulation.invariants.now.stacks[story.stack_id]
        assert (stack.need, stack.status) == (0, "COMPLETE")


def test_T11_the_graph_has_the_edges_of_the_prototype() -> None:
    a, b = version(1, "A"), version(2, "B", requires=[1])
    c1, c2 = version(3, "C", requires=[2], replaced_by=4), version(4, "C", replaces=3)
    requires = {"A": (), "B": ("A",), "C": ("B",)}
    prepared = prepare([a, b, c1, c2], requires, "old", "new", {}, lambda name, chosen: False)
    place = {(node.version_id, node.task): node for node in prepared.nodes}

    def waits(then: tuple[int, Task], first: tuple[int, Task]) -> bool:
        return place[then].position in place[first].successors

    assert waits((2, Task.UPDATE), (1, Task.UPDATE))
    assert waits((1, Task.CLEANUP), (1, Task.UPDATE))
    assert waits((1, Task.CLEANUP), (2, Task.CLEANUP))
    assert waits((2, Task.CLEANUP), (3, Task.CLEANUP))
    assert waits((3, Task.CLEANUP), (4, Task.CLEANUP))
    update_of_c = next(
        node for node in prepared.nodes if (node.name, node.task) == ("C", Task.UPDATE)
    )
    assert {place[3, Task.CLEANUP].position, place[4, Task.CLEANUP].position} <= set(
        update_of_c.successors
    )


def race(story: Story, number: int) -> list[Request]:
    """So many updates at the same time."""
    requests = []
    for at in range(number):
        wanted = REPL.changed(f'A() = "{at}"').changed(f"N{at}()")
        recipe = Recipe(wanted.hot())

        def ask(operations: Operations, recipe: Recipe = recipe) -> Any:
            return operations.update(story.stack_id, recipe)

        requests.append(story.simulation.ask(f"update {at}", ask, wanted))
    return requests


@pytest.mark.parametrize("seed", range(20))
def test_T12_T13_T14_T15_racing_updates_are_applied_one_after_the_other(
    tell: Teller, seed: int
) -> None:
    """All are accepted; the last accepted one is what the stack becomes; no row is left over."""
    with tell(seed) as story:
        created(story, REPL)
        requests = race(story, 6)
        story.until(lambda: all(request.is_over for request in requests))
        assert [request.error for request in requests] == [None] * 6
        assert all(request.accepted for request in requests)
        sequences = {node.sequence for node in nodes(story)}
        waiting = [
            n for n in story.simulation.invariants.now.nodes.values() if n.state == "waiting"
        ]
        assert {node.sequence for node in waiting} <= sequences
        story.finish()
        last = story.simulation.accepted[-1]
        assert last.plan is not None
        story.verify(last.plan, "UPDATE_COMPLETE")


def test_T13_T14_T20_a_loser_leaves_nothing(tell: Teller, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of the preparation is one transaction: it happens, or nothing of it does."""

    def no_event(*_: Any) -> None:
        raise RuntimeError("the last statement of the preparation fails")

    with tell() as story:
        created(story, BASE)
        before = story.simulation.invariants.now
        with monkeypatch.context() as patch:
            patch.setattr(begin, "insert_events", no_event)
            with pytest.raises(RuntimeError, match="the last statement"):
                story.update(UPDATED.changed("F()"))
        story.simulation.invariants.after_commit()
        assert story.simulation.invariants.now == before
        story.update(UPDATED)
        story.finish()
        story.verify(UPDATED, "UPDATE_COMPLETE")


def test_T16_a_crash_while_preparing_leaves_a_state_to_go_on_from(tell: Teller) -> None:
    """The process that accepts the update dies at any of its steps."""
    for number in tell.steps():
        with tell(seed=number) as story:
            created(story, REPL)
            process = story.workers[1]
            recipe = Recipe(UPDATED.hot())
            stack_id = story.stack_id

            def ask(operations: Operations, at: str = stack_id, recipe: Recipe = recipe) -> Any:
                return operations.update(at, recipe)

            request = story.simulation.ask("update", ask, UPDATED, process)
            story.steps(number)
            was_answered = request.is_over
            process.crash()
            story.finish()
            wanted = UPDATED if request.accepted else REPL
            assert story.status in ("UPDATE_COMPLETE", "CREATE_COMPLETE")
            story.simulation.invariants.fulfilled(story.stack_id, wanted)
            if was_answered:
                assert number > 3
                return


def test_T17_a_superseded_traversal_changes_neither_the_status_nor_begins_anything(
    tell: Teller,
) -> None:
    with tell() as story:
        story.cloud.hold("A", "create")
        story.create(BASE)
        story.until(lambda: story.exists("A"))
        story.update(BASE.without("C", "D", "E"))
        story.cloud.named("A")[0].is_broken = True
        story.cloud.let_go("A", "create")
        story.finish()
        assert story.status == "UPDATE_COMPLETE"
        assert not story.made("C")
        states = [state for name, state, _ in story.events if name == "story"]
        assert "CREATE_FAILED" not in states


@pytest.mark.parametrize("operation", ["create", "update", "delete"])
def test_T18_interrupted_traversals_go_on_after_a_restart(tell: Teller, operation: str) -> None:
    """The only worker dies at any step; another one is started and brings it to its end."""
    for number in tell.steps():
        with tell(seed=number, workers=1) as story:
            if operation != "create":
                created(story, REPL)
            if operation == "create":
                story.create(REPL)
            elif operation == "update":
                story.update(UPDATED)
            else:
                story.delete()
            was_over = story.steps(number)
            story.crash()
            story.start_worker()
            story.finish()
            if operation == "delete":
                story.verify_gone()
            else:
                wanted = REPL if operation == "create" else UPDATED
                story.verify(wanted, f"{operation.upper()}_COMPLETE")
                assert story.made("C") == (1 if operation == "create" else 2)
            if was_over:
                return


def test_T19_the_end_of_the_update_portion_is_an_event_of_its_own(tell: Teller) -> None:
    with tell() as story:
        created(story, REPL)
        story.update(UPDATED)
        story.finish()
        reasons = [reason for name, _, reason in story.events if name == "story"]
        told = [at for at, reason in enumerate(reasons) if "all resources are up to date" in reason]
        assert len(told) == 1
        place = [reason for _, _, reason in story.events].index(reasons[told[0]])
        after = story.events[place:]
        assert ("C", "DELETE_IN_PROGRESS") in [(name, state) for name, state, _ in after]
        assert after[0][1] == "UPDATE_IN_PROGRESS"


def test_T21_the_algorithm_is_documented() -> None:
    pages = Path(__file__).resolve().parents[3] / "docs"
    assert (pages / "convergence.md").exists()


def test_T22_all_scenarios_of_the_prototype_are_told_here() -> None:
    told = "".join(
        path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].rglob("test_*.py")
    )
    for name in SCENARIOS.split():
        assert f"def test_{name}(" in told, name


def test_nothing_needs_a_running_loop(tell: Teller) -> None:
    """A simulation leaves no loop behind, whatever was told before."""
    with tell() as story:
        story.create(NOTHING)
        story.finish()
        story.verify(NOTHING, "CREATE_COMPLETE")
    with pytest.raises(RuntimeError):
        asyncio.get_running_loop()


def test_small_plans_read_as_they_are_written() -> None:
    assert str(plan("C:repeatable(A, B) = ! att A\nD() = ref C")) == (
        "C:repeatable(A, B) = ! att A; D() = ref C"
    )
