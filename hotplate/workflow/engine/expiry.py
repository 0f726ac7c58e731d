"""Removing executions by themselves when they ended long ago."""

import asyncio
import logging
from functools import partial
from typing import Any, Final

from sqlalchemy.exc import DBAPIError

from hotplate.store.database import is_transient
from hotplate.store.purge import BATCH, purge_definitions
from hotplate.store.workflows.purge import PurgedWorkflows, purge_steps
from hotplate.workflow.engine.context import FlowTools

_log = logging.getLogger("hotplate.workflow")

_DAY: Final = 86_400.0
_EVERY: Final = 600.0
"""Seconds between two searches for what is old."""


class Expiry:
    """Removes what is older than the operator wants to keep. Any number of processes may."""

    def __init__(self, tools: FlowTools) -> None:
        self._store = tools.store
        self._now = tools.now
        self._days = tools.settings.days_to_keep

    async def run(self) -> None:
        """Remove what is old, again and again until cancelled."""
        while True:
            try:
                await self.purge()
            except DBAPIError as error:
                if not is_transient(error):
                    raise
            await asyncio.sleep(_EVERY)

    async def purge(self) -> PurgedWorkflows:
        """Remove what is old now, in small transactions."""
        if not self._days:
            return PurgedWorkflows()
        purged = await self._purged(self._now() - self._days * _DAY)
        if purged.executions or purged.actions:
            counts = {"executions": purged.executions, "actions": purged.actions}
            _log.info("what ended long ago was removed", extra=counts)
            after: str | None = ""
            while after is not None:
                step = partial(purge_definitions, after=after, most=BATCH)
                _, after = await self._store.transact(step)
        return purged

    async def _purged(self, before: float) -> PurgedWorkflows:
        steps = purge_steps(before, BATCH)
        answer: Any = None
        while True:
            try:
                work = steps.send(answer)
            except StopIteration as end:
                found: PurgedWorkflows = end.value
                return found
            answer = await self._store.transact(work)
