"""Inputs and outputs of a config, as they were written down."""

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from hotplate.model import Input, Output, ValueType

_TYPES = {value_type.value: value_type for value_type in ValueType}
_FLAGS = {"true": True, "false": False}
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_LONGEST_NUMBER = 400
_SIXTY_FOUR_BITS = range(-(2**63), 2**64)
_INPUT_KEYS = ("name", "description", "type", "default", "replace_on_change", "value")
_OUTPUT_KEYS = ("name", "description", "type", "error_output")


class Unfit(ValueError):
    """Something that a config cannot have; ``path`` leads there."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__(f'the field "{path}" {text}')
        self.path = path


def read_inputs(given: Sequence[Any]) -> tuple[Input, ...]:
    """Return the inputs, with their defaults turned into values of their types. Raises Unfit."""
    return tuple(_input(f"inputs[{at}]", each) for at, each in enumerate(given))


def read_outputs(given: Sequence[Any]) -> tuple[Output, ...]:
    """Return the outputs. Raises Unfit."""
    return tuple(_output(f"outputs[{at}]", each) for at, each in enumerate(given))


def _input(path: str, given: Any) -> Input:
    entry = _entry(path, given, _INPUT_KEYS)
    value_type = _type(path, entry.get("type"))
    default = entry.get("default")
    return Input(
        name=_name(path, entry),
        type=value_type,
        description=_text(f"{path}.description", entry.get("description")),
        default=None if default is None else _converted(f"{path}.default", value_type, default),
        replace_on_change=_flag(f"{path}.replace_on_change", entry.get("replace_on_change")),
        value=entry.get("value"),
        has_value="value" in entry,
    )


def _output(path: str, given: Any) -> Output:
    entry = _entry(path, given, _OUTPUT_KEYS)
    return Output(
        name=_name(path, entry),
        type=_type(path, entry.get("type")),
        description=_text(f"{path}.description", entry.get("description")),
        is_error=_flag(f"{path}.error_output", entry.get("error_output")),
    )


def _entry(path: str, given: Any, keys: Sequence[str]) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise Unfit(path, "must be a map")
    for key in given:
        if key not in keys:
            raise Unfit(f"{path}.{key}", f"is unknown; known are: {', '.join(keys)}")
    return given


def _name(path: str, entry: dict[str, Any]) -> str:
    name = _text(f"{path}.name", entry.get("name"))
    if name is None:
        raise Unfit(f"{path}.name", "is missing")
    return name


def _text(path: str, given: Any) -> str | None:
    if given is None or isinstance(given, str):
        return given
    # In YAML a name such as 5 is a number unless it stands in quotes.
    if isinstance(given, int | float) and not isinstance(given, bool):
        return str(given)
    raise Unfit(path, "must be a text")


def _type(path: str, given: Any) -> ValueType:
    if given is None:
        return ValueType.STRING
    if not isinstance(given, str) or given not in _TYPES:
        raise Unfit(f"{path}.type", f"must be one of: {', '.join(_TYPES)}")
    return _TYPES[given]


def _flag(path: str, given: Any) -> bool:
    if given is None or isinstance(given, bool):
        return bool(given)
    if isinstance(given, str) and given.lower() in _FLAGS:
        return _FLAGS[given.lower()]
    raise Unfit(path, "must be true or false")


def _converted(path: str, value_type: ValueType, given: Any) -> Any:
    return _CONVERT[value_type](path, given)


def _as_it_is(path: str, given: Any) -> Any:
    return given


def _number(path: str, given: Any) -> Any:
    if given == "" or (isinstance(given, int | float) and not isinstance(given, bool)):
        return given
    if isinstance(given, str) and len(given) <= _LONGEST_NUMBER and _NUMBER.fullmatch(given):
        whole = int(given) if given.lstrip("+-").isdigit() else None
        # What readers of JSON can take; a longer one loses its last digits.
        if whole is not None and whole in _SIXTY_FOUR_BITS:
            return whole
        if math.isfinite(float(given)):
            return float(given)
    raise Unfit(path, "must be a number, as the type says")


def _list(path: str, given: Any) -> list[Any]:
    if isinstance(given, list):
        return given
    if isinstance(given, str):
        return [part.strip() for part in given.split(",")] if given else []
    raise Unfit(path, "must be a list, or a text with commas, as the type says")


def _json(path: str, given: Any) -> Any:
    if isinstance(given, dict | list | str):
        return given
    raise Unfit(path, "must be a map, a list or JSON text, as the type says")


_CONVERT: dict[ValueType, Callable[[str, Any], Any]] = {
    ValueType.STRING: _as_it_is,
    ValueType.NUMBER: _number,
    ValueType.LIST: _list,
    ValueType.JSON: _json,
    ValueType.BOOLEAN: _flag,
}
