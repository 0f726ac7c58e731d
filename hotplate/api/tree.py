"""A stack with everything inside it, as a tree, in one answer."""

from functools import partial
from typing import Any

from sqlalchemy import Connection
from starlette.responses import Response

from hotplate.api.endpoint import Call, Endpoint, json_answer
from hotplate.api.fields import Query, QueryKind
from hotplate.api.lookup import addressed_stack
from hotplate.api.resource_documents import Descriptions, Listing, resource_documents
from hotplate.api.resource_filters import Filters
from hotplate.api.shapes import FREE, record
from hotplate.api.stack_documents import summary
from hotplate.model import Stack
from hotplate.store.stacks import stacks_of_root
from hotplate.store.tree import listed_versions


async def _show(call: Call) -> Response:
    stack = await addressed_stack(call, deleted=True)
    listing = Listing(call.links, call.project, call.query.get("with_detail", False), Filters({}))
    found = await call.operations.ask(partial(_tree, stack=stack, listing=listing, call=call))
    return json_answer({"stack": found})


def _tree(connection: Connection, stack: Stack, listing: Listing, call: Call) -> dict[str, Any]:
    """Return the tree from two queries, however deep it is."""
    stacks = {each.id: each for each in stacks_of_root(connection, stack.root_id)}
    stacks[stack.id] = stack
    documents = {
        each.id: {**summary(call.links, each, with_project=False), "resources": []}
        for each in stacks.values()
    }
    descriptions = Descriptions(connection, call.engine.tools.book)
    depth = call.engine.settings.deepest_nesting
    for group in listed_versions(connection, stack.id, depth, listing.with_detail):
        holder = documents.get(group[0].stack_id)
        if holder is None:
            continue
        children = {item.name: item.child_id for item in group if item.child_id}
        for resource in resource_documents(listing, group, descriptions):
            child = children.get(resource["resource_name"])
            if child in documents:
                resource["stack"] = documents[child]
            holder["resources"].append(resource)
    return documents[stack.id]


ENDPOINTS = (
    Endpoint(
        "GET",
        "/stacks/{stack_name}/{stack_id}/tree",
        _show,
        "Show a stack with everything inside it",
        "stacks",
        (Query("with_detail", QueryKind.FLAG, "Attributes and descriptions as well."),),
        answers={200: record({"stack": FREE})},
    ),
)
