"""Compiled templates, kept: the same text is compiled once in a process."""

from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from threading import Lock
from weakref import WeakValueDictionary

from hotplate.bounded import must_be_light
from hotplate.document import DEFAULT_LIMITS, Document, Limits, parse
from hotplate.document.document import parse_repeated
from hotplate.document.repeated import count_in, is_repeated
from hotplate.template.compiler import DEFAULT_TEMPLATE_LIMITS, TemplateLimits, compile_template
from hotplate.template.template import Template

_Key = tuple[str, bytes]

_PER_ENTRY = 48
"""Characters of a template of ours that each of its entries counts for, written once or not."""


class TemplateCache:
    """Templates by their text, as long as they are in use, and those that were used lately.

    ``text_bytes`` is how long the texts of the latter may be together: a template takes some
    twenty times the memory of its text, so this is far less than what could be read. Safe for
    several threads. Two that ask for a new text at once may both compile it; they get the same
    template.
    """

    def __init__(
        self,
        text_bytes: int = 128 * 1024,
        limits: Limits = DEFAULT_LIMITS,
        template_limits: TemplateLimits = DEFAULT_TEMPLATE_LIMITS,
    ) -> None:
        self._most = text_bytes
        self._limits = limits
        self._template_limits = template_limits
        self._size = 0
        self._in_use: WeakValueDictionary[_Key, Template] = WeakValueDictionary()
        self._lately: OrderedDict[_Key, tuple[Template, int]] = OrderedDict()
        self._lock = Lock()

    def compile(self, text: str, name: str) -> Template:
        """Return the template of a text that somebody wrote. Raises InvalidDocument."""
        return self._compiled(text, name, len(text), self._parsed)

    def stored(self, text: str, name: str) -> Template:
        """Return the template of a text that a recipe has: we may have written it ourselves."""
        if not is_repeated(text):
            return self.compile(text, name)
        return self._compiled(text, name, _size(text), self._repeated)

    def _parsed(self, text: str, name: str) -> Document:
        return parse(text, name, self._limits)

    def _repeated(self, text: str, name: str) -> Document:
        return parse_repeated(text, name, self._limits)

    def _compiled(
        self, text: str, name: str, size: int, document: Callable[[str, str], Document]
    ) -> Template:
        key = _key(name, text)
        with self._lock:
            found = self._in_use.get(key)
            if found is not None:
                self._keep(key, found, size)
                return found
        must_be_light(size)
        template = compile_template(document(text, name), self._template_limits)
        with self._lock:
            template = self._in_use.setdefault(key, template)
            self._keep(key, template, size)
            return template

    def key_of(self, template: Template) -> tuple[str, bytes] | None:
        """Return what a template is known by, in every process; None if it has no text."""
        text = template.document.text
        return None if text is None else _key(template.document.name, text)

    def shared(self, key: tuple[str, bytes], load: Callable[[], Template]) -> Template:
        """Return the template that has a key, loaded from elsewhere unless it is here."""
        with self._lock:
            found = self._in_use.get(key)
        template = found or load()
        with self._lock:
            template = self._in_use.setdefault(key, template)
            self._keep(key, template, _size(template.document.text or ""))
            return template

    def let_go(self) -> None:
        """Keep none that is longer than all may be, not even the last one."""
        with self._lock:
            self._shorten(0)

    def _keep(self, key: _Key, template: Template, size: int) -> None:
        if key not in self._lately:
            self._lately[key] = (template, size)
            self._size += size
        self._lately.move_to_end(key)
        self._shorten(1)

    def _shorten(self, least: int) -> None:
        while self._size > self._most and len(self._lately) > least:
            self._size -= self._lately.popitem(last=False)[1][1]


def _key(name: str, text: str) -> _Key:
    return name, sha256(text.encode(errors="surrogatepass")).digest()


def _size(text: str) -> int:
    return len(text) + _PER_ENTRY * count_in(text)
