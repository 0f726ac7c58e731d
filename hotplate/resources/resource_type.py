"""What a resource type is: declared properties and attributes, and coroutines that act.

The engine calls a method, gets either a result or the time of the next call, and records
it. Whatever a type must know the next time goes into its cookie or its data, which survive a
crash; nothing else does.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from hotplate.resources.property import Property, PropertyKind, convert_all
from hotplate.resources.resource import (
    BadSignal,
    Child,
    Creation,
    Done,
    Gone,
    ObjectMissing,
    Resource,
    ResourceFailed,
    Result,
    Source,
    TemplateMissing,
    UpdateRefused,
    Wait,
    World,
)
from hotplate.resources.support import Support

__all__ = [
    "API_VERSION",
    "BadSignal",
    "Child",
    "Creation",
    "Done",
    "Gone",
    "ObjectMissing",
    "Resource",
    "ResourceFailed",
    "ResourceType",
    "Result",
    "Source",
    "TemplateMissing",
    "UpdateRefused",
    "Wait",
    "World",
]

API_VERSION = 2
"""Raised when types written for an older version would no longer work."""


class ResourceType:
    """Base of all types. A method that is not overridden succeeds at once."""

    name: ClassVar[str]
    api: ClassVar[int] = API_VERSION
    properties: ClassVar[Mapping[str, Property]] = {}
    attributes: ClassVar[Mapping[str, str]] = {}
    """Names and descriptions."""

    attribute_kinds: ClassVar[Mapping[str, PropertyKind]] = {}
    """Of what kind the attributes are, where that is known."""

    secret_attributes: ClassVar[frozenset[str]] = frozenset()
    """Attributes that nobody may see but those whom a template gives them: a key, a password.

    An empty name stands for the reference.
    """

    description: ClassVar[str] = ""
    """What the type is for; the docstring of the class, if this is empty."""

    support: ClassVar[Support] = Support()
    former_names: ClassVar[frozenset[str]] = frozenset()
    """Names of older types whose objects this one takes over in place, as they are."""

    creation: ClassVar[Creation] = Creation.NEITHER
    instant: ClassVar[bool] = False
    """No method ever waits for anything: the engine may run it in line, in any thread."""

    replace_when_failed: ClassVar[bool] = True

    validated: ClassVar[frozenset[str]] = frozenset()
    """The properties that `validate` reads, of a type that needs no others for it.

    It is then called as soon as these are known; the others are None until they are.
    """

    def convert(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return values for all properties: converted, with defaults, in today's spelling.

        A type that still takes properties under older names overrides this and gives their values
        to the new ones. Raises BadProperty.
        """
        return convert_all(self.properties, given)

    def has_attribute(self, name: str) -> bool:
        """Tell whether a template may ask for an attribute; ``show`` may be asked of any type."""
        return name == "show" or name in self.attributes

    async def create(self, resource: Resource) -> Result:
        """Make the object, or go on making it.

        With a physical id it exists: an earlier call said so with Wait, or `find` found what a
        worker that died had made. Then bring it to its end and make no second one.
        """
        return Done()

    async def update(self, resource: Resource) -> Result:
        """Change the object in place. May be called again after a crash with the same change."""
        return Done()

    async def delete(self, resource: Resource) -> Result:
        """Delete the object. That it is deleted already is no error."""
        return Done()

    def replacement_reason(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
        """Return why a change that properties would allow in place still replaces; else nothing."""
        return ""

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        """Return what is wrong with the properties taken together, or an empty text.

        ``timeout`` is how many seconds an action of the stack may take, None for any time.
        """
        return ""
