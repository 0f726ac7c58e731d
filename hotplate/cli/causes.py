"""Why a resource is as it is: the one module that puts the chain of causes together.

It is made of what the API tells of the stack: states, reasons, who requires whom, the template, and
where each value of the environment is from.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hotplate.cli.paths import FoundResource
from hotplate.cli.view.failures import own_words
from hotplate.client.api import Api, Document, StackName
from hotplate.client.reader import path_of


@dataclass(frozen=True, slots=True)
class Cause:
    """One link of the chain; ``level`` is how deep it is below what was asked about."""

    level: int
    text: str
    path: tuple[str, ...] = ()
    file: str = ""
    line: int | None = None

    @property
    def place(self) -> str:
        """The file and line, empty if there is none."""
        return f"{self.file}:{self.line}" if self.line else self.file


async def causes_of(api: Api, root: StackName, found: FoundResource) -> list[Cause]:
    """Return the chain of causes, from the resource back to files and lines."""
    chain = list(_state(found))
    chain.extend(await _origins(api, root, found))
    return chain


def _state(found: FoundResource) -> Iterator[Cause]:
    resource = found.document
    action, _, status = resource["resource_status"].partition("_")
    words = f"{resource['resource_status']}, since {resource['updated_time']}"
    if action == "INIT":
        yield Cause(0, "it has not been made yet", found.path)
        yield from _waits(found, 1, set())
        return
    yield Cause(0, words, found.path)
    reason = resource.get("resource_status_reason") or ""
    if "stack" in resource and status != "COMPLETE":
        yield from _inside(resource["stack"], found.path, 1, status)
    elif reason and reason != "state changed":
        yield Cause(1, own_words(reason), found.path)
    elif status == "IN_PROGRESS":
        yield Cause(1, f"its {action} is going on", found.path)


def _inside(stack: Document, path: tuple[str, ...], level: int, status: str) -> Iterator[Cause]:
    """Yield what is inside and in the same state: that is why the stack is in it."""
    for resource in stack["resources"]:
        if not resource["resource_status"].endswith(status):
            continue
        inner = (*path, resource["resource_name"])
        yield Cause(level, f"{resource['resource_name']} is {resource['resource_status']}", inner)
        if "stack" in resource:
            yield from _inside(resource["stack"], inner, level + 1, status)
        elif reason := resource.get("resource_status_reason"):
            yield Cause(level + 1, own_words(reason), inner)


def _waits(found: FoundResource, level: int, seen: set[str]) -> Iterator[Cause]:
    """Yield what a resource waits for, and what that waits for."""
    prefix = found.path[:-1]
    by_name = {each["resource_name"]: each for each in found.stack["resources"]}

    def chain(name: str, level: int) -> Iterator[Cause]:
        for other in by_name.values():
            state = other["resource_status"]
            required = name in (other.get("required_by") or ())
            if not required or (state.endswith("_COMPLETE") and not state.startswith("INIT")):
                continue
            path = (*prefix, other["resource_name"])
            if other["resource_name"] in seen:
                continue
            seen.add(other["resource_name"])
            yield Cause(level, f"it waits for {other['resource_name']}, which is {state}", path)
            reason = other.get("resource_status_reason") or ""
            if state.endswith("_FAILED") and reason:
                yield Cause(level + 1, own_words(reason), path)
            elif state.startswith("INIT"):
                yield from chain(other["resource_name"], level + 1)

    links = list(chain(found.path[-1], level))
    if not links and not found.stack["stack_status"].endswith("_IN_PROGRESS"):
        state, reason = found.stack["stack_status"], found.stack["stack_status_reason"]
        yield Cause(level, f"its stack is {state}: {reason}", prefix)
    yield from links


async def _origins(api: Api, root: StackName, found: FoundResource) -> list[Cause]:
    """Return where the resource is written, and where the values it uses are from."""
    template = await api.call("GET", f"{found.stack_name.path}/template")
    sections = template.get("resources") or template.get("Resources") or {}
    written = sections.get(found.path[-1])
    chain = []
    if found.way:
        owner = found.way[-1]
        kind = str(owner["resource_type"])
        file = path_of(kind) if kind.startswith("file:") else ""
        chain.append(Cause(0, f"it is part of {'.'.join(found.path[:-1])}", found.path[:-1], file))
    names = list(dict.fromkeys(_parameters(written)))
    if not names:
        return chain
    query = {"origins": "true"}
    environment = await api.call("GET", f"{root.path}/environment", query=query)
    places = {
        each["path"][1]: each
        for each in environment.get("origins") or ()
        if len(each["path"]) == 2 and each["path"][0] in ("parameters", "parameter_defaults")
    }
    for name in names:
        place = places.get(name)
        if place is not None and not found.way:
            file = path_of(place["file"]) if place["file"].startswith("file:") else place["file"]
            chain.append(Cause(0, f"it uses the parameter {name}", found.path, file, place["line"]))
        else:
            chain.append(Cause(0, f"it uses the parameter {name}", found.path))
    return chain


def _parameters(data: Any) -> Iterator[str]:
    """Yield the parameters that a part of a template asks for."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            if key == "get_param":
                name = value[0] if isinstance(value, list) and value else value
                if isinstance(name, str):
                    yield name.partition(".")[0]
            else:
                yield from _parameters(value)
    elif isinstance(data, list):
        for item in data:
            yield from _parameters(item)
