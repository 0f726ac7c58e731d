"""What the services of a cloud can do beyond what all of them can."""

import asyncio
import logging
from typing import Final

from hotplate.engine.context import Tools
from hotplate.resources.capabilities.names import CLOUD

_SECONDS: Final = 5.0
"""For an answer; whoever waits for it wants to begin something else."""

_log = logging.getLogger("hotplate.requests")


async def extensions_of(tools: Tools, service: str) -> frozenset[str] | None:
    """Return the extensions of a service of the cloud of whoever asks; None if it tells none."""
    if CLOUD not in tools.world.services:
        return None
    try:
        async with asyncio.timeout(_SECONDS):
            found: frozenset[str] = await tools.world.service(CLOUD).extensions.of(service)
    except Exception as error:  # it cannot be asked; whoever needs it says so
        _log.warning(
            "it is not known which extensions a service has",
            extra={"service": service, "reason": str(error) or type(error).__name__},
        )
        return None
    return found
