"""How evaluations and their answers go from one process to another.

The processes trust each other: what is sent is pickled. The tools of the engine are not sent, each
side has its own; templates that the other side knows are not built anew. An answer does not repeat
the recipes that its question brought, nor their texts.
"""

import io
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from hotplate.document import Document
from hotplate.engine.context import Tools
from hotplate.engine.recipes import Recipe
from hotplate.template import Template

_BOOK, _CATALOGUE, _RECIPE, _DOCUMENT = "book", "catalogue", "recipe", "document"
_Key = tuple[str, bytes]


class Transfer:
    """Turns values into bytes and back. Safe for several threads."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    def dumps(self, value: Any, known: Sequence[Any] = ()) -> bytes:
        """Return a value as bytes. ``known`` is what the other side has: `loads` is given it."""
        return b"".join(self.pieces(value, known))

    def pieces(self, value: Any, known: Sequence[Any] = ()) -> list[bytes]:
        """Return the same in pieces: a large text is one, which is not copied once more."""
        templates: dict[_Key, Template] = {}
        body = self._pickled(value, templates, known)
        written = {
            key: b"".join(self._pickled(each, None, known)) for key, each in templates.items()
        }
        return [pickle.dumps(written, pickle.HIGHEST_PROTOCOL), *body]

    def loads(self, data: bytes, known: Sequence[Any] = ()) -> Any:
        """Return the value that `dumps` was given on the other side."""
        file = io.BytesIO(data)
        templates = pickle.load(file)  # noqa: S301 (from a process of our own)

        def template(key: _Key) -> Template:
            return self._tools.book.templates.shared(
                key, lambda: self._unpickled(io.BytesIO(templates[key]), None, known)
            )

        return self._unpickled(file, template, known)

    def _pickled(
        self, value: Any, templates: dict[_Key, Template] | None, known: Sequence[Any]
    ) -> list[bytes]:
        pieces = _Pieces()
        _Pickler(pieces, self._tools, templates, known).dump(value)
        return pieces.written

    def _unpickled(
        self, file: io.BytesIO, template: Callable[[_Key], Template] | None, known: Sequence[Any]
    ) -> Any:
        return _Unpickler(file, _Here(self._tools, template, known)).load()


class _Pieces:
    """What a pickler writes to, kept as it comes."""

    def __init__(self) -> None:
        self.written: list[bytes] = []

    def write(self, piece: bytes) -> int:
        self.written.append(piece)
        return len(piece)


class _Pickler(pickle.Pickler):
    def __init__(
        self,
        file: _Pieces,
        tools: Tools,
        templates: dict[_Key, Template] | None,
        known: Sequence[Any],
    ) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._tools = tools
        self._templates = templates
        self._recipes = {at: each for at, each in enumerate(known) if isinstance(each, Recipe)}

    def reducer_override(self, value: Any) -> Any:
        # Not persistent ids: these are asked for of every single text and number.
        if value is self._tools.book:
            return _known, (_BOOK,)
        if value is self._tools.catalogue:
            return _known, (_CATALOGUE,)
        if self._templates is not None and type(value) is Template:
            key = self._tools.book.templates.key_of(value)
            if key is not None:
                self._templates[key] = value
                return _known, ("template", key)
        if type(value) is Recipe:
            for at, each in self._recipes.items():
                if value is each:
                    return _known, (_RECIPE, at)
        if type(value) is Document and value.is_large and value.is_json:
            for at, each in self._recipes.items():
                if value.text == each.template:
                    return _known, (_DOCUMENT, (at, value.name, value.warnings))
        if type(value) is MappingProxyType:
            return _read_only, (dict(value),)
        if isinstance(value, BaseException):
            return _error, (type(value), value.args, dict(vars(value)))
        return NotImplemented


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, here: "_Here") -> None:
        super().__init__(file)
        self._here = here

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == (_known.__module__, _known.__name__):
            # No method of this one: it remembers what it returns, with all that it has read, and
            # Python 3.11 does not find such a loop when it looks for garbage.
            return self._here.known
        return super().find_class(module, name)


@dataclass(frozen=True, slots=True)
class _Here:
    """What this side has of its own."""

    tools: Tools
    template: Callable[[_Key], Template] | None
    recipes: Sequence[Any]

    def known(self, kind: str, key: Any = None) -> Any:
        if kind == _BOOK:
            return self.tools.book
        if kind == _CATALOGUE:
            return self.tools.catalogue
        if kind == _RECIPE:
            return self.recipes[key]
        if kind == _DOCUMENT:
            at, name, warnings = key
            return Document.unread(name, self.recipes[at].template, warnings)
        if self.template is None or key is None:
            raise pickle.UnpicklingError(f"{kind} is not known here")
        return self.template(key)


def _known(kind: str, key: Any = None) -> Any:
    """Stand for what each side has of its own; only the unpickler knows that."""
    raise pickle.UnpicklingError(f"{kind} is not known here")


def _read_only(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(values)


def _error(kind: type[BaseException], args: tuple[Any, ...], facts: dict[str, Any]) -> Any:
    """Return an exception as it was, without calling what made it."""
    error = kind.__new__(kind, *args)
    error.args = args
    vars(error).update(facts)
    return error
