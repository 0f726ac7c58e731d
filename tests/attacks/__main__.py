"""The attacker's process: `python -m tests.attacks NAME ROOT PROJECT TOKEN SECONDS TASKS`."""

import asyncio
import os
import sys
import time

import httpx

from tests.attacks.attacks import ATTACKS, Attack, Attacker


async def _repeated(attack: Attack, attacker: Attacker, end: float) -> int:
    number = 0
    while time.monotonic() < end:
        try:
            async with asyncio.timeout(max(0.1, end - time.monotonic())):
                await attack(attacker)
        except (TimeoutError, httpx.HTTPError, OSError):
            await asyncio.sleep(0.05)
        number += 1
    return number


async def _main(name: str, root: str, project: str, token: str, seconds: float, tasks: int) -> None:
    attacker = Attacker(root, project, token)
    end = time.monotonic() + seconds
    done = await asyncio.gather(
        *(_repeated(ATTACKS[name], attacker, end) for _ in range(tasks)), return_exceptions=True
    )
    print(sum(each for each in done if isinstance(each, int)))


if __name__ == "__main__":
    # The attacker has machines of its own; here it must not take the server's processors.
    os.nice(15)
    name, root, project, token, seconds, tasks = sys.argv[1:]
    asyncio.run(_main(name, root, project, token, float(seconds), int(tasks)))
