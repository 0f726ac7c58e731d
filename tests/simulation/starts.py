"""Where the random runs of a test run begin: the same for all its processes.

The code itself decides. So what has passed passes again, on whatever machine, and every change of
the code plays runs that were never played before.
"""

import os
from hashlib import sha256
from pathlib import Path

SIMULATION_START = "SIMULATION_START"
_BEYOND = 1_000_000_000
_ROOT = Path(__file__).resolve().parents[2]


def choose_start() -> int:
    """Return the first seed: the one that was asked for, or that of the code.

    Processes begun later agree.
    """
    if SIMULATION_START not in os.environ:
        os.environ[SIMULATION_START] = str(_digest_of_code() % _BEYOND)
    return int(os.environ[SIMULATION_START])


def _digest_of_code() -> int:
    digest = sha256()
    for path in sorted((_ROOT / "hotplate").rglob("*.py")):
        digest.update(path.read_bytes())
    return int.from_bytes(digest.digest(), "big")
