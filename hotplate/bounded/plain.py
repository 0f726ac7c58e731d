"""What an expression made, as JSON could carry it."""

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any


class NotPlain(ValueError):
    """The value is of a kind that JSON cannot carry."""


def plain(value: Any, spend: Callable[[int], None], times: bool = False) -> Any:
    """Return the value in maps, lists, texts and numbers; each of them costs one unit.

    With ``times``, moments become texts and spans of time become seconds; they are refused
    otherwise. Raises NotPlain.
    """
    spend(1)
    if isinstance(value, float) and not math.isfinite(value):
        raise NotPlain(f"the result {value} is not a number that JSON can carry")
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return str(value)  # also of texts that are marked as safe in some language
    if isinstance(value, Mapping):
        return {
            key if isinstance(key, str) else str(key): plain(item, spend, times)
            for key, item in value.items()
        }
    if times and isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.%f")
    if times and isinstance(value, date):
        return value.isoformat()
    if times and isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return [plain(item, spend, times) for item in value]
    raise NotPlain(f"the result is of the kind {type(value).__name__}, which no template can hold")
