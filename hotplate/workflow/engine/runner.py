"""The runner: delivers messages to trees, commits what follows, and performs the actions.

Each tree has a mailbox; what arrives while one step is under way goes into the next. A step is
computed in a thread, against the revision of the tree that is in memory, and written together with
the steps of other trees in one transaction. A step that comes too late is computed anew.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from functools import partial
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from hotplate.store.database import is_transient
from hotplate.store.fairness.batching import Batcher
from hotplate.store.workflows.actions import FoundAction, detach_action, is_performed_by
from hotplate.store.workflows.runs import (
    TreeChange,
    count_active_executions,
    count_executions,
    read_root,
    write_tree,
)
from hotplate.workflow.engine.context import FlowTools
from hotplate.workflow.engine.kept_trees import KeptTrees
from hotplate.workflow.engine.library import Flow, Library
from hotplate.workflow.engine.messages import (
    Mailbox,
    Message,
    MessageFailed,
    reject_impatient,
    stepped,
)
from hotplate.workflow.engine.refusals import FlowRefused, Wrong, limit_reached, no_execution
from hotplate.workflow.engine.tree import CallGateway, Handler, Job, Later, Outcome, Tree
from hotplate.workflow.machine import (
    Call,
    Machine,
    Order,
    Result,
    Step,
    Tools,
)
from hotplate.workflow.model import ActionRun, State, WorkflowRun

T = TypeVar("T")

_log = logging.getLogger("hotplate.workflow")

_TRIES = 100
_SHORTEST_PAUSE = 0.05
_LISTENING = 0.2
_LONGEST_PAUSE = 4.0

_ROWS = 256
"""Rows that changes share a transaction for: others wait for it."""


class Performer(CallGateway, Protocol):
    """Carries actions out."""

    async def perform(self, run: WorkflowRun, action: ActionRun, call: Call) -> Result | Later:
        """Carry a call out. Raises nothing but CancelledError."""
        ...

    def refusal(self, call: Call) -> str:
        """Return why there can be no such call; an empty text if there can."""
        ...


class _Written(Enum):
    YES = "yes"
    MOVED = "moved"
    TOO_MANY = "too many executions are kept"
    TOO_BUSY = "too many executions have not ended"


MakeTools = Callable[[str], Tools]
"""Gives the machine's tools for the runs of a project."""


