"""What resources must wait for besides what their template says: their types know."""

import logging
from collections.abc import Iterable, Mapping

from hotplate.resources.capabilities import DependsImplicitly
from hotplate.resources.catalogue import Catalogue
from hotplate.resources.written_stack import WrittenResource, WrittenStack
from hotplate.template import (
    BoundTemplate,
    ResourceDefinition,
    Scope,
    Written,
    written_property,
)

_log = logging.getLogger("hotplate.plan")


def implicit_dependencies(
    catalogue: Catalogue, type_names: Mapping[str, str], template: BoundTemplate
) -> dict[str, list[str]]:
    """Return for each resource the others that it must wait for, as its type says.

    ``type_names`` are those of all resources by the registry, empty for template files.
    The same in every process that has the same types. Costs as much as there are resources and
    dependencies; where no type is `DependsImplicitly`, no property is read.
    """
    types = {name: _of_catalogue(catalogue, name) for name in set(type_names.values())}
    waiting = {name: found for name, found in types.items() if found is not None}
    if not waiting:
        return {}
    stack = WrittenStack(
        WrittenResource(name, type_names[name], _Reader(template, definition))
        for name, definition in template.resources.items()
    )
    return {
        own.name: _requirements(resource_type, own, stack)
        for type_name, resource_type in waiting.items()
        for own in stack.of_type(type_name)
    }


def may_be_implicit(catalogue: Catalogue, type_names: Iterable[str]) -> bool:
    """Tell whether resources of one of these types may have to wait for others."""
    return any(_of_catalogue(catalogue, each) is not None for each in type_names)


def _of_catalogue(catalogue: Catalogue, type_name: str) -> DependsImplicitly | None:
    found = catalogue.get(type_name) if type_name in catalogue else None
    return found if isinstance(found, DependsImplicitly) else None


def _requirements(
    resource_type: DependsImplicitly, own: WrittenResource, stack: WrittenStack
) -> list[str]:
    """Return the other resources that one must wait for.

    A type that fails here must not keep the stack from being read, changed and deleted.
    """
    try:
        names = set(resource_type.implicit_requirements(own, stack))
    except Exception:  # whatever the code of a type raises
        _log.exception(
            "a type cannot tell what its resource waits for",
            extra={"type": own.type_name, "resource": own.name},
        )
        return []
    return [name for name in names if name != own.name and stack.named(name) is not None]


class _Reader:
    """Reads properties of one resource as they are written."""

    __slots__ = ("_definition", "_scope", "_template")

    def __init__(self, template: BoundTemplate, definition: ResourceDefinition) -> None:
        self._template = template
        self._definition = definition
        self._scope: Scope | None = None

    def __call__(self, name: str) -> Written:
        if self._scope is None:
            self._scope = self._template.scope()
        return written_property(self._definition.properties, name, self._scope)
