"""What the deletion of a stack would do to everything in it, in the order in which it does it."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from sqlalchemy import Connection

from hotplate.engine.context import Tools
from hotplate.engine.preview.present_state import (
    is_there,
    kept_because,
    kept_of,
    nested_stacks_of,
)
from hotplate.environment import Hook
from hotplate.model import Stack, Version
from hotplate.plan.prepare import removal_order
from hotplate.store.versions import versions_of


class DeletionStep(Enum):
    """What becomes of a resource when its stack is deleted."""

    DELETED = "deleted"
    KEPT = "kept"
    """Its object stays, by its policy or with the stack it is in."""

    EXTERNAL = "external"
    """Its object is external and is not touched."""

    WAITS_AT_HOOK = "waiting"
    """It waits at a hook until that is cleared; then it is deleted."""


@dataclass(frozen=True, slots=True)
class PlannedDeletion:
    """One resource. ``after`` are the resources of the same stack that are deleted before it."""

    path: tuple[str, ...]
    type: str
    physical_id: str | None
    step: DeletionStep
    reason: str = ""
    after: tuple[str, ...] = ()


def preview_deletion(connection: Connection, tools: Tools, stack: Stack) -> list[PlannedDeletion]:
    """Return everything in a stack; what is in a nested stack comes before that."""
    return list(_of_stack(connection, tools, stack, (), ""))


def _of_stack(
    connection: Connection, tools: Tools, stack: Stack, path: tuple[str, ...], kept: str
) -> Iterator[PlannedDeletion]:
    registry = tools.book.bound(connection, stack, stack.recipe).environment.registry
    versions = [each for each in versions_of(connection, stack.id) if is_there(each)]
    order, _ = removal_order(versions)
    before = {version.id: order.get(version.id, []) for version in versions}
    by_id = {version.id: version for version in versions}
    for version in _in_order(versions, before):
        here, reason = (*path, version.name), kept or kept_because(version)
        for child in nested_stacks_of(connection, version):
            # What is in a stack that stays, stays with it.
            because = reason and f"kept with {'/'.join(here)}"
            yield from _of_stack(connection, tools, child, here, because)
        step = DeletionStep.KEPT if reason else DeletionStep.DELETED
        if version.is_external:
            step = DeletionStep.EXTERNAL
        if not reason and Hook.PRE_DELETE in registry.hooks(version.name):
            step, reason = (
                DeletionStep.WAITS_AT_HOOK,
                f"waits until its hook {Hook.PRE_DELETE.value} is cleared",
            )
        reason = reason or kept_of(version)
        names = dict.fromkeys(by_id[other].name for other in before[version.id])
        yield PlannedDeletion(here, version.type, version.physical_id, step, reason, tuple(names))


def _in_order(versions: list[Version], before: dict[int, list[int]]) -> Iterator[Version]:
    """Yield each version after those that go before it; the newest first where it may be."""
    waiting = {version.id: set(before[version.id]) for version in versions}
    by_id = {version.id: version for version in versions}
    after: dict[int, list[int]] = {version.id: [] for version in versions}
    for version_id, others in before.items():
        for other in others:
            after[other].append(version_id)
    ready = sorted((each for each, others in waiting.items() if not others), reverse=True)
    for version_id in ready:
        yield by_id[version_id]
        for other in sorted(after[version_id], reverse=True):
            waiting[other].discard(version_id)
            if not waiting[other]:
                ready.append(other)
