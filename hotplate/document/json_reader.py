"""JSON text, and data that the caller has already decoded, to plain data within limits."""

import json
import math
from typing import Any

from hotplate.document.limits import Limits
from hotplate.document.problem import Data, InvalidDocument, Path, Position, Problem, Severity
from hotplate.document.strings import fault_of_string
from hotplate.document.yaml_reader import MOST_WARNINGS, key_text


def read_json(text: str, file: str, limits: Limits) -> tuple[Data, list[Problem]]:
    """Return the data and warnings; raises InvalidDocument."""
    repeated: list[str] = []

    def remember_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) != len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen:
                    repeated.append(key)
                seen.add(key)
        return result

    def integer(digits: str) -> int:
        if len(digits) > limits.integer_digits:
            raise InvalidDocument(
                [Problem(f"an integer has more than {limits.integer_digits} digits", file=file)]
            )
        return int(digits)

    try:
        data = json.loads(text, object_pairs_hook=remember_repeated, parse_int=integer)
    except json.JSONDecodeError as error:
        position = Position(file, error.lineno, error.colno)
        raise InvalidDocument(
            [Problem(f"not valid JSON: {error.msg.lower()}", position=position)]
        ) from None
    except RecursionError:
        raise InvalidDocument(
            [Problem(f"nested deeper than {limits.depth} levels", file=file)]
        ) from None
    check(data, file, limits)
    return data, [
        Problem(
            f'the key "{key}" is given twice in one map',
            (),
            "the last one counts; remove the other",
            None,
            Severity.WARNING,
            file,
        )
        for key in list(dict.fromkeys(repeated))[:MOST_WARNINGS]
    ]


def check(data: object, file: str, limits: Limits) -> None:
    """Raise InvalidDocument unless the data keeps to JSON's values and to the limits.

    Does not recurse. Data that contains itself is refused as too deep.
    """
    count = 0
    known: set[str] = set()  # a large document says the same thing many times
    waiting: list[tuple[Any, Path]] = [(data, ())]
    while waiting:
        value, path = waiting.pop()
        count += 1
        fault = ""
        if isinstance(value, dict | list):
            if len(path) >= limits.depth:
                fault = f"nested deeper than {limits.depth} levels"
            elif isinstance(value, dict):
                count += len(value)
                for key, item in value.items():
                    if key not in known:
                        fault = fault or _fault_of_key(key, limits)
                        known.add(key)
                    if type(item) is str and item in known:
                        count += 1
                    else:
                        waiting.append((item, (*path, key)))
            else:
                waiting.extend((item, (*path, index)) for index, item in enumerate(value))
            if count + len(waiting) > limits.nodes:
                fault = fault or f"more than {limits.nodes} values"
        elif not (fault := _fault_of_scalar(value, limits)) and type(value) is str:
            known.add(value)
        if fault:
            raise InvalidDocument([Problem(fault, path, file=file)])


def _fault_of_key(key: object, limits: Limits) -> str:
    if not isinstance(key, str):
        return _fault_of_scalar(key, limits) or f"the key {key!r} is not a text"
    return fault_of_string(key)


def _fault_of_scalar(value: object, limits: Limits) -> str:
    if isinstance(value, str):
        return fault_of_string(value)
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"{value} is not a number that JSON can carry"
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, int):
        if value.bit_length() > limits.integer_digits * 3.33:
            return f"an integer has more than {limits.integer_digits} digits"
        return ""
    return f"a value of type {type(value).__name__} cannot be stored"


__all__ = ["check", "key_text", "read_json"]
