"""Where each value of a text stands.

Computed on demand by reading the text a second time: places are wanted when something is wrong or
an origin is asked for, and keeping them for every value would double the cost of reading.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from hotplate.document.problem import InvalidDocument, Path
from hotplate.document.scalars import MERGE, TAG, construct, implicit_tag
from hotplate.document.yaml_reader import events_of, key_text

_SURROGATE_PAIR: Final = re.compile(
    r"(?<!\\)((?:\\\\)*)(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
)


def _one_escape(found: "re.Match[str]") -> str:
    character: str = json.loads(f'"{found[2]}"')
    return f"{found[1]}\\U{ord(character):08x}"


Place: TypeAlias = tuple[int, int]
"""Line and column, from 1."""


@dataclass(slots=True)
class Places:
    """The place of one value and, for a collection, of what is inside.

    ``keys`` holds the place of each key of a map; for a list it is empty.
    """

    place: Place
    is_map: bool = False
    items: dict[str | int, "Places"] = field(default_factory=dict)
    keys: dict[str | int, Place] = field(default_factory=dict)
    merged: list["Places"] = field(default_factory=list)

    def find(self, step: str | int) -> tuple[Place, "Places"] | None:
        """Return the place of the key (or list item) and what is known of the value."""
        if step in self.items:
            item = self.items[step]
            return self.keys.get(step, item.place), item
        return None

    def maps(self) -> Iterable["Places"]:
        """Return the maps that a merge key takes: the value itself, or the items of a list."""
        return (self,) if self.is_map else self.items.values()

    def merge(self) -> None:
        """Take over what is merged into a map, once the map is read: its own keys win."""
        maps = (m for under in self.merged for m in under.maps())
        for source in maps:
            for step, item in source.items.items():
                if step not in self.items:
                    self.items[step] = item
                    self.keys[step] = source.keys.get(step, item.place)
        self.merged.clear()


def locate(root: Places | None, path: Path) -> Place | None:
    """Return the place of the value at the path, or of the nearest value above it."""
    if root is None:
        return None
    place = root.place
    for step in path:
        found = root.find(step)
        if found is None:
            break
        place, root = found
    return place


def places_of(text: str, file: str) -> Places | None:
    """Return the places of all values of a text that has been read before.

    JSON is read as the YAML it nearly is. Escaped surrogate pairs, which YAML does not have, are
    shortened first: columns behind one are two too small.
    """
    collector = _Collector()
    if text.lstrip()[:1] in ("{", "["):
        text = _SURROGATE_PAIR.sub(_one_escape, text)
    try:
        for event in events_of(text, file):
            collector.take(event)
    except InvalidDocument:
        pass
    return collector.root


class _Collector:
    def __init__(self) -> None:
        self.root: Places | None = None
        self._open: list[Places] = []
        self._keys: list[tuple[str, Place] | None] = []
        self._anchors: dict[str, Places] = {}

    def take(self, event: Any) -> None:
        kind = event.__class__
        if kind is ScalarEvent and self._awaits_key():
            self._keys[-1] = (_key(event), _place(event))
        elif kind is ScalarEvent:
            self._add(Places(_place(event)), event.anchor)
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            places = Places(_place(event), kind is MappingStartEvent)
            self._add(places, event.anchor)
            self._open.append(places)
            self._keys.append(None)
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            self._open.pop().merge()
            self._keys.pop()
        elif kind is AliasEvent and self._awaits_key():
            self._keys[-1] = ("", _place(event))
        elif kind is AliasEvent and event.anchor in self._anchors:
            self._add(self._anchors[event.anchor], None)

    def _awaits_key(self) -> bool:
        return bool(self._open) and self._open[-1].is_map and self._keys[-1] is None

    def _add(self, places: Places, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = places
        if not self._open:
            self.root = self.root or places
            return
        parent = self._open[-1]
        if not parent.is_map:
            parent.items[len(parent.items)] = places
            return
        entry = self._keys[-1]
        if entry is None:
            return
        key, place = entry
        self._keys[-1] = None
        if key == MERGE:
            parent.merged.append(places)
        parent.items[key] = places
        parent.keys[key] = place


def _key(event: Any) -> str:
    text: str = event.value
    if not event.implicit[0]:
        return text
    tag = implicit_tag(text)
    if tag == MERGE:
        return MERGE
    if tag == TAG + "str":
        return text
    value = construct(tag, text, len(text))
    return value if isinstance(value, str) else key_text(value)


def _place(event: Any) -> Place:
    return event.start_mark.line + 1, event.start_mark.column + 1
