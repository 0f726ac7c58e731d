"""Progress: what events make of plans and trees, and which lines of it are shown."""

from dataclasses import replace
from typing import Any

import pytest

from hotplate.cli.durations import Durations
from hotplate.cli.progress import Progress, State, told_sums
from hotplate.cli.view.rows import rows_of
from hotplate.client.happenings import Happening

NUMBER = iter(range(10**9))


def event(stack: str, name: str, state: str, physical: str = "", kind: str = "T") -> Happening:
    action, _, status = state.partition("_")
    return Happening(
        id=str(next(NUMBER)),
        at="2026-01-01T00:00:00Z",
        stack_id=stack,
        stack_name=f"name-{stack}",
        name=name,
        type=kind,
        action=action,
        status=status,
        reason="state changed",
        physical_id=physical,
    )


def resource(name: str, status: str, **more: Any) -> dict[str, Any]:
    return {"resource_name": name, "resource_status": status, "resource_type": "T", **more}


def creation(*paths: tuple[str, ...]) -> Progress:
    progress = Progress("root", "app", "CREATE", 0.0)
    progress.plan((path, "T", True) for path in paths)
    return progress


def test_sums_go_up_through_all_stacks() -> None:
    progress = creation(("a",), ("s",), ("s", "x"), ("s", "y"))
    assert told_sums(progress.top.sums) == "4 waiting"
    progress.happened(event("root", "s", "CREATE_IN_PROGRESS", "name-inner"), 1.0)
    # The stack inside is known by its name before anybody has told its id.
    progress.happened(event("inner", "x", "CREATE_IN_PROGRESS"), 2.0)
    progress.happened(event("inner", "x", "CREATE_COMPLETE"), 5.0)
    progress.happened(event("inner", "y", "CREATE_FAILED"), 5.0)
    inside = progress.item(("s",))
    assert inside is not None
    assert told_sums(inside.sums) == "1 done, 1 failed"
    assert told_sums(progress.top.sums) == "1 done, 1 running, 1 failed, 1 waiting"
    assert (progress.finished, progress.total) == (1, 4)
    item = progress.item(("s", "x"))
    assert item is not None
    assert item.took == pytest.approx(3.0)
    assert list(progress.failed) == [("s", "y")]


def test_a_stack_that_nobody_has_told_of_has_no_place() -> None:
    progress = creation(("s",))
    stranger = event("inner", "x", "CREATE_COMPLETE")
    assert not progress.knows(stranger)
    assert progress.happened(stranger, 0.0) is None
    child = {"id": "inner", "resources": [resource("x", "INIT_COMPLETE")]}
    progress.tree(
        {"id": "root", "resources": [resource("s", "CREATE_IN_PROGRESS", stack=child)]}, 0
    )
    assert progress.path_of(stranger) == ("s", "x")


def test_an_old_version_that_goes_does_not_undo_what_was_done() -> None:
    progress = Progress("root", "app", "UPDATE", 0.0)
    progress.plan([(("a",), "T", True), (("b",), "T", False)])
    progress.happened(event("root", "a", "CREATE_IN_PROGRESS"), 0.0)
    progress.happened(event("root", "a", "CREATE_COMPLETE"), 1.0)
    item = progress.happened(event("root", "a", "DELETE_IN_PROGRESS"), 1.0)
    assert item is not None
    assert (item.state, item.clearing) == (State.DONE, True)
    progress.happened(event("root", "a", "DELETE_COMPLETE"), 2.0)
    assert (item.state, item.clearing) == (State.DONE, False)
    assert told_sums(progress.top.sums) == "1 done"
    gone = progress.happened(event("root", "c", "DELETE_IN_PROGRESS"), 2.0)
    assert gone is not None
    assert gone.state is State.RUNNING


def test_a_tree_alone_tells_where_a_deletion_is() -> None:
    progress = Progress("root", "app", "DELETE", 0.0)
    progress.tree(
        {
            "id": "root",
            "resources": [
                resource("gone", "DELETE_COMPLETE"),
                resource("going", "DELETE_IN_PROGRESS"),
                resource("next", "CREATE_COMPLETE"),
            ],
        },
        0.0,
    )
    assert told_sums(progress.top.sums) == "1 done, 1 running, 1 waiting"


