"""A worker remembers whose stacks are."""

from hotplate.store.fairness.fair_queue import on_behalf_of
from hotplate.store.fairness.owners import Owners


def node(stack: int, number: int = 1) -> int:
    return (stack << 32) + number


def test_what_is_known_of_one_node_holds_for_all_of_its_stack() -> None:
    owners = Owners()
    owners.learn([node(1), node(2, 7)], "a")
    assert [owners.of(node(1, 5)), owners.of(node(2)), owners.of(node(3))] == ["a", "a", ""]
    assert owners.of_stacks([1, 3]) == {1: "a"}


def test_stacks_of_one_project_wait_in_one_line_and_unknown_ones_each_in_its_own() -> None:
    owners = Owners()
    owners.learn([node(1), node(2)], "a")
    assert [owners.line_of([node(each)]) for each in (1, 2, 3, 4)] == ["a", "a", 3, 4]


def test_what_is_made_ready_for_a_caller_is_its_projects() -> None:
    owners = Owners()
    with on_behalf_of("a"):
        owners.learn_of_caller([node(1)])
    owners.learn_of_caller([node(1), node(2)])
    assert [owners.of(node(1)), owners.of(node(2))] == ["a", ""]


def test_the_oldest_are_forgotten() -> None:
    owners = Owners()
    for each in range(10_001):
        owners.learn([node(each)], "a")
    assert [owners.of(node(0)), owners.of(node(1))] == ["", "a"]
