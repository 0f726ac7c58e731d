"""Values of parameters: what each type accepts, and what it makes of it."""

import json
import math

from hotplate.document import Data, InvalidDocument, from_data
from hotplate.template.errors import kind_of
from hotplate.template.parameter_type import ParameterType

_TRUE = frozenset(("1", "t", "true", "on", "y", "yes"))
_FALSE = frozenset(("0", "f", "false", "off", "n", "no"))
_MOST_DIGITS = 400


class BadValue(ValueError):
    """A value does not fit its parameter; the text says why."""


def convert(parameter_type: ParameterType, value: Data) -> Data:
    """Return the value as ``get_param`` gives it. Raises BadValue."""
    match parameter_type:
        case ParameterType.STRING:
            return _string(value)
        case ParameterType.NUMBER:
            return number(value)
        case ParameterType.BOOLEAN:
            return boolean(value)
        case ParameterType.LIST:
            return _comma_list(value)
        case ParameterType.JSON:
            return _json(value)


def as_text(parameter_type: ParameterType, value: Data) -> str:
    """Return a converted value as the API shows it."""
    if parameter_type is ParameterType.LIST and isinstance(value, list):
        return ",".join(map(str, value))
    if parameter_type is ParameterType.JSON:
        return json.dumps(value)
    return str(value)


def _string(value: Data) -> str:
    return value if isinstance(value, str) else str(value)


def number(value: Data) -> int | float:
    """Return a number or the number a text spells. Raises BadValue."""
    if isinstance(value, int | float):
        return value
    if not isinstance(value, str):
        raise BadValue(f"a number is needed, not {kind_of(value)}")
    if len(value) > _MOST_DIGITS:
        raise BadValue(f"the number is longer than {_MOST_DIGITS} digits")
    try:
        return int(value)
    except ValueError:
        pass
    try:
        result = float(value)
    except ValueError:
        raise BadValue(f"{value!r} is not a number") from None
    if not math.isfinite(result):
        raise BadValue(f"{value!r} is not a number that can be stored")
    return result


def boolean(value: Data) -> bool:
    """Return a boolean or what a text or number stands for. Raises BadValue."""
    spelt = str(value).strip().lower()
    if spelt in _TRUE:
        return True
    if spelt in _FALSE:
        return False
    shown = repr(value)[:60]
    raise BadValue(f"{shown} is not a boolean: use true, on, yes or 1, false, off, no or 0")


def _comma_list(value: Data) -> Data:
    if isinstance(value, list):
        return [_string(item) for item in value]
    if isinstance(value, str):
        return value.split(",") if value else []
    raise BadValue(f"a list or a text with commas is needed, not {kind_of(value)}")


def _json(value: Data) -> Data:
    if not isinstance(value, str) or not value:
        return value
    try:
        parsed: Data = json.loads(value)
    except ValueError as error:
        raise BadValue(f"the text is not JSON: {error}") from None
    except RecursionError:
        raise BadValue("the JSON is nested too deeply") from None
    try:
        from_data(parsed, "")
    except InvalidDocument as fault:
        raise BadValue(f"the JSON cannot be used: {fault.problems[0].message}") from None
    return parsed
