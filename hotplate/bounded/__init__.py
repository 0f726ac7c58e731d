"""Languages that could run for ever on hostile input, made to end: patterns, YAQL and Jinja."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hotplate.bounded.pattern import BadPattern, Pattern, PatternTimeout
from hotplate.bounded.time_limit import time_limit

if TYPE_CHECKING:
    from hotplate.bounded.jinja import BadJinja, Jinja, JinjaLimits, compile_jinja
    from hotplate.bounded.query import BadQuery, Functions, Query, QueryLimits, compile_query

# Most templates use neither language, and loading them takes longer than all the rest of a command.
_LATER = {
    **dict.fromkeys(("BadJinja", "Jinja", "JinjaLimits", "compile_jinja"), "jinja"),
    **dict.fromkeys(("BadQuery", "Functions", "Query", "QueryLimits", "compile_query"), "query"),
}

__all__ = [
    "BadJinja",
    "BadPattern",
    "BadQuery",
    "Functions",
    "Jinja",
    "JinjaLimits",
    "Pattern",
    "PatternTimeout",
    "Query",
    "QueryLimits",
    "compile_jinja",
    "compile_query",
    "time_limit",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
