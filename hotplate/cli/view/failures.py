"""What failed: the leaf's own words first, then where it is, then the way on."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import click

from hotplate.cli.output.output import Output
from hotplate.cli.view.short_forms import printable, short_type, shown_value

_HEAD = re.compile(r"^(?:Resource \w+ failed: )?(\w+): resources\.\S+?: (.*)$", re.DOTALL)
_MOST = 20


def own_words(reason: str) -> str:
    """Return a reason without the path that was put before it on its way up.

    The class of error goes with it, unless it says that time was up: the rest may not.
    """
    found = _HEAD.match(reason)
    if found is None:
        return reason
    return f"{found[1]}: {found[2]}" if found[1].endswith("Timeout") else found[2]


def show_failures(
    output: Output, name: str, state: str, reason: str, failures: Sequence[Mapping[str, Any]]
) -> None:
    """Print everything that failed, and what can be done."""
    if not failures and reason:
        output.say_wrapped(f"  {printable(reason)}")
    for failure in failures[:_MOST]:
        path = ".".join(failure["path"])
        words = printable(own_words(failure.get("reason") or "")).strip()
        output.say_wrapped(f"  {words or 'no reason was given'}", fg="red")
        type_name = short_type(printable(failure.get("resource_type", "")))
        action = failure.get("resource_action", "")
        at = f"    at {click.style(printable(path), bold=True)} ({type_name})"
        physical = failure.get("physical_resource_id")
        output.say(f"{at}, {action}{' of an old version' if failure.get('is_old') else ''}")
        if failure.get("input"):
            given = ", ".join(
                f"{key}: {shown_value(text)}" for key, text in failure["input"].items()
            )
            output.say_wrapped(f"    its workflow was given {printable(given)}")
        if physical:
            output.say(f"    its object is {printable(physical)}")
        for stream, text in (failure.get("printed") or {}).items():
            output.say(f"    {stream}:")
            for line in text.splitlines():
                output.say(f"      {printable(line)}")
    if len(failures) > _MOST:
        output.say(f"  … and {len(failures) - _MOST:,} more; `hotplate show {name}` lists them")
    output.say("What next:")
    ways = ways_on(name, state, failures)
    widest = max(len(line) for line, _ in ways)
    for line, meaning in ways:
        output.say(f"  {line:<{widest}}  {meaning}")


def ways_on(name: str, state: str, failures: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return what to type, and what that does."""
    ways = [(f"hotplate retry {name}", "try again what failed")]
    if state.startswith(("UPDATE", "ROLLBACK", "RESTORE")):
        ways.append((f"hotplate rollback {name}", "go back to what last completed"))
    if state.startswith("CREATE"):
        ways.append((f"hotplate down {name}", "delete what has been made"))
    ways += _ways_without(name, state.startswith("DELETE"), failures)
    if failures:
        path = ".".join(failures[0]["path"])
        ways.append((f"hotplate why {name} {path}", "what led to it"))
    return ways


def _ways_without(
    name: str, is_deletion: bool, failures: Sequence[Mapping[str, Any]]
) -> list[tuple[str, str]]:
    """Return how to go on without what cannot be deleted."""
    stuck = [each for each in failures if is_deletion or each.get("resource_action") == "DELETE"]
    ways = []
    if stuck:
        path = ".".join(stuck[0]["path"])
        if is_deletion:
            line, rest = f"hotplate down {name} --forget {path}", "delete the rest"
        else:
            line, rest = f"hotplate resource forget {name} {path}", "then retry"
        ways.append((line, f"leave its object alone, {rest}"))
    if is_deletion:
        ways.append((f"hotplate abandon {name}", "forget the stack; all its objects stay"))
    return ways