def test_a_rollback_begins_anew() -> None:
    progress = creation(("a",), ("b",))
    progress.happened(event("root", "a", "CREATE_FAILED"), 0.0)
    progress.restart("ROLLBACK", 1.0)
    assert (progress.total, progress.failed, progress.running) == (0, {}, {})
    progress.happened(event("root", "a", "DELETE_IN_PROGRESS"), 1.0)
    assert "a" in progress.top.children
    assert progress.action == "ROLLBACK"


def test_everything_is_shown_if_it_fits() -> None:
    progress = creation(("a",), ("s",), ("s", "x"))
    assert [(row.depth, row.item.name) for row in rows_of(progress, 3) if row.item] == [
        (0, "a"),
        (0, "s"),
        (1, "x"),
    ]


def large() -> Progress:
    """A hundred stacks with a hundred resources each, in which a few things go on."""
    progress = creation(
        *((f"s{number}",) for number in range(100)),
        *((f"s{number}", f"r{inner}") for number in range(100) for inner in range(100)),
    )
    for number in range(100):
        progress.happened(event("root", f"s{number}", "CREATE_IN_PROGRESS", f"name-{number}"), 0.0)
    for inner in range(50):
        progress.happened(event("7", f"r{inner}", "CREATE_COMPLETE"), 1.0)
        progress.happened(event("8", f"r{inner}", "CREATE_IN_PROGRESS"), 1.0 + inner)
    progress.happened(event("93", "r42", "CREATE_FAILED"), 2.0)
    return progress


@pytest.mark.parametrize("most", [4, 10, 18, 40])
def test_of_ten_thousand_the_failed_and_the_slow_are_shown_and_the_rest_in_sum(most: int) -> None:
    progress = large()
    rows = rows_of(progress, most)
    assert len(rows) <= most
    shown = [row.item.path for row in rows if row.item]
    assert ("s93", "r42") in shown
    if most >= 10:
        # The one that has been running the longest, after what failed.
        assert ("s8", "r0") in shown
        assert shown.index(("s93", "r42")) < shown.index(("s8", "r0"))
    counted = sum(1 for row in rows if row.item)
    rest = [row.rest for row in rows if not row.item]
    told = sum(int(each.split()[1].replace(",", "")) for each in rest)
    hidden = sum(
        row.item.sums.total()
        for row in rows
        if row.item and not any(row.item.path == path[:-1] for path in shown)
    )
    assert counted + told + hidden == 10_100


def test_the_rest_of_the_time_is_that_of_the_longest_chain() -> None:
    progress = Progress("root", "app", "CREATE", 0.0)
    progress.tree(
        {
            "id": "root",
            "resources": [
                resource("a", "INIT_COMPLETE", required_by=["b"]),
                resource("b", "INIT_COMPLETE", required_by=["c"]),
                resource("c", "INIT_COMPLETE"),
                resource("d", "INIT_COMPLETE"),
            ],
        },
        0.0,
    )
    durations = Durations({("T", "CREATE"): 10.0})
    assert durations.remaining(progress, 0.0) == pytest.approx(30.0)
    progress.happened(event("root", "a", "CREATE_IN_PROGRESS"), 0.0)
    assert durations.remaining(progress, 4.0) == pytest.approx(26.0)
    assert Durations().remaining(progress, 4.0) is None


def test_what_a_run_shows_is_learnt() -> None:
    progress = creation(("a",), ("b",))
    progress.happened(event("root", "a", "CREATE_IN_PROGRESS"), 0.0)
    progress.happened(event("root", "a", "CREATE_COMPLETE"), 4.0)
    durations = Durations()
    assert durations.remaining(progress, 4.0) == pytest.approx(4.0)
    assert durations.usual("T", "CREATE") == pytest.approx(4.0)


