"""Which resources a listing shows. A filter takes one resource at a time, wherever it is."""

from collections.abc import Mapping
from typing import Any

from hotplate.api.http.fields import Query, QueryKind
from hotplate.store.tree import ListedVersion

FILTERS = tuple(
    Query(name, QueryKind.WORDS, text)
    for name, text in (
        ("type", "Only types that contain one of these texts."),
        ("status", "Only those in one of these statuses, such as COMPLETE or CREATE_COMPLETE."),
        ("name", "Only those with one of these names."),
        ("action", "Only those whose last action is one of these."),
        ("id", "Only those with one of these ids."),
        ("physical_resource_id", "Only those that are one of these objects."),
    )
)


class Filters:
    """All filters of a request; each must let a resource pass."""

    __slots__ = ("_action", "_id", "_is_open", "_name", "_physical_id", "_status", "_type")

    def __init__(self, query: Mapping[str, Any]) -> None:
        self._type = tuple(query.get("type", ()))
        self._status = frozenset(query.get("status", ()))
        self._name = frozenset(query.get("name", ()))
        self._action = frozenset(query.get("action", ()))
        self._id = frozenset(query.get("id", ()))
        self._physical_id = frozenset(query.get("physical_resource_id", ()))
        self._is_open = not any(
            (self._type, self._status, self._name, self._action, self._id, self._physical_id)
        )

    def lets_pass(self, item: ListedVersion) -> bool:
        """Return whether a resource is to be shown."""
        if self._is_open:
            return True
        return (
            (not self._type or any(part in item.type for part in self._type))
            and (
                not self._status
                or item.status in self._status
                or f"{item.action}_{item.status}" in self._status
            )
            and (not self._name or item.name in self._name)
            and (not self._action or item.action in self._action)
            and (not self._id or item.uuid in self._id or str(item.id) in self._id)
            and (not self._physical_id or (item.physical_id or "") in self._physical_id)
        )
