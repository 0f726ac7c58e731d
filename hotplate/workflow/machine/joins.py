"""Tasks where branches meet: when they start, and when they never will."""

from typing import Final

from hotplate.workflow.language import Event, Task, Workflow
from hotplate.workflow.machine.ledger import Ledger
from hotplate.workflow.model import State, TaskRun

_ROUNDS_CONSIDERED: Final = 20
"""Rounds of a join that may be open at the same time: a loop must not cost more with each round."""


class Joins:
    """Decides over the waiting joins of one run.

    Each round of a join (in a loop it has several) has a row of its own. A task leads to the first
    round in which no other run of the same task counts already, and which did not lead to it.
    """

    def __init__(self, definition: Workflow, ledger: Ledger) -> None:
        self._definition = definition
        self._ledger = ledger
        self._may_decide = True
        self._leads_to = {
            task.name: {
                target.name
                for clause in task.clauses.values()
                for target in clause.targets
                if target.name in definition.tasks
            }
            for task in definition.tasks.values()
        }

    def arrive(self, join: Task, source: TaskRun, event: Event) -> TaskRun:
        """Note that a task led to a join; create the row of its round if it is the first."""
        ledger = self._ledger
        rounds = ledger.by_name.get(join.name, [])
        for row in rounds[-_ROUNDS_CONSIDERED:]:
            names = {ledger.tasks[t["task_id"]].name for t in row.triggered_by}
            if source.name not in names and not self._descends(source, row):
                break
        else:
            row = ledger.add_task(
                join.name,
                join.kind,
                state=State.WAITING,
                state_info="waits for the tasks before it",
                unique_key=f"{join.name}#{len(rounds) + 1}",
            )
        triggers = [*row.triggered_by, {"task_id": source.id, "event": event.value}]
        ledger.change(row, triggered_by=triggers)
        self.reconsider()
        return row

    def _descends(self, source: TaskRun, join: TaskRun) -> bool:
        """Whether a round of a join is among the tasks that led to this one."""
        todo = [source]
        seen = {source.id}
        while todo:
            for trigger in todo.pop().triggered_by:
                task = self._ledger.tasks[trigger["task_id"]]
                if task is join:
                    return True
                if task.number > join.number and task.id not in seen:
                    seen.add(task.id)
                    todo.append(task)
        return False

    def reconsider(self) -> None:
        """Something has ended or arrived: joins may have come nearer to their decision."""
        self._may_decide = True

    def decide(self) -> list[tuple[TaskRun, str]]:
        """Return the waiting joins whose time has come: with an empty text, or why they fail."""
        if not self._may_decide:
            return []
        waiting = [task for task in self._ledger.open.values() if _waits(task)]
        if not waiting:
            self._may_decide = False
            return []
        decided: list[tuple[TaskRun, str]] = []
        coming = self._coming()
        for row in waiting:
            arrived = {self._ledger.tasks[t["task_id"]].name for t in row.triggered_by}
            inbound = self._definition.inbound[row.name]
            needed = _needed(self._definition.tasks[row.name].join, len(inbound))
            if len(arrived) >= needed:
                decided.append((row, ""))
                continue
            possible = arrived | {name for name in inbound if name in coming}
            if len(possible) < needed:
                missing = ", ".join(name for name in inbound if name not in possible)
                decided.append((row, f"no task leads here any more from: {missing}"))
        if not decided and len(waiting) == len(self._ledger.open):
            # Joins that wait for each other, while nothing else runs.
            row = waiting[0]
            decided.append((row, "waits for tasks that wait for it"))
        self._may_decide = bool(decided)
        return decided

    def _coming(self) -> set[str]:
        """Names of tasks that are at work or may still be."""
        todo = [task.name for task in self._ledger.open.values()]
        coming = set(todo)
        # What ended while the run was paused has not been followed yet.
        if self._ledger.run.state is State.PAUSED:
            ended = (task for task in self._ledger.tasks.values() if task.state.is_final)
            todo.extend(task.name for task in ended if not task.processed)
        while todo:
            for name in self._leads_to[todo.pop()]:
                if name not in coming:
                    coming.add(name)
                    todo.append(name)
        return coming


def _waits(task: TaskRun) -> bool:
    return task.state is State.WAITING and not task.satisfied


def _needed(join: int | str | None, inbound: int) -> int:
    return join if isinstance(join, int) else inbound if join == "all" else 1
