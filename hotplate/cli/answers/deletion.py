"""What a deletion would do: the one module that reads it from the API."""

from dataclasses import dataclass
from enum import Enum

from hotplate.client import Api, StackName


class DeletionStep(Enum):
    """What becomes of a resource when its stack is deleted."""

    DELETED = "deleted"
    KEPT = "kept"
    EXTERNAL = "external"
    WAITS_AT_HOOK = "waiting"
    """It waits at a hook, and is deleted when that is cleared."""

    FORGOTTEN = "forgotten"
    """It could not be deleted and is not tried again: its object stays, unmanaged."""

    @property
    def stays(self) -> bool:
        """Whether the object is left alone."""
        return self in (DeletionStep.KEPT, DeletionStep.EXTERNAL, DeletionStep.FORGOTTEN)


@dataclass(frozen=True, slots=True)
class PlannedDeletion:
    """One resource, and the resources of its stack that go before it."""

    path: tuple[str, ...]
    type: str
    step: DeletionStep
    reason: str = ""
    after: tuple[str, ...] = ()
    physical_id: str = ""

    @property
    def dotted(self) -> str:
        """The names that lead to it."""
        return ".".join(self.path)


async def deletion_preview(api: Api, stack: StackName) -> list[PlannedDeletion]:
    """Return what a deletion does to everything in a stack, in the order in which it does it."""
    answer = await api.call("GET", f"{stack.path}/deletion")
    return [
        PlannedDeletion(
            tuple(each["path"]),
            each["resource_type"],
            DeletionStep(each["step"]),
            each.get("reason") or "",
            tuple(each.get("after") or ()),
            each.get("physical_resource_id") or "",
        )
        for each in answer["deletion"]
    ]
