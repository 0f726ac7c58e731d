"""What a deletion would do, as people read it."""

from collections import Counter
from collections.abc import Sequence

import click

from hotplate.cli.answers.deletion import DeletionStep, PlannedDeletion
from hotplate.cli.output.output import Output
from hotplate.cli.view.short_forms import printable, short_type

MOST = 200
_SIGNS = {
    DeletionStep.DELETED: ("-", "red"),
    DeletionStep.KEPT: ("=", "green"),
    DeletionStep.EXTERNAL: ("=", "green"),
    DeletionStep.WAITS_AT_HOOK: ("!", "yellow"),
    DeletionStep.FORGOTTEN: ("?", "yellow"),
}


def show_deletion(output: Output, name: str, planned: Sequence[PlannedDeletion]) -> None:
    """Print what stays, then what is deleted, in the order in which it goes."""
    counts = Counter(each.step for each in planned)
    output.record(
        "deletion_preview",
        stack_name=name,
        counts={step.value: counts[step] for step in DeletionStep},
        resources=[
            {
                "path": list(each.path),
                "resource_type": each.type,
                "step": each.step.value,
                "reason": each.reason,
                "after": list(each.after),
                "physical_resource_id": each.physical_id,
            }
            for each in planned
        ],
    )
    summary = ", ".join(f"{counts[step]:,} {step.value}" for step in DeletionStep if counts[step])
    output.say(f"Deleting {click.style(name, bold=True)}: {summary or 'nothing in it'}")
    stay = [each for each in planned if each.step.stays]
    going = [each for each in planned if not each.step.stays]
    widest = min(max((len(each.dotted) for each in planned), default=0), 48)
    for number, each in enumerate([*stay, *going][:MOST], 1 - len(stay)):
        sign, color = _SIGNS[each.step]
        step = click.style(f"{sign} {each.step.value:<8}", fg=color)
        turn = f"{number:>5}." if number > 0 else " " * 6
        line = f"{step}  {printable(each.dotted):<{widest}}  {short_type(printable(each.type))}"
        output.say(f"{turn} {line}{f'  ({printable(each.reason)})' if each.reason else ''}")
    if len(planned) > MOST:
        output.say(f"       … and {len(planned) - MOST:,} more; --output json lists them")
