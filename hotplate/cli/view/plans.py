"""A plan as people read it."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import click

from hotplate.cli.answers.plan import Plan, PlannedStep, PropertyChange, Step
from hotplate.cli.answers.sources import roots_of
from hotplate.cli.output.output import Output
from hotplate.cli.view.folding import FoldedStep, fair, folded_steps
from hotplate.cli.view.short_forms import can_draw, printable, short_type, shown_value

_SIGNS = {
    Step.CREATE: ("+", "green"),
    Step.UPDATE: ("~", "yellow"),
    Step.REPLACE: ("±", "magenta"),
    Step.DELETE: ("-", "red"),
    Step.REFUSE: ("!", "red"),
    Step.LEAVE: (" ", None),
}
_MOST_DIFFERING = 20
MOST = 200
"""Lines of a plan, changes aside, unless all are asked for."""


def counts_text(plan: Plan) -> str:
    """Return "2 to create, 1 to replace, 12 unchanged"."""
    counts = plan.counts
    words = [
        f"{counts[step]:,} {'refused' if step is Step.REFUSE else f'to {step.value}'}"
        for step in Step
        if step is not Step.LEAVE and counts[step]
    ]
    if counts[Step.LEAVE]:
        words.append(f"{counts[Step.LEAVE]:,} unchanged")
    return ", ".join(words) or "nothing in it"


def question(start: str, plan: Plan | None) -> str:
    """Return what is asked below a plan: it may be long, so the sums stand there once more."""
    return f"{start}?" if plan is None else f"{counts_text(plan)}. {start}?"


def show_plan(output: Output, name: str, plan: Plan, is_new: bool, show_all: bool = False) -> None:
    """Print everything that would be done, through all nesting."""
    if output.is_json:
        _record(output, name, plan, is_new)
        return
    noun = "new stack" if is_new else "stack"
    output.say(f"Plan for the {noun} {click.style(name, bold=True)}: {counts_text(plan)}")
    folded = folded_steps(plan.steps, with_every=show_all)
    shown, left = (folded, {}) if show_all else fair(folded, MOST)
    arrow = "→" if can_draw() else "->"
    widest = min(max((len(each.dotted) for each in shown), default=0), 48)
    for number, each in enumerate(shown):
        output.say(_line(each, widest))
        for change in each.step.changes:
            for line in _change_lines(change, arrow, plan.given):
                output.say_wrapped(line)
        if each.step.reason:
            output.say_wrapped(f"        why: {printable(each.step.reason)}")
        branch = each.path[0]
        is_last = number + 1 == len(shown) or shown[number + 1].path[0] != branch
        if is_last and branch in left:
            output.say(f"  … and {left[branch]:,} more of {printable(branch)}; --all lists them")
    _show_differing(output, plan)


def _show_differing(output: Output, plan: Plan) -> None:
    """Print where objects differ from what was applied, and the plan leaves them so."""
    differing = [step for step in plan.steps if step.differs_in]
    for step in differing[:_MOST_DIFFERING]:
        places = printable(", ".join(step.differs_in))
        output.say_wrapped(f"  {printable(step.dotted)} differs in: {places}")
    if len(differing) > _MOST_DIFFERING:
        more = len(differing) - _MOST_DIFFERING
        output.say(f"  … and {more:,} more; `hotplate check --last` lists them")
    if differing:
        output.say("  That stays as the last check found it; --converge brings it back.")


def _line(folded: FoldedStep, widest: int) -> str:
    step = folded.step
    sign, color = _SIGNS[step.step]
    if sign == "±" and not can_draw():
        sign = "#"
    words = f"{sign} {step.step.value:<15}"
    maybe = f"  (each of {folded.count:,})" if folded.count > 1 else ""
    if not step.is_certain:
        maybe += "  (a value is only known later)"
    if step.is_kept:
        maybe += "  (its object stays)"
    type_name = short_type(printable(step.type))
    path = f"{printable(folded.dotted):<{widest}}"
    return f"  {click.style(words, fg=color)}  {path}  {type_name}{maybe}"


def _change_lines(change: PropertyChange, arrow: str, given: Mapping[str, Any]) -> Iterator[str]:
    for name, old, new in _differences(change.name, change.old, change.new):
        before = click.style(printable(_shown(old)), fg="red")
        after = click.style(printable(_shown(new)), fg="green")
        roots = " and ".join(roots_of(change.sources, new, given))
        origin = f"  (from {printable(roots)})" if roots else ""
        yield f"        {printable(name)}: {before} {arrow} {after}{origin}"


def _differences(name: str, old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield what differs between two maps, and any other two values as they are."""
    if not (isinstance(old, Mapping) and isinstance(new, Mapping)):
        yield name, old, new
        return
    for key in dict.fromkeys([*old, *new]):
        if old.get(key) != new.get(key):
            yield from _differences(f"{name}.{key}", old.get(key), new.get(key))


def _shown(value: Any) -> str:
    return "nothing" if value is None else shown_value(value)


def _record(output: Output, name: str, plan: Plan, is_new: bool) -> None:
    counts = plan.counts
    output.record(
        "plan",
        stack_name=name,
        is_new=is_new,
        counts={step.name.lower(): counts[step] for step in Step},
        steps=[step_data(step) for step in plan.steps],
    )


def step_data(step: PlannedStep) -> dict[str, Any]:
    """Return a step as programs read it."""
    return {
        "path": list(step.path),
        "resource_type": step.type,
        "step": step.step.name.lower(),
        "physical_resource_id": step.physical_id,
        "reason": step.reason,
        "is_certain": step.is_certain,
        "is_kept": step.is_kept,
        "differs_in": list(step.differs_in),
        "written": None if step.written is None else asdict(step.written),
        "changes": [
            {
                "property": change.name,
                "old": change.old,
                "new": change.new,
                "is_in_place": change.is_in_place,
                "sources": [asdict(source) for source in change.sources],
            }
            for change in step.changes
        ],
    }
