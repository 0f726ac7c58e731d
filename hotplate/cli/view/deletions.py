"""What a deletion would do, as people read it."""

from collections import Counter
from collections.abc import Sequence

import click

from hotplate.cli.answers.deletion import Fate, Rehearsed
from hotplate.cli.output.output import Output
from hotplate.cli.view.short_forms import printable, short_type

MOST = 200
_SIGNS = {
    Fate.DELETED: ("-", "red"),
    Fate.KEPT: ("=", "green"),
    Fate.EXTERNAL: ("=", "green"),
    Fate.HELD: ("!", "yellow"),
    Fate.FORGOTTEN: ("?", "yellow"),
}


def show_rehearsal(output: Output, name: str, fates: Sequence[Rehearsed]) -> None:
    """Print what stays, then what is deleted, in the order in which it goes."""
    counts = Counter(each.fate for each in fates)
    output.record(
        "rehearsal",
        stack_name=name,
        counts={fate.value: counts[fate] for fate in Fate},
        resources=[
            {
                "path": list(each.path),
                "resource_type": each.type,
                "fate": each.fate.value,
                "reason": each.reason,
                "after": list(each.after),
                "physical_resource_id": each.physical_id,
            }
            for each in fates
        ],
    )
    told = ", ".join(f"{counts[fate]:,} {fate.value}" for fate in Fate if counts[fate])
    output.say(f"Deleting {click.style(name, bold=True)}: {told or 'nothing in it'}")
    stay = [each for each in fates if each.fate.stays]
    going = [each for each in fates if not each.fate.stays]
    widest = min(max((len(each.dotted) for each in fates), default=0), 48)
    for number, each in enumerate([*stay, *going][:MOST], 1 - len(stay)):
        sign, color = _SIGNS[each.fate]
        fate = click.style(f"{sign} {each.fate.value:<8}", fg=color)
        turn = f"{number:>5}." if number > 0 else " " * 6
        words = f"{fate}  {printable(each.dotted):<{widest}}  {short_type(printable(each.type))}"
        output.say(f"{turn} {words}{f'  ({printable(each.reason)})' if each.reason else ''}")
    if len(fates) > MOST:
        output.say(f"       … and {len(fates) - MOST:,} more; --output json lists them")
