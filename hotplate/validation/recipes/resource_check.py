"""What is wrong with one resource of a stack to be, with the values that are known."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from hotplate.document import Cause, Data, Path, Problem, did_you_mean
from hotplate.engine.context import Tools
from hotplate.engine.external_objects import unfit
from hotplate.engine.recipes.book import Bound
from hotplate.engine.recipes.hidden_parameters import secrets_of
from hotplate.engine.wanted_definition import wanted_definition
from hotplate.resources.capabilities import (
    NamesResources,
    NestedStack,
    SnapshotsAtDeletion,
    StagedStack,
)
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.property import BadProperty, convert_all
from hotplate.resources.resource_type import ResourceType
from hotplate.secret import Secrets, note_secrets
from hotplate.template import DeletionPolicy, NamedCheck, ResolveError
from hotplate.validation.static import (
    WrittenProperties,
    constraint_faults,
    property_faults,
    property_problem,
    type_problem,
)
from hotplate.validation.static.written_properties import written_properties

_ATTRIBUTE_FUNCTIONS = ("get_attr", "Fn::GetAtt")
"""Functions that ask for an attribute of a resource."""


def resource_problems(
    tools: Tools,
    bound: Bound,
    name: str,
    timeout: int | None,
    checks: Mapping[str, NamedCheck],
) -> Iterable[Problem]:
    """Yield what is wrong with a resource by its type: attributes asked for, and properties.

    ``checks`` are custom constraints that somebody else can check.
    """
    definition = bound.template.resources[name]
    template = bound.template.template
    document = template.document
    resolution = bound.resolution(name)
    try:
        resource_type = resource_type_for(tools.catalogue, resolution.template or resolution.type)
    except UnknownType as error:
        yield type_problem(template, definition.path, error)
        return
    for attribute in sorted({str(path[0]) for path in bound.needed.get(name, ()) if path}):
        if not resource_type.has_attribute(attribute):
            text = f"The Referenced Attribute ({name} {attribute}) is incorrect."
            hint = did_you_mean(attribute, resource_type.attributes)
            places = list(_attribute_places(document.data, name, attribute))
            for path in places or [definition.path]:
                yield document.placed(Problem(text, path, hint))
    try:
        if bound.external_id(name) is not None:
            yield from _external_problems(tools, bound, name, resource_type)
            return
    except ResolveError as error:
        yield document.placed(error.problem)
        return
    yield from _deletion_problems(resource_type, bound, name)
    yield from _managed_problems(tools, bound, name, resource_type, timeout)
    schema, scope = resource_type.properties, bound.template.scope()
    for fault in constraint_faults(schema, definition.properties, checks, scope):
        yield property_problem(template, definition.path, fault)


def _attribute_places(data: Data, name: str, attribute: str, path: Path = ()) -> Iterator[Path]:
    """Yield where an attribute of a resource is asked for in a template."""
    if isinstance(data, dict):
        for key, value in data.items():
            here = (*path, key)
            if key in _ATTRIBUTE_FUNCTIONS:
                if isinstance(value, list) and value[:2] == [name, attribute]:
                    yield (*here, 1)
                elif value == f"{name}.{attribute}":
                    yield here
            yield from _attribute_places(value, name, attribute, here)
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield from _attribute_places(value, name, attribute, (*path, number))


def _external_problems(
    tools: Tools, bound: Bound, name: str, resource_type: ResourceType
) -> Iterable[Problem]:
    """Yield why a resource cannot be an external object. Its properties do not matter.

    Where another resource decides what it shall be, or whether, that is checked when it is known.
    """
    fault = unfit(resource_type, tools.allows_unverified) if bound.external_id(name) else ""
    if fault:
        template = bound.template.template
        path = (*bound.template.resources[name].path, template.dialect.keywords.external_id)
        yield template.document.placed(Problem(fault, path))


def _managed_problems(
    tools: Tools, bound: Bound, name: str, resource_type: ResourceType, timeout: int | None
) -> Iterable[Problem]:
    """Yield what is wrong with the properties of a resource that is managed."""
    definition = bound.template.resources[name]
    template = bound.template.template
    document = template.document
    if definition.static_references:
        # Some values come from other resources: these are checked when those exist.
        yield from _early_problems(bound, name, resource_type)
        return
    try:
        given = _properties(tools, bound, name, resource_type)
        # The code of types is called with them.
        note_secrets(lambda: secrets_of(bound) | Secrets.inside(given))
        properties = resource_type.convert(given)
    except BadProperty as error:
        # That is the first; all are reported at once.
        written = written_properties(definition.properties, bound.template.scope())
        schema = resource_type.properties
        faults = [] if written is None else list(property_faults(schema, written))
        for fault in faults or [error]:
            yield property_problem(template, definition.path, fault)
        return
    except ResolveError as error:
        yield document.placed(error.problem)
        return
    yield from _name_problems(resource_type, properties, bound, name)
    try:
        yield from _policy_problems(resource_type, properties, bound, name)
    except ResolveError as error:
        yield document.placed(error.problem)
    text = resource_type.validate(properties, None if timeout is None else 60.0 * timeout)
    if text:
        secrets = secrets_of(bound) | Secrets.inside(given)
        yield document.placed(
            Problem(secrets.text(text), (*definition.path, template.dialect.keywords.properties))
        )


def _early_problems(bound: Bound, name: str, resource_type: ResourceType) -> Iterable[Problem]:
    """Yield what is wrong with a resource whatever the others will offer."""
    template, definition = bound.template.template, bound.template.resources[name]
    written = written_properties(definition.properties, bound.template.scope())
    schema = resource_type.properties
    faults = [] if written is None else list(property_faults(schema, written))
    for fault in faults:
        yield property_problem(template, definition.path, fault)
    text = "" if faults or written is None else _early_verdict(resource_type, written)
    if text:
        path = (*definition.path, template.dialect.keywords.properties)
        yield template.document.placed(Problem(text, path))
    with suppress(ResolveError):  # it comes from another resource, too
        yield from _policy_problems(resource_type, dict.fromkeys(schema), bound, name)


def _early_verdict(resource_type: ResourceType, written: WrittenProperties) -> str:
    """Return what a type says of properties that are written down, while others are unknown."""
    if not resource_type.validated or not resource_type.validated.isdisjoint(written.unknown):
        return ""
    schema = {name: resource_type.properties[name] for name in resource_type.validated}
    given = {name: value for name, value in written.values.items() if name in schema}
    absent = dict.fromkeys(resource_type.properties)
    return resource_type.validate({**absent, **convert_all(schema, given)})


def _deletion_problems(resource_type: ResourceType, bound: Bound, name: str) -> Iterable[Problem]:
    """Yield that no snapshot can be taken at the deletion, in Heat's words."""
    template, definition = bound.template.template, bound.template.resources[name]
    policy = bound.template.deletion_policy(name)
    if policy is DeletionPolicy.SNAPSHOT and not isinstance(resource_type, SnapshotsAtDeletion):
        path = (*definition.path, template.dialect.keywords.deletion_policy)
        text = f'"{policy.value}" deletion policy not supported'
        hint = "Retain keeps the object itself"
        yield template.document.placed(Problem(text, path, hint))


