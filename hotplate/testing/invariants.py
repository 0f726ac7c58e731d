"""What must hold after every transaction, at every call to the provider, and at rest.

The numbers are those of "Invariants worth testing in every interleaving" in the description of
the convergence algorithm; what concerns nested stacks has the number 10 and is in `tree`.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from hotplate.testing import tree
from hotplate.testing.cloud import Call, SimulatedCloud
from hotplate.testing.external_objects import ExternalObjects
from hotplate.testing.notation import KINDS, NOTHING, Plan
from hotplate.testing.picture import Camera, NodeRow, Picture, StackRow, VersionRow, Violation
from hotplate.testing.store import SimulatedDatabase

__all__ = ["Invariants", "NodeRow", "Picture", "StackRow", "VersionRow", "Violation"]

_BUSY = ("claimed", "parked")
_WRITING = ("plan", "stop", "interrupt", "clear")
_VISITS = ("SUSPEND", "RESUME", "CHECK", "SNAPSHOT")


class Invariants:
    """Watches a simulation; raises Violation at the first fault.

    ``plans`` maps the digests of recipes to what they were made from, as far as they are known.
    """

    def __init__(self, database: SimulatedDatabase, cloud: SimulatedCloud) -> None:
        self._database = database
        self._camera = Camera(database)
        self._cloud = cloud
        self._changes = -1
        self.external = ExternalObjects(cloud)
        self.now = Picture({}, {}, {})
        self.plans: dict[str, Plan] = {}
        self.completed: dict[str, str | None] = {}
        """The recipe that each stack last completed, as seen from outside."""

    def after_commit(self) -> None:
        """Look at what has just been committed."""
        changes = self._database.changes
        if changes == self._changes:
            return
        self._changes = changes
        before, self.now = self.now, self._camera.picture()
        self._counters()
        self._one_at_a_time()
        tree.after_commit(before, self.now, self.plans)
        tree.deferred_changes(before, self.now)
        self._wakes()
        self.external.after_commit(before, self.now)
        self._awaited()
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
        # Until a coordinator has written all of its graph, that does not count, and neither is
        # anything removed that older traversals have left. The same holds while one clears away
        # what a stack has left that failed.
        unwritten = {
            (node.stack_id, node.sequence)
            for node in self.now.nodes.values()
            if node.task in _WRITING and node.state != "done"
        }
        to_come: defaultdict[int, int] = defaultdict(int)
        open_nodes: Counter[tuple[str, int]] = Counter()
        for node in self.now.nodes.values():
            is_written = (node.stack_id, node.sequence) not in unwritten
            if node.generation and not is_written and not node.is_coordinator:
                raise Violation(f"{node} was begun before its graph was written")
            if node.state != "done" and (is_written or node.is_coordinator):
                for each in (*node.successors, *node.releases):
                    to_come[each] += 1
                open_nodes[node.stack_id, node.sequence] += 1
        for node in self.now.nodes.values():
            stack = self.now.stacks[node.stack_id]
            if (stack.id, stack.sequence) not in unwritten and not node.is_coordinator:
                self._waits(node, stack, to_come[node.id])
        for stack in self.now.stacks.values():
            if stack.status == "IN_PROGRESS" and stack.need != open_nodes[stack.id, stack.sequence]:
                raise Violation(f"{stack} has {open_nodes[stack.id, stack.sequence]} nodes to do")
            if stack.status == "IN_PROGRESS" and stack.need == 0:
                raise Violation(f"{stack} has nothing to do and is in progress")

    def _waits(self, node: NodeRow, stack: StackRow, to_come: int) -> None:
        """A node waits for exactly what will tell it, and only in the newest traversal."""
        is_waiting = node.state in ("waiting", "draft")
        if is_waiting and node.need != to_come:
            raise Violation(f"{node} waits for {to_come}")
        if node.state == "waiting" and node.need == 0:
            raise Violation(f"{node} waits for nothing")
        if is_waiting and node.sequence != stack.sequence:
            raise Violation(f"{node} waits in an abandoned traversal")
        is_paused = node.state == "parked" and node.hook is not None
        if is_paused and node.sequence != stack.sequence:
            raise Violation(f"{node} waits at a hook in an abandoned traversal")

    def _wakes(self) -> None:
        """No node is parked that has got all its signals (12: no signal is missed)."""
        asleep = {n.version_id for n in self.now.nodes.values() if n.state == "parked"}
        sleepers = [
            v
            for v in self.now.versions.values()
            if v.id in asleep and v.type == KINDS["condition"] and v.intent in ("CREATE", "UPDATE")
        ]
        if not sleepers:
            return
        rows = self._database.rows(
            "SELECT v.reference, s.body FROM received_signal s"
            " JOIN version v ON v.id = s.version_id"
        )
        signals = Counter(row[0] for row in {(row[0], json.loads(row[1])["id"]) for row in rows})
        wanted = self._database.rows("SELECT id, definition FROM version WHERE cookie IS NOT NULL")
        definitions = {row[0]: json.loads(row[1])["properties"] for row in wanted}
        for version in sleepers:
            properties = definitions[version.id]
            if signals[properties["handle"]] >= int(properties["count"]):
                raise Violation(
                    f"{version} is parked and has got all its signals: {properties} (12)"
                )

    def _awaited(self) -> None:
        """What goes on elsewhere has a version that will end it (13)."""
        for item in self._cloud.at_work:
            version = self._created_with(item.creation_token)
            if version is None or (version.action, version.status) == ("DELETE", "COMPLETE"):
                raise Violation(f"{item} goes on and nothing waits for it: {version} (13)")

    def _one_at_a_time(self) -> None:
        """At most one worker acts on a version at a time (1)."""
        busy = Counter(
            n.version_id
            for n in self.now.nodes.values()
            if n.state in _BUSY and not n.is_coordinator
        )
        for version_id, count in busy.items():
            if count > 1:
                nodes = [n for n in self.now.nodes.values() if n.version_id == version_id]
                raise Violation(f"{count} nodes work on one version: {nodes}")
            if version_id not in self.now.versions:
                raise Violation(f"a node works on the version {version_id} that does not exist")

    def _version_changed(
        self, before: Picture, old: VersionRow | None, version: VersionRow
    ) -> None:
        stack = self.now.stacks[version.stack_id]
        sequence = before.stacks[stack.id].sequence if stack.id in before.stacks else 0
        begins = version.status == "IN_PROGRESS" and (
            old is None or (old.action, old.status) != (version.action, version.status)
        )
        is_preparing = version.relation in ("prepared", "spent")
        is_change = version.action in ("CREATE", "UPDATE") and not is_preparing
        if begins and is_change and not version.is_scaling:
            self._may_begin(version, sequence)
        is_taken = version.relation == "external" and version.status == "COMPLETE"
        if is_taken and version.action == "CHECK" and (old is None or old.action == "INIT"):
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
            # Another traversal may have taken it over in the same transaction, right after.
            owners = (sequence, self.now.stacks[version.stack_id].sequence)
            if other is None or other.owner not in owners:
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
        is_abandoned = stack.deleted_at is not None and stack.action != "DELETE"
        if ended and not is_abandoned:
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
        if stack.action in _VISITS:
            return
        self.completed[stack.id] = stack.recipe
        deleted = stack.action == "DELETE"
        plan = NOTHING if deleted else self.plans.get(stack.recipe, NOTHING)
        versions = [v for v in self.now.versions.values() if v.stack_id == stack.id]
        if left:
            raise Violation(f"{stack} is complete with sync points {left} (6)")
        names = sorted(v.name for v in versions)
        if plan.every is not None:
            names = sorted(plan.enabled)  # how many there are is said by the group
        if plan.is_stage and set(names) <= set(plan.enabled):
            names = sorted(plan.enabled)  # one of several stages of a group
        if names != sorted(plan.enabled):
            raise Violation(f"{stack} is complete with {versions} instead of {plan} (6)")
        for version in versions:
            marked = (version.action, version.status) == ("CHECK", "FAILED")
            if version.owner != stack.sequence or (version.status != "COMPLETE" and not marked):
                raise Violation(f"{stack} is complete with {version} (6)")
            if version.has_given_up:
                raise Violation(f"{stack} is complete with {version}, not restored (14)")

    def at_call(self, call: Call) -> None:
        """Look at a call that is about to be made."""
        self.external.at_call(call)
        if call.verb in ("find", "read"):
            return
        if call.creation_token and call.creation_token in self._cloud.in_flight:
            raise Violation(f"{call} while {self._cloud.in_flight[call.creation_token]} (1)")
        if call.verb == "create":
            twin = [
                o for o in self._cloud.objects.values() if o.creation_token == call.creation_token
            ]
            if twin and not call.once:
                raise Violation(f"{call} makes {twin} a second time (9)")
        if call.verb == "delete":
            self._may_delete(call)
            for item in self._cloud.at_work:
                if item.creation_token == call.creation_token and item.work != "delete":
                    raise Violation(f"{call} while work goes on with {item} (13)")

    def _created_with(self, creation_token: str) -> VersionRow | None:
        return next((v for v in self.now.versions.values() if v.uuid == creation_token), None)

    def _may_delete(self, call: Call) -> None:
        """Nothing is deleted before everything that needed it is deleted or moved away (3)."""
        version = self._created_with(call.creation_token)
        while version is not None:
            for other in self.now.of_stack(version.stack_id):
                is_deleted = (other.action, other.status) == ("DELETE", "COMPLETE")
                if version.id not in other.requires or is_deleted or other.action == "INIT":
                    continue
                if self._stands(other) and not self._reaches(version, other):
                    raise Violation(f"{call}: {version} is still needed by {other} (3)")
            # With a stack goes what it is for others; a member that goes alone is no concern.
            parent = self.now.parent(self.now.stacks[version.stack_id])
            version = parent if parent is not None and parent.action == "DELETE" else None

    def _stands(self, version: VersionRow) -> bool:
        """Tell whether the object of a version exists, or any object of the nested stack."""
        if version.is_stack:
            return any(map(self._stands, self.now.of_stack(version.physical_id or "")))
        return version.physical_id in self._cloud.objects

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
                raise Violation(f"{stack} is in progress and nothing works on it (5)")
        for node in self.now.nodes.values():
            if node.state != "done":
                raise Violation(f"{node} is left over (5)")
        for change in self.now.deferred_changes.values():
            raise Violation(f"{change} is left over (11)")
        by_id: dict[str, VersionRow] = {}
        for version in self.now.versions.values():
            if version.status == "IN_PROGRESS" or version.cookie is not None:
                raise Violation(f"{version} is left in the middle of something (5)")
            if version.physical_id is not None and not version.is_external:
                if version.physical_id in by_id:
                    raise Violation(f"{version} and {by_id[version.physical_id]} share an object")
                by_id[version.physical_id] = version
            self._asleep_or_awake(version)
        for item in self._cloud.at_work:
            raise Violation(f"{item} goes on though everything is at rest (13)")
        tree.at_rest(self.now, self.plans)
        self._nothing_left_over(by_id)
        self._nothing_missing(by_id)

    def _asleep_or_awake(self, version: VersionRow) -> None:
        """Everything in order in a stack that was suspended is suspended, and the other way."""
        stack = self.now.stacks[version.stack_id]
        if stack.status != "COMPLETE" or stack.action not in ("SUSPEND", "RESUME"):
            return
        item = self._cloud.objects.get(version.physical_id or "")
        is_in_order = version.status == "COMPLETE" and version.action != "DELETE"
        is_in_order = is_in_order and not version.is_external and not version.has_given_up
        if is_in_order and item and item.is_suspended != (stack.action == "SUSPEND"):
            raise Violation(f"{stack} has ended, and {item} is not as it says")
        child = self.now.child(version)
        is_visited = version.action == stack.action  # its size may have changed since
        if is_in_order and is_visited and child and child.action != stack.action:
            raise Violation(f"{stack} has ended, and its nested {child} has not")

    def _nothing_left_over(self, by_id: Mapping[str, VersionRow]) -> None:
        for item in self._cloud.objects.values():
            if item.id in by_id or item.creation_token in self.reported or item.id in self.external:
                continue
            version = self._created_with(item.creation_token)
            # A creation that failed without an answer: the version knows that there may be one.
            is_known = version is not None and version.status == "FAILED"
            is_making = version is not None and (
                version.intent == "CREATE" or version.relation == "restoring"
            )
            if not is_known or not is_making:
                raise Violation(f"{item} is unknown; its version is {version} (9)")

    def _nothing_missing(self, by_id: Mapping[str, VersionRow]) -> None:
        for object_id, version in by_id.items():
            exists = object_id in self._cloud.objects
            deleted = version.action == "DELETE"
            if version.status == "COMPLETE" and exists == deleted and version.has_object:
                raise Violation(f"{version} and its object do not agree (9)")

    @property
    def reported(self) -> set[str]:
        """The creation tokens of objects that were reported to the user as possible orphans."""
        rows = self._database.rows("SELECT reason FROM event WHERE reason LIKE '%orphan%'")
        return {reason.rsplit(" ", 1)[-1] for (reason,) in rows}

    def fulfilled(self, stack_id: str, plan: Plan) -> None:
        """Check that the provider holds exactly what a plan says, through all nesting (6, 9)."""
        values = {item.id: item.value for item in self._cloud.objects.values()}
        stack, seen = self.now.stacks[stack_id], self._last_seen()
        leaves = tree.Tree(self.now, stack, plan, values=values, seen=seen).leaves
        reported = self.reported
        others = self._held_by_others(stack_id)
        objects = [
            item
            for item in self._cloud.objects.values()
            if item.creation_token not in reported
            and item.id not in self.external
            and item.id not in others
        ]
        if [o for o in objects if o.id not in leaves]:
            raise Violation(f"{objects} exist instead of {leaves} (9)")
        for object_id, leaf in leaves.items():
            item = self._cloud.objects.get(object_id)
            if item is None or item.name != leaf.name or item.value != leaf.value:
                raise Violation(f"{item} should be {leaf} (6)")
            if item.key != item.own_key:
                raise Violation(f"{item} has not got back its key (14)")

    def _last_seen(self) -> dict[int, Any]:
        """Return what versions know of objects that were changed or deleted since then."""
        rows = self._database.rows(
            "SELECT id, physical_id, attributes FROM version WHERE relation IN ('external', 'lent')"
        )
        return {
            version_id: json.loads(attributes).get("value")
            for version_id, object_id, attributes in rows
            if object_id in self.external.unsteady or object_id not in self._cloud.objects
        }

    def _held_by_others(self, stack_id: str) -> set[str]:
        """Return the objects of other trees of stacks."""

        def root(version: VersionRow) -> str:
            stack = self.now.stacks[version.stack_id]
            while stack.parent_id is not None:
                stack = self.now.stacks[stack.parent_id]
            return stack.id

        versions = self.now.versions.values()
        return {v.physical_id for v in versions if v.physical_id and root(v) != stack_id}
