"""Calls of actions of the program: checked, answered at once or performed."""

import asyncio
from collections.abc import Callable

from hotplate.workflow.actions import Action, Actions, Caller, Pause
from hotplate.workflow.engine.tree import Later
from hotplate.workflow.machine import Call, Result
from hotplate.workflow.model import ActionRun, WorkflowRun


class Calls:
    """Answers and performs calls; ad-hoc actions have been unfolded before."""

    def __init__(self, actions: Actions, now: Callable[[], float], callback_url: str = "") -> None:
        self._actions = actions
        self._now = now
        self._callback_url = callback_url

    def knows(self, name: str) -> bool:
        """Return whether an action of the program has this name."""
        return self._actions.find(name) is not None

    def refusal(self, call: Call) -> str:
        """Return why there can be no such call; an empty text if there can."""
        found = self._found(call)
        return str(found.error) if isinstance(found, Result) else ""

    def at_once(self, call: Call, now: float) -> Result | Later | None:
        """Return the end of a call that touches nothing; None if it must be performed."""
        action = self._found(call)
        if isinstance(action, Result):
            return action
        if action.at_once is None:
            return None
        found = action.at_once(action.filled(call.values))
        return _later(found, now) if isinstance(found, Pause) else found

    def after_wait(self, call: Call) -> Result:
        """Return how a call ends that only waited."""
        action = self._found(call)
        if isinstance(action, Result):
            return action
        if action.at_once is None:
            return Result(failed=True, error=f"{call.name} has become another action meanwhile")
        found = action.at_once(action.filled(call.values))
        return found.result if isinstance(found, Pause) else found

    async def perform(self, run: WorkflowRun, action: ActionRun, call: Call) -> Result | Later:
        """Carry a call out. Raises nothing but CancelledError."""
        found = self.at_once(call, self._now())
        if found is not None:
            return found
        known = self._found(call)
        if isinstance(known, Result):
            return known
        if known.perform is None:
            return Result(broken=True, error=f"the action {call.name} does nothing")
        try:
            async with asyncio.timeout(action.timeout):
                outcome = await known.perform(known.filled(call.values), self._caller(run, action))
        except TimeoutError:
            return Result(failed=True, error=f"{call.name} did not end within its time")
        except Exception as error:
            return Result(failed=True, error=f"{type(error).__name__}: {error}")
        return _later(outcome, self._now()) if isinstance(outcome, Pause) else outcome

    def _found(self, call: Call) -> Action | Result:
        action = self._actions.find(call.name)
        if action is None:
            return Result(broken=True, error=self._actions.why_not(call.name))
        complaint = action.complaint(call.values)
        return Result(broken=True, error=complaint) if complaint else action

    def _caller(self, run: WorkflowRun, action: ActionRun) -> Caller:
        return Caller(
            workflow_name=run.workflow_name,
            run_id=run.id,
            task_id=action.task_id,
            action_id=action.id,
            project=run.project,
            callback_url=self._callback_url and f"{self._callback_url}/{action.id}",
        )


def _later(pause: Pause, now: float) -> Later:
    return Later(None if pause.seconds is None else now + pause.seconds)
