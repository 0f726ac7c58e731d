"""Addresses for signals that no server answers."""

import json
import re
from typing import Any
from urllib.parse import unquote

_ADDRESS = re.compile(
    r"(https?://[^/\s\"']+)/v1/"
    r"(?:(?:signal|waitcondition)/(?P<signed>[^?\s\"']+)\?|(?P<plain>[^?\s\"']+)/signal\b)"
)
_MOST = 3


def unserved(values: Any) -> str:
    """Return what to say about addresses for signals in some values; empty if there are none.

    They are those of a server: without one, signals sent to them are lost.
    """
    bases: dict[str, None] = {}
    ways: dict[str, None] = {}
    for found in _ADDRESS.finditer(json.dumps(values, default=str)):
        path = unquote(found["signed"] or found["plain"])
        stack, is_one, name = path.rpartition("stacks/")[2].partition("/resources/")
        if is_one:
            bases[found[1]] = None
            ways[f"`hotplate signal {stack.partition('/')[0]} {name}`"] = None
    if not ways:
        return ""
    working = ", ".join(list(ways)[:_MOST])
    place = ", ".join(bases)
    return (
        f"no server answers at {place} unless `hotplate serve` runs; what works without: {working}"
    )
