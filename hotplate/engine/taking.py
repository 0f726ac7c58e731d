"""Taking objects that exist already: nobody manages what somebody else holds.

Any number of resources may use one object of somebody else. A resource that manages an object is
the only one that has it. Held against each other are the resources of a project, by the type that
the registry makes of theirs and the physical id.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from hotplate.model import Relation, Stack, Version
from hotplate.store.objects import Holder, holders, lock_objects

_OURS = (Relation.MANAGED, Relation.KEPT, Relation.RETURNING)


@dataclass(frozen=True, slots=True)
class Taking:
    """An object that a version takes. ``otherwise`` makes the outcome for when it may not."""

    kind: str
    object_id: str
    is_external: bool
    otherwise: Callable[[str], Any]


def refused(
    connection: Connection, takings: Mapping[int, tuple[Taking, Version, Stack]]
) -> dict[int, str]:
    """Return why some may not take their object, by the keys under which they are given.

    Until the transaction ends nobody else takes anything.
    """
    if not takings:
        return {}
    lock_objects(connection)
    found: dict[int, str] = {}
    taken: list[tuple[Taking, Version, Stack]] = []
    for key, (taking, version, stack) in takings.items():
        text = refusal(connection, taking, version, stack, taken)
        if text:
            found[key] = text
        else:
            taken.append((taking, version, stack))
    return found


def refusal(
    connection: Connection,
    taking: Taking,
    version: Version,
    stack: Stack,
    taken: Sequence[tuple[Taking, Version, Stack]] = (),
) -> str:
    """Return why a version may not take an object; empty if it may.

    ``taken`` are objects that others take in the same transaction.
    """
    for holder in holders(connection, stack.project, taking.object_id):
        is_same = holder.version_id == version.id
        if not is_same and kind_of(holder) == taking.kind:
            text = conflict(holder, stack.id, taking.is_external)
            if text:
                return text
    for other, its_version, its_stack in taken:
        shared = taking.is_external and other.is_external
        is_rival = (other.kind, other.object_id) == (taking.kind, taking.object_id)
        if is_rival and its_stack.project == stack.project and not shared:
            return _text(other.object_id, its_version.name, its_stack.name, other.is_external)
    return ""


def kind_of(holder: Holder) -> str:
    """Return the type of what a holder has, as the registry told."""
    kind: str = json.loads(holder.definition).get("kind", holder.type)
    return kind


def conflict(holder: Holder, stack_id: str, is_external: bool) -> str:
    """Return why an object may not be taken while another resource has it; empty if it may."""
    is_theirs = holder.relation not in _OURS
    if is_external and is_theirs:
        return ""
    stack_name = "" if holder.stack_id == stack_id else holder.stack_name
    return _text(holder.object_id, holder.name, stack_name, is_theirs)


def _text(object_id: str, name: str, stack_name: str, is_theirs: bool) -> str:
    where = f'the resource "{name}" of '
    where += f'the stack "{stack_name}"' if stack_name else "this stack"
    if is_theirs:
        return f"{object_id} cannot be managed: {where} uses it as external; take it out there"
    return f"{object_id} is managed by {where}; hand it over there first"
