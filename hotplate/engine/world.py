"""What the engine knows of the world; all of it can be replaced by a simulated one."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random, SystemRandom
from typing import Any
from uuid import UUID


class ServiceMissing(LookupError):
    """A service that a type needs is not enabled here."""


@dataclass(slots=True)
class RealWorld:
    """The clock of this machine, unpredictable random numbers, and the services in use."""

    random: Random = field(default_factory=SystemRandom)
    services: Mapping[str, Any] = field(default_factory=dict)

    def now(self) -> float:
        """Return seconds since 1970."""
        return time.time()

    def uuid(self) -> str:
        """Return a new random id."""
        return str(UUID(int=self.random.getrandbits(128), version=4))

    def service(self, name: str) -> Any:
        """Return a service by name. Raises ServiceMissing."""
        try:
            return self.services[name]
        except KeyError:
            raise ServiceMissing(f'the service "{name}" is not enabled here') from None
