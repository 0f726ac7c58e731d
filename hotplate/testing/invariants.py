"""What must hold after every transaction, at every call to the provider, and at rest.

The numbers are those of "Invariants worth testing in every interleaving" in the description of
the convergence algorithm.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from hotplate.testing.cloud import Call, SimulatedCloud
from hotplate.testing.notation import NOTHING, Plan


class Violation(AssertionError):
    """Something that must never be."""


class StackRow(NamedTuple):
    """A stack as it is in the database."""

    id: str
    sequence: int
    action: str
    status: str
    reason: str
    need: int
    update_need: int
    recipe: str
    completed_recipe: str | None
    deleted_at: float | None


class NodeRow(NamedTuple):
    """A node as it is in the database."""

    id: int
    stack_id: str
    sequence: int
    version_id: int
    name: str
    task: str
    need: int
    state: str
    generation: int
    successors: tuple[int, ...]
    releases: tuple[int, ...]


class VersionRow(NamedTuple):
    """A version as it is in the database."""

    id: int
    uuid: str
    stack_id: str
    name: str
    action: str
    status: str
    owner: int
    physical_id: str | None
    intent: str | None
    cookie: str | None
    requires: tuple[int, ...]
    needed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """The database at one moment."""

    stacks: Mapping[str, StackRow]
    nodes: Mapping[int, NodeRow]
    versions: Mapping[int, VersionRow]


def _ids(text: str) -> tuple[int, ...]:
    return () if text == "[]" else tuple(json.loads(text))


def picture(driver: Any) -> Picture:
    """Return what the database holds now."""
    stacks = driver.execute(f"SELECT {', '.join(StackRow._fields)} FROM stack")  # noqa: S608
    nodes = driver.execute(f"SELECT {', '.join(NodeRow._fields)} FROM node")  # noqa: S608
    versions = driver.execute(f"SELECT {', '.join(VersionRow._fields)} FROM version")  # noqa: S608
    return Picture(
        {row[0]: StackRow(*row) for row in stacks},
        {row[0]: NodeRow(*(*row[:9], _ids(row[9]), _ids(row[10]))) for row in nodes},
        {row[0]: VersionRow(*(*row[:10], _ids(row[10]), _ids(row[11]))) for row in versions},
    )


_BUSY = ("claimed", "parked")
_WALKS = ("SUSPEND", "RESUME", "CHECK", "SNAPSHOT")


class Invariants:
    """Watches a simulation; raises Violation at the first fault.

    ``plans`` maps the digests of recipes to what they were made from, as far as they are known.
    """

    def __init__(self, driver: Any, cloud: SimulatedCloud) -> None:
        self._driver = driver
        self._cloud = cloud
        self._changes = -1
        self.now = Picture({}, {}, {})
        self.plans: dict[str, Plan] = {}
        self.completed: dict[str, str | None] = {}
        """The recipe that each stack last completed, as seen from outside."""

    def after_commit(self) -> None:
        """Look at what has just been committed."""
        changes = self._driver.total_changes
        if changes == self._changes:
            return
        self._changes = changes
        before, self.now = self.now, picture(self._driver)
        self._counters()
        self._one_at_a_time()
        for version_id, version in self.now.versions.items():
            old = before.versions.get(version_id)
            if old is None or old[4:7] != version[4:7]:
                self._version_changed(before, old, version)
        for version_id, old in before.versions.items():
            if version_id not in self.now.versions:
                self._version_gone(before, old)
        for stack_id, stack in self.now.stacks.items():
            old_stack = before.stacks.get(stack_id)
            if old_stack is not None and old_stack != stack:
                self._stack_changed(old_stack, stack)

    def _counters(self) -> None:
        """Sync points count exactly what is still to come (5: no trigger can get lost)."""
        to_come: Counter[int] = Counter()
        open_nodes: Counter[tuple[str, int]] = Counter()
        for node in self.now.nodes.values():
            if node.state != "done":
                to_come.update(node.successors)
                to_come.update(node.releases)
                open_nodes[node.stack_id, node.sequence] += 1
        for node in self.now.nodes.values():
            stack = self.now.stacks[node.stack_id]
            if node.state == "waiting" and node.need != to_come[node.id]:
                raise Violation(f"{node} waits for {to_come[node.id]}")
            if node.state == "waiting" and node.need == 0:
                raise Violation(f"{node} waits for nothing")
            if node.state == "waiting" and node.sequence != stack.sequence:
                raise Violation(f"{node} waits in an abandoned traversal")
        for stack in self.now.stacks.values():
            if stack.status == "IN_PROGRESS" and stack.need != open_nodes[stack.id, stack.sequence]:
                raise Violation(f"{stack} has {open_nodes[stack.id, stack.sequence]} nodes to do")
            if stack.status == "IN_PROGRESS" and stack.need == 0:
                raise Violation(f"{stack} has nothing to do and is in progress")

    def _one_at_a_time(self) -> None:
        """At most one worker acts on a version at a time (1)."""
        busy = Counter(n.version_id for n in self.now.nodes.values() if n.state in _BUSY)
        for version_id, count in busy.items():
            if count > 1:
                nodes = [n for n in self.now.nodes.values() if n.version_id == version_id]
                raise Violation(f"{count} nodes work on one version: {nodes}")
            if version_id not in self.now.versions:
                raise Violation(f"a node works on the version {version_id} that is gone")

    def _version_changed(
        self, before: Picture, old: VersionRow | None, version: VersionRow
    ) -> None:
        stack = self.now.stacks[version.stack_id]
        sequence = before.stacks[stack.id].sequence if stack.id in before.stacks else 0
        begins = version.status == "IN_PROGRESS" and (
            old is None or (old.action, old.status) != (version.action, version.status)
        )
        if begins and version.action in ("CREATE", "UPDATE"):
            self._may_begin(version, sequence)
        if version.action == "DELETE" and (old is None or old.action != "DELETE"):
            if version.owner == sequence:
                raise Violation(f"{version} belongs to the current traversal and is deleted (2)")
            node = self._node_on(version)
            if node is not None and node.sequence != sequence:
                raise Violation(f"{version} is deleted by an abandoned traversal (2)")

    def _node_on(self, version: VersionRow) -> NodeRow | None:
        working = [n for n in self.now.nodes.values() if n.version_id == version.id]
        return next((n for n in working if n.state in _BUSY), None)

    def _may_begin(self, version: VersionRow, sequence: int) -> None:
        """Something is made or changed only after all that it depends on (4)."""
        node = self._node_on(version)
        if node is not None and node.sequence != sequence:
            raise Violation(f"an abandoned traversal begins to work on {version}")
        for needed in version.needed:
            other = self.now.versions.get(needed)
            marked = other is not None and (other.action, other.status) == ("CHECK", "FAILED")
            if other is None or other.owner != sequence:
                raise Violation(f"{version} needs {other or needed}, not of this traversal (4)")
            if other.status != "COMPLETE" and not marked:
                raise Violation(f"{version} begins before {other} is complete (4)")

    def _version_gone(self, before: Picture, old: VersionRow) -> None:
        stack = self.now.stacks.get(old.stack_id)
        if stack is None or stack.deleted_at is not None:
            return
        if old.action == "INIT" or (old.action, old.status) == ("DELETE", "COMPLETE"):
            return
        # The deletion and the end of the operation may be one transaction.
        if any(n.version_id == old.id and n.task == "cleanup" for n in before.nodes.values()):
            return
        raise Violation(f"{old} has vanished")

    def _stack_changed(self, old: StackRow, stack: StackRow) -> None:
        if stack.sequence < old.sequence:
            raise Violation(f"{stack} went back from {old}")
        was_final = old.status != "IN_PROGRESS"
        if was_final and stack.status != old.status and stack.sequence == old.sequence:
            raise Violation(f"{stack} changes its end from {old} (7)")
        if old.status == stack.status == "IN_PROGRESS" and stack.action == "ROLLBACK" != old.action:
            self._rolls_back(stack)
        ended = stack.status == "COMPLETE" and (
            old.status != "COMPLETE" or stack.sequence != old.sequence
        )
        if ended:
            self._completed(stack)

    def _rolls_back(self, stack: StackRow) -> None:
        target = self.completed.get(stack.id)
        if target is not None and stack.recipe != target:
            raise Violation(f"{stack} does not go back to {target}, which completed last")

    def _completed(self, stack: StackRow) -> None:
        """One complete version for each enabled name, nothing else (6)."""
        left = [n for n in self.now.nodes.values() if n.stack_id == stack.id]
        if [n for n in left if n.state != "done"]:
            raise Violation(f"{stack} is complete before {left}")
        if stack.action in _WALKS:
            return
        self.completed[stack.id] = stack.recipe
        deleted = stack.action == "DELETE"
        plan = NOTHING if deleted else self.plans.get(stack.recipe, NOTHING)
        versions = [v for v in self.now.versions.values() if v.stack_id == stack.id]
        if left:
            raise Violation(f"{stack} is complete with sync points {left} (6)")
        if sorted(v.name for v in versions) != sorted(plan.enabled):
            raise Violation(f"{stack} is complete with {versions} instead of {plan} (6)")
        for version in versions:
            marked = (version.action, version.status) == ("CHECK", "FAILED")
            if version.owner != stack.sequence or (version.status != "COMPLETE" and not marked):
                raise Violation(f"{stack} is complete with {version} (6)")

    def at_call(self, call: Call) -> None:
        """Look at a call that is about to be made."""
        if call.verb in ("find", "read"):
            return
        if call.mark and call.mark in self._cloud.in_flight:
            raise Violation(f"{call} while {self._cloud.in_flight[call.mark]} (1)")
        if call.verb == "create":
            twin = [o for o in self._cloud.objects.values() if o.mark == call.mark]
            if twin and not call.once:
                raise Violation(f"{call} makes {twin} a second time (9)")
        if call.verb == "delete":
            self._may_delete(call)

    def _marked(self, mark: str) -> VersionRow | None:
        return next((v for v in self.now.versions.values() if v.uuid == mark), None)

    def _may_delete(self, call: Call) -> None:
        """Nothing is deleted before everything that needed it is gone or moved away (3)."""
        version = self._marked(call.mark)
        if version is None:
            return
        for other in self.now.versions.values():
            gone = (other.action, other.status) == ("DELETE", "COMPLETE")
            if version.id not in other.requires or gone or other.action == "INIT":
                continue
            if other.physical_id in self._cloud.objects and not self._reaches(version, other):
                raise Violation(f"{call}: {version} is still needed by {other} (3)")

    def _reaches(self, first: VersionRow, last: VersionRow) -> bool:
        """Tell whether a version needs another one, directly or not: then they are in a loop."""
        seen: set[int] = set()
        waiting = [first]
        while waiting:
            version = waiting.pop()
            if version.id == last.id:
                return True
            for needed in version.requires:
                if needed not in seen and needed in self.now.versions:
                    seen.add(needed)
                    waiting.append(self.now.versions[needed])
        return False

    def at_rest(self) -> None:
        """Look at a simulation in which nothing goes on any more (5, 9)."""
        for stack in self.now.stacks.values():
            if stack.status == "IN_PROGRESS":
                raise Violation(f"{stack} is in progress and nobody works on it (5)")
        for node in self.now.nodes.values():
            if node.state != "done":
                raise Violation(f"{node} is left over (5)")
        by_id: dict[str, VersionRow] = {}
        for version in self.now.versions.values():
            if version.status == "IN_PROGRESS" or version.cookie is not None:
                raise Violation(f"{version} is left in the middle of something (5)")
            if version.physical_id is not None:
                if version.physical_id in by_id:
                    raise Violation(f"{version} and {by_id[version.physical_id]} share an object")
                by_id[version.physical_id] = version
        self._nothing_left_over(by_id)
        self._nothing_missing(by_id)

    def _nothing_left_over(self, by_id: Mapping[str, VersionRow]) -> None:
        for item in self._cloud.objects.values():
            if item.id in by_id or item.mark in self._reported():
                continue
            version = self._marked(item.mark)
            # A creation that failed without an answer: the version knows that there may be one.
            if version is None or version.status != "FAILED" or version.intent != "CREATE":
                raise Violation(f"nobody knows {item}; its version is {version} (9)")

    def _nothing_missing(self, by_id: Mapping[str, VersionRow]) -> None:
        for object_id, version in by_id.items():
            exists = object_id in self._cloud.objects
            deleted = version.action == "DELETE"
            if version.status == "COMPLETE" and exists == deleted:
                raise Violation(f"{version} and its object do not agree (9)")

    def _reported(self) -> set[str]:
        """Return the marks of objects of which the user was told that they may be orphans."""
        rows = self._driver.execute("SELECT reason FROM event WHERE reason LIKE '%orphan%'")
        return {reason.rsplit(" ", 1)[-1] for (reason,) in rows}

    def fulfilled(self, stack_id: str, plan: Plan) -> None:
        """Check that the provider holds exactly what a plan says (6, 9)."""
        stack = self.now.stacks[stack_id]
        if stack.status != "COMPLETE":
            raise Violation(f"{stack} is not complete")
        versions = {v.name: v for v in self.now.versions.values() if v.stack_id == stack_id}
        if set(versions) != set(plan.enabled):
            raise Violation(f"{sorted(versions)} exist instead of {plan}")
        reported = self._reported()
        objects = [o for o in self._cloud.objects.values() if o.mark not in reported]
        ids = {name: version.physical_id or "" for name, version in versions.items()}
        if sorted(o.id for o in objects if o.id not in ids.values()):
            raise Violation(f"{objects} exist instead of {ids} (9)")
        for name, value in plan.values(ids).items():
            item = self._cloud.objects.get(ids[name])
            if item is None or item.name != name or item.value != value:
                raise Violation(f"{item} should be {name} with the value {value!r} (6)")
