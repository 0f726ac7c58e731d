"""Why a stack failed: what failed at the bottom, with the way to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from hotplate.engine.explain.tree_paths import TreePaths
from hotplate.model import Action, ReasonCode, Stack
from hotplate.store.tree import failed_versions
from hotplate.store.versions import read_versions

_ALL = 2**31 - 1
"""More levels than any tree of stacks has."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One resource that failed. ``path`` are the names that lead to it through the stacks.

    ``is_old``: what failed is an old version, or is in one.
    """

    path: tuple[str, ...]
    type: str
    physical_id: str | None
    stack_id: str
    stack_name: str
    action: str
    reason: str
    is_old: bool = False
    input: Mapping[str, Any] | None = None
    """What its workflow was given, if it is one."""

    is_stopped: bool = False
    """Whether its work was only ended, for a cause that is not its own."""


_WITH_INPUT = "OS::Mistral::ExternalResource"


def failures(connection: Connection, stack: Stack) -> list[Failure]:
    """Return everything that failed in a tree of stacks and is no stack itself, in tree order.

    An old version counts if it still has an object, or could not be deleted: what failed earlier
    and left nothing has been tried anew. What was only stopped because something else failed is
    left out, unless nothing else failed.
    """
    rows = failed_versions(connection, stack.id, _ALL)
    paths = TreePaths(rows)
    flows = [row.id for row in rows if row.type == _WITH_INPUT]
    given = {
        version.id: version.definition.properties.get("input")
        for version in (read_versions(connection, flows).values() if flows else ())
    }
    found = []
    for row in rows:
        if row.child_id is not None or (row.is_old and not _is_left(row)):
            continue
        steps = paths.way(row)
        found.append(
            Failure(
                tuple(step.name for step in steps),
                row.type,
                row.physical_id,
                row.stack_id,
                row.stack_name,
                row.action,
                row.reason,
                any(step.is_old for step in steps),
                given.get(row.id),
                row.reason_code == ReasonCode.ABORTED.value,
            )
        )
    return [each for each in found if not each.is_stopped] or found


def _is_left(row: Any) -> bool:
    return row.physical_id is not None or row.action == Action.DELETE.value
