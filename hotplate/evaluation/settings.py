"""What the processes of a pool are sent once, and how much one evaluation may take."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hotplate.model.limits import DEEPEST_NESTING

MEGABYTE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """How large the pool is, what an evaluation may take, and what the engine's tools are."""

    database: str
    key_file: Path | None = None
    """Where the master keys are that open what is sealed in the database; None if nothing is."""

    services: tuple[str, ...] = ()
    """The names of what types find in the engine; none of it is in the processes."""

    allows_unverified: bool = False
    most_resources: int = 0
    deepest_nesting: int = DEEPEST_NESTING

    switched_off: tuple[str, ...] = ()
    processes: int = 2
    seconds: float = 10.0
    """Processor time of one evaluation."""

    patience: float = 60.0
    """Seconds after which an evaluation ends that waits for the processor, or for the database."""

    memory: int = 512 * MEGABYTE
    """Bytes that a process may take beyond what it has when it begins."""

    kept: int = 24 * MEGABYTE
    """Bytes that a process may have more than at its beginning when it takes the next work."""
