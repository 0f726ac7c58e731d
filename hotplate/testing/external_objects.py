"""What must hold of external objects (11): the engine neither deletes nor changes them."""

from collections import Counter, defaultdict
from typing import Any

from hotplate.testing.cloud import Call, CloudObject, SimulatedCloud
from hotplate.testing.picture import OURS, Picture, VersionRow, Violation

THEIRS = ("external", "lent")
_READS = ("find", "read")


class ExternalObjects:
    """The external objects, each as it was when it became that.

    An object that was made outside is protected from the beginning, one that was handed over from
    then on: until a version manages it again, and also when there is no version of it any more.
    However many read it, one version at most manages it.
    """

    def __init__(self, cloud: SimulatedCloud) -> None:
        self._cloud = cloud
        self._protected: dict[str, tuple[Any, ...]] = {}
        self.moves: Counter[tuple[str, str]] = Counter()
        """How often an object became whose, for whoever asks whether a run had anything to show."""

        self.unsteady: set[str] = set()
        """Objects that were changed or deleted while they were read, or may have been."""

    def __contains__(self, object_id: str | None) -> bool:
        return object_id in self._protected

    def make(self, value: Any) -> CloudObject:
        """Make an object behind the engine's back."""
        number = 1 + sum(
            item.creation_token.startswith("outside") for item in self._cloud.objects.values()
        )
        made = self._cloud.make(f"outside-{number}", f"outside-{number}", value)
        self.protect(made.id)
        return made

    def change(self, object_id: str, value: Any) -> None:
        """Change an object behind the engine's back."""
        self._cloud.objects[object_id].value = value
        if object_id in self._protected:
            self.protect(object_id)

    def remove(self, object_id: str) -> None:
        """Delete an external object behind the engine's back."""
        if object_id not in self._protected:
            raise AssertionError(f"{object_id} is not external")
        self._cloud.objects.pop(object_id, None)
        self.unsteady.add(object_id)
        self.protect(object_id)

    def protect(self, object_id: str) -> None:
        """Let an object be external, as it is now."""
        self._protected[object_id] = _state(self._cloud.objects.get(object_id))

    def after_commit(self, before: Picture, now: Picture) -> None:
        """Look at what has just been committed: who has which object."""
        for version_id, version in now.versions.items():
            old = before.versions.get(version_id)
            if old is not None and old.relation != version.relation:
                self.moves[old.relation, version.relation] += 1
                self._may_move(before, now, old, version)
        holders: dict[str, list[VersionRow]] = defaultdict(list)
        for version in now.versions.values():
            is_deleted = (version.action, version.status) == ("DELETE", "COMPLETE")
            if version.physical_id is not None and not is_deleted and not version.is_stack:
                holders[version.physical_id].append(version)
        for object_id, versions in holders.items():
            ours = [version for version in versions if version.relation not in THEIRS]
            if len(ours) > 1:
                raise Violation(f"{object_id} is managed by several: {ours} (11)")
            if ours and len(versions) > 1:
                self.unsteady.add(object_id)
            if ours:
                self._protected.pop(object_id, None)
            elif object_id not in self._protected:
                self.protect(object_id)
        for old in before.versions.values():
            # One that was to return, and was given up for another or with its resource, is theirs.
            is_left = old.is_external and old.physical_id and old.physical_id not in holders
            if is_left and old.physical_id not in self._protected:
                self.protect(old.physical_id or "")
        self.after_step()

    @staticmethod
    def _may_move(before: Picture, now: Picture, old: VersionRow, version: VersionRow) -> None:
        if old.relation == "returning" and version.relation in OURS and version.status == "FAILED":
            raise Violation(f"{version} is managed although its return failed (11)")
        if old.relation in THEIRS and version.relation in OURS:
            raise Violation(f"{version} was external and is managed without a return (11)")
        stack = before.stacks.get(version.stack_id) or now.stacks[version.stack_id]
        while stack.parent_id is not None:
            stack = now.stacks[stack.parent_id]
        is_back = stack.action == "ROLLBACK" and stack.status == "IN_PROGRESS"
        if is_back and (old.relation, version.relation) == ("external", "returning"):
            raise Violation(f"{version} was never managed and is taken by a rollback (11)")

    def after_step(self) -> None:
        """Check that nothing has happened to what is external."""
        for object_id, before in self._protected.items():
            state = _state(self._cloud.objects.get(object_id))
            if state != before:
                raise Violation(f"{object_id} is external and was {before}, is {state} (11)")

    def at_call(self, call: Call) -> None:
        """Check a call that is about to be made; what is deleted already cannot be touched."""
        is_theirs = call.object_id in self._protected and call.object_id in self._cloud.objects
        if call.verb not in _READS and is_theirs:
            raise Violation(f"{call} touches what is external (11)")


def _state(item: CloudObject | None) -> tuple[Any, ...]:
    """Return what must not change of an object."""
    if item is None:
        return ("missing",)
    return (item.creation_token, item.value, item.is_going, item.is_suspended)
