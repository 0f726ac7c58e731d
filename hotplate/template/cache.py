"""Compiled templates, kept: the same text is compiled once in a process."""

from collections import OrderedDict
from hashlib import sha256
from threading import Lock

from hotplate.document import DEFAULT_LIMITS, Limits, parse
from hotplate.template.compiler import DEFAULT_TEMPLATE_LIMITS, TemplateLimits, compile_template
from hotplate.template.template import Template


class TemplateCache:
    """Least recently used templates by their text, up to a total size of texts.

    Safe for several threads. Two that ask for a new text at once may both compile it; they get
    the same template.
    """

    def __init__(
        self,
        text_bytes: int = 64 * 1024 * 1024,
        limits: Limits = DEFAULT_LIMITS,
        template_limits: TemplateLimits = DEFAULT_TEMPLATE_LIMITS,
    ) -> None:
        self._most = text_bytes
        self._limits = limits
        self._template_limits = template_limits
        self._size = 0
        self._kept: OrderedDict[tuple[str, bytes], tuple[Template, int]] = OrderedDict()
        self._lock = Lock()

    def compile(self, text: str, name: str) -> Template:
        """Return the template of a text. Raises InvalidDocument."""
        key = (name, sha256(text.encode(errors="surrogatepass")).digest())
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][0]
        template = compile_template(parse(text, name, self._limits), self._template_limits)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = (template, len(text))
                self._size += len(text)
                while self._size > self._most and len(self._kept) > 1:
                    _, (_, size) = self._kept.popitem(last=False)
                    self._size -= size
            return self._kept[key][0]