def test_there_is_no_guess_before_there_is_something_to_guess_from() -> None:
    progress = Progress("root", "app", "CREATE", 0.0)
    progress.plan([(("a",), "Quick", True), (("b",), "Unknown", True)])
    durations = Durations()
    progress.happened(event("root", "a", "CREATE_IN_PROGRESS", kind="Quick"), 0.0)
    progress.happened(event("root", "a", "CREATE_COMPLETE", kind="Quick"), 4.0)
    assert durations.remaining(progress, 4.0) is None
    progress.happened(event("root", "b", "CREATE_IN_PROGRESS", kind="Unknown"), 4.0)
    assert Durations({("Unknown", "CREATE"): 2.0}).remaining(progress, 5.0) == pytest.approx(1.0)
    # Nobody knows how long something will take that has taken longer than ever.
    assert Durations({("Unknown", "CREATE"): 2.0}).remaining(progress, 60.0) is None


def test_what_proved_unnecessary_is_done_at_the_end() -> None:
    progress = Progress("root", "app", "UPDATE", 0.0)
    progress.plan([(("a",), "T", True), (("s",), "S", True), (("s", "x"), "T", True)])
    progress.plan([(("same",), "T", False)])
    progress.happened(event("root", "a", "UPDATE_IN_PROGRESS"), 0.0)
    progress.happened(event("root", "a", "UPDATE_COMPLETE"), 1.0)
    assert (progress.finished, progress.total) == (1, 3)
    progress.settle()
    assert (progress.finished, progress.total) == (3, 3)
    inner, ran = progress.item(("s", "x")), progress.item(("a",))
    assert inner is not None
    assert ran is not None
    assert (inner.is_needless, ran.is_needless) == (True, False)


def test_a_circle_of_requirements_is_survived() -> None:
    progress = Progress("root", "app", "CREATE", 0.0)
    circle = [
        resource("a", "INIT_COMPLETE", required_by=["b"]),
        resource("b", "INIT_COMPLETE", required_by=["a"]),
    ]
    progress.tree({"id": "root", "resources": circle}, 0.0)
    assert Durations({("T", "CREATE"): 1.0}).remaining(progress, 0.0) is not None


def at_hook(name: str, state: str, reason: str) -> Happening:
    return replace(event("root", name, state), reason=reason)


def test_what_waits_at_a_hook_is_not_done() -> None:
    progress = creation(("a",), ("b",))
    progress.happened(
        at_hook("a", "INIT_COMPLETE", "CREATE paused until Hook pre-create is cleared"), 1.0
    )
    assert told_sums(progress.top.sums) == "2 waiting"
    assert [item.hook for item in progress.paused.values()] == ["pre-create"]
    progress.happened(at_hook("a", "INIT_COMPLETE", "Hook pre-create is cleared"), 2.0)
    assert (told_sums(progress.top.sums), progress.paused) == ("2 waiting", {})
    progress.happened(event("root", "a", "CREATE_IN_PROGRESS"), 2.0)
    progress.happened(event("root", "a", "CREATE_COMPLETE"), 3.0)
    assert told_sums(progress.top.sums) == "1 done, 1 waiting"


def test_what_waits_at_a_hook_after_its_action_is_done_when_that_is_cleared() -> None:
    progress = creation(("a",))
    progress.happened(event("root", "a", "CREATE_COMPLETE"), 1.0)
    progress.happened(
        at_hook("a", "CREATE_COMPLETE", "CREATE paused until Hook post-create is cleared"), 1.0
    )
    assert told_sums(progress.top.sums) == "1 waiting"
    progress.happened(at_hook("a", "CREATE_COMPLETE", "Hook post-create is cleared"), 2.0)
    assert told_sums(progress.top.sums) == "1 done"


def test_a_hook_that_was_met_before_anybody_looked_is_known_from_the_tree() -> None:
    progress = creation(("a",))
    tree = {"id": "root", "resources": [resource("a", "INIT_COMPLETE", hook="pre-create")]}
    progress.tree(tree, 1.0)
    assert list(progress.paused) == [("a",)]


def test_a_signal_does_not_end_what_runs() -> None:
    progress = creation(("a",))
    progress.happened(event("root", "a", "CREATE_IN_PROGRESS"), 1.0)
    progress.happened(event("root", "a", "SIGNAL_COMPLETE"), 2.0)
    assert told_sums(progress.top.sums) == "1 running"
