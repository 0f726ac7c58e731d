"""Whether a template may take the place of a type that the engine has under the same name.

Whoever wrote the outer template counts on that type: the properties it requires can be given, and
its attributes can be read. A template that lacks one of them is refused before anything starts.
"""

from collections.abc import Iterator, Mapping

from hotplate.document import Data, Path, Problem, did_you_mean
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import ResourceType
from hotplate.template import Parameter, ParameterType, Template

_FITTING = {
    PropertyKind.STRING: ParameterType.STRING,
    PropertyKind.INTEGER: ParameterType.NUMBER,
    PropertyKind.NUMBER: ParameterType.NUMBER,
    PropertyKind.BOOLEAN: ParameterType.BOOLEAN,
    PropertyKind.LIST: ParameterType.LIST,
    PropertyKind.MAP: ParameterType.JSON,
}
"""The type of parameter that takes every value of a property. Any type takes some of the rest."""

_EVERYWHERE = frozenset({"show"})
"""Attributes that every resource has, whatever it is made of."""


def facade_problems(
    resource_type: ResourceType, template: Template, defaults: Mapping[str, Data]
) -> Iterator[Problem]:
    """Yield what the template lacks of the type it stands for, each with its place in it."""
    keywords = template.dialect.keywords
    for name, declared in resource_type.properties.items():
        parameter = template.parameters.get(name)
        if parameter is None:
            if declared.required:
                text = f'it has no parameter "{name}", which that type requires as a property'
                hint = did_you_mean(name, template.parameters) or f'declare a parameter "{name}"'
                yield _placed(resource_type, template, text, (keywords.parameters,), hint)
        elif not _takes(parameter, declared):
            text = (
                f'the parameter "{name}" is of type {parameter.type.value}, '
                f"and the property it stands for of type {declared.kind.value}"
            )
            path = (keywords.parameters, name, keywords.type)
            hint = f"make it a parameter of type {_FITTING[declared.kind].value}"
            yield _placed(resource_type, template, text, path, hint)
    for name, parameter in template.parameters.items():
        is_needed = parameter.required and defaults.get(name) is None
        if is_needed and name not in resource_type.properties:
            text = f'it requires the parameter "{name}", which is no property of that type'
            hint = did_you_mean(name, resource_type.properties) or "give it a default"
            yield _placed(resource_type, template, text, (keywords.parameters, name), hint)
    lacking = sorted(resource_type.attributes.keys() - template.outputs.keys() - _EVERYWHERE)
    if lacking:
        names = ", ".join(f'"{name}"' for name in lacking)
        outputs = "output" if len(lacking) == 1 else "outputs"
        attributes = "an attribute" if len(lacking) == 1 else "attributes"
        text = f"it has no {outputs} {names}, which that type has as {attributes}"
        yield _placed(resource_type, template, text, (keywords.outputs,), f"declare the {outputs}")


def template_facade_problems(
    type_name: str, facade: Template, template: Template, defaults: Mapping[str, Data]
) -> Iterator[Problem]:
    """Yield what a template for one resource lacks of the one that all others of the type have.

    The sentences are Heat's.
    """
    for name, parameter in facade.parameters.items():
        needed = parameter.required and defaults.get(name) is None
        if needed and name not in template.parameters:
            yield Problem(f"Required property {name} for facade {type_name} missing in provider")
    for name in facade.outputs:
        if name not in template.outputs:
            yield Problem(f"Attribute {name} for facade {type_name} missing in provider")


def _takes(parameter: Parameter, declared: Property) -> bool:
    fitting = _FITTING.get(declared.kind)
    return fitting is None or fitting is parameter.type


def _placed(
    resource_type: ResourceType, template: Template, text: str, path: Path, hint: str
) -> Problem:
    message = f"the template cannot stand for {resource_type.name}: {text}"
    return template.document.placed(Problem(message, path, hint))
