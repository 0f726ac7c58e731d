"""What happens behind the engine's back: objects that somebody makes, changes and deletes."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hotplate.resources import Done, Resource, Result
from hotplate.resources.capabilities import Suspendable, TakesSignals
from hotplate.resources.directory import Directory, File, Object
from tests.api.conftest import Api

FILE = "Hotplate::Directory::File"
MACHINE = "Test::Machine"
LOCK = "Test::Lock"


class Outside:
    """The directory as its owner sees it, and every change that the engine makes in it."""

    def __init__(self, path: Path) -> None:
        self.directory = Directory(path)
        self.calls: list[tuple[str, str]] = []

    def make(self, object_id: str, content: str = "theirs", kind: str = "file") -> str:
        self.directory.create(Object(object_id, f"mark-of-{object_id}", kind, content))
        return object_id

    def write(self, object_id: str, content: str) -> None:
        """Change an object behind the engine's back."""
        present = self.directory.read(object_id)
        assert present is not None
        creation_token, kind, tags = present.creation_token, present.kind, present.tags
        path = self.directory.path_of(object_id)
        head = {"hotplate": 1, "mark": creation_token, "kind": kind, "tags": dict(tags)}
        path.write_text(json.dumps(head) + "\n" + content, encoding="utf-8")

    def remove(self, object_id: str) -> None:
        self.directory.path_of(object_id).unlink()

    def content(self, object_id: str) -> str | None:
        found = self.directory.read(object_id)
        return None if found is None else found.content

    def bytes(self, object_id: str) -> bytes:
        """An object as it is on the disk, its creation token included."""
        return self.directory.path_of(object_id).read_bytes()

    @property
    def ids(self) -> set[str]:
        return {each.id for each in self.directory.objects()}

    def since(self) -> list[tuple[str, str]]:
        """The changes that the engine has made since this was last asked."""
        calls = list(self.calls)
        self.calls.clear()
        return calls


def watched(monkeypatch: pytest.MonkeyPatch, path: Path) -> Outside:
    """Return the directory of the `api` fixture; what the engine changes there is noted."""
    outside = Outside(path)
    for verb in ("create", "replace", "adopt", "delete"):
        original = getattr(Directory, verb)

        def noted(
            self: Directory, what: Any, *rest: Any, _verb: str = verb, _call: Any = original
        ) -> Any:
            if self is not outside.directory:
                outside.calls.append((_verb, what if isinstance(what, str) else what.id))
            return _call(self, what, *rest)

        monkeypatch.setattr(Directory, verb, noted)
    return outside


class Machine(File, Suspendable, TakesSignals):
    """A file that can be put to rest and be told things; it notes all that is done to it."""

    name = MACHINE

    def __init__(self) -> None:
        self.done: list[tuple[str, str | None]] = []

    async def suspend(self, resource: Resource) -> Result:
        self.done.append(("suspend", resource.physical_id))
        return Done()

    async def resume(self, resource: Resource) -> Result:
        self.done.append(("resume", resource.physical_id))
        return Done()

    async def snapshot(self, resource: Resource) -> Result:
        self.done.append(("snapshot", resource.physical_id))
        return await super().snapshot(resource)

    def received(self, details: Mapping[str, Any], earlier: Any) -> dict[str, Any]:
        self.done.append(("signal", None))
        return dict(details)


class Lock(File):
    """A file whose key is known only to whoever made it."""

    name = LOCK
    irrecoverable = "the key"

    async def create(self, resource: Resource) -> Result:
        result = await super().create(resource)
        assert isinstance(result, Done)
        return Done(result.physical_id, result.reference, result.attributes, {"key": "4711"})


def template(web: Mapping[str, Any] | None, /, **others: Any) -> dict[str, Any]:
    """Return a template whose resource ``web`` is this; its content is an output."""
    resources = {**({} if web is None else {"web": web}), **others}
    found: dict[str, Any] = {"heat_template_version": "2021-04-16", "resources": resources}
    if web is not None:
        found["outputs"] = {
            "content": {"value": {"get_attr": ["web", "content"]}},
            "id": {"value": {"get_resource": "web"}},
        }
    return found


def file(external_id: Any = None, of: str = FILE, **properties: Any) -> dict[str, Any]:
    """Return a resource, external if an id is given."""
    found: dict[str, Any] = {"type": of}
    if external_id is not None:
        found["external_id"] = external_id
    if properties:
        found["properties"] = properties
    return found


def body(web: Mapping[str, Any] | None, /, **others: Any) -> dict[str, Any]:
    return {"template": template(web, **others)}


FAILS = {"type": "OS::Heat::TestResource", "properties": {"fail": True}}


def after(name: str) -> dict[str, Any]:
    """Return a resource that fails, but not before another one is complete."""
    return {**FAILS, "depends_on": name}


def shown(api: Api, path: str, name: str = "web") -> dict[str, Any]:
    answer = api.get(f"{path}/resources/{name}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["resource"]
    return found


def outputs(api: Api, path: str) -> dict[str, Any]:
    stack = api.get(path).json()["stack"]
    return {each["output_key"]: each["output_value"] for each in stack["outputs"]}


def events(api: Api, path: str, name: str = "web") -> list[tuple[str, str]]:
    found = api.get(f"{path}/resources/{name}/events?sort_dir=asc").json()["events"]
    return [(event["resource_status"], event["resource_status_reason"]) for event in found]


def states(api: Api, path: str, name: str = "web") -> list[str]:
    return [state for state, _ in events(api, path, name)]


def preview(api: Api, path: str, wanted: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    answer = api.put(f"{path}/preview", json=wanted)
    assert answer.status_code == 200, answer.text
    found: dict[str, list[dict[str, Any]]] = answer.json()["resource_changes"]
    return found
