"""What a traversal's finished resources offer to the others."""

import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from hotplate.document import Data
from hotplate.model import Stack, Version
from hotplate.secret import Secrets, SecretText, plain, secret_at, secret_paths
from hotplate.template import NoValue, ResourceData

_FAILED = "[]"
"""Key in stored attributes: why some of them have no value, by their keys. No path is empty."""

_HIDING = "[secret]"
"""Key in stored attributes: where secrets are in them; an empty path stands for the reference."""

_NOTES = (_FAILED, _HIDING)

_KEPT_TRAVERSALS: Final = 64


def attributes_of(version: Version) -> dict[Any, Data | NoValue]:
    """Return a version's attributes; a key that is a path was stored as JSON."""
    stored = version.attributes
    if _HIDING in stored:
        stored = secret_at(stored, [path for path in stored[_HIDING] if path])
    failed = stored.get(_FAILED, {})
    return {
        tuple(json.loads(key)) if key.startswith("[") else key: (
            NoValue(failed[key]) if key in failed else value
        )
        for key, value in stored.items()
        if key not in _NOTES
    }


def with_secrets_typed(stored: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return stored attributes with those typed as secrets that are."""
    paths = [path for path in stored.get(_HIDING, ()) if path]
    found: Mapping[str, Any] = secret_at(stored, paths) if paths else stored
    return found


def published_by(version: Version) -> ResourceData:
    """Return what a version offers to others."""
    reference = version.reference or version.physical_id or version.name
    secrets = version.attributes.get(_HIDING, ())
    if [] in secrets:
        reference = SecretText(reference)
    return ResourceData(reference, attributes_of(version), has_secrets=bool(secrets))


def with_secrets_noted(
    attributes: Mapping[str, Any], secrets: Secrets, declared: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Return attributes as they are stored, with a note of where secrets are in them.

    These are the ``declared`` ones, an empty name standing for the reference, and those that repeat
    one of ``secrets``. What has a note has all that it needs.
    """
    if not (secrets or declared) or _HIDING in attributes:
        return dict(attributes)
    paths = _paths_to(declared) if declared else []
    if secrets:
        others = {name: each for name, each in attributes.items() if name not in declared}
        paths = [*paths, *secret_paths(secrets.typed(others))]
    return {**attributes, _HIDING: paths} if paths else dict(attributes)


@lru_cache(256)
def _paths_to(names: frozenset[str]) -> list[list[str]]:
    """Return the paths to attributes, worked out once for each type. Not to be changed."""
    return [[name] if name else [] for name in sorted(names)]


def storable_attributes(offered: Mapping[str, Any]) -> dict[str, Data]:
    """Return attributes as they are stored, given those that a nested stack offers.

    One of which a part has no value has none; the reason is stored beside it. So is where secrets
    are.
    """
    failed = {key: found.reason for key, value in offered.items() if (found := _failure(value))}
    stored: dict[str, Data] = {
        key: None if key in failed else value for key, value in offered.items()
    }
    if failed:
        stored[_FAILED] = failed
    paths = secret_paths(stored)
    return {**plain(stored), _HIDING: paths} if paths else stored


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
        self.data[version.name] = published_by(version)
        self.ids[version.name] = version.id

    def missing(self, names: Iterable[str]) -> list[str]:
        """Return those of the names that have published nothing yet."""
        return [name for name in names if name not in self.ids]

    def take(self, name: str, other: "PublishedValues | None") -> bool:
        """Take over what a resource offers by other values; tell whether these have it."""
        if other is None or name not in other.ids:
            return False
        self.data[name] = other.data[name]
        self.ids[name] = other.ids[name]
        return True


class Publications:
    """What is known of the latest traversals: those that have been quiet longest are forgotten."""

    __slots__ = ("_values",)

    def __init__(self) -> None:
        self._values: OrderedDict[tuple[str, int], PublishedValues] = OrderedDict()

    def of(self, stack: Stack) -> PublishedValues:
        """Return the values of a stack's traversal, to be added to."""
        key = (stack.id, stack.sequence)
        values = self._values.get(key)
        if values is None:
            values = self._values[key] = PublishedValues()
            while len(self._values) > _KEPT_TRAVERSALS:
                self._values.popitem(last=False)
        return values

    def known(self, stack: Stack) -> PublishedValues | None:
        """Return the values of a stack's traversal, None if nothing is known. In any thread."""
        return self._values.get((stack.id, stack.sequence))
