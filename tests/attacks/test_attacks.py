"""While one tenant does its worst, another one hardly notices.

`HOTPLATE_ATTACK_SECONDS` says how long each attack lasts. `HOTPLATE_ATTACKS=short` tries a dozen of
them, one or two of each kind, with bounds that hold on a machine that has other things to do.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.serving import Served, end, start
from tests.attacks.attacks import ATTACKS
from tests.attacks.victim import Victim, memory_of, percentile
from tests.databases import new_sqlite_file

IS_SHORT = os.environ.get("HOTPLATE_ATTACKS") == "short"
SECONDS = float(os.environ.get("HOTPLATE_ATTACK_SECONDS", "2" if IS_SHORT else "4"))
TASKS = 8
LONGEST_WAIT = 5.0 if IS_SHORT else 0.5
"""Seconds that 99 of 100 health checks and lists of the other tenant take at most."""

SLOWER = 3.0
ALLOWANCE = 5.0 if IS_SHORT else 0.03
"""A small stack may take so many times as long as alone, and so many seconds besides: those of one
piece of work that is in hand, which is not interrupted."""

WARM_UP, ALONE = (0.5, 1.0) if IS_SHORT else (1.0, 3.0)
"""Seconds in which stacks are made before any is counted, and those in which they are alone."""

REPRESENTATIVE = (
    "pattern_of_letters", "doubled_output", "yaql_in_properties", "deep_json", "large_bodies",
    "patches", "previews_of_groups", "large_environments", "event_streams",
    "signals_that_say_nothing", "workflows", "half_open_requests", "slow_bodies",
)  # fmt: skip

MEGABYTE = 1 << 20
MOST_MEMORY = 1600 * MEGABYTE
MORE_MEMORY = 200 * MEGABYTE
"""All processes together, at most, and how much more than before they may have afterwards."""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    tokens = tmp_path / "tokens"
    tokens.write_text("evil mallory attackers\ngood alice victims\n", encoding="utf-8")
    tokens.chmod(0o600)
    file = new_sqlite_file(tmp_path / "hotplate.db")
    found = start("--auth-tokens", str(tokens), database=f"sqlite:///{file}", folder=tmp_path)
    try:
        yield found
    finally:
        found.process.kill()
        found.process.wait()
        end(found)


def _attack(served: Served, name: str, seconds: float) -> "subprocess.Popen[str]":
    arguments = [name, served.url, "attackers", "evil", str(seconds), str(TASKS)]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.attacks", *arguments], stdout=subprocess.PIPE, text=True
    )


class _Memory(threading.Thread):
    """Looks at the memory of the server's processes now and then."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._is_over = threading.Event()
        self.most = 0

    def run(self) -> None:
        while not self._is_over.wait(0.25):
            self.most = max(self.most, memory_of(self._pid))

    def stop(self) -> None:
        self._is_over.set()
        self.join()


@pytest.mark.parametrize("name", REPRESENTATIVE if IS_SHORT else ATTACKS)
def test_another_tenant_hardly_notices(
    served: Served, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Victim(served.url, "victims", "good") as alone:
        alone.look(time.monotonic() + WARM_UP)
        alone.stacks.clear()
        alone.look(time.monotonic() + ALONE)
    usual, before = percentile(alone.stacks, 0.5), memory_of(served.process.pid)
    memory = _Memory(served.process.pid)
    memory.start()
    attacker = _attack(served, name, SECONDS)
    try:
        with Victim(served.url, "victims", "good") as victim:
            time.sleep(0.5)  # the attacker's process is started
            victim.look(time.monotonic() + SECONDS)
    finally:
        tries = attacker.communicate(timeout=SECONDS + 60)[0].strip()
        memory.stop()
    after = _settled(served.process.pid, before)
    wait, beside = percentile(victim.waits, 0.99), percentile(victim.stacks, 0.5)
    line = (
        f"{name}: {beside / usual:.1f} times; stack {beside * 1000:.0f} ms (median of "
        f"{len(victim.stacks)}), alone {usual * 1000:.0f} ms (of {len(alone.stacks)}); p99 of "
        f"{len(victim.waits)} looks {wait * 1000:.0f} ms, longest "
        f"{max(victim.waits) * 1000:.0f}; {tries} tries; memory "
        f"{before // MEGABYTE} MB, at most {memory.most // MEGABYTE}, afterwards "
        f"{after // MEGABYTE}"
    )
    with capsys.disabled():
        print(f"\n{line}", flush=True)
    assert wait < LONGEST_WAIT
    assert max(victim.waits) < 2 * LONGEST_WAIT
    assert beside < SLOWER * usual + ALLOWANCE
    assert memory.most < MOST_MEMORY
    assert after < before + MORE_MEMORY


def _settled(pid: int, before: int) -> int:
    """Return the memory of the processes once it has come back, or after some seconds."""
    end_of_patience = time.monotonic() + 20
    while True:
        found = memory_of(pid)
        if found < before + MORE_MEMORY or time.monotonic() > end_of_patience:
            return found
        time.sleep(0.5)
