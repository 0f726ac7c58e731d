"""How a task is run: waits, timeouts, retries, fail-on."""

from typing import Any, Final

from hotplate.workflow.language import Policies, Workflow
from hotplate.workflow.machine.context import outbound
from hotplate.workflow.machine.effects import UNKNOWN
from hotplate.workflow.machine.ledger import Ledger
from hotplate.workflow.machine.scope import Broken, Evaluation
from hotplate.workflow.machine.tools import Tools
from hotplate.workflow.model import State, TaskRun, Wait

_LARGEST: Final = 10**9
"""Of seconds that is a lifetime; larger numbers are no times any more."""


class PolicyKeeper:
    """Applies the policies of tasks. Expressions are evaluated when they matter."""

    def __init__(
        self, definition: Workflow, ledger: Ledger, evaluation: Evaluation, tools: Tools
    ) -> None:
        self._definition = definition
        self._ledger = ledger
        self._evaluation = evaluation
        self._tools = tools

    def of(self, task: TaskRun) -> Policies:
        """Return the policies of a task as defined."""
        return self._definition.tasks[task.name].policies

    def pauses(self, task: TaskRun) -> bool:
        """Whether the run is to pause before this task."""
        return self._flag(self.of(task).pause_before, task, "pause-before")

    def hold_back(self, task: TaskRun) -> bool:
        """Set timeout and concurrency as the task starts; return whether it has to wait first."""
        policies = self.of(task)
        wait = self._number(policies.wait_before, task, "wait-before")
        timeout = self._number(policies.timeout, task, "timeout")
        now = self._ledger.now()
        self._ledger.change(
            task,
            timeout_at=now + timeout if timeout else None,
            concurrency=self._number(policies.concurrency, task, "concurrency") or None,
        )
        if not wait:
            return False
        self._delay(task, Wait.BEFORE, wait)
        return True

    def hold_on(self, task: TaskRun, state: State, info: str | None) -> bool:
        """Return whether an attempt that is over has to wait before it counts."""
        wait = self._number(self.of(task).wait_after, task, "wait-after")
        if not wait or task.waited_after:
            return False
        self._ledger.change(task, waited_after=True, end_state=state, end_info=info)
        self._delay(task, Wait.AFTER, wait)
        return True

    def fails(self, task: TaskRun) -> bool:
        """Whether fail-on turns success into failure."""
        return self._flag(self.of(task).fail_on, task, "fail-on")

    def again(self, task: TaskRun, state: State) -> float | None:
        """Return after how many seconds the task is to be tried again; None for not."""
        retry = self.of(task).retry
        if retry is None or state is State.CANCELLED or self._may_have_had_effect(task):
            return None
        count = self._number(retry.count, task, "the count of retry")
        delay = self._number(retry.delay, task, "the delay of retry")
        if count > self._tools.limits.retries:
            raise Broken(f"retry asks for {count} tries; {self._tools.limits.retries} are allowed")
        if not count:
            return None
        known = outbound(task).data
        go_on = retry.continue_on and self._evaluation.of_task(retry.continue_on, task, known)
        stop = retry.break_on and self._evaluation.of_task(retry.break_on, task, known)
        if task.retries >= count or (state is State.ERROR and stop):
            return None
        wanted = bool(go_on) if retry.continue_on else state is State.ERROR
        return delay if wanted else None

    def _may_have_had_effect(self, task: TaskRun) -> bool:
        """Whether a call was lost that must not be made twice."""
        return any(
            UNKNOWN.items() <= action.output.items() and not action.safe_rerun
            for action in self._ledger.actions_of(task)
        )

    def delay_retry(self, task: TaskRun, delay: float) -> None:
        """Bring the next try of a task about; its timeout, if it is used up, begins anew."""
        timeout = task.timeout_at
        if timeout is None:
            seconds = self._number(self.of(task).timeout, task, "timeout")
            timeout = self._ledger.now() + delay + seconds if seconds else None
        self._ledger.change(task, retries=task.retries + 1, timeout_at=timeout)
        self._delay(task, Wait.RETRY, delay)

    def _delay(self, task: TaskRun, wait: Wait, seconds: float) -> None:
        self._ledger.change(task, waiting_for=wait, due_at=self._ledger.now() + seconds)
        self._ledger.enter(task, State.DELAYED, f"delayed by {wait.value} for {seconds} s")

    def _number(self, value: Any, task: TaskRun, what: str) -> int:
        if isinstance(value, str):
            value = self._evaluation.of_task(value, task)
        if value is None:
            return 0
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if not is_whole or not 0 <= value <= _LARGEST:
            raise Broken(f"{what} must be a whole number from 0 to {_LARGEST}, not {_shown(value)}")
        return int(value)

    def _flag(self, value: Any, task: TaskRun, what: str) -> bool:
        if isinstance(value, str):
            value = self._evaluation.of_task(value, task)
        if value is not None and not isinstance(value, bool):
            raise Broken(f"{what} must be true or false, not {_shown(value)}")
        return bool(value)


def _shown(value: Any) -> str:
    # Python refuses to write whole numbers of thousands of digits.
    is_huge = isinstance(value, int) and value.bit_length() > 300
    return "a larger one" if is_huge else str(value)[:80]