def _policy_problems(
    resource_type: ResourceType, properties: dict[str, Any], bound: Bound, name: str
) -> Iterable[Problem]:
    """Yield what is wrong with the update policy of a resource. Raises ResolveError."""
    template, definition = bound.template.template, bound.template.resources[name]
    if not isinstance(resource_type, StagedStack) or not resource_type.update_policies:
        return
    if definition.update_policy is None:
        return
    try:
        resource_type.policies(properties, bound.template.update_policy(name))
    except BadProperty as error:
        path = (*definition.path, template.dialect.keywords.update_policy, *error.path)
        problem = Problem(error.message, path, error.hint, cause=Cause.PROPERTY)
        yield template.document.placed(problem)


def _name_problems(
    resource_type: ResourceType, properties: dict[str, Any], bound: Bound, name: str
) -> Iterable[Problem]:
    """Yield which resources are named that the stack does not have, in Heat's words."""
    template, definition = bound.template.template, bound.template.resources[name]
    if not isinstance(resource_type, NamesResources):
        return
    for other in resource_type.named_resources(properties):
        if other not in bound.template.resources:
            text = f"{resource_type.name.rpartition('::')[2]} resource {other} not in stack"
            path = (*definition.path, template.dialect.keywords.properties)
            hint = did_you_mean(other, bound.template.resources)
            yield template.document.placed(Problem(text, path, hint))


def _properties(
    tools: Tools, bound: Bound, name: str, resource_type: ResourceType
) -> dict[str, Any]:
    """Return the properties of a resource that depends on no other. Raises ResolveError.

    Its definition is made now and kept, so that the engine need not make it again.
    """
    if isinstance(resource_type, NestedStack):
        return bound.template.properties(name)
    return wanted_definition(tools.catalogue, bound, name, {})[0].properties
