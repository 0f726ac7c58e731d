"""What a resource type declares to be secret, whoever gave it: passwords, keys, user data."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from hotplate.resources.property import Property
from hotplate.resources.resource_type import ResourceType
from hotplate.secret import secret


def with_declared_secrets(
    resource_type: ResourceType, properties: dict[str, Any]
) -> dict[str, Any]:
    """Return properties with those typed as secrets that the type declares so.

    What is given for a type that declares none is returned itself.
    """
    if not properties or not _declares_secrets(resource_type):
        return properties
    return _with_secrets(resource_type.properties, properties)


@lru_cache(1024)
def _declares_secrets(resource_type: ResourceType) -> bool:
    return any(map(_holds_secrets, resource_type.properties.values()))


def _holds_secrets(declared: Property) -> bool:
    if declared.secret or (declared.items is not None and _holds_secrets(declared.items)):
        return True
    return any(map(_holds_secrets, declared.schema.values()))


def _with_secrets(schema: Mapping[str, Property], given: dict[str, Any]) -> dict[str, Any]:
    return {
        name: _typed(schema[name], value) if name in schema else value
        for name, value in given.items()
    }


def _typed(declared: Property, value: Any) -> Any:
    if declared.secret:
        return secret(value)
    if isinstance(value, list) and declared.items is not None:
        return [_typed(declared.items, item) for item in value]
    if isinstance(value, dict) and declared.schema:
        return _with_secrets(declared.schema, value)
    return value