class Runner:
    """Runs workflows in one process; any number of processes may share the database."""

    def __init__(
        self,
        tools: FlowTools,
        library: Library,
        machine_tools: MakeTools,
        performer: Performer,
    ) -> None:
        self._store = tools.store
        self._identity = tools.identity
        self._settings = tools.settings
        self._now = tools.now
        self._in_thread = tools.in_thread
        self._library = library
        self._tools = machine_tools
        self._performer = performer
        self._commits: Batcher[TreeChange, _Written | Exception] = Batcher(
            self._commit, most=_ROWS, weight=lambda change: change.rows
        )
        self._trees = KeptTrees()
        self._mailboxes: dict[str, Mailbox] = {}
        self._performing: dict[str, asyncio.Task[None]] = {}
        self._held: Counter[str] = Counter()
        """How many actions of each project are being performed."""

        self._background: set[asyncio.Task[Any]] = set()
        self._is_stopping = False
        self.wake: Callable[[float | None], None] = lambda due: None
        """Called when something new is due at a time, or, with None, ready to be performed."""

        self.ended: Callable[[WorkflowRun], None] = lambda run: None
        """Called with each run whose end has been committed."""

    @property
    def free(self) -> int:
        """How many more actions this process would perform."""
        if self._is_stopping:
            return 0
        return max(0, self._settings.actions_at_once - len(self._performing))

    def free_for(self, project: str) -> int:
        """Return how many more actions of a project this process would perform; from any thread.

        A project that has many leaves room for others, four of its own for one that is free, and
        one that has none gets one in any case.
        """
        if self._is_stopping:
            return 0
        own = self._held[project]
        least = 0 if own or not self._settings.actions_at_once else 1
        return max((4 * self.free - own) // 5, least)

    @property
    def is_stopping(self) -> bool:
        """Whether nothing more is begun here."""
        return self._is_stopping

    def performs(self, action_id: str) -> bool:
        """Return whether an action is being performed here."""
        return action_id in self._performing

    async def start(self, flow: Flow, order: Order) -> WorkflowRun | None:
        """Begin an execution; None if there is one with this id already.

        Raises InvalidInput, and FlowRefused if the project has too many.
        """
        return await self.uninterrupted(self._start(flow, order))

    async def uninterrupted(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something that must not stop halfway when its caller is cancelled.

        Between a commit that assigns actions to this worker and their beginning, they would be
        lost.
        """
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._forgotten)
        return await asyncio.shield(task)

    def _forgotten(self, task: asyncio.Task[Any]) -> None:
        self._background.discard(task)
        if not task.cancelled():
            task.exception()  # whoever still waits gets it

    async def _start(self, flow: Flow, order: Order) -> WorkflowRun | None:
        project = order.project
        tree = Tree(
            order.run_id, project, None, self._library, self._tools(project), self._performer
        )
        worker = self._identity.id

        def step() -> TreeChange | None:
            tree.begin(flow, order)
            return tree.change(worker, self.free_for(project))

        change = await self._in_thread(step, project)
        written = _Written.MOVED if change is None else await self._written(change)
        if written is _Written.TOO_MANY:
            raise limit_reached("executions", self._settings.most_executions)
        if written is _Written.TOO_BUSY:
            most = self._settings.most_active_executions
            raise limit_reached("executions that have not ended", most)
        if written is _Written.MOVED:
            return None
        run = replace(tree.root)
        self._trees.add(tree)
        self._carry_out(tree, tree.committed())
        return run

    async def send(self, root_id: str, handle: Handler, *, patiently: bool = False) -> Any:
        """Send a tree a message; return the answer when all that follows has been committed.

        ``patiently``: however long the database is away. Raises what ``handle`` raises.
        """
        mailbox = self._mailboxes.setdefault(root_id, Mailbox())
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        mailbox.messages.append(Message(handle, answer, patiently))
        if mailbox.delivery is None:
            mailbox.delivery = asyncio.get_running_loop().create_task(
                self._deliver_all(root_id, mailbox)
            )
        return await answer

    async def finish(self, root_id: str, run_id: str, action_id: str, result: Result) -> None:
        """Report to a run how an action ended."""

        def finish(machine: Machine) -> Step:
            return machine.action_finished(action_id, result)

        await self.report(root_id, run_id, lambda tree: tree.apply(run_id, finish))

    async def fire_timer(self, root_id: str, run_id: str, task_id: str) -> None:
        """Report to a run that the time has come which a task waits for."""

        def fire(machine: Machine) -> Step:
            return machine.timer(task_id, self._now())

        await self.report(root_id, run_id, lambda tree: tree.apply(run_id, fire))

    async def report(self, root_id: str, run_id: str, handle: Handler) -> None:
        """Report to a run what happened in the world, however long that takes.

        An unexpected error ends the run: it could not go on.
        """
        try:
            await self.send(root_id, handle, patiently=True)
        except FlowRefused:
            _log.info("the execution does not exist any more", extra={"execution": run_id})
        except Exception as error:
            if is_transient(error):
                raise
            _log.exception("an execution cannot go on", extra={"execution": run_id})
            reason = f"internal error: {_error_text(error)}"

            def stop(machine: Machine) -> Step:
                return machine.stop(State.ERROR, reason)

            await self.send(root_id, lambda tree: tree.apply(run_id, stop), patiently=True)

    def perform(self, root_id: str, project: str, job: Job) -> None:
        """Perform an action that is in this worker's hands."""
        self.hold(job.action.id, project, self.performed(root_id, job))

    def hold(self, action_id: str, project: str, work: Coroutine[Any, Any, None]) -> None:
        """Do what an action needs, in the background, until it ends or is cancelled."""
        task = asyncio.get_running_loop().create_task(work)
        self._performing[action_id] = task
        self._held[project] += 1
        task.add_done_callback(partial(self._performed_one, action_id, project))

    def in_background(self, work: Awaitable[Any]) -> None:
        """Do something in the background; what it raises is logged."""

        async def watched() -> None:
            try:
                await work
            except DBAPIError as error:
                if not is_transient(error):
                    _log.exception("unexpected error in the background work of executions")
            except Exception:
                _log.exception("unexpected error in the background work of executions")

        task = asyncio.get_running_loop().create_task(watched())
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def stop(self, patience: float) -> None:
        """Take no more actions, give those in hand some seconds to end, and drop the others."""
        self._is_stopping = True
        if self._performing:
            await asyncio.wait(list(self._performing.values()), timeout=patience)
        left = [*self._performing.values(), *self._background]
        left.extend(each.delivery for each in self._mailboxes.values() if each.delivery is not None)
        for task in left:
            task.cancel()
        for task in left:
            with suppress(asyncio.CancelledError, Exception):
                await task

    def _performed_one(self, action_id: str, project: str, task: asyncio.Task[None]) -> None:
        self._performing.pop(action_id, None)
        self._held[project] -= 1
        if not self._held[project]:
            del self._held[project]
        if not task.cancelled() and task.exception() is not None:
            _log.error(
                "unexpected error while an action was performed",
                exc_info=task.exception(),
                extra={"action": action_id},
            )
        if not self._is_stopping:
            self.wake(None)

    async def performed(self, root_id: str, job: Job) -> None:
        """Perform an action and report its end to its run; for `hold`."""
        if not self._identity.has_valid_lease and not await self._still_holds(job.action.id):
            return
        result = await self._performer.perform(job.run, job.action, job.call)
        if isinstance(result, Result):
            await self.report(root_id, job.run.id, lambda tree: tree.action_finished(job, result))
            return
        await self.patiently(partial(detach_action, action_id=job.action.id, due=result.due))
        if result.due is not None:
            self.wake(result.due)

    async def _still_holds(self, action_id: str) -> bool:
        """Wait until this worker reaches the database; return whether it has the action then.

        Others may have taken it over, believing this process dead.
        """
        worker = self._identity.id
        while not self._identity.has_valid_lease:  # noqa: ASYNC110 (a worker does not say when it is)
            await asyncio.sleep(_LISTENING)
        return await self.patiently(partial(is_performed_by, action_id=action_id, worker_id=worker))

    async def patiently(self, work: Callable[[Connection], T]) -> T:
        """Run the work in one transaction, however long the database is away."""
        pause = _SHORTEST_PAUSE
        while True:
            try:
                return await self._store.transact(work)
            except DBAPIError as error:
                if not is_transient(error) or self._is_stopping:
                    raise
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _deliver_all(self, root_id: str, mailbox: Mailbox) -> None:
        try:
            while mailbox.messages:
                messages, mailbox.messages = mailbox.messages, []
                try:
                    await self._deliver(root_id, messages)
                except BaseException as error:
                    self._trees.forget(root_id)
                    for message in messages:
                        message.reply(error)
                    if not isinstance(error, Exception):
                        raise
        finally:
            mailbox.delivery = None
            if not mailbox.messages:
                self._mailboxes.pop(root_id, None)

    async def _deliver(self, root_id: str, messages: list[Message]) -> None:
        """Let a tree handle all of the messages in one step, tried until it is committed."""
        pause, late = _SHORTEST_PAUSE, 0
        while messages:
            try:
                if await self._tried(root_id, messages):
                    return
                late += 1
                if late < _TRIES:
                    continue
                busy = Wrong(f"The execution {root_id} changes too fast; try again")
                reject_impatient(messages, busy)
            except MessageFailed as fault:
                self._trees.forget(root_id)
                messages.remove(fault.message)
                fault.message.reply(fault.__cause__ or fault)
                continue
            except DBAPIError as error:
                # Whether the step was committed is not known: the rows will show it.
                self._trees.forget(root_id)
                if not is_transient(error):
                    raise
                reject_impatient(messages, error)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _tried(self, root_id: str, messages: Sequence[Message]) -> bool:
        tree = self._trees.get(root_id)
        if tree is None:
            tree = await self._open(root_id)
            self._trees.add(tree)
        worker, found = self._identity.id, tree

        def step() -> tuple[list[Any], TreeChange | None]:
            return stepped(found, messages, worker, self.free_for(found.project))

        answers, change = await self._in_thread(step, tree.project)
        if change is not None:
            if await self._written(change) is not _Written.YES:
                self._trees.forget(root_id)
                return False
            self._carry_out(tree, tree.committed())
        for message, answer in zip(messages, answers, strict=True):
            message.reply(answer)
        return True

    async def _open(self, root_id: str) -> Tree:
        found = await self._store.read(partial(read_root, root_id=root_id))
        if found is None:
            raise no_execution(root_id)
        revision, project = found
        return Tree(
            root_id, project, revision, self._library, self._tools(project), self._performer
        )

    def forget(self, root_id: str) -> None:
        """Read a tree anew the next time."""
        self._trees.forget(root_id)

    def _carry_out(self, tree: Tree, outcome: Outcome) -> None:
        for job in outcome.perform:
            self.perform(tree.root_id, tree.project, job)
        for run_id, task_id in outcome.due_now:
            self.in_background(self.fire_timer(tree.root_id, run_id, task_id))
        for action_id in outcome.cancelled:
            task = self._performing.get(action_id)
            if task is not None:
                task.cancel()
        if outcome.are_more_ready:
            self.wake(None)
        if outcome.due is not None:
            self.wake(outcome.due)
        for run in outcome.ended:
            self.ended(run)
            if run.id == tree.root_id:
                self._trees.forget(tree.root_id)
        self._trees.make_room()

    async def _written(self, change: TreeChange) -> _Written:
        """Commit a change together with others that come at the same time."""
        answer = await self._commits.ask(change)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def _commit(self, changes: Sequence[TreeChange]) -> list[_Written | Exception]:
        """Commit changes in one transaction; if one of them cannot be written, one by one."""
        try:
            return [*await self._store.transact(partial(self._write, changes=changes))]
        except Exception as error:
            if is_transient(error):
                raise
            if len(changes) == 1:
                return [_Written.MOVED if isinstance(error, IntegrityError) else error]
        return [(await self._commit([change]))[0] for change in changes]

    def _write(self, connection: Connection, changes: Sequence[TreeChange]) -> list[_Written]:
        answers: dict[int, _Written] = {}
        # In one order for all processes: no deadlock.
        for at in sorted(range(len(changes)), key=lambda at: changes[at].tree):
            change = changes[at]
            refusal = self._refusal(connection, change.project) if change.revision is None else None
            if refusal is not None:
                answers[at] = refusal
            else:
                is_written = write_tree(connection, change)
                answers[at] = _Written.YES if is_written else _Written.MOVED
        return [answers[at] for at in range(len(changes))]

    def _refusal(self, connection: Connection, project: str) -> _Written | None:
        """Return why a project may start no more; None if it may."""
        settings = self._settings
        if count_active_executions(connection, project) >= settings.most_active_executions:
            return _Written.TOO_BUSY
        if count_executions(connection, project) >= settings.most_executions:
            return _Written.TOO_MANY
        return None


def _error_text(error: Exception) -> str:
    """Return an error for those who run workflows; rows of the database are not for them."""
    is_of_database = isinstance(error, SQLAlchemyError)
    return type(error).__name__ if is_of_database else f"{type(error).__name__}: {error}"


def unknown_outcome(found: FoundAction) -> Result:
    """Return the end of an action whose outcome is unknown."""
    return Result(
        failed=True,
        unknown=True,
        error=(
            f"outcome unknown: the process that performed the action {found.name} of the task "
            f'"{found.task_name}" ended before it could report how the action went, and the task '
            f"is not marked safe-rerun [action_ex_id={found.id}]"
        ),
    )
