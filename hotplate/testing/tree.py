"""What must hold between a stack and its nested stacks."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from hotplate.testing.notation import NOTHING, WITHOUT_OBJECTS, Plan, Thing
from hotplate.testing.picture import Picture, StackRow, VersionRow, Violation

MOST_MORE = 20
"""How many members more than wanted a group may have on its way, and some names it leaves."""

_VISITS = ("SUSPEND", "RESUME", "CHECK", "SNAPSHOT")


def after_commit(before: Picture, now: Picture, plans: dict[str, Plan]) -> None:
    """Look at what has just been committed; learn the plans of nested stacks that begin."""
    # A coordinator stops one after the other what is inside a stack that failed.
    stopping = {node.stack_id for node in now.nodes.values() if node.task == "clear"}
    for stack_id, stack in now.stacks.items():
        old = before.stacks.get(stack_id)
        if stack.parent_id is None:
            continue
        parent = now.stacks[stack.parent_id]
        goes_on = stack.status == "IN_PROGRESS" and stack.action != "DELETE"
        version = now.parent(stack)
        goes_on = goes_on and not (version is not None and version.is_scaling)
        if goes_on and parent.status == "FAILED" and parent.id not in stopping:
            raise Violation(f"{stack} goes on although its parent has failed: {parent} (10)")
        if old == stack:
            continue
        moved = old is None or old.sequence != stack.sequence
        # A traversal that fails moves the sequence on as well, and begins nothing.
        if moved and stack.status != "FAILED":
            _begins(before, now, stack, plans)
    for node in now.nodes.values():
        version = now.versions.get(node.version_id)
        if node.state != "parked" or version is None or not version.is_stack:
            continue
        if node.hook is not None:
            continue  # it waits until its hook is cleared
        if node.due is not None and "until" in (version.cookie or ""):
            continue  # the nested stack has more to do, after a pause
        child = now.child(version)
        if child is None or child.status != "IN_PROGRESS":
            raise Violation(f"{node} waits for {child}, and nothing will wake it (5)")


def _begins(before: Picture, now: Picture, stack: StackRow, plans: dict[str, Plan]) -> None:
    """Only the current traversal of the parent begins anything in a nested stack."""
    version = now.parent(stack)
    parent = now.stacks[stack.parent_id or ""]
    if version is None or version.physical_id != stack.id or parent.deleted_at is not None:
        raise Violation(f"{stack} begins something and is nested in {version} (10)")
    if stack.action in ("DELETE", *_VISITS):
        if version.action != stack.action:
            raise Violation(f"{stack} begins something and {version} does not (10)")
        return
    # The parent may have begun something new in the same transaction, right after.
    earlier = before.stacks.get(parent.id, parent)
    is_asked = version.owner in (parent.sequence, earlier.sequence)
    if version.is_scaling:
        _scales(before, now, version)
    elif not is_asked:
        raise Violation(f"{stack} begins for an abandoned traversal: {version}, {parent} (10)")
    things = plans.get(version.recipe, NOTHING).named([version.name]).enabled
    if version.name not in things:
        raise Violation(f"{stack} begins and {version} is not wanted (10)")
    thing, was = things[version.name], before.stacks.get(stack.id)
    if plans.get(version.recipe, NOTHING).is_stage and not thing.is_stack and was is not None:
        # Its turn has not come: in this stage the member is what it was.
        plans[stack.recipe] = plans.get(was.recipe, NOTHING)
        return
    is_stage = '"policy"' in (version.cookie or "")
    plans[stack.recipe] = thing.child(version.gone, MOST_MORE if is_stage else 0)


def at_rest(now: Picture, plans: Mapping[str, Plan]) -> None:
    """Check trees in which nothing goes on any more: no orphans, and parents agree."""
    for stack in now.stacks.values():
        if stack.parent_id is None or stack.deleted_at is not None:
            continue
        version, parent = now.parent(stack), now.stacks.get(stack.parent_id)
        if version is None or version.physical_id != stack.id:
            raise Violation(f"{stack} is an orphan; its version is {version} (10)")
        if parent is None or parent.deleted_at is not None:
            raise Violation(f"{stack} is an orphan; its parent is {parent} (10)")
    for version in now.versions.values():
        if version.is_stack and version.status == "COMPLETE":
            _agree(now, version, plans.get(version.recipe, NOTHING))


def _agree(now: Picture, version: VersionRow, plan: Plan) -> None:
    child = now.child(version)
    if (child is not None) != (version.action not in ("INIT", "DELETE")):
        raise Violation(f"{version} and the nested stack do not agree: {child} (10)")
    if child is not None and (child.status != "COMPLETE" or child.action == "DELETE"):
        raise Violation(f"{version} is complete and the nested stack is not: {child} (10)")
    thing = plan.things.get(version.name)
    if child is not None and thing is not None and thing.sizes is not None:
        _members(now, version, thing)
    if child is None or thing is None or thing.count is None:
        return
    if version.action == "CHECK":
        return  # a group whose last change was not finished may be well, as far as it goes
    names = {member.name for member in now.of_stack(child.id)}
    if names != set(thing.child(version.gone).things):
        raise Violation(f"{version} is complete with the members {names} instead of {thing} (6)")


def _scales(before: Picture, now: Picture, version: VersionRow) -> None:
    """Only a group in a stack at rest changes its size by itself."""
    stack, old = now.stacks[version.stack_id], before.stacks.get(version.stack_id)
    if stack.status == "IN_PROGRESS" or old is None or old.status == "IN_PROGRESS":
        raise Violation(f"{version} changes its size in the middle of a traversal: {stack} (11)")
    if not any(n.version_id == version.id and n.task == "scale" for n in now.nodes.values()):
        raise Violation(f"{version} changes its size and its parents will not publish it (11)")


def _members(now: Picture, version: VersionRow, thing: Thing) -> None:
    least, most = thing.sizes or (0, 0)
    members = now.of_stack(version.physical_id or "")
    if not least <= version.capacity <= most or len(members) != version.capacity:
        raise Violation(f"{version} has {len(members)} members instead of {thing} (11)")


def deferred_changes(before: Picture, now: Picture) -> None:
    """What a signal asked for is not forgotten (11)."""
    for number, change in before.deferred_changes.items():
        if number in now.deferred_changes:
            continue
        stack, version = before.stacks[change.stack_id], before.versions.get(change.version_id)
        is_senseless = version is None or version.action in ("INIT", "DELETE")
        if stack.deleted_at is not None or is_senseless or '"look"' in change.body:
            continue
        if stack.status == "IN_PROGRESS":
            raise Violation(f"{change} was forgotten in the middle of a traversal of {stack} (11)")
        after = now.versions.get(change.version_id)
        if version is None or after is None or version.status != "COMPLETE" or after.is_scaling:
            continue
        busy = [n for n in before.nodes.values() if n.version_id == version.id]
        if any(node.state != "done" for node in busy) and not version.is_scaling:
            raise Violation(f"{change} was forgotten because of {busy} (11)")


class Leaf(NamedTuple):
    """An object that shall exist: its resource's name and its value."""

    name: str
    value: Any


