"""What differs from what was applied, as people read it: like a diff."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

from hotplate.cli.output.output import Output
from hotplate.cli.view.short_forms import printable, short_type, shown_value

_LONGEST = 2000


def show_differences(
    output: Output, name: str, found: Sequence[Mapping[str, Any]], is_checked: bool = True
) -> None:
    """Print what differs in a stack, with the way to each. ``is_checked``: it has just been."""
    for each in found:
        output.record("difference", **each)
    if not found:
        when = "" if is_checked else ", says the last check"
        output.say(f"nothing differs in {name} from what was applied{when}")
        return
    for each in found:
        path = click.style(printable(".".join(each["path"])), bold=True)
        type_name = short_type(printable(each["resource_type"]))
        output.say(f"{path} ({type_name}) {printable(each['physical_resource_id'] or '')}".rstrip())
        say_differences(output, each["differences"])
    output.note(f"an update of {name} leaves that as it is; one with --converge brings it back")


def say_differences(output: Output, differences: Iterable[Mapping[str, Any]]) -> None:
    """Print where one object differs: what was applied, and below it what is live."""
    for difference in differences:
        key = printable(difference["property"])
        for sign, side, color in (("-", "applied", "red"), ("+", "live", "green")):
            if difference[side] is not None:
                value = printable(shown_value(difference[side], _LONGEST))
                output.say_wrapped(f"  {sign} {key}: {value}", fg=color)
