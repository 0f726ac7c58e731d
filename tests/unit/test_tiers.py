from itertools import chain
from types import SimpleNamespace
from typing import Any

from tests.tiers import Stage, _shares


def item(path: str, number: int, stage: Stage = Stage.SHORT) -> Any:
    return SimpleNamespace(path=path, number=number, stage=stage)


def stage(each: Any) -> Stage:
    found: Stage = each.stage
    return found


def test_every_share_begins_with_long_tests_and_modules_stay_together() -> None:
    items = [
        item(path, number, Stage(min(number, 2))) for path in "abcdefgh" for number in range(10)
    ]
    shares = _shares(items, 4, stage)
    assert sorted(map(id, chain.from_iterable(shares))) == sorted(map(id, items))
    for share in shares:
        stages = list(map(stage, share))
        assert stages == sorted(stages)
        assert stages.count(Stage.LONG) == stages.count(Stage.PREPARED) == 2
        assert len(share) == 20
        assert len({each.path for each in share[4:]}) == 2


def test_one_process_has_the_long_tests_first_and_the_others_as_they_were() -> None:
    items = [item("a", 1), item("b", 2, Stage.LONG), item("c", 3)]
    (share,) = _shares(items, 1, stage)
    assert [each.number for each in share] == [2, 1, 3]  # type: ignore[attr-defined]