class Tree:
    """A stack and its nested stacks, laid beside its plan. Raises Violation where they differ.

    ``leaves`` are the objects that shall exist, by their physical ids, and ``value`` is what the
    stack's own output says. ``values`` are those of all objects: what is external has the
    value that it has. ``seen`` are the values that were last seen of what is not as it was then, by
    the ids of the versions that read it.
    """

    def __init__(
        self,
        now: Picture,
        stack: StackRow,
        plan: Plan,
        given: str = "",
        values: Mapping[str, Any] = MappingProxyType({}),
        seen: Mapping[int, Any] = MappingProxyType({}),
    ) -> None:
        self._now = now
        self._objects = values
        self._seen = seen
        self._plan = plan
        self._given = given
        self._versions = {version.name: version for version in now.of_stack(stack.id)}
        self._values: dict[str, Any] = {}
        self.leaves: dict[str, Leaf] = {}
        if stack.status != "COMPLETE":
            raise Violation(f"{stack} is not complete")
        if set(self._versions) != set(plan.enabled):
            raise Violation(f"{sorted(self._versions)} exist in {stack} instead of {plan}")
        for name in plan.enabled:
            self._value(name)

    @property
    def value(self) -> Any:
        """What the stack's own output says."""
        return self._value(self._plan.output) if self._plan.output else ""

    @property
    def values(self) -> Mapping[str, Any]:
        """The values of all resources, by name."""
        return self._values

    def _value(self, name: str) -> Any:
        """Return the value of a resource: its object's, or what the nested stack offers."""
        if name not in self._values:
            thing, version = self._plan.things[name], self._versions[name]
            value = self._property(name)
            if thing.kind in WITHOUT_OBJECTS:
                value = None
            elif thing.is_stack:
                child = self._now.child(version)
                if child is None:
                    raise Violation(f"{version} has no nested stack (10)")
                members = [each.name for each in self._now.of_stack(child.id)]
                inner = thing.child(version.gone).named(members)
                tree = Tree(self._now, child, inner, value or "", self._objects, self._seen)
                self.leaves |= tree.leaves
                value = tree.value
                if thing.count is not None or thing.sizes is not None:
                    value = ",".join(each or "" for each in tree.values.values())
            elif thing.external is not None:
                if version.physical_id != thing.external or not version.is_external:
                    raise Violation(f"{version} should be external: {thing} (11)")
                value = self._seen.get(version.id, self._objects.get(thing.external))
            elif version.is_external:
                raise Violation(f"{version} should be managed: {thing} (11)")
            elif thing.kind == "instant":
                if version.data is None or json.loads(version.data) != {"value": value}:
                    raise Violation(f"{version} should have the value {value} (6)")
            else:
                self.leaves[version.physical_id or ""] = Leaf(name, value)
            self._values[name] = value
        return self._values[name]

    def _property(self, name: str) -> Any:
        """Return the value that a resource is given."""
        thing = self._plan.things[name]
        if thing.how == "param":
            return f"{self._given}{thing.literal or ''}"
        if thing.how == "att":
            return self._value(thing.other)
        if thing.how == "ref":
            version = self._versions.get(thing.other)
            child = None if version is None else self._now.child(version)
            other = self._plan.things.get(thing.other)
            is_group = other is None or other.count is not None or other.sizes is not None
            # A group is referred to by its id, a stack from a template by its address.
            return child.arn if child and not is_group else version and version.physical_id
        return thing.literal
