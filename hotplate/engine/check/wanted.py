"""What a template wants of the version of a node: found out, and noted on the version."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from hotplate.bounded import Evaluation, TooHeavy, light
from hotplate.document import same
from hotplate.engine.check.checked_node import CheckedNode
from hotplate.engine.context import Tools
from hotplate.engine.recipes import Recipe
from hotplate.engine.version_transitions import observe, recover
from hotplate.engine.wanted_definition import wanted_definition
from hotplate.model import Action, Definition, Relation, Stack, Status, Version
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


def confirm(node: CheckedNode, wanted: Definition, needed: list[int]) -> None:
    """Keep the version as it is; what it requires may have changed all the same."""
    version = node.version
    want(node, wanted, needed)
    version.requires = needed
    if version.status is Status.FAILED:
        recover(version)
    if node.live.fault:
        observe(version, version.action, version.status, node.live.fault)


def want(node: CheckedNode, wanted: Definition, needed: list[int]) -> None:
    """Note what the version shall be, before it is brought there.

    ``needed`` are the versions that it requires then; until then it may require the old ones too.
    """
    version, claim = node.version, node.claim
    version.before = {**_applied(version, wanted), **node.live.drifted}
    version.owner = claim.node.sequence
    version.recipe = claim.stack.recipe
    version.type = wanted.type
    version.requires = sorted({*version.requires, *needed})
    version.needed = needed
    version.definition = wanted
    version.fingerprint = wanted.fingerprint()
    version.replaced_by = None
    if version.relation is Relation.KEPT:
        version.relation = Relation.MANAGED


def _applied(version: Version, wanted: Definition) -> dict[str, Any]:
    """Return the properties that the object counts as having.

    An update that failed may have applied some of its own and left others as they were. Of the two
    values that the object may have, that one counts which is not wanted: so its type sees a change
    and makes it, once more or at last. An update that is tried again would find nothing to do else.
    """
    failed = version.definition.properties
    if (version.action, version.status) != (Action.UPDATE, Status.FAILED) or not version.before:
        return dict(failed)
    older, new = version.before, wanted.properties
    names = dict.fromkeys((*older, *failed))
    chosen = {name: failed if same(older.get(name), new.get(name)) else older for name in names}
    return {name: values[name] for name, values in chosen.items() if name in values}
