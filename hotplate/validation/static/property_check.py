"""Faults of written properties and of type names, and their places in the template."""

from collections.abc import Iterator, Mapping

from hotplate.document import Cause, Data, Path, Problem
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.property import BadProperty, NotOfKind, Property, missing, unknown
from hotplate.secret import Secrets
from hotplate.template import TIMELESS_CHECKS, NamedCheck, Template
from hotplate.template.value import BadValue
from hotplate.validation.static.written_properties import WrittenProperties


def property_faults(
    schema: Mapping[str, Property], written: WrittenProperties
) -> Iterator[BadProperty]:
    """Yield what is wrong with properties whatever the unknown values will be."""
    for name in sorted(written.names - written.maybe):
        if name not in schema:
            yield unknown(name, schema)
    for name, declared in schema.items():
        value = written.values.get(name)
        if value is not None:
            try:
                declared.convert(value, (name,))
            except BadProperty as fault:
                yield fault
        elif declared.required and written.names.isdisjoint((name, *declared.older)):
            yield missing(name)


def parameter_faults(
    template: Template,
    defaults: Mapping[str, Data],
    written: WrittenProperties,
    checks: Mapping[str, NamedCheck] = TIMELESS_CHECKS,
) -> Iterator[BadProperty]:
    """Yield what is wrong with the properties of a resource that is made from a template.

    ``checks`` are the custom constraints that can be checked.
    """
    for name in sorted(written.names - written.maybe):
        if name not in template.parameters:
            yield unknown(name, template.parameters)
    for name, parameter in template.parameters.items():
        value = written.values.get(name)
        if value is not None:
            try:
                parameter.check_custom(parameter.value_of(value), checks)
            except BadValue as fault:
                yield BadProperty(Secrets.inside(value).text(str(fault)), (name,))
        elif parameter.required and defaults.get(name) is None and name not in written.unknown:
            yield missing(name)


def property_problem(template: Template, resource: Path, fault: BadProperty) -> Problem:
    """Return a fault of a property with its place in the template."""
    path = (*resource, template.dialect.keywords.properties, *fault.path)
    cause = Cause.CONVERSION if isinstance(fault, NotOfKind) else Cause.PROPERTY
    return template.document.placed(Problem(fault.message, path, fault.hint, cause=cause))


def type_problem(template: Template, resource: Path, fault: UnknownType) -> Problem:
    """Return that a type is unknown, with its place in the template."""
    path = (*resource, template.dialect.keywords.type)
    return template.document.placed(
        Problem(
            f'there is no resource type "{fault.name}"',
            path,
            fault.hint,
            cause=Cause.UNKNOWN_TYPE,
            subject=fault.name,
        )
    )
