"""Projects take turns at the database."""

from hotplate.store.room.fair_queue import HEALTH, FairQueue, on_behalf_of


def filled(**lines: int) -> FairQueue[str]:
    queue: FairQueue[str] = FairQueue()
    for project, number in lines.items():
        with on_behalf_of(project):
            for each in range(number):
                queue.put(f"{project}{each}")
    return queue


def test_projects_are_served_in_turn_and_each_in_its_order() -> None:
    queue = filled(a=4, b=1, c=2)
    assert [queue.get() for _ in range(7)] == ["a0", "b0", "c0", "a1", "c1", "a2", "a3"]


def test_who_comes_late_waits_for_one_of_each_other() -> None:
    queue = filled(a=100)
    assert queue.get() == "a0"
    with on_behalf_of("b"):
        queue.put("b")
    assert [queue.get(), queue.get()] == ["a1", "b"]


def test_health_checks_and_heartbeats_come_first() -> None:
    queue = filled(a=2, b=1)
    with on_behalf_of(HEALTH):
        queue.put("health")
    assert [queue.get() for _ in range(4)] == ["health", "a0", "b0", "a1"]


def test_what_is_queued_is_served_before_the_end() -> None:
    queue = filled(a=2)
    queue.put("nobody")
    queue.close(2)
    assert [queue.get() for _ in range(5)] == ["a0", "nobody", "a1", None, None]
