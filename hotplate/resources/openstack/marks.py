"""Marks: the creation token in a text of an object, by which it is found without its id.

The answer to a creation may get lost. Where the template gives the name, that does not tell whose
an object is, so a text that people may write as well, mostly its description, ends with the mark.
People are never shown it. Pure.
"""

import re
from typing import Any, Final

from hotplate.resources.resource_type import Resource

_MARK: Final = re.compile(r"\s*\(hotplate [0-9a-f-]+\)$")


def mark_of(resource: Resource) -> str:
    """Return the mark of the object of a resource."""
    return f"(hotplate {resource.creation_token})"


def with_mark(text: str | None, resource: Resource) -> str:
    """Return a text with the mark of a resource, in place of one that it may have already.

    An object that another stack has left bears the mark of that one.
    """
    return " ".join(filter(None, (without_mark(text), mark_of(resource))))


def without_mark(value: Any) -> Any:
    """Return a value as it would be without a mark, whosever it is; None if nothing is left."""
    if not has_mark(value):
        return value
    return _MARK.sub("", value) or None


def has_mark(value: Any) -> bool:
    """Tell whether a value is a text with a mark."""
    return isinstance(value, str) and _MARK.search(value) is not None
