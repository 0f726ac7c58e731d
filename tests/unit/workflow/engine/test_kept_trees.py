from types import SimpleNamespace
from typing import Any

from hotplate.workflow.engine.kept_trees import KeptTrees


def tree(root_id: str, weight: int = 1) -> Any:
    return SimpleNamespace(root_id=root_id, weight=weight)


def test_the_oldest_goes_when_there_are_too_many() -> None:
    kept = KeptTrees(most_trees=2)
    for name in "abc":
        kept.add(tree(name))
    assert [name for name in "abc" if kept.get(name)] == ["b", "c"]


def test_what_is_added_again_is_the_last_to_go() -> None:
    kept = KeptTrees(most_trees=2)
    for name in "abac":
        kept.add(tree(name))
    assert [name for name in "abc" if kept.get(name)] == ["a", "c"]


def test_what_has_grown_makes_the_oldest_go_but_one_stays() -> None:
    kept = KeptTrees(most_characters=10)
    first, second = tree("a", 4), tree("b", 4)
    kept.add(first)
    kept.add(second)
    assert len(kept) == 2
    second.weight = 40
    kept.make_room()
    assert (kept.get("a"), kept.get("b")) == (None, second)


def test_what_is_forgotten_is_not_here() -> None:
    kept = KeptTrees()
    kept.add(tree("a"))
    kept.forget("a")
    kept.forget("nobody")
    assert len(kept) == 0
