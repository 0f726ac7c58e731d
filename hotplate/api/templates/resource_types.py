"""The resource types that templates can use here."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from starlette.responses import Response

from hotplate.api.http.endpoint import Call, Endpoint, json_answer
from hotplate.api.http.faults import bad_request, forbidden
from hotplate.api.http.fields import Query, QueryKind
from hotplate.api.http.shapes import FREE, listed, mapped, record, text
from hotplate.api.stacks.used_types import lacks_extension, unavailable
from hotplate.api.templates.shapes import PROPERTY, SUPPORT
from hotplate.api.templates.type_documents import (
    cfn_template,
    description_of,
    hot_template,
    schema_of,
)
from hotplate.bounded import BadPattern, Pattern, PatternTimeout, TooHeavy, light, time_limit
from hotplate.engine.refusals import Entity, NotFound
from hotplate.engine.requests.described_object import describe_object
from hotplate.resources.capabilities.names import CLOUD
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.resource_type import ResourceType
from hotplate.resources.support import SupportStatus

_SECONDS: Final = 1.0
"""Processor time for the pattern of one request."""

_SHORT: Final = 128
"""Characters of a pattern that is tried on the spot."""

TYPE: Final = record(
    {
        "resource_type": text(),
        "properties": mapped(PROPERTY),
        "attributes": mapped(record({"description": text()}, {"type": text()})),
        "support_status": SUPPORT,
    },
    {"description": text()},
)
_HOT: Final = record(
    {
        "heat_template_version": text(),
        "description": text(),
        "parameters": mapped(record({"type": text()})),
        "resources": mapped(record({"type": text(), "properties": FREE})),
        "outputs": mapped(record({"value": {}})),
    }
)
_CFN: Final = record(
    {
        "HeatTemplateFormatVersion": text(),
        "Description": text(),
        "Parameters": mapped(record({"Type": text()})),
        "Resources": mapped(record({"Type": text(), "Properties": FREE})),
        "Outputs": mapped(record({"Value": {}})),
    }
)
_WITH_DESCRIPTION = Query(
    "with_description", QueryKind.FLAG, "Whether to describe what a type is for."
)


async def _list(call: Call) -> Response:
    catalogue = call.engine.tools.offered
    # As in Heat, types whose service is not there are not listed.
    has_cloud = CLOUD in call.engine.tools.world.services
    offered = [
        name
        for name in catalogue
        if has_cloud or not catalogue.needs_cloud(name)
        if call.may_use(name) and not call.missing_service(name)
    ]
    missing = await call.missing_extensions(offered)
    resource_types = [catalogue.get(name) for name in offered if name not in missing]
    status, version = call.query.get("support_status"), call.query.get("version")
    found = [
        resource_type
        for resource_type in resource_types
        if (status or "HIDDEN") != "HIDDEN"
        or resource_type.support.status is not SupportStatus.HIDDEN
        if status in (None, resource_type.support.status.value)
        if version in (None, resource_type.support.version)
    ]
    if "name" in call.query:
        names = tuple(resource_type.name for resource_type in found)
        chosen = await _chosen(call, call.query["name"], names)
        found = [resource_type for resource_type in found if resource_type.name in chosen]
    if call.query.get("with_description"):
        described = [
            {"resource_type": resource_type.name, "description": description_of(resource_type)}
            for resource_type in found
        ]
        return json_answer({"resource_types": described})
    return json_answer({"resource_types": [resource_type.name for resource_type in found]})


async def _chosen(call: Call, pattern: str, names: tuple[str, ...]) -> set[str]:
    """Return the names that a pattern chooses; what takes more than a moment is done elsewhere."""
    if len(pattern) <= _SHORT:
        with suppress(TooHeavy), light():
            return matching(None, pattern, names)
    return await call.evaluate(matching, pattern, names)


def matching(tools: object, pattern: str, names: Sequence[str]) -> set[str]:
    """Return the names that begin with what a pattern matches; none for one that is none."""
    try:
        with time_limit(_SECONDS):
            compiled = Pattern(pattern)
            return {name for name in names if compiled.match(name)}
    except (BadPattern, PatternTimeout):
        return set()


async def _named(call: Call) -> ResourceType:
    """Return the type that the address names. Raises Fault or NotFound."""
    name = call.path["type_name"]
    if not call.may_use(name):
        raise forbidden(name)
    try:
        resource_type = call.engine.tools.offered.get(name)
    except UnknownType:
        raise NotFound(Entity.RESOURCE_TYPE, name) from None
    if resource_type.support.status is SupportStatus.HIDDEN:
        raise bad_request(f"Resource Type {name} is not supported.", "NotSupported")
    if missing := call.missing_service(name):
        client = missing.split()[0]
        raise unavailable(name, client, "Service endpoint not in service catalog.")
    for each, lacking in (await call.missing_extensions([name])).items():
        raise lacks_extension(each, lacking)
    return resource_type


async def _show(call: Call) -> Response:
    resource_type = await _named(call)
    return json_answer(schema_of(resource_type, bool(call.query.get("with_description"))))


async def _template(call: Call) -> Response:
    resource_type = await _named(call)
    wanted = call.query.get("template_type", "cfn").lower()
    if wanted not in ("cfn", "hot"):
        raise bad_request(
            f'Template type is not supported: Invalid template type "{wanted}", '
            "valid types are: cfn, hot."
        )
    return json_answer(
        hot_template(resource_type) if wanted == "hot" else cfn_template(resource_type)
    )


async def _object(call: Call) -> Response:
    resource_type = await _named(call)
    if not call.query.get("id"):
        raise bad_request('the query "id" must name an object')
    found = await describe_object(call.engine.tools, call.project, resource_type, call.query["id"])
    document = {
        "physical_resource_id": found.id,
        "properties": dict(found.properties),
        "unread": list(found.unread),
        "required": list(found.required),
    }
    return json_answer({"object": document})


ENDPOINTS = (
    Endpoint(
        "GET",
        "/resource_types",
        _list,
        "List the resource types",
        "resource types",
        query=(
            Query("name", description="A regular expression that names begin with."),
            Query("version", description="The version that a type has been supported since."),
            Query(
                "support_status",
                description="The support status.",
                choices=tuple(status.value for status in SupportStatus),
            ),
            _WITH_DESCRIPTION,
        ),
        answers={
            200: record(
                {
                    "resource_types": listed(
                        {
                            "anyOf": [
                                text(),
                                record({"resource_type": text(), "description": text()}),
                            ]
                        }
                    )
                }
            )
        },
        rule="stacks:list_resource_types",
    ),
    Endpoint(
        "GET",
        "/resource_types/{type_name}",
        _show,
        "Show the schema of a resource type",
        "resource types",
        query=(_WITH_DESCRIPTION,),
        answers={200: TYPE},
        rule="stacks:resource_schema",
    ),
    Endpoint(
        "GET",
        "/resource_types/{type_name}/template",
        _template,
        "Show a template with one resource of a type",
        "resource types",
        query=(Query("template_type", description="cfn (the default) or hot."),),
        answers={200: {"anyOf": [_CFN, _HOT]}},
        rule="stacks:generate_template",
    ),
    Endpoint(
        "GET",
        "/resource_types/{type_name}/object",
        _object,
        "Describe an object that exists already as a template would",
        "resource types",
        query=(Query("id", description="The id that the provider knows the object by."),),
        answers={
            200: record(
                {
                    "object": record(
                        {
                            "physical_resource_id": text(),
                            "properties": FREE,
                            "unread": listed(text()),
                            "required": listed(text()),
                        }
                    )
                }
            )
        },
        rule="stacks:describe_object",
    ),
)
