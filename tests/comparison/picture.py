"""What a stack looks like after a step, without what differs from run to run.

Ids, names that are drawn, times and addresses become words. Two things that are equal in a
run have the same word, and what takes the place of another thing has another word: a resource
that is replaced shows as ``<path#2>`` where it was ``<path#1>`` before.
"""

from __future__ import annotations

import re
from typing import Any

from tests.comparison.service import DELETED, Found, Service

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_ADDRESS = re.compile(r"https?://[^\s\"'<>]+")
_TOKEN = re.compile(r"gAAAA[\w-]{80,}=*")
_HEX = re.compile(r"\b[0-9a-f]{32}\b")
_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?")
_OBJECT = re.compile(r"0x[0-9a-f]{6,}")
_SECRET = re.compile(r'("(?:password|secret_access_key)": )"[^"]*"')
_SECRETS = {"password", "secret_access_key"}
_BOUNDARY = re.compile(r"={15}\w+==")
_DRAWN_NAME = re.compile(r"[a-z0-9]{12}")
_RANDOM_STRING = "OS::Heat::RandomString"


class Words:
    """What stands for the ids of a run. One for each case."""

    def __init__(self, stack_name: str, project: str) -> None:
        self._stack_name = stack_name
        self._words = {project: "<project>"}
        self._seen: dict[str, list[str]] = {}
        self._physical = re.compile(rf"\b{re.escape(stack_name)}(-[\w%]+?)*-[a-z0-9]{{12}}\b")

    def number(self, path: str, physical_id: str) -> int:
        """Return the how manieth id that is of the resource, and have it written as a word."""
        seen = self._seen.setdefault(path, [])
        if physical_id not in seen:
            seen.append(physical_id)
            self._words.setdefault(physical_id, f"<{path}#{len(seen)}>")
        return seen.index(physical_id) + 1

    def member(self, parent: str, name: str) -> str:
        """Return the word for a member of a group that draws the names of its members."""
        seen = self._seen.setdefault(f"{parent}/", [])
        if name not in seen:
            seen.append(name)
            self._words[name] = f"~{len(seen)}"
        return self._words[name]

    def know(self, text: str, word: str) -> None:
        """Have a text written as a word."""
        self._words.setdefault(text, word)

    def plain(self, value: Any) -> Any:
        """Return a value with words in place of what differs between runs."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            return {self._text(str(key)): self._entry(key, value[key]) for key in sorted(value)}
        if isinstance(value, list):
            return [self.plain(item) for item in value]
        return value

    def _entry(self, key: str, value: Any) -> Any:
        return "<secret>" if key in _SECRETS and value else self.plain(value)

    def _text(self, text: str) -> str:
        text = _BOUNDARY.sub("<boundary>", text)
        text = _SECRET.sub(r'\1"<secret>"', text)
        text = _ADDRESS.sub("<address>", text)
        # Longer ones first: the name of a nested stack begins those of its resources.
        for known in sorted(self._words, key=len, reverse=True):
            text = text.replace(known, self._words[known])
        text = _TOKEN.sub("<token>", text)
        text = _UUID.sub("<uuid>", text)
        text = self._physical.sub("<physical name>", text)
        text = text.replace(self._stack_name, "<stack name>")
        text = _HEX.sub("<hex>", text)
        return _OBJECT.sub("0x0", _TIME.sub("<time>", text))


def picture(service: Service, name: str, stack_id: str, words: Words) -> dict[str, Any]:
    """Return what there is to see of a stack and of those inside it."""
    stack = service.stack(name, stack_id)
    words.know(stack_id, "<stack>")
    resources: dict[str, Any] = {}
    if stack["stack_status"] != DELETED:
        found = _with_words(service.by_path(name, stack_id), words)
        details = {path: service.shown(each) for path, each in found.items()}
        for each in found.values():
            if each.child is not None:
                words.know(each.child.partition("/")[0], "<physical name>")
        # All ids first: an attribute may tell the id of a resource that comes later.
        numbers = {path: _number(words, path, shown) for path, shown in details.items()}
        resources = {
            path: _resource(shown, service.metadata(found[path]), numbers[path], words)
            for path, shown in sorted(details.items())
        }
    outputs = {each["output_key"]: _output(each, words) for each in stack.get("outputs") or ()}
    return {
        "status": stack["stack_status"],
        "reason": words.plain(stack["stack_status_reason"]),
        "outputs": dict(sorted(outputs.items())),
        "resources": resources,
    }


def _with_words(found: dict[str, Found], words: Words) -> dict[str, Found]:
    """Return the resources by paths in which the names that are drawn are words."""
    renamed = {"": ""}
    resources = {}
    for path in sorted(found, key=lambda path: (path.count("/"), _age(found[path]))):
        parent, _, name = path.rpartition("/")
        inside = renamed[parent]
        if inside and _DRAWN_NAME.fullmatch(name):
            name = words.member(inside, name)
        renamed[path] = f"{inside}/{name}" if inside else name
        resources[renamed[path]] = found[path]
    return resources


def _age(found: Found) -> tuple[str, str]:
    return found.row["creation_time"], found.name


def _number(words: Words, path: str, shown: dict[str, Any]) -> int | None:
    physical_id = shown["physical_resource_id"]
    number = words.number(path, physical_id) if physical_id else None
    value = (shown["attributes"] or {}).get("value")
    if shown["resource_type"] == _RANDOM_STRING and value:
        words.know(value, f"<text of {path}#{number}, {len(value)} characters>")
    return number


def _resource(
    shown: dict[str, Any], metadata: Any, number: int | None, words: Words
) -> dict[str, Any]:
    attributes = shown["attributes"] or {}
    return {
        "type": shown["resource_type"],
        "status": shown["resource_status"],
        "reason": words.plain(shown["resource_status_reason"]),
        "id": number,
        "required_by": sorted(words.plain(shown["required_by"])),
        "attributes": {key: words.plain(attributes[key]) for key in sorted(attributes)},
        "metadata": _without_trifles(words.plain(metadata)),
    }


def _without_trifles(value: Any) -> Any:
    """Return metadata without explanations, and without the empty defaults that Heat writes out."""
    if isinstance(value, dict):
        return {
            key: _without_trifles(item)
            for key, item in value.items()
            if key != "description" and not (key == "default" and item == "")
        }
    return [_without_trifles(item) for item in value] if isinstance(value, list) else value


def _output(output: dict[str, Any], words: Words) -> Any:
    if output.get("output_error"):
        return {"error": words.plain(output["output_error"])}
    return words.plain(output.get("output_value"))
