"""Where the random runs of a test run begin: somewhere new, and the same for all its processes."""

import os
import secrets

SIMULATION_START = "SIMULATION_START"
_BEYOND = 1_000_000_000


def choose_start() -> int:
    """Return the first seed: the one that was asked for, or any. Processes begun later agree."""
    return int(os.environ.setdefault(SIMULATION_START, str(secrets.randbelow(_BEYOND))))
