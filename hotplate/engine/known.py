"""What a traversal's finished resources offer to the others."""

import json
from collections.abc import Iterable
from typing import Any

from hotplate.document import Data
from hotplate.model import Version
from hotplate.template import ResourceData


def attributes_of(version: Version) -> dict[Any, Data]:
    """Return a version's attributes; a key that is a path was stored as JSON."""
    return {
        tuple(json.loads(key)) if key.startswith("[") else key: value
        for key, value in version.attributes.items()
    }


class Known:
    """References, attributes and ids of confirmed versions, by name. Grows as nodes finish."""

    __slots__ = ("data", "ids")

    def __init__(self) -> None:
        self.data: dict[str, ResourceData] = {}
        self.ids: dict[str, int] = {}

    def add(self, version: Version) -> None:
        """Take in what a version offers."""
        reference = version.reference or version.physical_id or version.name
        self.data[version.name] = ResourceData(reference, attributes_of(version))
        self.ids[version.name] = version.id

    def missing(self, names: Iterable[str]) -> list[str]:
        """Return the names that nothing is known of yet."""
        return [name for name in names if name not in self.ids]
