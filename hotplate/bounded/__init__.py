"""Languages that could run for ever on hostile input, made to end: patterns, YAQL and Jinja."""

from hotplate.bounded.jinja import BadJinja, Jinja, JinjaLimits, compile_jinja
from hotplate.bounded.pattern import BadPattern, Pattern, PatternTimeout
from hotplate.bounded.query import BadQuery, Functions, Query, QueryLimits, compile_query
from hotplate.bounded.time_limit import time_limit

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
