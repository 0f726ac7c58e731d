"""A worker that is killed at any moment: what it had begun comes to its end, nothing twice."""

import asyncio
import os
import random
import signal
import time
from pathlib import Path

from tests.cloud.commands import USER, Desk
from tests.cloud.inventory import added, inventory

TEMPLATE = Path(__file__).parent / "templates" / "landscape.yaml"
KILLS = int(os.environ.get("HOTPLATE_KILLS", "25"))
SIZE = 5
EXPECTED = {
    "networks": 1,
    "subnets": 1,
    "routers": 1,
    "security groups": 1,
    "servers": SIZE,
    "volumes": SIZE,
    "floating IPs": SIZE,
    "ports": SIZE + 1,
}
_DEADLINE = 1500.0


def test_kills_at_random_moments_lose_nothing(tmp_path: Path) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    chance, desk = random.Random(seed), Desk(tmp_path)
    before = asyncio.run(inventory(USER))
    kills, lives, began = 0, 0, time.monotonic()
    while kills < KILLS:
        assert time.monotonic() < began + _DEADLINE, f"{kills} kills in {_DEADLINE} s"
        words = ("up", str(TEMPLATE), "stack", "--yes", "--take-over")
        kills += interrupted(desk, chance, KILLS - kills, words)
        made = added(before, asyncio.run(inventory(USER)))
        del made["security group rules"]
        assert made == EXPECTED
        kills += interrupted(desk, chance, KILLS - kills, ("down", "stack", "--yes"))
        assert not added(before, asyncio.run(inventory(USER)))
        lives += 1
    print(f"{kills} kills in {lives} lives, {time.monotonic() - began:.0f} s")


def interrupted(desk: Desk, chance: random.Random, most: int, words: tuple[str, ...]) -> int:
    """Run a command to its end, killing it again and again; return how often it was killed."""
    kills = 0
    while kills < most:
        process = desk.start(*words)
        try:
            process.wait(chance.uniform(0.5, 4.0))
        except Exception:  # it runs: it is killed now
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kills += 1
            continue
        printed, _ = process.communicate()
        if process.returncode == 0:
            return kills
        # A deletion that was recorded as complete right before the kill.
        assert words[0] == "down", printed
        assert "no stack" in printed, printed
        return kills
    if words[0] == "up" or desk.has("stack"):
        desk.run(*words)
    return kills
