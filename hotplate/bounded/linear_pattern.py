"""Which patterns RE2 reads as Python does; it matches those in time proportional to the text.

RE2 differs from Python outside of ASCII, in a few escapes and in some corners of the syntax. Only
what is surely the same is given to it.
"""

from functools import lru_cache
from typing import Any, Final

import regex

_ATOM: Final = (
    r"\\[dDwWsSbBAtnrfv\\^$.|?*+()\[\]{}/_,:;@#%&=!<>\"'~` -]"  # an escape
    r"|\[\^?(?:\\[dDwWsStnrfv\\^$.|?*+()\[\]{}/-]"  # a class
    r"|[A-Za-z0-9_ .,:;@#%=!<>\"'`$*+?(){}|/^-])+\]"
    r"|[A-Za-z0-9_ .,:;@#%&=!<>\"'~`/-]"  # a character
)
_QUANTIFIER: Final = r"(?:[*+?]|\{\d+(?:,\d*)?\})\??(?![*+?{])"
_SAME: Final = regex.compile(
    r"(?:\(\?i\))?"
    rf"(?:[\^$|]|\((?:\?:)?|\)(?:{_QUANTIFIER})?|(?:{_ATOM})(?:{_QUANTIFIER})?)*+"
)
# Set operations, which Python warns of, and repetitions of places.
_DOUBTFUL: Final = regex.compile(r"--|&&|~~|\|\||\\[bBA][*+?{]")
_MEMORY: Final = 8 << 20


@lru_cache(maxsize=512)
def linear_pattern(text: str, prefix: str) -> Any:
    """Return RE2's pattern; None if RE2 may read it in another way than Python, or not at all.

    ``prefix`` are flags in RE2's form. Other subjects than `is_plain` ones need another library.
    """
    if not _SAME.fullmatch(text) or _DOUBTFUL.search(text):
        return None
    import re2  # noqa: PLC0415 (most templates have no pattern)

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        return re2.compile(prefix + text, options)
    except re2.error:
        return None


def is_plain(subject: str) -> bool:
    """Tell whether RE2 and Python agree on it: ASCII, without line ends and rare white space."""
    return subject.isascii() and subject.isprintable()
