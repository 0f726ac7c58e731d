"""What is there before an update or a deletion, and what of it stays."""

from collections.abc import Iterator
from dataclasses import replace

from sqlalchemy import Connection

from hotplate.engine.preview.planned_change import Planned
from hotplate.model import Action, Stack, Status, Version
from hotplate.plan.decide import RETAINED, Step, keeps_snapshot
from hotplate.store.stacks import read_stacks
from hotplate.store.versions import versions_of


def is_there(version: Version) -> bool:
    """Tell whether there is an object, or may be one."""
    return version.physical_id is not None and not (
        version.action is Action.DELETE and version.status is Status.COMPLETE
    )


def kept_because(version: Version) -> str:
    """Return why the object of a version stays when the version goes; nothing if it does not."""
    if version.is_external:
        return f"{version.physical_id} is external and stays as it is"
    policy = version.definition.deletion_policy
    return f"kept: its deletion policy is {policy}" if policy in RETAINED else ""


def kept_of(version: Version) -> str:
    """Return what is kept of the object of a version that is deleted; nothing if nothing is."""
    words = "a snapshot is taken first: its deletion policy is Snapshot"
    return words if keeps_snapshot(version) else ""


def nested_stacks_of(connection: Connection, version: Version) -> list[Stack]:
    """Return the stack that a version is, if it is one."""
    if not version.is_nested_stack or not version.physical_id:
        return []
    return list(read_stacks(connection, [version.physical_id]).values())


def left_in_nested_stacks(
    connection: Connection, version: Version, path: tuple[str, ...]
) -> Iterator[Planned]:
    """Yield that everything stays which is in the nested stack of a version, however deep.

    ``path`` are the names that lead to the version.
    """
    for stack in nested_stacks_of(connection, version):
        for each in versions_of(connection, stack.id):
            if not is_there(each):
                continue
            here = (*path, each.name)
            planned = Planned(
                here, each.type, Step.LEAVE, each.physical_id, differences=each.differences
            )
            yield replace(planned, stack_name=stack.name, stack_id=stack.id)
            yield from left_in_nested_stacks(connection, each, here)
