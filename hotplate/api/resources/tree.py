"""A stack with its resources and nested stacks, as a tree, in one answer."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from starlette.responses import Response

from hotplate.api.http.addressed_stack import addressed_stack
from hotplate.api.http.endpoint import Call, Endpoint, json_answer
from hotplate.api.http.fields import Query, QueryKind
from hotplate.api.http.shapes import record, text
from hotplate.api.resources.documents import Listing, resource_documents
from hotplate.api.resources.filters import Filters
from hotplate.api.resources.listed_rows import Old, Row, Rows
from hotplate.api.resources.shapes import TREE
from hotplate.api.stacks.documents import summary
from hotplate.engine.requests.listings import Tree
from hotplate.model import Action, Stack
from hotplate.store.tree import ListedVersion


async def _show(call: Call) -> Response:
    stack = await addressed_stack(call, deleted=True)
    with_detail = call.query.get("with_detail", False)
    catalogue = call.engine.tools.catalogue
    with_links = call.query.get("with_links", True)
    listing = Listing(call.links, call.project, with_detail, catalogue, with_links=with_links)
    depth = call.engine.settings.deepest_nesting
    read = partial(_document, stack=stack, listing=listing, call=call)
    return json_answer(await call.listings.of_tree(stack.id, depth, read))


def _document(tree: Tree, stack: Stack, listing: Listing, call: Call) -> dict[str, Any]:
    """Return the tree from the same few queries, however deep it is.

    With it goes the event up to which all is in it: whoever follows from there misses nothing.
    """
    # First: what happens while the rest is read is told by the stream once more.
    newest = tree.newest_event(stack.root_id)
    documents = {
        each.id: {**summary(call.links, each, with_project=False), "resources": []}
        for each in tree.stacks()
    }
    hooks = tree.hooks()
    choice = Rows(Old.LISTED, Filters({}), stack.action is Action.DELETE)
    for group in tree.resources(listing.with_detail):
        resources = documents[group[0].stack_id]["resources"]
        rows = choice.of(group)
        waiting = _waiting(group, rows, hooks)
        shown = resource_documents(listing, group, rows, tree)
        for row, resource in zip(rows, shown, strict=True):
            if row.item.id in waiting:
                resource["hook"] = waiting[row.item.id]
            if row.item.child_id in documents:
                resource["stack"] = documents[row.item.child_id]
            resources.append(resource)
    if not listing.with_links:
        for document in documents.values():
            document["links"] = []
    answer: dict[str, Any] = {"stack": documents[stack.id]}
    if newest:
        answer["last_event_id"] = newest
    return answer


def _waiting(
    group: Sequence[ListedVersion], rows: Sequence[Row], hooks: Mapping[int, str]
) -> dict[int, str]:
    """Return the hooks by the rows that show them: one that has no row waits by its name."""
    shown = {row.item.id for row in rows}
    by_name = {row.item.name: row.item.id for row in reversed(rows)}
    return {
        item.id if item.id in shown else by_name[item.name]: hooks[item.id]
        for item in group
        if item.id in hooks and item.name in by_name
    }


ENDPOINTS = (
    Endpoint(
        "GET",
        "/stacks/{stack_name}/{stack_id}/tree",
        _show,
        "Show a stack with all its nested stacks",
        "stacks",
        (
            Query("with_detail", QueryKind.FLAG, "Attributes and descriptions as well."),
            Query("with_links", QueryKind.FLAG, "false leaves out the links, half of the answer."),
        ),
        answers={200: record({"stack": TREE}, {"last_event_id": text()})},
        rule="stacks:tree",
    ),
)
