"""What becomes of each resource, as previews show it: written where it is planned.

A preview of many thousand resources is some ten megabytes of JSON, and much more as objects. So
it is written resource by resource in the process that evaluates, and only the packed
text comes from there.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from hotplate.api.http.differences import difference_documents
from hotplate.api.http.endpoint import json_bytes
from hotplate.api.http.packed import Packed, Packer, packed
from hotplate.engine.preview.origins import Source
from hotplate.engine.preview.planned_change import Planned
from hotplate.model import Stack
from hotplate.plan.decide import Change, Step
from hotplate.secret import Secrets, shown

CATEGORIES: Final = ("unchanged", "updated", "replaced", "added", "deleted")
_BY_STEP = {
    Step.LEAVE: "unchanged",
    Step.UPDATE: "updated",
    Step.REPLACE: "replaced",
    Step.CREATE: "added",
    None: "deleted",
}

_Nested = list["Planned | _Nested"]
"""Resources; in the place of one that is a stack, the list of its own."""


def tree_of_plan(
    stack: Stack, planned: Iterable[Planned], secrets: Secrets, hides_secrets: bool
) -> Packed:
    """Return all that would be in a new stack: the entries `resources` and `nested_stacks`."""
    documents = _Documents(stack.project, secrets, hides_secrets)
    whole = list(planned)
    stacks = [each for each in whole if each.is_stack]
    return packed(_tree_pieces(documents, _tree(whole), stacks))


def _tree_pieces(
    documents: "_Documents", tree: _Nested, stacks: Iterable[Planned]
) -> Iterator[bytes]:
    yield b'"resources":'
    yield from documents.listed(tree)
    # Not Heat's: what `resources` shows only by what the nested stack has.
    yield b',"nested_stacks":'
    yield from documents.listed(stacks)


def changes_of_plan(
    stack: Stack, planned: Iterable[Planned], secrets: Secrets, hides_secrets: bool
) -> dict[str, Packed]:
    """Return what would be changed in a stack: the members of the list of each category."""
    documents = _Documents(stack.project, secrets, hides_secrets, without=("properties",))
    changes = {category: Packer() for category in CATEGORIES}
    begun: set[str] = set()
    for each in planned:
        category = _category(each)
        if category in begun:
            changes[category].add(b",")
        begun.add(category)
        changes[category].add(documents.written(each))
    return {category: packer.packed() for category, packer in changes.items()}


class _Documents:
    """Writes what would become of resources, one after the other."""

    def __init__(
        self,
        project: str,
        secrets: Secrets,
        hides_secrets: bool,
        without: tuple[str, ...] = (),
    ) -> None:
        self._project = project
        self._secrets = secrets
        self._hides_secrets = hides_secrets
        self._without = without

    def listed(self, items: "Iterable[Planned | _Nested]") -> Iterator[bytes]:
        """Yield a list of resources."""
        before = b"["
        for each in items:
            yield before
            if isinstance(each, list):
                yield from self.listed(each)
            else:
                yield self.written(each)
            before = b","
        yield b"]" if before == b"," else b"[]"

    def written(self, planned: Planned) -> bytes:
        """Return what would become of a resource."""
        document = _masked_item(self._project, planned, self._secrets)
        for key in self._without:
            del document[key]
        return json_bytes(shown(document) if self._hides_secrets else document)


def _tree(planned: Iterable[Planned]) -> _Nested:
    """Return the resources with each one that is a stack replaced by the list of its own."""
    lists: dict[tuple[str, ...], _Nested] = {(): []}
    for each in planned:
        target = lists.setdefault(each.path[:-1], [])
        target.append(lists.setdefault(each.path, []) if each.is_stack else each)
    return lists[()]


def _masked_item(project: str, planned: Planned, secrets: Secrets) -> dict[str, Any]:
    """Return what would become of a resource, with stars where a secret stands."""
    item = _item(project, planned)
    values = [value for change in planned.changes for value in (change.old, change.new)]
    own = secrets | Secrets.inside(planned.properties, planned.metadata, values)
    item["reason"] = own.text(planned.reason)
    shown = {
        "metadata": dict(planned.metadata),
        "properties": dict(planned.properties),
        "changes": item["changes"],
        "differences": item["differences"],
    }
    # Of a resource that is left alone there is nothing to be masked.
    item |= {key: own.masked(value) if value else value for key, value in shown.items()}
    return item


def _category(planned: Planned) -> str:
    """Return where what would become of a resource is listed; what is refused has its reason.

    A resource that takes another external object is updated; the old one is listed beside.
    """
    if planned.transfer is not None and planned.step is not Step.CREATE:
        return "updated"
    if planned.step is Step.REFUSE:
        return _BY_STEP[planned.restricted or Step.UPDATE]
    return _BY_STEP[planned.step]


def _item(project: str, planned: Planned) -> dict[str, Any]:
    """Return what would become of a resource; the keys from ``path`` on are not Heat's."""
    name = planned.path[-1]
    identity = {
        "tenant": project,
        "stack_name": planned.stack_name,
        "stack_id": planned.stack_id,
        "path": "",
    }
    item: dict[str, Any] = {
        "resource_name": name,
        "resource_type": planned.type,
        "physical_resource_id": planned.physical_id or "",
        "resource_action": "INIT",
        "resource_status": "COMPLETE",
        "resource_status_reason": "",
        "resource_identity": {**identity, "path": f"/resources/{name}"},
        "stack_identity": identity,
        "stack_name": planned.stack_name,
        "required_by": list(planned.required_by),
        "creation_time": None,
        "updated_time": None,
        "description": planned.description,
        "metadata": {},
        "attributes": dict.fromkeys(planned.attributes),
        "path": list(planned.path),
        "reason": planned.reason,
        "changes": [
            _change(change, planned.sources.get(change.name, ())) for change in planned.changes
        ],
        "differences": difference_documents(planned.differences),
        "is_certain": planned.certain,
        "is_kept": planned.is_kept,
        "is_refused": planned.step is Step.REFUSE,
        "written": None if planned.written is None else source_document(planned.written),
    }
    if len(planned.path) > 1:
        item["parent_resource"] = planned.path[-2]
    return item


def _change(change: Change, sources: Iterable[Source]) -> dict[str, Any]:
    return {
        "property": change.name,
        "old": change.old,
        "new": change.new,
        "is_in_place": change.in_place,
        "sources": [source_document(source) for source in sources],
    }


def source_document(source: Source) -> dict[str, Any]:
    """Return a place that a value comes from."""
    return {
        "kind": source.kind.value,
        "name": source.name,
        "file": source.file,
        "line": source.line,
        "path": source.path,
    }
