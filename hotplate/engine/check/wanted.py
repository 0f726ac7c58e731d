"""What a template wants of the resource of a node, evaluated here or, if heavy, elsewhere."""

from collections.abc import Mapping

from sqlalchemy import Connection

from hotplate.bounded import Evaluation, TooHeavy, light
from hotplate.engine.check.checked_node import CheckedNode
from hotplate.engine.context import Tools
from hotplate.engine.recipes import Recipe
from hotplate.engine.wanted_definition import wanted_definition
from hotplate.model import Definition, Stack
from hotplate.template import ResourceData


async def wanted_by_template(node: CheckedNode) -> tuple[Definition, Recipe | None]:
    """Return what a resource shall be and, if that is a stack, what it is made of."""
    name, bound, published = node.claim.node.name, node.bound, node.published.data
    try:
        with light():
            return wanted_definition(node.tools.catalogue, bound, name, published)
    except TooHeavy:
        node.must_wait()
    asked = bound.template.graph.requires(name)
    known = {other: published[other] for other in asked if other in published}
    stack = node.claim.stack
    return await node.tools.evaluate(
        Evaluation(stack.project, _wanted, (stack, bound.digest, name, known), reads=True)
    )


def _wanted(
    tools: Tools,
    connection: Connection,
    stack: Stack,
    digest: str,
    name: str,
    known: Mapping[str, ResourceData],
) -> tuple[Definition, Recipe | None]:
    bound = tools.book.bound(connection, stack, digest)
    return wanted_definition(tools.catalogue, bound, name, known)
