"""Random numbers of the real world: fair, never the same, also in a forked process."""

import asyncio
import os
import threading
import time
from collections import Counter
from random import Random
from uuid import UUID

import pytest

from hotplate.engine.context import Tools
from hotplate.engine.recipes.book import RecipeBook
from hotplate.engine.world import RealWorld, UnpredictableRandom
from hotplate.resources.catalogue import installed
from hotplate.store.fairness.precedence import Precedence
from hotplate.store.fairness.threads import InTurn


def test_ids_are_random_uuids() -> None:
    world = RealWorld()
    ids = [world.uuid() for _ in range(2000)]
    assert len(set(ids)) == len(ids)
    assert all(str(UUID(each)) == each and UUID(each).version == 4 for each in ids)


def test_ids_follow_the_given_chance() -> None:
    expected = [str(UUID(int=random.getrandbits(128), version=4)) for random in [Random(5)] * 9]
    world = RealWorld(Random(5))
    assert [world.uuid() for _ in range(9)] == expected


def test_every_choice_has_the_same_chance() -> None:
    random = UnpredictableRandom()
    for drawn in (
        random.choices("abcde", k=50_000),
        [random.choice("abcde") for _ in range(50_000)],
        [random.randrange(1000) % 5 for _ in range(50_000)],
    ):
        counts = Counter(drawn)
        assert len(counts) == 5
        assert all(abs(count - 10_000) < 700 for count in counts.values())


def test_weights_and_shuffles_work_as_ever() -> None:
    random = UnpredictableRandom()
    assert set(random.choices("ab", [0, 1], k=50)) == {"b"}
    items = list(range(600))
    random.shuffle(items)
    assert sorted(items) == list(range(600))
    assert items != list(range(600))
    assert random.getrandbits(300) < 2**300


def test_a_forked_process_draws_other_numbers() -> None:
    random = UnpredictableRandom()
    random.getrandbits(8), random.choice("ab")  # there is something in reserve
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, f"{random.getrandbits(128)} {random.choices('ab', k=64)}".encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(reader, 4096).decode()
    os.close(reader)
    os.close(writer)
    assert theirs.split(" ", 1)[0] != str(random.getrandbits(128))
    assert theirs.split(" ", 1)[1] != str(random.choices("ab", k=64))


def test_heavy_work_does_not_keep_other_tasks_from_running() -> None:
    async def work_beside_a_task() -> int:
        begun, done = asyncio.Event(), threading.Event()
        loop = asyncio.get_running_loop()

        def work() -> int:
            loop.call_soon_threadsafe(begun.set)
            # Only a task of the loop, which must be running meanwhile, lets this end.
            assert done.wait(10)
            return threading.get_ident()

        async def task() -> None:
            await begun.wait()
            done.set()

        worker, _ = await asyncio.gather(RealWorld().aside(work), task())
        return worker

    assert asyncio.run(work_beside_a_task()) != threading.get_ident()


def test_the_steady_clock_does_not_follow_the_time_of_day(monkeypatch: pytest.MonkeyPatch) -> None:
    before = RealWorld().uptime()
    told = [5000.0]
    monkeypatch.setattr(time, "time", lambda: told[0])
    world = RealWorld()
    assert world.now() == 5000.0
    told[0] = 100.0
    assert 5000.0 <= world.now() < 5000.0 + 3600
    assert before <= world.uptime() < before + 3600


def test_what_computes_waits_for_its_turn_where_there_are_several_projects() -> None:
    world, precedence = RealWorld(), Precedence()
    assert asyncio.run(world.in_turn(lambda: "alone")) == "alone"
    with world.asking("project"):
        assert not world.is_heavy("project")
    turns = world.turns = InTurn(precedence)
    assert asyncio.run(world.in_turn(lambda: "in turn")) == "in turn"
    precedence.add("project", 10.0)
    assert not world.is_heavy("project")  # there is nobody else
    precedence.ask("another")
    assert world.is_heavy("project")
    assert not world.is_heavy("another")
    turns.close()


def test_a_project_that_is_in_others_way_writes_smaller_portions() -> None:
    world, precedence, types = RealWorld(), Precedence(), installed()
    world.turns = InTurn(precedence)
    tools = Tools(world, RecipeBook(types), types, portion=800)
    precedence.ask("another")
    assert tools.portion_of("project") == 800
    precedence.add("project", 10.0)
    assert tools.portion_of("project") == 100
    assert tools.portion_of("another") == 800
