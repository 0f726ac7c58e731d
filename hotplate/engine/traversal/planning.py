"""The plan of a traversal, from what is stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from hotplate.engine.context import Tools
from hotplate.engine.published_values import PublishedValues
from hotplate.engine.recipes import Bound
from hotplate.engine.wanted_definition import is_as_wanted
from hotplate.model import Stack, Version
from hotplate.plan.giving_up import preparing_type
from hotplate.plan.prepare import Preparation, add_preparations, prepare
from hotplate.store.versions import attributes_by_id, read_versions


@dataclass(frozen=True, slots=True)
class Way:
    """From which recipe to which a traversal brings a stack."""

    coming_from: str
    going_to: str


def plan_graph(
    connection: Connection,
    tools: Tools,
    stack: Stack,
    bound: Bound | None,
    versions: list[Version],
    busy: Mapping[int, int],
    way: Way,
) -> Preparation:
    """Return the graph of a traversal of a stack.

    Reads only. ``versions`` are those of `survey`; ``busy`` are those on which an older traversal
    still works, with its nodes.
    """
    published = PublishedValues()

    def is_settled(name: str, version: Version) -> bool:
        if version.id in attributes:
            version.attributes = attributes[version.id]
        if bound is None or not is_as_wanted(
            tools.catalogue, bound, name, version, published.data, stack.converges
        ):
            return False
        if version.id in attributes:
            published.add(version)
        return True

    requires: dict[str, tuple[str, ...]] = {}
    attributes: dict[int, dict[str, Any]] = {}
    if bound is not None:
        graph = bound.template.graph
        requires = {name: graph.requires(name) for name in graph.order()}
        needed = (
            [name for name in requires if graph.required_by(name) or name in bound.needed]
            if versions
            else []
        )
        attributes = attributes_by_id(connection, stack.id, needed)

    def gives_way(version: Version) -> bool:
        # Few have older versions beside them: only of these the definition is read.
        known = read_versions(connection, [version.id])[version.id]
        return preparing_type(known, tools.catalogue) is not None

    external_ids = bound.external_ids() if bound is not None and versions else {}
    plan = prepare(
        versions, requires, way.coming_from, way.going_to, busy, is_settled, external_ids
    )
    add_preparations(plan, versions, requires, busy, gives_way)
    return plan
