"""What other servers say of a recipe, asked before it is accepted.

Only the template of the stack itself is looked at: what is inside others is asked for when it is
made. So is what a server that does not answer now may say.
"""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from hotplate.document import Cause, InvalidDocument, Problem
from hotplate.engine.context import Tools
from hotplate.engine.recipes import Bound
from hotplate.engine.wanted_definition import surroundings
from hotplate.engine.world import ServiceMissing
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.heat.provider_template import kind_for
from hotplate.resources.property import BadProperty
from hotplate.resources.resource_type import Resource, ResourceType
from hotplate.validation.static.static_check import written

_SECONDS: Final = 10.0
"""For all answers together."""


async def ask_elsewhere(tools: Tools, project: str, name: str, bound: Bound) -> None:
    """Ask those who will have to make parts of a stack. Raises InvalidDocument if one refuses."""
    asked = list(_asked(tools, project, name, bound))
    if not asked:
        return
    answers = await asyncio.gather(*(_answer(kind, resource) for kind, resource in asked))
    document, resources = bound.template.template.document, bound.template.resources
    problems = [
        document.placed(Problem(answer, resources[resource.name].path, cause=Cause.ELSEWHERE))
        for (_, resource), answer in zip(asked, answers, strict=True)
        if answer
    ]
    if problems:
        raise InvalidDocument(problems)


async def _answer(kind: ResourceType, resource: Resource) -> str:
    with suppress(TimeoutError, ServiceMissing):
        async with asyncio.timeout(_SECONDS):
            return await kind.refusal(resource)
    return ""


def _asked(
    tools: Tools, project: str, stack_name: str, bound: Bound
) -> Iterator[tuple[ResourceType, Resource]]:
    """Yield the resources that are made elsewhere, with what is known of their properties."""
    for name, definition in bound.template.resources.items():
        resolution = bound.resolution(name)
        try:
            kind = kind_for(tools.catalogue, resolution.template or resolution.type)
        except UnknownType:
            continue
        if not any(each.asks_before for each in (kind, *kind.variants)):
            continue
        said = written(definition.properties, bound.template.scope())
        if said is None or definition.external_id is not None:
            continue
        kind = kind.variant(said.values)
        if not kind.asks_before:
            continue
        properties: dict[str, Any] = dict.fromkeys(kind.properties)
        with suppress(BadProperty):  # whoever validates tells it
            for key, value in said.values.items():
                if key in kind.properties and value is not None:
                    properties[key] = kind.properties[key].convert(value)
        files, environment = surroundings(bound, name, definition.type)
        resource = Resource(
            stack_name=stack_name,
            stack_id="",
            project=project,
            name=name,
            creation_token="",
            physical_id=None,
            properties=properties,
            data={},
            world=tools.world,
            files=files,
            environment=environment,
        )
        yield kind, resource
