"""The use of objects that exist already: many may read an object, one resource manages it.

Any number of resources may read an external object, whether another resource manages it or not.
Only one resource manages an object at a time. The resources of one project are compared, by the
type that the registry makes of theirs and the physical id: other projects are not read.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from hotplate.model import OURS, Action, Relation, Stack, Status, Version
from hotplate.plan.decide import RETAINED
from hotplate.store.objects import Holder, holders, lock_objects

_OURS = OURS | {Relation.RETURNING}


@dataclass(frozen=True, slots=True)
class ObjectUse:
    """That a version begins to use an object. ``otherwise`` makes the outcome for a refusal.

    ``names`` are the resources that the stack has from now on.
    """

    type_name: str
    object_id: str
    is_external: bool
    otherwise: Callable[[str], Any]
    names: Collection[str] = ()


def refused(
    connection: Connection, uses: Mapping[int, tuple[ObjectUse, Version, Stack]]
) -> dict[int, str]:
    """Return why some may not use their object, by the keys under which they are given.

    Until the transaction ends no other one begins to use any object.
    """
    if not uses:
        return {}
    lock_objects(connection)
    found: dict[int, str] = {}
    others: list[tuple[ObjectUse, Version, Stack]] = []
    for key, (use, version, stack) in uses.items():
        text = refusal(connection, use, version, stack, others)
        if text:
            found[key] = text
        else:
            others.append((use, version, stack))
    return found


def refusal(
    connection: Connection,
    use: ObjectUse,
    version: Version,
    stack: Stack,
    others: Sequence[tuple[ObjectUse, Version, Stack]] = (),
) -> str:
    """Return why a version may not use an object; empty if it may.

    ``others`` are the uses that begin in the same transaction.
    """
    for holder in holders(connection, stack.project, use.object_id):
        if holder.version_id == version.id or holder.type_name != use.type_name:
            continue
        if use.is_external:
            # An older version of the same resource is about to be removed.
            names = [name for name in use.names if name != version.name]
            text = unreadable(holder, stack.id, names)
        else:
            text = unmanageable(holder, stack.id)
        if text:
            return text
    for other, its_version, its_stack in others:
        is_rival = (other.type_name, other.object_id) == (use.type_name, use.object_id)
        is_rival = is_rival and its_stack.project == stack.project
        if is_rival and not use.is_external and not other.is_external:
            stack_name = "" if its_stack.id == stack.id else its_stack.name
            return _managed(use.object_id, _place(its_version.name, stack_name))
    return ""


def unmanageable(holder: Holder, stack_id: str) -> str:
    """Return why an object may not be managed while a resource has it; empty if it may.

    Who only reads it does not mind: it goes on seeing what there is.
    """
    if holder.relation not in _OURS:
        return ""
    where = _where(holder, stack_id)
    if _is_going(holder):
        return f"{holder.object_id} is being deleted by {where}"
    return _managed(holder.object_id, where)


def unreadable(holder: Holder, stack_id: str, names: Collection[str]) -> str:
    """Return why an object may not be used while another resource has it; empty if it may.

    ``names`` are the resources that stay in the stack. It may not be used if it is known already
    that it goes: because it is being deleted, or because the stack itself is about to.
    """
    if holder.relation not in _OURS or holder.definition.deletion_policy in RETAINED:
        return ""
    where = _where(holder, stack_id)
    if _is_going(holder):
        return f"{holder.object_id} is being deleted by {where}"
    if holder.stack_id == stack_id and holder.name not in names:
        return (
            f"{holder.object_id} is managed by {where} and would be deleted with it; hand it over "
            "there first"
        )
    return ""


def _is_going(holder: Holder) -> bool:
    return holder.action is Action.DELETE and holder.status is Status.IN_PROGRESS


def _where(holder: Holder, stack_id: str) -> str:
    return _place(holder.name, "" if holder.stack_id == stack_id else holder.stack_name)


def _place(name: str, stack_name: str) -> str:
    where = f'the stack "{stack_name}"' if stack_name else "this stack"
    return f'the resource "{name}" of {where}'


def _managed(object_id: str, where: str) -> str:
    return f"{object_id} is managed by {where}; hand it over there first"
