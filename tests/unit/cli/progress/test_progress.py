"""Progress: what events make of plans and trees, and which lines of it are shown."""

from dataclasses import replace
from typing import Any

import pytest

from hotplate.cli.progress.durations import Durations
from hotplate.cli.progress.progress import Progress, State, sums_text
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
    progress.plan((path, "T", "CREATE", ()) for path in paths)
    return progress


def test_sums_go_up_through_all_stacks() -> None:
    progress = creation(("a",), ("s",), ("s", "x"), ("s", "y"))
    assert sums_text(progress.top.sums) == "4 waiting"
    progress.happened(event("root", "s", "CREATE_IN_PROGRESS", "name-inner"), 1.0)
    # The stack inside is known by its name before anybody has told its id.
    progress.happened(event("inner", "x", "CREATE_IN_PROGRESS"), 2.0)
    progress.happened(event("inner", "x", "CREATE_COMPLETE"), 5.0)
    progress.happened(event("inner", "y", "CREATE_FAILED"), 5.0)
    inside = progress.item(("s",))
    assert inside is not None
    assert sums_text(inside.sums) == "1 done, 1 failed"
    assert sums_text(progress.top.sums) == "1 done, 1 running, 1 failed, 1 waiting"
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
    progress.plan([(("a",), "T", "REPLACE", ()), (("b",), "T", "", ())])
    progress.happened(event("root", "a", "CREATE_IN_PROGRESS"), 0.0)
    progress.happened(event("root", "a", "CREATE_COMPLETE"), 1.0)
    item = progress.happened(event("root", "a", "DELETE_IN_PROGRESS"), 1.0)
    assert item is not None
    assert (item.name, item.names, item.state) == ("a (old)", ("a",), State.RUNNING)
    new = progress.item(("a",))
    assert new is not None
    assert (new.state, new.doing, item.doing) == (State.DONE, "REPLACE", "DELETE")
    assert sums_text(progress.top.sums) == "1 done, 1 running"
    progress.happened(event("root", "a", "DELETE_COMPLETE"), 2.0)
    assert item.state is State.DONE
    assert sums_text(progress.top.sums) == "2 done"
    gone = progress.happened(event("root", "c", "DELETE_IN_PROGRESS"), 2.0)
    assert gone is not None
    assert gone.state is State.RUNNING


def updating(*resources: dict[str, Any]) -> Progress:
    """An update that begins on a stack with these resources."""
    progress = Progress("root", "app", "UPDATE", 0.0)
    document = {"id": "root", "updated_time": "2026-01-02T00:00:00Z", "resources": resources}
    progress.tree(document, 0.0)
    return progress


def made_before(name: str, object_id: str, **more: Any) -> dict[str, Any]:
    return resource(
        name,
        "CREATE_COMPLETE",
        physical_resource_id=object_id,
        creation_time="2026-01-01T00:00:00Z",
        **more,
    )


def test_whether_a_deletion_is_of_an_old_version_is_told_by_its_object() -> None:
    progress = updating(made_before("a", "one"), made_before("b", "two"))
    progress.happened(event("root", "a", "CREATE_IN_PROGRESS", "app-a"), 0.0)
    replaced = progress.item(("a",))
    assert replaced is not None
    assert (replaced.state, replaced.doing) == (State.RUNNING, "REPLACE")
    old = progress.happened(event("root", "a", "DELETE_IN_PROGRESS", "one"), 1.0)
    own = progress.happened(event("root", "b", "DELETE_IN_PROGRESS", "two"), 1.0)
    assert old is not None
    assert own is not None
    assert (old.dotted, own.dotted) == ("a (old)", "b")
    assert replaced.state is State.RUNNING


def test_what_is_inside_an_old_stack_goes_below_it() -> None:
    inner = {"id": "inner", "resources": [made_before("x", "three")]}
    progress = updating(made_before("s", "inner", stack=inner))
    progress.happened(event("root", "s", "CREATE_IN_PROGRESS", "name-new"), 0.0)
    new = progress.happened(event("new", "x", "CREATE_IN_PROGRESS"), 1.0)
    progress.happened(event("root", "s", "DELETE_IN_PROGRESS", "inner"), 2.0)
    old = progress.happened(event("inner", "x", "DELETE_IN_PROGRESS", "three"), 2.0)
    assert new is not None
    assert old is not None
    assert (new.dotted, old.dotted, old.names) == ("s.x", "s (old).x", ("s", "x"))
    assert new.state is State.RUNNING


def test_a_rollback_of_a_replacement_leaves_the_resource_as_it_was() -> None:
    progress = updating(made_before("a", "one"))
    progress.happened(event("root", "a", "CREATE_IN_PROGRESS", "app-a"), 0.0)
    progress.happened(event("root", "a", "CREATE_FAILED", "two"), 0.0)
    progress.restart("ROLLBACK", 1.0)
    going = progress.happened(event("root", "a", "DELETE_IN_PROGRESS", "two"), 2.0)
    assert going is not None
    assert going.name == "a (old)"
    stays = progress.item(("a",))
    assert stays is not None
    assert stays.state is State.UNTOUCHED


def test_an_old_version_in_the_tree_waits_to_be_deleted() -> None:
    left = made_before("a", "one", is_old=True)
    progress = updating(made_before("a", "two"), left)
    item = progress.item(("a",))
    assert item is not None
    assert item.state is State.UNTOUCHED
    assert [(each.name, each.state, each.doing) for each in progress.items() if each.is_old] == [
        ("a (old)", State.WAITING, "DELETE")
    ]


