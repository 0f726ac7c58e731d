"""Resources: all of a stack, through all nesting, in one answer; one; its metadata; its health."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from starlette.responses import Response, StreamingResponse

from hotplate.api.http.addressed_stack import addressed_stack
from hotplate.api.http.endpoint import Call, Endpoint, json_answer, json_bytes
from hotplate.api.http.fields import Body, Field, Kind, Query, QueryKind
from hotplate.api.http.leaving import unless_left
from hotplate.api.http.nested_depth import NESTED_DEPTH, depth_of
from hotplate.api.http.shapes import FREE, NULL, listed, record, text
from hotplate.api.resources.documents import (
    DETAIL,
    RESOURCE,
    Listing,
    resource_documents,
)
from hotplate.api.resources.filters import FILTERS, Filters
from hotplate.api.resources.listed_rows import Old, Rows
from hotplate.api.software.configs import config_document
from hotplate.engine.refusals import Entity, NotFound
from hotplate.engine.requests.listings import Tree
from hotplate.model import Action, Stack
from hotplate.resources.catalogue import Catalogue, UnknownType
from hotplate.secret import STARS, plain, shown
from hotplate.store.tree import ListedVersion

PATH = "/stacks/{stack_name}/{stack_id}/resources"
_ONE = f"{PATH}/{{resource_name}}"
_CHUNK = 64 * 1024
_WITHOUT_PAUSE = 16
"""Resources that are written before others may go first: some take a tenth of a millisecond."""


_MARK_BODY = Body(
    (
        Field("mark_unhealthy", (Kind.FLAG,), "Whether it is unhealthy.", required=True),
        Field("resource_status_reason", description="Why.", longest=65_535),
    ),
    closed=True,
)
_FORGOTTEN = record(
    {
        "resource_name": text(),
        "resource_type": text(),
        "physical_resource_id": text(),
        "resource_status_reason": text(),
    }
)


async def _list(call: Call) -> Response:
    stack = await addressed_stack(call, deleted=True)
    listing = Listing(
        call.links,
        call.project,
        call.query.get("with_detail", False),
        call.engine.tools.catalogue,
        hides_secrets=not call.sees_secrets,
    )
    chunks = call.listings.stream_tree(
        stack.id, depth_of(call), partial(_listed, stack=stack, listing=listing, call=call)
    )
    # Once a status is sent nothing else can be said: so far at least it must go well.
    first = await unless_left(call.request, _first(chunks))
    return StreamingResponse(_followed(first, chunks), media_type="application/json")


async def _first(chunks: AsyncIterator[bytes]) -> bytes:
    return await anext(chunks)


async def _followed(first: bytes, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for chunk in chunks:
        yield chunk


def _listed(tree: Tree, stack: Stack, listing: Listing, call: Call) -> Iterator[bytes]:
    """Yield the answer piece by piece while the rows are read."""
    buffer = [b'{"resources":[']
    size = count = 0
    rows = Rows(_old(call, depth_of(call)), Filters(call.query), stack.action is Action.DELETE)
    for group in tree.resources(listing.with_detail):
        for document in resource_documents(listing, group, rows.of(group), tree):
            if count:
                buffer.append(b",")
            count += 1
            piece = json_bytes(document)
            buffer.append(piece)
            size += len(piece)
            if size > _CHUNK:
                yield b"".join(buffer)
                buffer, size = [], 0
            elif not count % _WITHOUT_PAUSE:
                yield b""
    buffer.append(b"]}")
    yield b"".join(buffer)


def _old(call: Call, depth: int) -> Old:
    """Return what the list does with old versions. Clients expect one row for each name of a stack.

    A list of several levels shows what exists, unless the request says otherwise.
    """
    wanted = call.query.get("with_old")
    if wanted is None:
        return Old.LISTED if depth else Old.FOUND
    return Old.LISTED if wanted else Old.HIDDEN


async def _show(call: Call) -> Response:
    stack = await addressed_stack(call)
    hides_secrets = not call.sees_secrets
    catalogue = call.engine.tools.catalogue
    listing = Listing(call.links, call.project, True, catalogue, hides_secrets)
    found = await call.listings.of_tree(
        stack.id, 0, partial(_shown, stack=stack, listing=listing, call=call)
    )
    # Some attributes change without an action of the resource: what was stored may be old.
    live = await call.operations.live_attributes(stack, found["resource_name"])
    hidden = _secret_attributes(catalogue, found) if hides_secrets else frozenset()
    values = shown(live.values) if hides_secrets else plain(live.values)
    found["attributes"] |= {
        name: STARS if name in hidden else value for name, value in values.items()
    }
    if live.note:
        found["attributes_note"] = live.note
    return json_answer({"resource": found})


def _secret_attributes(catalogue: Catalogue, found: Mapping[str, Any]) -> frozenset[str]:
    try:
        return catalogue.get(found["resource_type"]).secret_attributes
    except UnknownType:
        return frozenset()


def _shown(tree: Tree, stack: Stack, listing: Listing, call: Call) -> dict[str, Any]:
    name = call.path["resource_name"]
    rows = Rows(Old.HIDDEN, Filters({}), is_deletion=False)
    for group in tree.versions(with_attributes=True):
        relevant = _of(group, name)
        for document in resource_documents(listing, relevant, rows.of(relevant), tree):
            if document["resource_name"] == name:
                wanted = call.query.get("with_attr", ())
                for attribute in wanted:
                    document["attributes"].setdefault(attribute, None)
                return document
    raise NotFound(Entity.RESOURCE, name, stack.name)


def _of(group: Sequence[ListedVersion], name: str) -> Sequence[ListedVersion]:
    """Leave out the attributes of others: they would be decoded for nothing."""
    return [item if item.name == name else item._replace(attributes="{}") for item in group]


async def _metadata(call: Call) -> Response:
    stack = await addressed_stack(call)
    document = await metadata_document(call, stack, call.path["resource_name"])
    return json_answer({"metadata": document})


async def metadata_document(call: Call, stack: Stack, name: str) -> dict[str, Any]:
    """Return the metadata of a resource, of a server with what is deployed to it."""
    found = await call.operations.metadata(stack, name)
    if found.server_id is None:
        return found.shown
    configs = await call.operations.software.on_server(stack.project, found.server_id)
    return {**found.shown, "deployments": [config_document(each) for each in configs]}


async def _mark(call: Call) -> Response:
    stack = await addressed_stack(call)
    await call.operations.mark(
        stack.id,
        call.path["resource_name"],
        call.body["mark_unhealthy"],
        call.body.get("resource_status_reason") or "",
    )
    return json_answer(None)


async def _forget(call: Call) -> Response:
    stack = await addressed_stack(call)
    found = await call.operations.forget(stack.id, call.path["resource_name"])
    forgotten = [
        {
            "resource_name": version.name,
            "resource_type": version.type,
            "physical_resource_id": version.physical_id or "",
            "resource_status_reason": version.reason,
        }
        for version in found
    ]
    return json_answer({"forgotten": forgotten})


ENDPOINTS = (
    Endpoint(
        "GET",
        PATH,
        _list,
        "List the resources of a stack, with nested_depth those of nested stacks as well",
        "resources",
        (
            NESTED_DEPTH,
            Query("with_detail", QueryKind.FLAG, "Attributes and descriptions as well."),
            Query(
                "with_old",
                QueryKind.FLAG,
                "Old versions that still have objects as well; the default with nested_depth.",
            ),
            *FILTERS,
        ),
        answers={200: record({"resources": listed(RESOURCE)})},
        strict=True,
        rule="resource:index",
    ),
    Endpoint(
        "GET",
        _ONE,
        _show,
        "Show a resource",
        "resources",
        (Query("with_attr", QueryKind.WORDS, "Further attributes to show."),),
        answers={200: record({"resource": DETAIL})},
        rule="resource:show",
    ),
    Endpoint(
        "GET",
        f"{_ONE}/metadata",
        _metadata,
        "Show a resource's metadata",
        "resources",
        answers={200: record({"metadata": FREE})},
        rule="resource:metadata",
    ),
    Endpoint(
        "PATCH",
        _ONE,
        _mark,
        "Declare a resource unhealthy, or well again",
        "resources",
        body=_MARK_BODY,
        answers={200: NULL},
        rule="resource:mark_unhealthy",
    ),
    Endpoint(
        "POST",
        f"{_ONE}/forget",
        _forget,
        "Take a resource that could not be deleted for deleted, and leave its object alone",
        "resources",
        answers={200: record({"forgotten": listed(_FORGOTTEN)})},
        rule="resource:forget",
    ),
)
