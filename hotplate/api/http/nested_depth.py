"""How many levels of nested stacks a listing shows."""

from hotplate.api.http.endpoint import Call
from hotplate.api.http.fields import MAX_DEPTH, Query, QueryKind

NESTED_DEPTH = Query(
    "nested_depth",
    QueryKind.DEPTH,
    "How many levels of nested stacks are listed as well; MAX for all of them.",
)


def depth_of(call: Call) -> int:
    """Return how deep a listing goes, never deeper than the server allows."""
    wanted = call.query.get("nested_depth", 0)
    deepest = call.engine.settings.deepest_nesting
    return deepest if wanted == MAX_DEPTH else min(wanted, deepest)
