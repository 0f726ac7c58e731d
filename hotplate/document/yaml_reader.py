"""YAML text to plain data in one pass over the parser's events, without recursion.

The events come from libyaml. Its composer is not used: it recurses in C, and a deeply nested text
ends the process. Building from events is also faster, and lets every limit be checked on the way.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from hotplate.document.limits import Limits
from hotplate.document.problem import Data, InvalidDocument, Path, Position, Problem, Severity
from hotplate.document.scalars import MERGE, TAG, BadScalar, construct, implicit_tag
from hotplate.document.strings import fault_of_string, line_and_column

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NO_KEY: Final = object()
_MERGE_KEY: Final = object()
MOST_WARNINGS: Final = 100
_COLLECTION_TAGS: Final = frozenset((TAG + "map", TAG + "seq", TAG + "set", "!", None))


class Unfinished:
    """Stands for an anchored collection while it is being read."""


UNFINISHED: Final = Unfinished()


def events_of(text: str, file: str) -> Iterator[Any]:
    """Yield libyaml's events; its complaints become an InvalidDocument with their place.

    They are Any: the published types know only some of their attributes.
    """
    try:
        yield from yaml.parse(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        position = Position(file, mark.line + 1, mark.column + 1) if mark else None
        said = ", ".join(part for part in (error.context, error.problem) if part)
        hint = _advice(said, text, error.problem_mark)
        raise InvalidDocument([Problem(f"not valid YAML: {said}", (), hint, position)]) from None
    except yaml.reader.ReaderError as error:
        # libyaml counts bytes.
        before = text.encode()[: error.position].decode(errors="ignore")
        line, column = line_and_column(text, len(before))
        raise InvalidDocument(
            [
                Problem(
                    f"not valid YAML: a character is not allowed here ({error.reason})",
                    position=Position(file, line, column),
                )
            ]
        ) from None


def _advice(said: str, text: str, mark: Any) -> str:
    if "cannot start any token" not in said or mark is None:
        return ""
    line = text.splitlines()[mark.line : mark.line + 1]
    culprit = line[0][mark.column : mark.column + 1] if line else ""
    if culprit == "\t":
        return "indent with spaces, not tabs"
    return f'a value that begins with "{culprit}" must be quoted' if culprit else ""


@dataclass(slots=True)
class _Open:
    """A collection whose end has not been read yet."""

    is_map: bool
    value: Any
    anchor: str | None
    count_before: int
    length_before: int
    height: int = 1
    key: Any = _NO_KEY
    merged: list[dict[str, Any]] = field(default_factory=list)


class _Anchored(NamedTuple):
    """What an alias stands for, and how much each use of it adds."""

    value: Any
    nodes: int = 1
    length: int = 0
    height: int = 0


class YamlReader:
    """Reads one document. Use once."""

    def __init__(self, text: str, file: str, limits: Limits) -> None:
        self._file = file
        self._limits = limits
        self._events = events_of(text, file)
        self._open: list[_Open] = []
        self._anchors: dict[str, _Anchored] = {}
        self._count = 0
        self._length = 0
        self._alias_count = 0
        self._plain: dict[str, Data] = {}
        self.warnings: list[Problem] = []

    def read(self) -> Data:
        """Return the only document of the text, None if it is empty."""
        root: Any = None
        documents = 0
        for event in self._events:
            kind = event.__class__
            if kind is ScalarEvent:
                value = self._scalar(event)
                if event.anchor is not None:
                    self._anchors[event.anchor] = _Anchored(value, length=len(event.value))
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                self._start(event, kind is MappingStartEvent)
                continue
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                value = self._end(event)
            elif kind is AliasEvent:
                value = self._alias(event)
            else:
                if kind is DocumentStartEvent:
                    documents += 1
                    if documents > 1:
                        raise self._refuse(event, "the text holds more than one YAML document")
                continue
            if self._open:
                self._put(event, value)
            else:
                root = value
        return root

    def _scalar(self, event: Any) -> Data:
        text = event.value
        self._count += 1
        self._length += len(text)
        if event.implicit[0]:
            if text in self._plain:
                return self._plain[text]
            tag = implicit_tag(text)
        elif event.implicit[1] or event.tag in (None, "!"):
            tag = TAG + "str"
        else:
            tag = event.tag
        if tag == MERGE and self._open and self._open[-1].key is _NO_KEY and self._open[-1].is_map:
            return _MERGE_KEY  # type: ignore[return-value]
        try:
            value = construct(tag, text, self._limits.integer_digits)
        except BadScalar as error:
            raise self._refuse(event, str(error)) from None
        if isinstance(value, str):
            fault = fault_of_string(value)
            if fault:
                raise self._refuse(event, fault)
        if event.implicit[0] and tag != MERGE:
            self._plain[text] = value
        return value

    def _start(self, event: Any, is_map: bool) -> None:
        if event.tag not in _COLLECTION_TAGS:
            raise self._refuse(event, f"the YAML tag {event.tag!r} is not allowed in a document")
        if len(self._open) >= self._limits.depth:
            raise self._refuse(event, f"nested deeper than {self._limits.depth} levels")
        if self._open and self._open[-1].is_map and self._open[-1].key is _NO_KEY:
            raise self._refuse(event, "a key must be a plain name, not a map or a list")
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(UNFINISHED)
        value: Any = {} if is_map else []
        self._open.append(_Open(is_map, value, event.anchor, self._count, self._length))
        self._count += 1

    def _end(self, event: Any) -> Data:
        done = self._open.pop()
        if self._count > self._limits.nodes:
            raise self._refuse(event, f"more than {self._limits.nodes} values")
        if done.merged:
            # Own keys win over merged ones, earlier merged maps over later ones.
            merged: dict[str, Any] = {}
            for source in reversed(done.merged):
                merged.update(source)
            merged.update(done.value)
            done.value = merged
        if done.anchor is not None:
            self._anchors[done.anchor] = _Anchored(
                done.value,
                self._count - done.count_before,
                self._length - done.length_before,
                done.height,
            )
        self._raise_height(done.height)
        return done.value

    def _raise_height(self, inner: int) -> None:
        """Let the innermost open collection know how high a value inside it is."""
        if self._open:
            parent = self._open[-1]
            # What is merged disappears into the map.
            parent.height = max(parent.height, inner + (parent.key is not _MERGE_KEY))

    def _alias(self, event: Any) -> Data:
        known = self._anchors.get(event.anchor)
        if known is None:
            raise self._refuse(event, f'there is no anchor "&{event.anchor}" before this alias')
        if known.value is UNFINISHED:
            raise self._refuse(event, f'"*{event.anchor}" refers to the value it stands in')
        self._count += known.nodes
        self._alias_count += known.nodes
        self._length += known.length
        if self._alias_count > self._limits.alias_nodes:
            raise self._refuse(
                event, f"aliases expand to more than {self._limits.alias_nodes} values"
            )
        if self._length > self._limits.text_bytes:
            raise self._refuse(
                event, f"aliases expand to more than {self._limits.text_bytes} characters"
            )
        if len(self._open) + known.height > self._limits.depth:
            raise self._refuse(event, f"nested deeper than {self._limits.depth} levels")
        self._raise_height(known.height)
        return known.value

    def _put(self, event: Any, value: Any) -> None:
        parent = self._open[-1]
        if not parent.is_map:
            parent.value.append(value)
        elif parent.key is _NO_KEY:
            parent.key = value if value is _MERGE_KEY else self._key(event, value)
            if parent.key in parent.value:
                self._warn_of_repeated(event, parent.key)
        elif parent.key is _MERGE_KEY:
            parent.merged.extend(self._maps_to_merge(event, value))
            parent.key = _NO_KEY
        else:
            parent.value[parent.key] = value
            parent.key = _NO_KEY

    def _key(self, event: Any, value: Data) -> str:
        """Return the key as JSON writes it: existing clients send templates as JSON."""
        if isinstance(value, str):
            return value
        if isinstance(value, dict | list):
            raise self._refuse(event, "a key must be a plain name, not a map or a list")
        return key_text(value)

    def _maps_to_merge(self, event: Any, value: Data) -> list[dict[str, Any]]:
        sources: list[Any] = value if isinstance(value, list) else [value]
        for source in sources:
            if not isinstance(source, dict):
                raise self._refuse(event, '"<<" merges a map or a list of maps')
        return sources

    def _path(self) -> Path:
        path: list[str | int] = []
        for level in self._open:
            if not level.is_map:
                path.append(len(level.value))
            elif isinstance(level.key, str):
                path.append(level.key)
        return tuple(path)

    def _refuse(self, event: Any, message: str) -> InvalidDocument:
        return InvalidDocument([Problem(message, self._path(), "", self._position(event))])

    def _warn_of_repeated(self, event: Any, key: object) -> None:
        if len(self.warnings) >= MOST_WARNINGS:
            return
        self.warnings.append(
            Problem(
                f'the key "{key}" is given twice',
                self._path(),
                "the last one counts; remove the other",
                self._position(event),
                Severity.WARNING,
            )
        )

    def _position(self, event: Any) -> Position:
        mark = event.start_mark
        return Position(self._file, mark.line + 1, mark.column + 1)


def key_text(value: float | bool | None) -> str:
    """Return a non-text key as JSON would write it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)
