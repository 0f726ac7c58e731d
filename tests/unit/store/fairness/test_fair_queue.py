"""Projects take turns at the database; who has used it least goes first."""

import threading

import pytest

from hotplate.store.fairness.fair_queue import (
    HEALTH,
    HEARTBEAT,
    FairQueue,
    at_work_for,
    on_behalf_of,
)


def filled(most: int = 100, **lines: int) -> FairQueue[str]:
    queue: FairQueue[str] = FairQueue(most)
    for project, number in lines.items():
        with on_behalf_of(project):
            for each in range(number):
                queue.put(f"{project}{each}")
    return queue


def taken(queue: FairQueue[str]) -> str | None:
    found = queue.get()
    return None if found is None else found.item


def test_projects_are_served_in_turn_and_each_in_its_order() -> None:
    queue = filled(a=4, b=1, c=2)
    assert [taken(queue) for _ in range(7)] == ["a0", "b0", "c0", "a1", "c1", "a2", "a3"]


def test_who_comes_late_waits_for_one_of_each_other() -> None:
    queue = filled(a=100)
    assert taken(queue) == "a0"
    with on_behalf_of("b"):
        queue.put("b")
    assert [taken(queue), taken(queue)] == ["a1", "b"]


def test_who_has_used_little_goes_before_all_that_who_has_used_much_asks_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    queue = filled(much=10)

    def served(seconds: float) -> str:
        found = queue.get()
        assert found is not None
        now[0] += seconds
        queue.done(found)
        return found.item

    order = [served(0.1)]
    with on_behalf_of("little"):
        for each in range(4):
            queue.put(f"little{each}")
    order += [served(0.03) for _ in range(3)]  # together nearly as long as the one before them
    order += [served(0.03), served(0.1)]
    assert order == ["much0", "little0", "little1", "little2", "little3", "much1"]
    now[0] += 60
    with on_behalf_of("little"):
        queue.put("late")
    assert [served(0.1), served(0.1)] == ["late", "much2"]


def test_health_checks_and_heartbeats_come_first() -> None:
    queue = filled(a=2, b=1)
    with on_behalf_of(HEALTH):
        queue.put("health")
    assert [taken(queue) for _ in range(4)] == ["health", "a0", "b0", "a1"]


def test_what_is_queued_is_served_before_the_end() -> None:
    queue = filled(a=2)
    queue.put("nobody")
    queue.close()
    assert [taken(queue) for _ in range(5)] == ["a0", "nobody", "a1", None, None]


def test_of_a_project_no_more_than_some_are_in_hand() -> None:
    queue = filled(most=1, a=2, b=2)
    first = queue.get()
    assert first is not None
    assert first.item == "a0"
    assert taken(queue) == "b0"
    with on_behalf_of("c"):
        queue.put("c0")
    assert taken(queue) == "c0"
    queue.done(first)
    assert taken(queue) == "a1"


def test_who_waits_for_a_line_is_woken_when_it_is_free() -> None:
    queue = filled(most=1, a=2)
    first = queue.get()
    assert first is not None
    found: list[str | None] = []
    waiting = threading.Thread(target=lambda: found.append(taken(queue)))
    waiting.start()
    queue.done(first)
    waiting.join(10)
    assert found == ["a1"]


def test_what_is_done_for_nobody_in_particular_is_not_bounded() -> None:
    queue: FairQueue[str] = FairQueue(1)
    for each in ("x", "y"):
        queue.put(each)
    assert [taken(queue), taken(queue)] == ["x", "y"]


def test_it_is_remembered_for_a_moment_that_another_project_came(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    queue: FairQueue[int] = FairQueue(1)
    for line in ("", HEALTH, "one", "", HEARTBEAT, "one"):
        with on_behalf_of(line):
            queue.put(0)
    with at_work_for(["one", "one"]):
        queue.put(0)
    with at_work_for(["one", "two"]):
        queue.put(0)
    found = [queue.is_contended]
    with at_work_for(["two"]):
        queue.put(0)
    found.append(queue.is_contended)
    now[0] += 1.5
    found.append(queue.is_contended)
    assert found == [False, True, False]


@pytest.mark.parametrize(
    ("is_work_apart", "order"),
    [(False, ["request", "request", "work"]), (True, ["request", "work", "request"])],
)
def test_the_work_for_a_project_has_a_line_of_its_own_where_it_is_told_so(
    is_work_apart: bool, order: list[str]
) -> None:
    queue: FairQueue[str] = FairQueue(100, is_work_apart)
    with on_behalf_of("project"):
        queue.put("request")
        queue.put("request")
    with at_work_for(["project"]):
        queue.put("work")
    assert [taken(queue) for _ in range(3)] == order
