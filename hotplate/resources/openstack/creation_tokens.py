"""The creation token in a text of an object, by which it is found without its id.

The answer to a creation may get lost. Where the template gives the name, that does not tell whose
an object is, so a text that people may write as well, mostly its description, ends with the token
in brackets. People are never shown that. Pure.
"""

import re
from typing import Any, Final

from hotplate.resources.resource_type import Resource

_TOKEN: Final = re.compile(r"\s*\(hotplate [0-9a-f-]+\)$")


def token_text(resource: Resource) -> str:
    """Return the creation token of a resource as it stands in texts."""
    return f"(hotplate {resource.creation_token})"


def with_token(text: str | None, resource: Resource) -> str:
    """Return a text with the creation token of a resource, in place of one that it may have.

    An object that another stack has left bears the token of that one.
    """
    return " ".join(filter(None, (without_token(text), token_text(resource))))


def without_token(value: Any) -> Any:
    """Return a value as it would be without a token, whosever it is; None if nothing is left."""
    if not has_token(value):
        return value
    return _TOKEN.sub("", value) or None


def has_token(value: Any) -> bool:
    """Tell whether a value is a text with a token."""
    return isinstance(value, str) and _TOKEN.search(value) is not None
