"""The std actions that touch nothing: they answer at once, or only let time pass."""

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from hotplate.workflow.actions.action import REQUIRED, Action, Outcome, Pause, failed
from hotplate.workflow.actions.settings import ActionSettings
from hotplate.workflow.machine import Result

_LONGEST_PAUSE: Final = 10**9


def standard_actions(settings: ActionSettings) -> list[Action]:
    """Return the actions that touch nothing."""

    def test_map(given: Mapping[str, Any]) -> Outcome:
        size = given["size"]
        if not isinstance(size, int) or size > settings.largest_test_map:
            return failed(f"size must be a number up to {settings.largest_test_map}")
        prefix, value = given["key_prefix"], given["val"]
        if len(str(prefix)) > 100 or len(str(value)) > 100:
            return failed("key_prefix and val may have up to 100 characters")
        return Result(value={f"{prefix}{number}": value for number in range(size)})

    return [
        Action("std.noop", "Does nothing.", {}, lambda given: Result()),
        Action(
            "std.echo",
            "Returns its output.",
            {"output": REQUIRED, "delay": 0},
            _echo,
        ),
        Action(
            "std.fail", "Fails, with the given data if there is any.", {"error_data": None}, _fail
        ),
        Action("std.sleep", "Lets some seconds pass.", {"seconds": 1}, _sleep),
        Action(
            "std.async_noop",
            "Does nothing, and ends when its end is reported.",
            {},
            lambda given: Pause(None),
            is_asynchronous=True,
        ),
        Action(
            "std.test_dict",
            "Returns a map of so many keys, all with the same value.",
            {"size": 0, "key_prefix": "", "val": ""},
            test_map,
        ),
    ]


def _echo(given: Mapping[str, Any]) -> Outcome:
    return _after(given["delay"], float, Result(value=given["output"]))


def _fail(given: Mapping[str, Any]) -> Outcome:
    if given["error_data"]:
        return Result(error=given["error_data"], failed=True)
    return failed("std.fail failed, as it always does")


def _sleep(given: Mapping[str, Any]) -> Outcome:
    return _after(given["seconds"], int, Result())


def _after(wanted: Any, read: Callable[[Any], float], result: Result) -> Outcome:
    """Return the result, or the pause before it; what cannot be read as a number is none."""
    try:
        seconds = read(wanted)
    except ValueError:
        seconds = 0
    except OverflowError:
        seconds = math.inf
    except TypeError:
        return failed(f"{str(wanted)[:80]} is not a number of seconds")
    if seconds > _LONGEST_PAUSE:
        return failed(f"the pause is longer than {_LONGEST_PAUSE} seconds, which are allowed")
    return Pause(seconds, result) if seconds > 0 else result
