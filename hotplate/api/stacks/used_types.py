"""Which resource types a request uses, and whether whoever asks may use them.

Decided before anything is accepted, nested templates included: nothing fails halfway for it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Final

from hotplate.api.http.endpoint import Call
from hotplate.api.http.faults import Fault
from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.patch import Patch
from hotplate.model import Stack
from hotplate.resources.capabilities import NestedStack
from hotplate.validation.recipes import used_types

_NAMES: Final = re.compile(r"(?<![A-Za-z0-9_.-])[A-Za-z0-9_.-]++(?:::[A-Za-z0-9_.-]++)+")
"""Names of types. Each letter is read once, however long a word is: tenants write these texts."""

_DISGUISED: Final = re.compile(r"\\(?:[xuU]|\r?\n)")
"""What may become the name of a type when YAML or JSON is read."""

_PIECE: Final = 64 * 1024
_LONGEST: Final = 512
"""Characters of a piece that is looked through at a time, and of a name that no type can have."""

_MANY: Final = 64 * 1024
_AT_ONCE: Final = 256 * 1024
"""Characters that are looked through in the event loop, and in one turn elsewhere."""


async def check_types(call: Call, recipe: Recipe | None, stack: Stack | None = None) -> None:
    """Refuse a request that would use what whoever asks may not use, or their cloud has not.

    The types are those of the ``recipe`` and those that the ``stack`` has. Raises Fault 403 or 400.
    """
    if call.engine.authorization is None:
        return
    if stack is not None:
        has = await call.listings.types(stack.root_id)
        _refuse(call, dict.fromkeys(has, f"the stack {stack.name} has it"))
    if recipe is not None:
        used = await _used(call, recipe)
        _refuse(call, used)
        await _refuse_unavailable(call, used)


async def check_patched_types(call: Call, stack: Stack, patch: Patch) -> None:
    """Do the same for a patch of what a stack is made of. Raises Fault."""
    if call.engine.authorization is not None:
        await check_types(call, await call.operations.patched(stack, patch), stack)


async def check_available(call: Call, recipe: Recipe) -> None:
    """Refuse a recipe with a type that the cloud of whoever asks has not. Raises Fault 400."""
    if call.engine.authorization is not None:
        await _refuse_unavailable(call, await _used(call, recipe))


async def _refuse_unavailable(call: Call, types: Iterable[str]) -> None:
    """Refuse types that the caller's cloud has not. Raises Fault 400."""
    for name in types:
        if missing := call.missing_service(name):
            reason = f"{missing} endpoint is not in service catalog."
            raise unavailable(name, missing.split()[0], reason)
    for name, missing in (await call.missing_extensions(types)).items():
        raise lacks_extension(name, missing)


def lacks_extension(name: str, missing: str) -> Fault:
    """Return the refusal of a type; ``missing`` is what `Call.missing_extensions` says of it."""
    client, alias = missing.split()
    reason = f"Required extension {alias} in {client} service is not available."
    return unavailable(name, client, reason)


def unavailable(name: str, client: str, reason: str) -> Fault:
    """Return the refusal of a type that a cloud has not, in the words that Heat has for it."""
    text = f"HEAT-E99001 Service {client} is not available for resource type {name}, reason: "
    return Fault(400, text + reason, "ResourceTypeUnavailable")


def _refuse(call: Call, types: Mapping[str, str]) -> None:
    for name in sorted(types):
        if not call.may_use(name):
            raise Fault(403, f"You are not authorized to use {name}. ({types[name]})", "Forbidden")


async def _used(call: Call, recipe: Recipe) -> Mapping[str, str]:
    """Return the types of a recipe, and where; nothing if it is plain that all may be used."""
    texts = (recipe.template, recipe.environment, *recipe.files.values())
    names: set[str] | None = set()
    for some in _batches(_pieces(texts)):
        found = await call.in_turn(partial(_plain_names, some), sum(map(len, some)) > _MANY)
        names = None if names is None or found is None else names | found
        if names is None:
            break
    if names is not None and not _may_compute(call, names) and await _is_harmless(call, names):
        return {}
    return await call.evaluate(used_types, call.project, recipe)


def _plain_names(pieces: Iterable[str]) -> set[str] | None:
    """Return what may be names of types in texts; None if there may be others in disguise. Cheap.

    Calls nobody, and may run in a thread.
    """
    found: set[str] = set()
    for piece in pieces:
        names = set(_NAMES.findall(piece)) if "::" in piece else set()
        if any(len(name) >= _LONGEST for name in names) or _DISGUISED.search(piece):
            return None
        found |= names
    return found


def _pieces(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts in pieces: a search holds the interpreter, and others get it in between.

    Each name of a type is whole in one of them.
    """
    for text in texts:
        for start in range(0, len(text), _PIECE):
            yield text[start : start + _PIECE + _LONGEST]


def _may_compute(call: Call, names: set[str]) -> bool:
    """Tell whether one of these types makes a template, in which expressions may name types."""
    catalogue = call.engine.tools.catalogue
    known = (catalogue.get(name) for name in names if name in catalogue)
    return any(isinstance(each, NestedStack) for each in known)


def _batches(pieces: Iterator[str]) -> Iterator[list[str]]:
    """Yield pieces together, as many as are looked through in some milliseconds."""
    some: list[str] = []
    size = 0
    for piece in pieces:
        some.append(piece)
        size += len(piece)
        if size > _AT_ONCE:
            yield some
            some, size = [], 0
    yield some


async def _is_harmless(call: Call, names: set[str]) -> bool:
    """Tell whether all types of these names can be used by whoever asks."""
    if any(not call.may_use(name) or call.missing_service(name) for name in names):
        return False
    return not await call.missing_extensions(names)
