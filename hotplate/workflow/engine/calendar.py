"""Cron triggers: when they are due, and starting what they start exactly once for each time."""

import logging
import uuid
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from cronsim import CronSim, CronSimError
from sqlalchemy.exc import DBAPIError

from hotplate.store.workflows.definitions import Trigger, advance_trigger
from hotplate.workflow.engine.context import FlowTools
from hotplate.workflow.engine.refusals import FlowRefused, Wrong
from hotplate.workflow.machine import InvalidInput

_log = logging.getLogger("hotplate.workflow")
_SPACE = uuid.UUID("5f1d6a0e-58a5-4d3c-9b0e-1c6f64b1a7d2")
NEVER = "0 0 30 2 0"
"""What Mistral shows as the pattern of a trigger that has a first time only."""

Start = Callable[[Trigger, str], Awaitable[Any]]
"""Starts the workflow of a trigger as the execution with an id, unless there is one already."""


def next_time(pattern: str, after: float) -> float | None:
    """Return when a pattern fits next, in UTC; None for never. Raises Wrong."""
    begin = datetime.fromtimestamp(after, UTC).replace(tzinfo=None)
    try:
        found = next(CronSim(pattern, begin), None)
    except CronSimError:
        raise Wrong(f"The specified pattern is not valid: {pattern}") from None
    return None if found is None else found.replace(tzinfo=UTC).timestamp()


class Calendar:
    """Starts workflows when their triggers are due.

    The id of each execution follows from its trigger and its time: two processes, or one that
    crashed in between, start one execution. Times that passed while no server ran are made up
    for by one start.
    """

    def __init__(self, tools: FlowTools, start: Start) -> None:
        self._store = tools.store
        self._now = tools.now
        self._start = start

    async def fire(self, trigger: Trigger) -> None:
        """Start the workflow of a trigger that is due, and set its next time."""
        fields = {"trigger": trigger.name, "project": trigger.project}
        execution_id = str(uuid.uuid5(_SPACE, f"{trigger.id} {trigger.next_at!r}"))
        try:
            await self._start(trigger, execution_id)
        except (FlowRefused, InvalidInput) as refusal:
            _log.warning("a cron trigger starts nothing", extra={**fields, "reason": str(refusal)})
        except DBAPIError:
            return  # it stays due
        now = self._now()
        following = None
        if trigger.pattern:
            following = next_time(trigger.pattern, max(now, trigger.next_at))
        await self._store.transact(
            lambda connection: advance_trigger(connection, trigger, following, now)
        )