def test_a_creation_that_is_told_after_it_was_seen_is_no_replacement() -> None:
    progress = Progress("root", "app", "CREATE", 0.0)
    made = resource("s", "CREATE_IN_PROGRESS", physical_resource_id="inner", creation_time="2")
    document = {"id": "root", "creation_time": "1", "resources": [made]}
    progress.tree(document, 0.0)
    progress.happened(event("root", "s", "CREATE_IN_PROGRESS", "name-inner"), 1.0)
    item = progress.happened(event("root", "s", "CREATE_COMPLETE", "inner"), 2.0)
    assert item is not None
    assert (item.name, item.doing) == ("s", "CREATE")
    assert progress.path_of(event("inner", "x", "CREATE_COMPLETE")) == ("s", "x")


@pytest.mark.parametrize(
    ("reason", "state"),
    [
        ("CREATE aborted", State.STOPPED),
        ("CREATE aborted (Timed out)", State.STOPPED),
        ("ResourceFailed: resources.s: Stack CREATE cancelled", State.STOPPED),
        ("ValueError: resources.s: the payment was cancelled", State.FAILED),
    ],
)
def test_what_was_only_stopped_has_not_failed(reason: str, state: State) -> None:
    progress = creation(("s",))
    item = progress.happened(replace(event("root", "s", "CREATE_FAILED"), reason=reason), 1.0)
    assert item is not None
    assert item.state is state
    assert bool(progress.failures()) is (state is State.FAILED)


def test_who_is_at_work_says_what_it_waits_for() -> None:
    progress = creation(("a",), ("b",))
    progress.happened(event("root", "a", "CREATE_IN_PROGRESS"), 1.0)
    told = resource("a", "CREATE_IN_PROGRESS", resource_status_reason="1 of 2", required_by=["b"])
    document = {"id": "root", "resources": [told, resource("b", "CREATE_COMPLETE")]}
    assert [(each.name, each.reason) for each in progress.notice(document)] == [("a", "1 of 2")]
    assert list(progress.notice(document)) == []
    waiting = progress.item(("b",))
    assert waiting is not None
    # States are told by events.
    assert waiting.state is State.WAITING
    assert [each.name for each in progress.awaited(waiting)] == ["a"]


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
    assert sums_text(progress.top.sums) == "1 done, 1 running, 1 waiting"


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
    progress.plan([(("a",), "Quick", "CREATE", ()), (("b",), "Unknown", "CREATE", ())])
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
    paths = ("a",), ("s",), ("s", "x")
    progress.plan((path, "T", "UPDATE", ()) for path in paths)
    progress.plan([(("same",), "T", "", ())])
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
    assert sums_text(progress.top.sums) == "2 waiting"
    assert [item.hook for item in progress.paused.values()] == ["pre-create"]
    progress.happened(at_hook("a", "INIT_COMPLETE", "Hook pre-create is cleared"), 2.0)
    assert (sums_text(progress.top.sums), progress.paused) == ("2 waiting", {})
    progress.happened(event("root", "a", "CREATE_IN_PROGRESS"), 2.0)
    progress.happened(event("root", "a", "CREATE_COMPLETE"), 3.0)
    assert sums_text(progress.top.sums) == "1 done, 1 waiting"


def test_what_waits_at_a_hook_after_its_action_is_done_when_that_is_cleared() -> None:
    progress = creation(("a",))
    progress.happened(event("root", "a", "CREATE_COMPLETE"), 1.0)
    progress.happened(
        at_hook("a", "CREATE_COMPLETE", "CREATE paused until Hook post-create is cleared"), 1.0
    )
    assert sums_text(progress.top.sums) == "1 waiting"
    progress.happened(at_hook("a", "CREATE_COMPLETE", "Hook post-create is cleared"), 2.0)
    assert sums_text(progress.top.sums) == "1 done"


def test_a_hook_that_was_met_before_anybody_looked_is_known_from_the_tree() -> None:
    progress = creation(("a",))
    tree = {"id": "root", "resources": [resource("a", "INIT_COMPLETE", hook="pre-create")]}
    progress.tree(tree, 1.0)
    assert list(progress.paused) == [("a",)]


def test_a_signal_does_not_end_what_runs() -> None:
    progress = creation(("a",))
    progress.happened(event("root", "a", "CREATE_IN_PROGRESS"), 1.0)
    progress.happened(event("root", "a", "SIGNAL_COMPLETE"), 2.0)
    assert sums_text(progress.top.sums) == "1 running"


def test_members_of_a_replaced_group_are_to_be_created_though_old_ones_are_deleted() -> None:
    progress = Progress("root", "app", "UPDATE", 0.0)
    progress.plan([(("g", "0"), "T", "CREATE", ()), (("g", "0"), "T", "DELETE", ())])
    item = progress.item(("g", "0"))
    assert item is not None
    assert item.doing == "CREATE"


def test_old_versions_are_shown_right_after_what_took_their_place() -> None:
    progress = updating(made_before("a", "one"), made_before("b", "two"))
    for name in ("b", "a"):
        progress.happened(event("root", name, "CREATE_IN_PROGRESS", f"app-{name}"), 0.0)
    for name, old in (("b", "two"), ("a", "one")):
        progress.happened(event("root", name, "DELETE_IN_PROGRESS", old), 1.0)
    shown = [row.item.name for row in rows_of(progress, 10) if row.item]
    assert shown == ["a", "a (old)", "b", "b (old)"]


def test_who_waits_is_known_from_the_plan_before_there_is_anything() -> None:
    progress = Progress("root", "app", "CREATE", 0.0)
    progress.plan([(("a",), "T", "CREATE", ("b",)), (("b",), "T", "CREATE", ())])
    progress.tree(
        {"id": "root", "resources": [resource(name, "INIT_COMPLETE") for name in "ab"]}, 0.0
    )
    waiting = progress.item(("b",))
    assert waiting is not None
    assert [each.name for each in progress.awaited(waiting)] == ["a"]
