"""Languages that could run for ever on hostile input, made to end: patterns, YAQL and Jinja."""

from typing import TYPE_CHECKING

from hotplate.bounded.evaluation import (
    Evaluation,
    Evaluator,
    Heavy,
    Raised,
    at_hand,
    light_with,
)
from hotplate.bounded.light import LIGHT_TEXT, TooHeavy, is_light, light, must_be_light
from hotplate.bounded.pattern import BadPattern, Pattern, PatternTimeout
from hotplate.bounded.time_limit import time_limit
from hotplate.lazy_names import loaded_on_use

if TYPE_CHECKING:
    from hotplate.bounded.jinja import BadJinja, Jinja, JinjaLimits, compile_jinja
    from hotplate.bounded.query import BadQuery, Functions, Query, QueryLimits, compile_query

__all__ = [
    "LIGHT_TEXT",
    "BadJinja",
    "BadPattern",
    "BadQuery",
    "Evaluation",
    "Evaluator",
    "Functions",
    "Heavy",
    "Jinja",
    "JinjaLimits",
    "Pattern",
    "PatternTimeout",
    "Query",
    "QueryLimits",
    "Raised",
    "TooHeavy",
    "at_hand",
    "compile_jinja",
    "compile_query",
    "is_light",
    "light",
    "light_with",
    "must_be_light",
    "time_limit",
]


# Most templates use neither language, and loading them takes longer than all the rest of a command.
__getattr__ = loaded_on_use(
    __name__,
    {
        "jinja": ("BadJinja", "Jinja", "JinjaLimits", "compile_jinja"),
        "query": ("BadQuery", "Functions", "Query", "QueryLimits", "compile_query"),
    },
)
