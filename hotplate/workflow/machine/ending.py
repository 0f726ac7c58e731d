"""The end of a run: when it has come, as what, and with which output."""

from typing import Any

from hotplate.workflow.language import Workflow
from hotplate.workflow.machine.context import confluence, merged
from hotplate.workflow.machine.effects import Ended
from hotplate.workflow.machine.ledger import Ledger
from hotplate.workflow.machine.scope import Broken, Evaluation, is_settled
from hotplate.workflow.model import State, TaskRun

_LONGEST_REASON = 60_000
_LONGEST_ITEM = 1_000
_MOST_NAMED = 20


class Ending:
    """Ends runs."""

    def __init__(self, definition: Workflow, ledger: Ledger, evaluation: Evaluation) -> None:
        self._definition = definition
        self._ledger = ledger
        self._evaluation = evaluation

    def end_if_done(self) -> None:
        """End the run if none of its tasks has anything to do."""
        ledger = self._ledger
        if ledger.open or is_settled(ledger.run.state):
            return
        counted = [task for task in ledger.tasks.values() if not task.error_handled]
        cancelled = [task for task in counted if task.state is State.CANCELLED]
        failed = [task for task in counted if task.state is State.ERROR]
        if cancelled:
            self.stop(State.CANCELLED, f"cancelled tasks: {_named(cancelled)}")
        elif failed:
            self.stop(State.ERROR, self._reason(failed))
        else:
            self.stop(State.SUCCESS, None)

    def stop(self, state: State, reason: str | None) -> None:
        """End the run now; what is still under way is given up."""
        output: dict[str, Any]
        if state is State.CANCELLED:
            output = {"result": reason}
        else:
            try:
                output = self._output(state, reason)
            except Broken as broken:
                said = f"the output cannot be evaluated: {broken}"
                reason = f"{reason}; {said}" if reason else said
                output = {"result": reason}
                if state is State.SUCCESS:
                    self.stop(State.ERROR, reason)
                    return
        self._give_up()
        if reason is not None:
            reason = reason[:_LONGEST_REASON]
        ledger = self._ledger
        ledger.change_run(
            state=state, state_info=reason, output=output, backlog=[], finished_at=ledger.now()
        )
        ledger.effect(Ended(state, reason, output))

    def _output(self, state: State, reason: str | None) -> dict[str, Any]:
        known = self.final_context()
        defined = self._definition
        asked = defined.output if state is State.SUCCESS else defined.output_on_error
        output = self._evaluation.of_run(asked, known) or known
        if state is State.ERROR:
            output = merged({"result": reason}, output)
        self._evaluation.weigh(output, "the output")
        return output

    def final_context(self) -> dict[str, Any]:
        """Return all that the ends of the branches know."""
        tasks = self._ledger.tasks
        if self._definition.reverse:
            name = str(self._ledger.run.params.get("task_name"))
            return confluence(self._ledger.by_name.get(name, [])[-1:]).data
        ends = (t for t in tasks.values() if t.state.is_final and not t.next_tasks)
        return confluence(ends).data

    def _give_up(self) -> None:
        """Cancel what is under way. It neither fails nor cancels the run, should it go on."""
        ledger = self._ledger
        for task in list(ledger.open.values()):
            for action in ledger.actions_of(task):
                ledger.abandon(action, "the workflow ended")
            ledger.change(task, error_handled=True, processed=True)
            ledger.enter(task, State.CANCELLED, "the workflow ended before this task did")

    def _reason(self, failed: list[TaskRun]) -> str:
        failed.sort(key=lambda task: task.name)
        lines = [] if len(failed) == 1 else [f"the tasks {_named(failed)} failed"]
        for task in failed[:_MOST_NAMED]:
            lines.append(f"the task {task.name} failed: {task.state_info or 'no reason given'}")
            if task.items is None:
                continue
            for action in self._ledger.actions_of(task):
                if action.state is State.ERROR and action.accepted:
                    said = str(action.output.get("result"))[:_LONGEST_ITEM]
                    lines.append(f"  item {action.index} ({action.id}): {said}")
                    if len(lines) > 2 * _MOST_NAMED:
                        break
        return "\n".join(lines)


def _named(tasks: list[TaskRun]) -> str:
    names = ", ".join(task.name for task in tasks[:_MOST_NAMED])
    return names + (" and others" if len(tasks) > _MOST_NAMED else "")
