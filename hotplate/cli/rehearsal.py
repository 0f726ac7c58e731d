"""What a deletion would do: the one module that reads it from the API."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any
from urllib.parse import unquote, urlsplit

from hotplate.client.api import Api, Document, StackName

Path = tuple[str, ...]
Turns = tuple[int, ...]
"""When something goes: in the turn of its stack, the turn within it, and so on."""

_LAST = 1_000_000_000
"""After all that is inside."""


class Fate(Enum):
    """What becomes of a resource when its stack is deleted."""

    DELETED = "deleted"
    KEPT = "kept by policy"
    EXTERNAL = "external, not touched"
    PROTECTED = "protected, cannot be deleted"
    ABSENT = "not there"


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """One resource; ``turn`` counts from 1, and is 0 for what is not deleted."""

    path: Path
    type: str
    fate: Fate
    turn: int
    physical_id: str = ""
    reason: str = ""


async def rehearsed(api: Api, stack: StackName) -> list[Rehearsed]:
    """Return what a deletion does to everything in a stack, in the order in which it does it."""
    tree = await api.tree(stack)
    found = [each async for each in _of_stack(api, tree, (), (), False)]
    found.sort(key=lambda each: (each[0], each[1].path))
    going = dict.fromkeys(turns for turns, each in found if each.fate is Fate.DELETED)
    ranks = {turns: rank for rank, turns in enumerate(going, 1)}
    return [replace(each, turn=ranks.get(turns, 0)) for turns, each in found]


async def _of_stack(
    api: Api, stack: Document, path: Path, before: Turns, is_kept: bool
) -> AsyncIterator[tuple[Turns, Rehearsed]]:
    """Yield what is in a stack and in those inside it; what is in a stack goes before it."""
    template = await api.call("GET", f"{_path(stack)}/template")
    written = template.get("resources") or template.get("Resources") or {}
    turns = _turns(stack["resources"])
    for resource in stack["resources"]:
        name = resource["resource_name"]
        inner, turn = (*path, name), (*before, turns[name])
        fate, reason = _fate(resource, written.get(name))
        if is_kept and fate is Fate.DELETED:
            fate = Fate.KEPT
        if "stack" in resource:
            async for each in _of_stack(api, resource["stack"], inner, turn, fate is Fate.KEPT):
                yield each
            turn = (*turn, _LAST)
        yield (
            turn,
            Rehearsed(
                inner,
                resource["resource_type"],
                fate,
                0,
                resource.get("physical_resource_id") or "",
                reason,
            ),
        )


def _fate(resource: Mapping[str, Any], written: Any) -> tuple[Fate, str]:
    said = written if isinstance(written, Mapping) else {}
    policy = str(said.get("deletion_policy") or said.get("DeletionPolicy") or "").lower()
    if said.get("external_id"):
        return Fate.EXTERNAL, ""
    if resource["resource_status"].startswith(("INIT", "DELETE_COMPLETE")):
        return Fate.ABSENT, ""
    if policy == "retain":
        return Fate.KEPT, "deletion_policy"
    return Fate.DELETED, ""


def _turns(resources: list[Mapping[str, Any]]) -> dict[str, int]:
    """Return when each resource goes: after all that need it."""
    needed_by = {each["resource_name"]: each.get("required_by") or () for each in resources}
    turns: dict[str, int] = {}
    seen: set[str] = set()
    for start in needed_by:
        waiting = [(start, False)]
        while waiting:
            name, is_ready = waiting.pop()
            if is_ready:
                others = [turns.get(other, 0) for other in needed_by[name]]
                turns[name] = 1 + max(others, default=0)
            elif name not in seen:
                seen.add(name)
                waiting.append((name, True))
                waiting.extend((other, False) for other in needed_by[name] if other in needed_by)
    return turns


def _path(stack: Document) -> str:
    address = next((each["href"] for each in stack["links"] if each["rel"] == "self"), "")
    name = urlsplit(address).path.rsplit("/", 2)[-2] if address else stack["stack_name"]
    return StackName(unquote(name), stack["id"]).path
