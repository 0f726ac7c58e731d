"""What a deletion would do, as people read it."""

from collections import Counter
from collections.abc import Sequence

import click

from hotplate.cli.output import Output
from hotplate.cli.rehearsal import Fate, Rehearsed
from hotplate.cli.view.words import printable, short_type

MOST = 200
_COLORS = {Fate.DELETED: "red", Fate.KEPT: "green", Fate.EXTERNAL: "green"}


def show_rehearsal(output: Output, name: str, fates: Sequence[Rehearsed]) -> None:
    """Print what is deleted, in which order, and what stays."""
    counts = Counter(each.fate for each in fates)
    output.record(
        "rehearsal",
        stack_name=name,
        counts={fate.name.lower(): counts[fate] for fate in Fate},
        resources=[
            {
                "path": list(each.path),
                "resource_type": each.type,
                "fate": each.fate.name.lower(),
                "turn": each.turn,
                "physical_resource_id": each.physical_id,
                "reason": each.reason,
            }
            for each in fates
        ],
    )
    told = ", ".join(f"{counts[fate]:,} {fate.value}" for fate in Fate if counts[fate])
    output.say(f"Deleting {click.style(name, bold=True)}: {told or 'nothing in it'}")
    stay = [each for each in fates if each.fate is not Fate.DELETED]
    going = [each for each in fates if each.fate is Fate.DELETED]
    widest = min(max((len(".".join(each.path)) for each in fates), default=0), 48)
    for each in [*stay, *going][:MOST]:
        fate = click.style(f"{each.fate.value:<14}", fg=_COLORS.get(each.fate))
        turn = f"{each.turn:>4}" if each.fate is Fate.DELETED else "    "
        kind = short_type(printable(each.type))
        output.say(f"{turn}  {fate}  {printable('.'.join(each.path)):<{widest}}  {kind}")
    if len(fates) > MOST:
        output.say(f"      … and {len(fates) - MOST:,} more; --output json lists them")
