"""Languages that could run for ever on hostile input, made to end: patterns and YAQL."""

from hotplate.bounded.pattern import BadPattern, Pattern, PatternTimeout
from hotplate.bounded.query import BadQuery, Query, QueryLimits, compile_query
from hotplate.bounded.time_limit import time_limit

__all__ = [
    "BadPattern",
    "BadQuery",
    "Pattern",
    "PatternTimeout",
    "Query",
    "QueryLimits",
    "compile_query",
    "time_limit",
]
