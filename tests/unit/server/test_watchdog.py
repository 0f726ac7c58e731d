"""Steps of the event loop that take long are counted, with their place."""

import asyncio
import gc
import logging
import sys
import time
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

import pytest

from hotplate.server.watchdog import COLLECTING, IMPORTING, LATE, MESSAGE, Watchdog


def busy(seconds: float) -> None:
    """Use the processor for that long."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def watched(*steps: float, pause: float = 0.0) -> Watchdog:
    async def story() -> None:
        for seconds in steps:
            await asyncio.sleep(0)
            busy(seconds)
            time.sleep(pause)  # noqa: ASYNC251 (this is what is watched)

    with asyncio.Runner() as runner:
        watchdog = Watchdog(runner.get_loop())
        with watchdog.watching():
            runner.run(story())
    return watchdog


def test_a_late_step_is_counted_with_its_place(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "hotplate.server"):
        watchdog = watched(0.2, 0.2, 0.2)
    ((place, count),) = watchdog.late.items()
    assert place in ("server/test_watchdog.py:busy", "task watched.<locals>.story")
    assert count == 3
    assert watchdog.longest > LATE
    assert [record.message for record in caplog.records] == [MESSAGE]


def test_many_short_steps_are_not_late() -> None:
    watchdog = watched(*[0.005] * 30)
    assert not watchdog.late
    assert sum(watchdog.counts) > 30


def test_a_step_that_loads_a_module_is_told_apart(tmp_path: Path) -> None:
    text = "import time\nend = time.thread_time() + 0.1\nwhile time.thread_time() < end: pass\n"
    (tmp_path / "slow_to_load.py").write_text(text, encoding="utf-8")
    with asyncio.Runner() as runner, patch.object(sys, "path", [str(tmp_path), *sys.path]):

        async def story() -> None:
            import_module("slow_to_load")

        watchdog = Watchdog(runner.get_loop())
        with watchdog.watching():
            runner.run(story())
    assert (dict(watchdog.late), watchdog.longest) == ({IMPORTING: 1}, 0.0)


def test_a_step_in_which_garbage_is_looked_for_is_told_apart() -> None:
    with asyncio.Runner() as runner:

        async def story() -> None:
            gc.collect()

        watchdog = Watchdog(runner.get_loop())
        gc.callbacks.append(slowly)
        try:
            with watchdog.watching():
                runner.run(story())
        finally:
            gc.callbacks.remove(slowly)
    assert (dict(watchdog.late), watchdog.longest) == ({COLLECTING: 1}, 0.0)


def slowly(phase: str, info: dict[str, int]) -> None:
    if phase == "stop":
        busy(0.1)


def test_waiting_for_the_machine_is_not_late_but_in_the_figures() -> None:
    watchdog = watched(0.001, pause=0.15)
    assert not watchdog.late
    assert watchdog.seconds > 0.15


def test_afterwards_nothing_is_left_of_it() -> None:
    before = asyncio.Handle._run
    watched(0.001)
    assert asyncio.Handle._run is before
