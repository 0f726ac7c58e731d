from itertools import chain
from types import SimpleNamespace
from typing import Any

from tests.tiers import _shares


def item(path: str, number: int, is_long: bool = False) -> Any:
    return SimpleNamespace(path=path, number=number, is_long=is_long)


def test_every_share_begins_with_long_tests_and_modules_stay_together() -> None:
    items = [item(path, number, number < 2) for path in "abcdefgh" for number in range(10)]
    shares = _shares(items, 4, lambda each: each.is_long)  # type: ignore[attr-defined]
    assert sorted(map(id, chain.from_iterable(shares))) == sorted(map(id, items))
    for share in shares:
        flags = [each.is_long for each in share]  # type: ignore[attr-defined]
        assert flags == sorted(flags, reverse=True)
        assert sum(flags) == 4
        assert len(share) == 20
        assert len({each.path for each in share[4:]}) == 2


def test_one_process_has_the_long_tests_first_and_the_others_as_they_were() -> None:
    items = [item("a", 1), item("b", 2, is_long=True), item("c", 3)]
    (share,) = _shares(items, 1, lambda each: each.is_long)  # type: ignore[attr-defined]
    assert [each.number for each in share] == [2, 1, 3]  # type: ignore[attr-defined]
