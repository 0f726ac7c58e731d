"""The format of the section resource_registry."""

from collections.abc import Iterator
from enum import Enum
from typing import Any

from hotplate.document import Path, Problem, Severity, did_you_mean
from hotplate.environment import names
from hotplate.environment.names import Hook, RestrictedAction, is_template_file
from hotplate.environment.wording import quoted

_SETTINGS: dict[str, type[Enum]] = {
    names.HOOKS: Hook,
    names.RESTRICTED_ACTIONS: RestrictedAction,
}


def check_registry(registry: dict[str, Any]) -> Iterator[Problem]:
    """Yield every fault of the section; what Heat accepts but never uses is a warning.

    Recurses as deep as the document does.
    """
    for key, value in registry.items():
        path = (names.REGISTRY, key)
        if key == names.RESOURCES:
            yield from _check_names(value, path)
        elif key in _SETTINGS:
            yield from _check_setting(value, path)
            yield _useless(path, f'write it below "{names.RESOURCES}" and the name of a resource')
        elif isinstance(value, dict):
            hint = f'what concerns one resource stands below "{names.RESOURCES}"'
            yield Problem("must name a type or a template file, not a map", path, hint)
        else:
            yield from _check_entry(value, path)
            if key.endswith("*") and isinstance(value, str) and is_template_file(value):
                yield _useless(path, "a wildcard can lead to a type, not to a template file")


def _check_names(resources: Any, path: Path) -> Iterator[Problem]:
    """Check a level whose keys are names of resources."""
    if not isinstance(resources, dict):
        yield Problem("must be a map of resource names", path)
        return
    for name, value in resources.items():
        below = (*path, name)
        if name in _SETTINGS:
            yield from _check_setting(value, below)
            yield _useless(below, "write it below the name of a resource")
        elif isinstance(value, dict):
            yield from _check_resource(value, below)
        elif value is not None:
            hint = "write the name of a resource, and below it the type"
            yield Problem("must be a map of what holds for this resource", below, hint)


def _check_resource(resource: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Check what is said of one resource: settings, types, and resources nested in it."""
    for key, value in resource.items():
        below = (*path, key)
        if key in _SETTINGS:
            yield from _check_setting(value, below)
        elif isinstance(value, dict):
            yield from _check_resource(value, below)
        else:
            yield from _check_entry(value, below)
            if key.endswith("*") and value is not None:
                yield _useless(below, "name the type in full: wildcards work at the top only")


def _check_entry(value: Any, path: Path) -> Iterator[Problem]:
    if value is None:
        return
    if path[-1] == names.BASE_URL:
        if not isinstance(value, str):
            yield Problem("must be a text, the address that relative files start from", path)
    elif not isinstance(value, str) or not value:
        hint = "write null to remove an entry" if value == "" else ""
        yield Problem("must name a type or a template file", path, hint)


def _check_setting(value: Any, path: Path) -> Iterator[Problem]:
    """Check ``hooks`` or ``restricted_actions``: one word, a list of words, or null for none."""
    setting = str(path[-1])
    known = [member.value for member in _SETTINGS[setting]]
    words = [(value, path)]
    if isinstance(value, list):
        words = [(word, (*path, index)) for index, word in enumerate(value)]
    elif value is None:
        return
    elif not isinstance(value, str):
        yield Problem("must be a text or a list of texts", path, f"known are {', '.join(known)}")
        return
    one = "hook" if setting == names.HOOKS else "restricted action"
    for word, place in words:
        if word not in known:
            hint = did_you_mean(word, known) or f"known are {', '.join(known)}"
            yield Problem(f"unknown {one} {quoted(word)}", place, hint)


def _useless(path: Path, hint: str) -> Problem:
    return Problem("has no effect here", path, hint, severity=Severity.WARNING)
