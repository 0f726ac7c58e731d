"""What other servers say of a recipe, asked before it is accepted.

Only the template of the stack itself is checked: what is nested is asked for when it is made. So is
what a server that does not answer now may say.
"""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final

from hotplate.document import Cause, InvalidDocument, Problem
from hotplate.engine.context import Tools
from hotplate.engine.recipes.book import Bound
from hotplate.engine.wanted_definition import surroundings
from hotplate.engine.world import ServiceMissing
from hotplate.identity import AuthorityLost
from hotplate.resources.capabilities import ChecksCreation, HasVariants, acting_type
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.property import BadProperty
from hotplate.resources.resource_type import Resource, ResourceType
from hotplate.template.alike import with_words
from hotplate.validation.static.written_properties import written_properties

_SECONDS: Final = 10.0
"""For all answers together."""


async def ask_remote_servers(tools: Tools, project: str, name: str, bound: Bound) -> None:
    """Ask the servers that will make parts of a stack. Raises InvalidDocument if one refuses."""
    if bound.remote is None:
        bound.remote = remote_resources(tools, bound)
    asked = list(_asked(tools, project, name, bound, bound.remote))
    if not asked:
        return
    answers = await asyncio.gather(*(_answer(*each) for each in asked))
    document, resources = bound.template.template.document, bound.template.resources
    problems = [
        document.placed(Problem(answer, resources[resource.name].path, cause=Cause.ELSEWHERE))
        for (_, resource), answer in zip(asked, answers, strict=True)
        if answer
    ]
    if problems:
        raise InvalidDocument(problems)


async def _answer(resource_type: ChecksCreation, resource: Resource) -> str:
    with suppress(TimeoutError, ServiceMissing, AuthorityLost):
        async with asyncio.timeout(_SECONDS):
            return await resource_type.refusal(resource)
    return ""


def remote_resources(tools: Tools, bound: Bound) -> tuple[str, ...]:
    """Return the names of the resources that other servers may make."""
    names_resource = bound.environment.registry.names_resource
    known: dict[str, bool] = {}
    found = []
    for name, definition in with_words(bound.template.resources):
        if names_resource(name):
            is_remote = _is_remote(tools, bound, name)
        else:
            if definition.type not in known:
                known[definition.type] = _is_remote(tools, bound, name)
            is_remote = known[definition.type]
        if is_remote and definition.external_id is None:
            found.append(name)
    return tuple(found)


def _is_remote(tools: Tools, bound: Bound, name: str) -> bool:
    try:
        resource_type = _type_of(tools, bound, name)
    except UnknownType:
        return False
    variants = resource_type.variants if isinstance(resource_type, HasVariants) else ()
    return any(isinstance(each, ChecksCreation) for each in (resource_type, *variants))


def _type_of(tools: Tools, bound: Bound, name: str) -> ResourceType:
    resolution = bound.resolution(name)
    return resource_type_for(tools.catalogue, resolution.template or resolution.type)


def _asked(
    tools: Tools, project: str, stack_name: str, bound: Bound, names: Iterable[str]
) -> Iterator[tuple[ChecksCreation, Resource]]:
    """Yield those of the resources that must be asked about, with what is known of them."""
    for name in names:
        definition = bound.template.resources[name]
        written = written_properties(definition.properties, bound.template.scope())
        if written is None:
            continue
        resource_type = acting_type(_type_of(tools, bound, name), written.values)
        if not isinstance(resource_type, ChecksCreation):
            continue
        properties: dict[str, Any] = dict.fromkeys(resource_type.properties)
        with suppress(BadProperty):  # whoever validates the recipe reports it
            for key, value in written.values.items():
                if key in resource_type.properties and value is not None:
                    properties[key] = resource_type.properties[key].convert(value)
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
        yield resource_type, resource
