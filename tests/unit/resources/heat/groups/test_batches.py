"""The way of a group to its goal: never too many at once, never too few in service."""

from random import Random

import pytest

from hotplate.resources import ResourceFailed
from hotplate.resources.heat.groups.batches import Goal, Pace, check_pauses, next_batch


def goal(size: int, word: str = "new", removed: frozenset[str] = frozenset()) -> Goal:
    def names(number: int) -> list[str]:
        free = (str(i) for i in range(number + len(removed)) if str(i) not in removed)
        return list(free)[:number]

    return Goal(size, names, lambda name: f"{word} {name}")


def old(*names: int) -> dict[str, str]:
    return {str(name): f"old {name}" for name in names}


def way(to: Goal, present: dict[str, str], pace: Pace) -> list[dict[str, str]]:
    """All stages on the way to the goal."""
    stages = []
    for _ in range(1000):
        present, is_last = next_batch(to, present, frozenset(), pace)
        stages.append(present)
        if is_last:
            return stages
    raise AssertionError(f"never there: {stages[-1]}")


def test_an_empty_group_grows_batch_by_batch() -> None:
    sizes = [len(stage) for stage in way(goal(5), {}, Pace(2))]
    assert sizes == [2, 4, 5]


def test_higher_indices_change_first() -> None:
    stages = way(goal(3), old(0, 1, 2), Pace(1))
    assert stages[0] == {"0": "old 0", "1": "old 1", "2": "new 2"}
    assert stages[1] == {"0": "old 0", "1": "new 1", "2": "new 2"}
    assert len(stages) == 3


def test_there_are_more_members_for_a_while_if_too_few_would_serve() -> None:
    stages = way(goal(4), old(0, 1, 2, 3), Pace(2, least=3))
    assert [len(stage) for stage in stages] == [5, 5, 4]
    assert stages[0] == {**old(0, 1, 2), "3": "new 3", "4": "new 4"}
    assert stages[-1] == goal(4).members()


def test_a_group_that_shrinks_drops_the_highest_before_it_changes_the_others() -> None:
    stages = way(goal(2), old(0, 1, 2, 3), Pace(1))
    assert stages == [{"0": "old 0", "1": "new 1"}, {"0": "new 0", "1": "new 1"}]


def test_members_under_names_that_are_not_wanted_serve_until_others_do() -> None:
    stages = way(goal(3), old(2, 3, 4), Pace(1, least=2))
    assert [len(stage) for stage in stages] == [3, 3, 3]
    assert stages[0] == {"0": "new 0", "2": "old 2", "3": "old 3"}


def test_what_is_unsettled_changes_first_and_counts() -> None:
    broken = frozenset({"0"})
    stage, _ = next_batch(goal(3), old(0, 1, 2), broken, Pace(1))
    assert stage == {"0": "new 0", **old(1, 2)}
    # It has been told already: nothing else changes before it is there.
    assert next_batch(goal(3), stage, broken, Pace(1)) == (stage, False)
    stage, _ = next_batch(goal(4), old(0), broken, Pace(1))
    assert stage == {"0": "new 0"}, "no second one is made beside it"


def test_nothing_to_change_is_the_last_batch() -> None:
    assert next_batch(goal(2), goal(2).members(), frozenset(), Pace(1)) == (
        goal(2).members(),
        True,
    )
    assert next_batch(goal(0), old(0, 1), frozenset(), Pace(1)) == ({}, True)


@pytest.mark.parametrize("seed", range(300))
def test_whatever_the_numbers_the_limits_hold_and_the_goal_is_reached(seed: int) -> None:
    random = Random(seed)
    removed = frozenset(str(random.randrange(6)) for _ in range(random.randrange(3)))
    to = goal(random.randrange(7), removed=removed)
    names = random.sample(range(8), random.randrange(8))
    present = {name: text for name, text in old(*sorted(names)).items() if name not in removed}
    for name in random.sample(sorted(present), random.randrange(len(present) + 1)):
        if random.random() < 0.3:
            present[name] = to.definition(name)
    pace = Pace(random.randrange(1, 4), random.randrange(5))
    before = present
    stages = way(to, present, pace)
    assert len(stages) <= 2 * (to.size + len(present)) + 2
    for stage in stages:
        changed = [name for name in stage if stage[name] != before.get(name)]
        assert len(changed) <= pace.size
        serving = sum(stage.get(name) == text for name, text in before.items())
        assert serving >= min(pace.least, to.size, len(before)), (before, stage)
        assert all(stage[name] == to.definition(name) for name in changed)
        assert not removed & stage.keys()
        before = stage
    assert before == to.members()


def test_pauses_must_fit_into_the_time_of_the_stack() -> None:
    check_pauses(goal(3), {}, Pace(1, pause=30), 61)
    check_pauses(goal(3), {}, Pace(1, pause=30), None)
    check_pauses(goal(3), goal(3).members(), Pace(1, pause=30), 1)
    with pytest.raises(ResourceFailed, match="will result in stack update timeout"):
        check_pauses(goal(3), {}, Pace(1, pause=30), 60)
