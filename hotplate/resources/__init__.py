"""Resource types: one folder per service, one type per file, found through entry points."""

from hotplate.resources.catalogue import BadPlugin, Catalogue, UnknownType, installed
from hotplate.resources.property import BadProperty, Property, PropertyKind
from hotplate.resources.resource_type import (
    API_VERSION,
    Creation,
    Done,
    Gone,
    ObjectMissing,
    Resource,
    ResourceFailed,
    ResourceType,
    Result,
    UpdateRefused,
    Wait,
    World,
)
from hotplate.resources.support import Support, SupportStatus

__all__ = [
    "API_VERSION",
    "BadPlugin",
    "BadProperty",
    "Catalogue",
    "Creation",
    "Done",
    "Gone",
    "ObjectMissing",
    "Property",
    "PropertyKind",
    "Resource",
    "ResourceFailed",
    "ResourceType",
    "Result",
    "Support",
    "SupportStatus",
    "UnknownType",
    "UpdateRefused",
    "Wait",
    "World",
    "installed",
]
