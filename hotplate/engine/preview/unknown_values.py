"""Definitions of resources before all values they depend on are known."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from hotplate.document import Data
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import Bound
from hotplate.engine.recipes.stored import digest_of_contents
from hotplate.engine.wanted_definition import child_recipe, wanted_definition
from hotplate.model import Definition
from hotplate.plan.definition import resolve_definition
from hotplate.plan.unknown_values import KNOWN_LATER, METADATA, UPDATE_POLICY
from hotplate.resources.capabilities import NestedStack
from hotplate.resources.catalogue import Catalogue
from hotplate.resources.declared_secrets import with_declared_secrets
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.property import BadProperty
from hotplate.resources.resource_type import ResourceFailed, ResourceType
from hotplate.secret import Secrets, SecretText
from hotplate.template import ResolveError, ResourceData
from hotplate.template.expression import OMITTED, MapExpression

UNKNOWN: Final = "\u2060known later\u2060"
"""Stands for a value that is known later; the marks keep it apart from what people write."""


class AnyAttribute(Mapping[Any, Data]):
    """Every attribute of a resource that does not exist yet."""

    def __getitem__(self, key: Any) -> Data:
        return UNKNOWN

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0


@dataclass(frozen=True, slots=True)
class PartialDefinition:
    """What a resource shall be, as far as it is known.

    ``unknown`` are its properties that depend on what is only known later. ``recipe`` is None for
    what is no stack, and for a stack of which it is unknown what will be in it.
    """

    definition: Definition
    recipe: Recipe | None
    unknown: frozenset[str] = frozenset()


def partial_definition(
    catalogue: Catalogue, bound: Bound, name: str, known: Mapping[str, ResourceData]
) -> PartialDefinition:
    """Return what a resource shall be. Raises what `wanted_definition` raises, for certain."""
    if _has_open_values(bound, name, known):
        return _Partly(catalogue, bound, name, known).definition()
    return PartialDefinition(*wanted_definition(catalogue, bound, name, known))


def _has_open_values(bound: Bound, name: str, known: Mapping[str, ResourceData]) -> bool:
    if any(
        isinstance(known[other].attributes, AnyAttribute)
        for other in bound.template.graph.requires(name)
        if other in known
    ):
        return True
    # A type writes what it is given into the template that it makes.
    return has_unknown(dict(bound.values)) or UNKNOWN.strip("\u2060") in bound.recipe.template


class _Partly:
    def __init__(
        self, catalogue: Catalogue, bound: Bound, name: str, known: Mapping[str, ResourceData]
    ) -> None:
        self._catalogue = catalogue
        self._bound = bound
        self._name = name
        self._known = known
        self._unknown: set[str] = set()

    def definition(self) -> PartialDefinition:
        bound, name = self._bound, self._name
        definition, template = bound.template.resources[name], bound.template
        resolution = bound.resolution(name)
        type_name = resolution.template or resolution.type
        if definition.external_id and template.external_id(name, self._known) is not None:
            return PartialDefinition(
                resolve_definition(template, name, type_name, self._known), None
            )
        policies: dict[str, Any] = {}
        metadata: dict[str, Any] = {}
        if definition.metadata:
            metadata = self._or_unknown(METADATA, lambda: template.metadata(name, self._known))
        if definition.update_policy:
            policies = self._or_unknown(
                UPDATE_POLICY, lambda: template.update_policy(name, self._known)
            )
        resource_type = resource_type_for(self._catalogue, type_name)
        wanted = Definition(
            type=definition.type,
            type_name=type_name,
            properties=with_declared_secrets(resource_type, self._properties()),
            metadata=metadata,
            deletion_policy=template.deletion_policy(name).value,
            update_policy=policies,
            depends_on=definition.depends_on,
        )
        return self._with_inside(wanted, frozenset(self._unknown))

    def _with_inside(self, wanted: Definition, unknown: frozenset[str]) -> PartialDefinition:
        resource_type = resource_type_for(self._catalogue, wanted.type_name)
        if not isinstance(resource_type, NestedStack):
            return PartialDefinition(wanted, None, unknown)
        try:
            recipe = child_recipe(self._catalogue, self._bound, self._name, wanted, resource_type)
        except (BadProperty, ResourceFailed):
            if not unknown:
                raise
            return PartialDefinition(replace(wanted, child_digest="?"), None, unknown)
        wanted = replace(wanted, child_digest=digest_of_contents(recipe))
        return PartialDefinition(wanted, recipe, unknown)

    def _properties(self) -> dict[str, Any]:
        template, name = self._bound.template, self._name
        expression = template.resources[name].properties
        if not isinstance(expression, MapExpression):
            given = self._or_unknown("properties", lambda: template.properties(name, self._known))
            if given:
                self._unknown.discard("properties")
                self._unknown.update(key for key, value in given.items() if has_unknown(value))
            return given
        values: dict[str, Any] = {}
        scope = template.scope(self._known)
        for key, part in expression.entries.items():
            try:
                value = part.resolve(scope)
            except ResolveError:
                # It may be only that the stand-in for a value does not fit.
                value = UNKNOWN
            if value is OMITTED:
                continue
            if has_unknown(value):
                self._unknown.add(key)
            values[key] = value
        return template.with_inherited(values)

    def _or_unknown(self, name: str, resolve: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        try:
            value = resolve()
        except ResolveError:
            self._unknown.add(name)
            return {}
        if has_unknown(value):
            self._unknown.add(name)
        return value


def all_properties(resource_type: ResourceType, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value for each property of the type: what is given, else its default, else null."""
    values = {
        name: each.default for name, each in resource_type.properties.items() if not each.hidden
    }
    for name, value in given.items():
        declared = resource_type.properties.get(name)
        values[name] = value
        if declared is not None and value is not None and not has_unknown(value):
            with suppress(BadProperty):  # validation reports what does not fit
                values[name] = Secrets.inside(value).typed(declared.convert(value))
    return values


def has_unknown(value: Any) -> bool:
    """Tell whether a value has a part that is known later."""
    if isinstance(value, str):
        return UNKNOWN in value
    if isinstance(value, Mapping):
        return any(map(has_unknown, value)) or any(map(has_unknown, value.values()))
    return isinstance(value, list) and any(map(has_unknown, value))


def shown(value: Any) -> Any:
    """Return a value as people may see it, but for secrets: these are typed as such."""
    if isinstance(value, SecretText):
        return value
    if isinstance(value, str):
        return value.replace(UNKNOWN, KNOWN_LATER)
    if isinstance(value, Mapping):
        return {shown(key): shown(item) for key, item in value.items()}
    return [shown(item) for item in value] if isinstance(value, list) else value
