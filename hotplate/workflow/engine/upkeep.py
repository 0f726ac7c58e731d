"""The sweep of workflows: due times, actions that wait, and those whose worker died."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from hotplate.engine.worker.heartbeat_expiry import HeartbeatExpiry
from hotplate.engine.worker.lease import EXPIRY
from hotplate.store.database import is_transient
from hotplate.store.workers import database_time
from hotplate.store.workflows.actions import (
    FoundAction,
    abandoned_actions,
    due_actions,
    due_tasks,
    held_actions,
    next_due_of_workflows,
    offer_action,
    ready_actions,
    take_action,
)
from hotplate.store.workflows.definitions import Trigger, due_triggers, next_trigger
from hotplate.workflow.engine.calendar import Calendar
from hotplate.workflow.engine.context import FlowTools
from hotplate.workflow.engine.lone_actions import LoneActions
from hotplate.workflow.engine.refusals import FlowRefused
from hotplate.workflow.engine.runner import Runner, unknown_outcome
from hotplate.workflow.engine.tree import Job
from hotplate.workflow.machine import Result

_log = logging.getLogger("hotplate.workflow")

SWEEP = 1.0
_SHORTEST = 0.01
_STRAY = 10.0
"""Seconds after which an action that its worker does not perform is taken for dropped."""


@dataclass(frozen=True, slots=True)
class _Seen:
    tasks: list[tuple[str, str, str]]
    waited: list[FoundAction]
    ready: list[FoundAction]
    abandoned: list[FoundAction]
    held: list[FoundAction]
    triggers: list[Trigger]
    due: float | None


class Upkeep:
    """Sweeps while the process lives; what it finds is handed to the runner."""

    def __init__(
        self,
        tools: FlowTools,
        runner: Runner,
        lone: LoneActions,
        calendar: Calendar,
    ) -> None:
        self._store = tools.store
        self._identity = tools.identity
        self._now = tools.now
        self._runner = runner
        self._lone = lone
        self._calendar = calendar
        self._expiry = HeartbeatExpiry()
        self._sooner = asyncio.Event()
        self._due: float | None = None
        self._in_hand: set[str] = set()
        self._idle: dict[str, float] = {}

    def wake(self, due: float | None) -> None:
        """Sweep again no later than at this time; at once for None."""
        if due is None:
            self._sooner.set()
        elif self._due is None or due < self._due:
            self._due = due
            self._sooner.set()

    async def run(self) -> None:
        """Sweep until cancelled."""
        while True:
            self._sooner.clear()
            wait = SWEEP
            try:
                self._due = await self.sweep()
            except DBAPIError as error:
                if not is_transient(error):
                    raise
            if self._due is not None:
                wait = min(SWEEP, max(_SHORTEST, self._due - self._now()))
            try:
                # Not wait_for: woken and cancelled at the same moment, it would forget the latter.
                async with asyncio.timeout(wait):
                    await self._sooner.wait()
            except TimeoutError:
                continue
            if self._due is not None and self._due - self._now() > _SHORTEST:
                # Woken for a due time that is not there yet, unless there is something to take.
                await asyncio.sleep(0)

    async def sweep(self) -> float | None:
        """Hand over what is due, ready or abandoned; return when something is due next."""
        seen = await self._store.read(self._survey)
        for tree, run_id, task_id in seen.tasks:
            self._once(task_id, self._runner.fire_timer, tree, run_id, task_id)
        for found in seen.waited:
            self._once(found.id, self._end_of_wait, found)
        for found in seen.abandoned:
            if not self._runner.performs(found.id):
                self._once(found.id, self._take_over, found)
        for found in self._strays(seen.held):
            self._once(found.id, self._take_over, found)
        for trigger in seen.triggers:
            self._once(trigger.id, self._calendar.fire, trigger)
        await self._take(seen.ready)
        return seen.due

    def _survey(self, connection: Connection) -> _Seen:
        now = self._now()
        ready = [] if self._runner.is_stopping else ready_actions(connection)
        # What is due already is in this survey; it must not be the reason for another one at once.
        times = (next_due_of_workflows(connection, now), next_trigger(connection, now))
        return _Seen(
            due_tasks(connection, now),
            due_actions(connection, now),
            ready,
            abandoned_actions(
                connection, self._expiry.expired(database_time(connection), now, EXPIRY)
            ),
            held_actions(connection, self._identity.id),
            due_triggers(connection, now),
            min((at for at in times if at is not None), default=None),
        )

    def _strays(self, held: list[FoundAction]) -> list[FoundAction]:
        """Return actions that this worker holds and has not performed for some time.

        An unexpected error dropped them. Those that were just put into its hands, or
        whose end is being written, are seen only once.
        """
        now = self._now()
        idle = {each.id: each for each in held if not self._runner.performs(each.id)}
        self._idle = {each: self._idle.get(each, now) for each in idle}
        return [idle[each] for each, since in self._idle.items() if now - since > _STRAY]

    def _once(self, key: str, work: Callable[..., object], *args: object) -> None:
        """Do something about a row, unless that is being done."""
        if key in self._in_hand:
            return
        self._in_hand.add(key)

        async def done() -> None:
            try:
                await work(*args)  # type: ignore[misc]
            finally:
                self._in_hand.discard(key)

        self._runner.in_background(done())

    async def _end_of_wait(self, found: FoundAction) -> None:
        tree, run_id = found.tree, found.run_id
        if tree is None or run_id is None:
            await self._lone.wait_over(found.project, found.id)
        else:
            await self._runner.report(tree, run_id, lambda tree: tree.wait_over(run_id, found.id))

    async def _take_over(self, found: FoundAction) -> None:
        """Go on with an action whose worker has died: again if that is safe, else not."""
        fields = {"action": found.id, "execution": found.run_id, "task": found.task_name}
        if found.safe_rerun and found.worker is not None:
            offer = partial(offer_action, action_id=found.id, worker_id=found.worker)
            if await self._store.transact(offer):
                _log.info("an action is performed again", extra=fields)
                self._sooner.set()
            return
        _log.warning("the outcome of an action is unknown", extra=fields)
        await self._finish(found, unknown_outcome(found))

    async def _finish(self, found: FoundAction, result: Result) -> None:
        if found.tree is None or found.run_id is None:
            await self._lone.end(found.project, found.id, result)
        else:
            await self._runner.finish(found.tree, found.run_id, found.id, result)

    async def _take(self, ready: list[FoundAction]) -> None:
        """Take as many ready actions into this worker's hands as it can perform."""
        wanted = self._fair(each for each in ready if not self._runner.performs(each.id))
        if not wanted or not self._identity.has_valid_lease:
            return
        worker = self._identity.id

        def take(connection: Connection) -> list[FoundAction]:
            return [each for each in wanted if take_action(connection, each.id, worker)]

        for found in await self._store.transact(take):
            self._runner.hold(found.id, found.project, self._perform(found))

    def _fair(self, ready: Iterable[FoundAction]) -> list[FoundAction]:
        """Return the actions that can be taken, of no project more than its share."""
        taken: Counter[str] = Counter()
        wanted = []
        for each in ready:
            if taken[each.project] < self._runner.free_for(each.project):
                taken[each.project] += 1
                wanted.append(each)
        return wanted

    async def _perform(self, found: FoundAction) -> None:
        """Perform an action that is in this worker's hands."""
        tree, run_id = found.tree, found.run_id
        if tree is None or run_id is None:
            await self._lone.go_on(found.project, found.id)
            return
        try:
            job = await self._runner.send(
                tree, lambda tree: tree.job(run_id, found.id), patiently=True
            )
        except FlowRefused:
            return
        if isinstance(job, Job):
            await self._runner.performed(tree, job)
        elif job is not None:
            await self._runner.finish(tree, run_id, found.id, job)
