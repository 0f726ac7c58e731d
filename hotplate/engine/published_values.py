"""What a traversal's finished resources offer to the others."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from hotplate.document import Data
from hotplate.model import Version
from hotplate.template import NoValue, ResourceData

_FAILED = "[]"
"""Key in stored attributes: why some of them have no value, by their keys. No path is empty."""


def attributes_of(version: Version) -> dict[Any, Data | NoValue]:
    """Return a version's attributes; a key that is a path was stored as JSON."""
    failed = version.attributes.get(_FAILED, {})
    return {
        tuple(json.loads(key)) if key.startswith("[") else key: (
            NoValue(failed[key]) if key in failed else value
        )
        for key, value in version.attributes.items()
        if key != _FAILED
    }


def storable_attributes(offered: Mapping[str, Any]) -> dict[str, Data]:
    """Return attributes as they are stored, given those that a nested stack offers.

    One of which a part has no value has none; the reason is stored beside it.
    """
    failed = {key: found.reason for key, value in offered.items() if (found := _failure(value))}
    stored: dict[str, Data] = {
        key: None if key in failed else value for key, value in offered.items()
    }
    return {**stored, _FAILED: failed} if failed else stored


def _failure(value: Any) -> NoValue | None:
    """Return the first failure in a value."""
    if isinstance(value, NoValue):
        return value
    parts = value.values() if isinstance(value, dict) else value
    if not isinstance(value, dict | list):
        return None
    return next((found for part in parts if (found := _failure(part))), None)


class PublishedValues:
    """What the finished resources of a traversal offer: references, attributes and ids, by name.

    Grows as nodes finish.
    """

    __slots__ = ("data", "ids")

    def __init__(self) -> None:
        self.data: dict[str, ResourceData] = {}
        self.ids: dict[str, int] = {}

    def add(self, version: Version) -> None:
        """Add what a version offers."""
        reference = version.reference or version.physical_id or version.name
        self.data[version.name] = ResourceData(reference, attributes_of(version))
        self.ids[version.name] = version.id

    def missing(self, names: Iterable[str]) -> list[str]:
        """Return those of the names that have published nothing yet."""
        return [name for name in names if name not in self.ids]
