"""Few stacks are listed in a moment; whoever asks for many waits with those who read for long."""

import asyncio
from functools import partial
from typing import Any, cast

from hotplate.engine.requests.stack_list import StackList
from hotplate.engine.store import Store
from hotplate.store.stack_listing import Wanted


class Reading:
    """A store of so many stacks that notes how each page was read."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.reads: list[tuple[str, int | None]] = []

    async def read_soon(self, work: "partial[Any]") -> Any:
        return self._read("soon", work)

    async def read(self, work: "partial[Any]") -> Any:
        return self._read("long", work)

    def _read(self, how: str, work: "partial[Any]") -> Any:
        limit = work.keywords["wanted"].limit
        self.reads.append((how, limit))
        most = self._number if limit is None else min(limit, self._number)
        return most if work.func.__name__ == "count_stacks" else list(range(most))


def listed(number: int, wanted: Wanted) -> tuple[int, list[tuple[str, int | None]]]:
    store = Reading(number)
    found = asyncio.run(StackList(cast(Store, store)).list_stacks(wanted))
    return len(found), store.reads


def test_few_stacks_are_read_in_a_moment() -> None:
    assert listed(99, Wanted("p")) == (99, [("soon", 100)])
    assert listed(500, Wanted("p", limit=20)) == (20, [("soon", 20)])
    assert listed(500, Wanted("p", limit=100)) == (100, [("soon", 100)])
    assert listed(5, Wanted("p", limit=0)) == (0, [("soon", 0)])


def test_many_stacks_are_read_with_what_takes_long() -> None:
    assert listed(500, Wanted("p")) == (500, [("soon", 100), ("long", None)])
    assert listed(500, Wanted("p", limit=300)) == (300, [("soon", 100), ("long", 300)])


def test_a_query_that_names_many_values_is_none_of_a_moment() -> None:
    tags = tuple(f"tag{number}" for number in range(50))
    wanted = Wanted("p", with_any_tag=tags, filters={"name": ["a"]})
    assert listed(5, wanted) == (5, [("long", None)])
    store = Reading(5)
    stacks = StackList(cast(Store, store))
    assert asyncio.run(stacks.count_stacks(wanted)) == 5
    assert asyncio.run(stacks.count_stacks(Wanted("p", with_all_tags=("a",)))) == 5
    assert [how for how, _ in store.reads] == ["long", "soon"]
