"""Random runs in which work goes on elsewhere until somebody ends it or the engine stops it."""

from dataclasses import replace
from random import Random

from hotplate.testing import Plan, Thing
from hotplate.testing.cloud import CloudObject
from hotplate.testing.picture import StackRow, VersionRow
from tests.simulation.runs import Run

CHANCE = 0.05
"""That some work is ended before a step, if the engine may wait for it."""


class ElsewhereRun(Run):
    """A run like any other, but for resources whose actions are work elsewhere.

    Most of that work never ends by itself. Somebody ends what the stack waits for and may wait for;
    what was stopped, undone or is only to be removed is never ended: the engine must stop it, or
    the run does not come to rest.
    """

    def __post_init__(self) -> None:
        self.working = Random(self.seed * 19 + 17)
        super().__post_init__()
        self.plan = self._moved(self.plan, Plan())
        drawn = Random(self.seed * 23 + 19)
        self.simulation.cloud.behaviour.goes_on = lambda verb, name: drawn.random() < 0.7

    def _moved(self, plan: Plan, old: Plan) -> Plan:
        """The plan, in which half of the objects are made by work elsewhere; mostly as before."""
        things = {}
        for name, thing in plan.things.items():
            before = old.things.get(name)
            kind = thing.kind
            if before is not None and before.kind == "elsewhere" and self.working.random() < 0.9:
                kind = before.kind
            elif before is None and self.working.random() < 0.5:
                kind = "elsewhere"
            things[name] = replace(thing, kind=kind, inside=self._inside(thing, before))
        return replace(plan, things=things)

    def _inside(self, thing: Thing, before: Thing | None) -> Plan | None:
        if thing.inside is None:
            return None
        return self._moved(thing.inside, (before and before.inside) or Plan())

    def _changed(self) -> Plan:
        return self._moved(super()._changed(), self.plan)

    def _meddle(self) -> None:
        at_work = self.simulation.cloud.at_work
        if at_work and self.working.random() < CHANCE:
            item = self.working.choice(at_work)
            if self._may_end(item):
                self.told.append(f"{self._when()} the {item.work} of {item.name} ends")
                item.work = ""
        super()._meddle()

    def _may_end(self, item: CloudObject) -> bool:
        """Whether work may be waited for: whoever asked for it has not been stopped since."""
        now = self.simulation.invariants.now
        version = next((v for v in now.versions.values() if v.uuid == item.creation_token), None)
        if version is None:
            return False
        stack = now.stacks[version.stack_id]
        if version.intent == "DELETE" or item.work in ("delete", "resume", "suspend"):
            return True
        if version.owner == stack.sequence:
            return True
        if stack.status == "FAILED":
            return not stack.reason.endswith(" cancelled")
        return not self._is_undone(stack) and not self._is_only_removed(version)

    def _is_undone(self, stack: StackRow) -> bool:
        now = self.simulation.invariants.now
        root = stack
        while root.parent_id is not None:
            root = now.stacks[root.parent_id]
        return stack.action == "DELETE" or root.action == "ROLLBACK"

    def _is_only_removed(self, version: VersionRow) -> bool:
        now = self.simulation.invariants.now
        current = now.stacks[version.stack_id].sequence
        tasks = {
            node.task
            for node in now.nodes.values()
            if node.version_id == version.id and node.sequence == current
        }
        return tasks == {"cleanup"}
