"""Whether what a type answers can be kept: it comes from foreign code, and goes into a database.

What cannot be kept is a failure of its resource, reported once. Else its work would be done and
lost again and again.
"""

import json
import math
from typing import Any, Final

from hotplate.resources.resource import Gone, Result, Wait

_LONGEST_ID: Final = 16_000
"""Characters of a physical id or reference: the smallest of the databases takes 64 KiB."""

_LONGEST_REASON: Final = 16_000

_PLAIN: Final = frozenset((str, int, float, bool, type(None)))


def unstorable(result: Result | Gone) -> str:
    """Return why an answer cannot be kept, empty if it can."""
    if isinstance(result, Gone):
        return _no_json("data", result.data)
    texts: dict[str, Any] = {
        "physical id": result.physical_id,
        "reference or reason": _reason(result),
    }
    for word, text in texts.items():
        if text is None:
            continue
        if not isinstance(text, str):
            return f"the {word} that the type gave is no text"
        if len(text) > _LONGEST_ID or storable_text(text) != text:
            return f"the {word} that the type gave is too long, or has signs that cannot be kept"
    if isinstance(result, Wait):
        if result.seconds is not None and not math.isfinite(result.seconds):
            return f"the type wants to wait for {result.seconds} seconds"
        return _no_json("cookie", result.cookie) or _no_json("data", result.data)
    return _no_json("attributes", result.attributes) or _no_json("data", result.data)


def storable_text(text: str) -> str:
    """Return a text that every database takes, as near to it as can be."""
    if text.isascii() and len(text) <= _LONGEST_REASON and "\x00" not in text:
        return text
    clean = text.replace("\x00", "\N{REPLACEMENT CHARACTER}")
    clean = clean.encode("utf-8", "replace").decode("utf-8")
    return clean if len(clean) <= _LONGEST_REASON else f"{clean[:_LONGEST_REASON]}…"


def _reason(result: Result) -> str | None:
    return result.reason if isinstance(result, Wait) else result.reference


def _no_json(word: str, value: Any) -> str:
    if not value or _is_plain(value):
        return ""
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        return f"the {word} that the type gave cannot be written as JSON: {error}"
    return ""


def _is_plain(value: Any) -> bool:
    """Tell whether a value is a map of texts and numbers: writing it would only cost time."""
    return type(value) is dict and all(
        type(key) is str and type(each) in _PLAIN for key, each in value.items()
    )
