"""Resources as the API shows them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from hotplate.api.http.differences import DIFFERENCES, difference_documents
from hotplate.api.http.links import Links
from hotplate.api.http.shapes import FLAG, FREE, LINKS, TIME, listed, maybe, record, text
from hotplate.api.http.times import shown_time
from hotplate.api.resources.listed_rows import Row
from hotplate.engine.published_values import with_secrets_typed
from hotplate.engine.requests.listings import Tree
from hotplate.model import OURS
from hotplate.resources.catalogue import Catalogue
from hotplate.secret import shown
from hotplate.store.tree import ListedVersion
from hotplate.store.versions import load_differences

_FIELDS = {
    "resource_name": text(),
    "logical_resource_id": text(),
    "physical_resource_id": text(),
    "resource_type": text(),
    "resource_status": text(),
    "resource_status_reason": text(),
    "creation_time": TIME,
    "updated_time": TIME,
    "required_by": listed(text()),
    "links": LINKS,
    "is_external": FLAG,
    "is_old": FLAG,
}
_NESTED = {
    "parent": maybe(text()),
    "nested_stack_id": text(),
    "parent_resource": maybe(text()),
    "description": maybe(text()),
    "attributes": FREE,
    "differences": DIFFERENCES,
    "attributes_note": text(),
}
RESOURCE = record(_FIELDS, _NESTED)
DETAIL = record(
    {**_FIELDS, "attributes": FREE, "description": text(), "differences": DIFFERENCES}, _NESTED
)

_OURS = frozenset(relation.value for relation in OURS)


@dataclass(frozen=True, slots=True)
class Listing:
    """How resources are listed."""

    links: Links
    project: str
    with_detail: bool
    catalogue: Catalogue
    hides_secrets: bool = False
    with_links: bool = True
    """Half of a large answer is links, which whoever knows the stacks can make."""


def resource_documents(
    listing: Listing,
    group: Sequence[ListedVersion],
    rows: Sequence[Row],
    tree: Tree,
) -> Iterator[dict[str, Any]]:
    """Yield a document for each row of one stack.

    ``group`` holds all versions of the stack. Items of a nested stack name the
    stack that contains them and the resource that this stack is, wherever the listing began.
    """
    if not rows:
        return
    first = group[0]
    stack = listing.links.stack(listing.project, first.stack_name, first.stack_id)
    stack_link = {"href": stack, "rel": "stack"}
    is_nested = first.depth > 0 or first.owner_name is not None
    needed_by = _needed_by(group)
    for row in rows:
        item = row.item
        links = []
        if listing.with_links:
            own = {"href": listing.links.resource(stack, item.name), "rel": "self"}
            links = [own, stack_link]
            if item.child_id is not None:
                links.append({"href": _child(listing, item), "rel": "nested"})
        document: dict[str, Any] = {
            "resource_name": item.name,
            "logical_resource_id": item.name,
            "physical_resource_id": item.physical_id or "",
            "resource_type": item.type,
            "resource_status": f"{item.action}_{item.status}",
            "resource_status_reason": item.reason,
            "creation_time": shown_time(item.created_at),
            "updated_time": shown_time(item.updated_at or item.created_at),
            "required_by": needed_by.get(item.name, []),
            "links": links,
            "is_external": item.relation not in _OURS,
            "is_old": row.is_old,
        }
        if is_nested:
            document["parent"] = document["parent_resource"] = first.owner_name
            document["nested_stack_id"] = first.stack_id
        if listing.with_detail:
            document["description"] = tree.description(item.project, item.recipe, item.name)
            document["attributes"] = {**_declared(listing, item), **_attributes(item, listing)}
            stored = load_differences(item.differences) if item.differences else ()
            document["differences"] = difference_documents(stored)
        yield document


def _child(listing: Listing, item: ListedVersion) -> str:
    return listing.links.stack(listing.project, item.child_name or "", item.child_id or "")


def _needed_by(group: Sequence[ListedVersion]) -> dict[str, list[str]]:
    """Return for each name the names of those that need it, whichever version of it they have."""
    names = {item.id: item.name for item in group}
    needed: dict[str, list[str]] = {}
    for item in group:
        if item.requires != "[]":
            for required in orjson.loads(item.requires):
                dependants = needed.setdefault(names.get(required, ""), [])
                if item.name not in dependants:
                    dependants.append(item.name)
    return needed


def _declared(listing: Listing, item: ListedVersion) -> dict[str, None]:
    """Return the attributes that the type has, each without a value."""
    if item.type not in listing.catalogue:
        return {}
    return dict.fromkeys(listing.catalogue.get(item.type).attributes)


def _attributes(item: ListedVersion, listing: Listing) -> dict[str, Any]:
    """Return what others may ask of the resource; paths that were asked for are left out."""
    try:
        stored = orjson.loads(item.attributes)
    except orjson.JSONDecodeError:
        # A type published no number; it is stored as JavaScript writes it, and shown as null.
        stored = json.loads(item.attributes)
    if listing.hides_secrets:
        stored = shown(with_secrets_typed(stored))
    return {name: value for name, value in stored.items() if not name.startswith("[")}
