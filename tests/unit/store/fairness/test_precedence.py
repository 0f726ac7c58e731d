"""A project that has used much gives way to one that has used little, for moments."""

import pytest

from hotplate.store.fairness.fair_queue import FairQueue, on_behalf_of
from hotplate.store.fairness.precedence import GAP, LATELY, LONGEST, MUCH, PAUSE, SOME, Precedence


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])

    def sleep(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr("time.sleep", sleep)
    return now


def used(precedence: Precedence, project: str, seconds: float) -> None:
    precedence.ask(project)
    precedence.begin(project)
    precedence.end(project, seconds)


def test_who_has_used_much_waits_until_nobody_else_is_likely_to_ask(now: list[float]) -> None:
    precedence = Precedence()
    used(precedence, "much", MUCH)
    assert precedence.held_back("much", now[0]) == 0.0
    precedence.ask("little")
    assert precedence.held_back("much", now[0]) == pytest.approx(GAP)
    assert precedence.held_back("little", now[0]) == 0.0
    assert precedence.held_back("much", now[0] + GAP) == pytest.approx(0.0)


def test_while_somebody_else_is_there_it_has_one_thread(now: list[float]) -> None:
    precedence = Precedence()
    used(precedence, "much", 2 * MUCH)
    used(precedence, "little", MUCH)
    now[0] += 2 * GAP
    assert precedence.held_back("much", now[0]) == 0.0
    precedence.begin("much")
    assert precedence.held_back("much", now[0]) == PAUSE
    now[0] += LATELY
    assert precedence.held_back("much", now[0]) == 0.0


def test_while_somebody_else_is_being_worked_for_nothing_begins(now: list[float]) -> None:
    precedence = Precedence()
    used(precedence, "much", 2 * MUCH)
    precedence.ask("little")
    precedence.begin("little")
    now[0] += 2 * LATELY
    assert precedence.held_back("much", now[0]) == pytest.approx(GAP)
    precedence.end("little", 2 * LATELY)
    now[0] += GAP
    assert precedence.held_back("much", now[0]) == pytest.approx(0.0)


def test_nobody_gives_way_to_who_has_used_more_or_to_nobody(now: list[float]) -> None:
    precedence = Precedence()
    used(precedence, "much", MUCH)
    used(precedence, "more", 2 * MUCH)
    precedence.begin("")
    precedence.end("", 0.001)
    assert precedence.held_back("much", now[0]) == 0.0
    precedence.give_way("much")
    assert now[0] == 100.0


def test_a_long_piece_of_work_pauses_for_somebody_else(now: list[float]) -> None:
    precedence = Precedence()
    used(precedence, "much", MUCH)
    precedence.ask("little")
    begun = now[0]
    precedence.give_way("much")
    assert now[0] - begun == pytest.approx(GAP, abs=2 * PAUSE)


def test_a_long_piece_of_work_goes_on_in_the_end(
    now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    precedence = Precedence()
    used(precedence, "much", MUCH)
    precedence.ask("little")
    precedence.begin("little")
    precedence.add("much", 2 * SOME)
    begun = now[0]
    precedence.give_way("much")
    assert now[0] - begun == pytest.approx(LONGEST, abs=2 * PAUSE)


def test_who_has_computed_much_leaves_the_interpreter_to_others(now: list[float]) -> None:
    precedence = Precedence()
    precedence.add("much", 2 * SOME)
    assert not precedence.yields("much", now[0])
    precedence.ask("little")
    assert precedence.yields("much", now[0])
    assert not precedence.yields("little", now[0])
    now[0] += GAP
    assert not precedence.yields("much", now[0])
    precedence.begin("little")
    assert precedence.yields("much", now[0])
    now[0] += 2.0
    assert not precedence.yields("much", now[0])  # it has had little lately


def test_who_asks_for_many_things_at_once_gives_way_to_who_asks_for_one(now: list[float]) -> None:
    precedence = Precedence()
    precedence.add("many", 2 * SOME)
    precedence.add("one", 3 * SOME)
    precedence.ask("many")
    precedence.ask("one")
    with precedence.asking("one"):
        assert precedence.yields("one", now[0])
        with precedence.asking("many"), precedence.asking("many"):
            assert precedence.yields("many", now[0])
            assert not precedence.yields("one", now[0])
        assert not precedence.yields("many", now[0])


def test_an_item_is_held_back_for_a_bounded_time(
    now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    precedence = Precedence()
    used(precedence, "much", 2 * MUCH)
    queue: FairQueue[str] = FairQueue(1, precedence=precedence)
    with on_behalf_of("much"):
        queue.put("item")
    begun, waits = now[0], []

    def wait(seconds: float | None = None) -> bool:
        assert seconds is not None
        waits.append(seconds)
        now[0] += seconds
        precedence.ask("little")  # again and again
        return True

    precedence.ask("little")
    monkeypatch.setattr(queue._changed, "wait", wait)
    found = queue.get()
    assert found is not None
    assert found.item == "item"
    assert now[0] - begun == pytest.approx(LONGEST)
    assert len(waits) > 1
