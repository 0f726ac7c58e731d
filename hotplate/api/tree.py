"""A stack with everything inside it, as a tree, in one answer."""

from functools import partial
from typing import Any

from sqlalchemy import Connection
from starlette.responses import Response

from hotplate.api.endpoint import Call, Endpoint, json_answer
from hotplate.api.fields import Query, QueryKind
from hotplate.api.lookup import addressed_stack
from hotplate.api.recursive_shapes import TREE
from hotplate.api.resource_documents import (
    Descriptions,
    Listing,
    resource_documents,
    standing,
)
from hotplate.api.resource_filters import Filters
from hotplate.api.shapes import record
from hotplate.api.stack_documents import summary
from hotplate.model import Stack
from hotplate.store.gone import listed_resources
from hotplate.store.tree import hooks_of_tree, stacks_of_tree


async def _show(call: Call) -> Response:
    stack = await addressed_stack(call, deleted=True)
    with_detail = call.query.get("with_detail", False)
    catalogue = call.engine.tools.catalogue
    listing = Listing(call.links, call.project, with_detail, Filters({}), catalogue)
    found = await call.operations.ask(partial(_tree, stack=stack, listing=listing, call=call))
    return json_answer({"stack": found})


def _tree(connection: Connection, stack: Stack, listing: Listing, call: Call) -> dict[str, Any]:
    """Return the tree from the same few queries, however deep it is."""
    depth = call.engine.settings.deepest_nesting
    documents = {
        each.id: {**summary(call.links, each, with_project=False), "resources": []}
        for each in stacks_of_tree(connection, stack.id, depth)
    }
    hooks = hooks_of_tree(connection, stack.id, depth)
    descriptions = Descriptions(connection, call.engine.tools.book)
    for group in listed_resources(connection, stack.id, depth, listing.with_detail):
        resources = documents[group[0].stack_id]["resources"]
        children = {item.name: item.child_id for item in standing(group)}
        waiting = {item.name: hooks[item.id] for item in group if item.id in hooks}
        for resource in resource_documents(listing, group, descriptions):
            name = resource["resource_name"]
            if name in waiting:
                resource["hook"] = waiting[name]
            child = children[name]
            if child in documents:
                resource["stack"] = documents[child]
            resources.append(resource)
    return documents[stack.id]


ENDPOINTS = (
    Endpoint(
        "GET",
        "/stacks/{stack_name}/{stack_id}/tree",
        _show,
        "Show a stack with everything inside it",
        "stacks",
        (Query("with_detail", QueryKind.FLAG, "Attributes and descriptions as well."),),
        answers={200: record({"stack": TREE})},
    ),
)
