"""A text that has been read, or data that arrived decoded, under the name people know it by."""

import json
import pickle
from dataclasses import dataclass, field, replace
from typing import Any

from hotplate.document.json_reader import check, read_json
from hotplate.document.limits import DEFAULT_LIMITS, Limits
from hotplate.document.positions import Places, locate, places_of
from hotplate.document.problem import Cause, Data, InvalidDocument, Path, Position, Problem
from hotplate.document.repeated import RepeatedMap, is_repeated, read
from hotplate.document.strings import HALF_A_PAIR, line_and_column
from hotplate.document.yaml_reader import YamlReader

_LARGE = 65_536
"""Characters of a text whose data may not be worth the memory where somebody else has read it."""


@dataclass(frozen=True, slots=True)
class _Packed:
    """Data as bytes, until somebody asks for it."""

    body: bytes
    """Empty if the text is enough: it is read again, without looking for faults."""

    def __reduce__(self) -> Any:
        return _Packed, (self.body,)


@dataclass(slots=True)
class Document:
    """Plain data with the file it came from.

    ``text`` is None for data that arrived decoded; such a document has paths but no lines.
    The data is shared and must not be changed.
    """

    name: str
    _data: "Data | _Packed"
    text: str | None = None
    warnings: tuple[Problem, ...] = ()
    _places: Places | None = field(default=None, repr=False)
    _places_known: bool = field(default=False, repr=False)
    is_json: bool = field(default=False, repr=False)

    @property
    def data(self) -> Data:
        """The data. Of a large text that came from another process it is unpacked now."""
        data = self._data
        if isinstance(data, _Packed):
            if data.body:
                data = self._data = pickle.loads(data.body)  # noqa: S301 (packed by ourselves)
            else:
                text = self.text or "null"
                data = self._data = read(text) if is_repeated(text) else json.loads(text)
        return data

    @classmethod
    def unread(cls, name: str, text: str, warnings: tuple[Problem, ...]) -> "Document":
        """Return a document of JSON that another process has read, or of a text of our own."""
        return cls(name, _Packed(b""), text, warnings, is_json=True)

    @property
    def is_large(self) -> bool:
        """Whether its data is not sent to another process that may not ask for it."""
        return self.text is not None and len(self.text) > _LARGE

    def __reduce__(self) -> Any:
        data = self._data
        is_ours = self.text is not None and is_repeated(self.text)
        if (self.is_large or is_ours) and not isinstance(data, _Packed):
            is_there = self.is_json
            data = _Packed(b"" if is_there else pickle.dumps(data, pickle.HIGHEST_PROTOCOL))
        return _restored, (self.name, data, self.text, self.warnings, self.is_json)

    def locate(self, path: Path) -> Position | None:
        """Return where the value at the path stands, or the nearest value above it.

        The first call reads the text a second time and keeps the places.
        """
        if self.text is None:
            return None
        if not self._places_known:
            self._places = None if is_repeated(self.text) else places_of(self.text, self.name)
            self._places_known = True
        return Position(self.name, *(locate(self._places, path) or (1, 1)))

    def placed(self, problem: Problem) -> Problem:
        """Return the problem with this document's name and, where known, line and column."""
        if problem.position is not None or problem.file:
            return problem
        return replace(problem, file=self.name, position=self.locate(problem.path))


def parse(text: str, name: str, limits: Limits = DEFAULT_LIMITS) -> Document:
    """Read JSON or YAML text. Raises InvalidDocument with the place of the fault."""
    if len(text) > limits.text_bytes or _size(text, name) > limits.text_bytes:
        message = f"the text is larger than {limits.text_bytes} bytes"
        raise InvalidDocument([Problem(message, file=name)])
    json_fault: InvalidDocument | None = None
    if text.lstrip()[:1] in ("{", "["):
        try:
            data, warnings = read_json(text, name, limits)
            placed = tuple(_placed(warnings, text, name, limits))
            return Document(name, data, text, placed, is_json=True)
        except InvalidDocument as fault:
            json_fault = fault
    reader = YamlReader(text, name, limits)
    try:
        data = reader.read()
    except InvalidDocument as fault:
        # A text that begins like JSON and is neither is explained best as JSON.
        problems = (json_fault or fault).problems
        raise InvalidDocument(replace(p, cause=Cause.SYNTAX) for p in problems) from None
    return Document(name, data, text, tuple(reader.warnings))


def parse_repeated(text: str, name: str, limits: Limits = DEFAULT_LIMITS) -> Document:
    """Read a text of `repeated`. Raises InvalidDocument if what it repeats is too deep."""
    data = read(text)
    seen = {
        key: [run.value for run in each.runs] if isinstance(each, RepeatedMap) else each
        for key, each in data.items()
    }
    check(seen, name, limits)
    return Document(name, data, text, is_json=True)


def _restored(
    name: str, data: "Data | _Packed", text: str, warnings: tuple[Problem, ...], is_json: bool
) -> Document:
    return Document(name, data, text, warnings, is_json=is_json)


def from_data(data: Data, name: str, limits: Limits = DEFAULT_LIMITS) -> Document:
    """Take data that the caller has decoded. Raises InvalidDocument if it passes a limit."""
    check(data, name, limits)
    return Document(name, data)


def _size(text: str, name: str) -> int:
    try:
        return len(text.encode())
    except UnicodeEncodeError as error:
        position = Position(name, *line_and_column(text, error.start))
        raise InvalidDocument([Problem(HALF_A_PAIR, position=position)]) from None


def _placed(warnings: list[Problem], text: str, name: str, limits: Limits) -> list[Problem]:
    """Return warnings about JSON with their lines: reading it as YAML gives the same ones."""
    if not warnings:
        return warnings
    reader = YamlReader(text, name, limits)
    try:
        reader.read()
    except InvalidDocument:
        return warnings
    return reader.warnings or warnings
