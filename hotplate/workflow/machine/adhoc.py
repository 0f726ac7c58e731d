"""Ad-hoc actions: from what a task calls to the action that does it, and back with its result."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from hotplate.workflow.language import REQUIRED, AdhocAction
from hotplate.workflow.machine.effects import Result
from hotplate.workflow.machine.scope import Broken, Evaluation
from hotplate.workflow.model import State, TaskRun

Find: TypeAlias = Callable[[str], AdhocAction | None]
"""Returns the ad-hoc action of a name; None for a name that is none."""

DEEPEST: Final = 20


class InvalidCall(Exception):
    """The input does not fit the action, or its chain of bases is wrong: a broken result."""


@dataclass(frozen=True, slots=True)
class Call:
    """What is really to be performed: never an ad-hoc action.

    ``outputs`` are the transformations of the result, the innermost first.
    """

    name: str
    values: dict[str, Any]
    outputs: tuple[Any, ...] = ()


def unfold(
    name: str, values: dict[str, Any], find: Find, evaluation: Evaluation, task: TaskRun
) -> Call:
    """Follow the bases of an ad-hoc action. Raises InvalidCall."""
    outputs: list[Any] = []
    seen: set[str] = set()
    while (adhoc := find(name)) is not None:
        if adhoc.name in seen or len(seen) >= DEEPEST:
            raise InvalidCall(f"the ad-hoc action {adhoc.name} is based on itself, or too deep")
        seen.add(adhoc.name)
        known = _complete(adhoc, values)
        if adhoc.output is not None:
            outputs.insert(0, adhoc.output)
        try:
            values = evaluation.of_task(adhoc.base_input, task, known)
        except Broken as broken:
            raise InvalidCall(f"the ad-hoc action {adhoc.name} failed: {broken}") from None
        name = adhoc.base
    return Call(name, values, tuple(outputs))


def _complete(adhoc: AdhocAction, values: dict[str, Any]) -> dict[str, Any]:
    check_names(adhoc.name, adhoc.inputs, values)
    return {**{k: v for k, v in adhoc.inputs.items() if v is not REQUIRED}, **values}


def check_names(name: str, inputs: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """Raise InvalidCall if input is missing or not known; ``inputs`` maps names to defaults."""
    missing = [n for n, default in inputs.items() if default is REQUIRED and n not in values]
    unexpected = [str(n)[:80] for n in values if n not in inputs]
    if missing or unexpected:
        faults = [f"missing={missing}"] if missing else []
        faults += [f"unexpected={unexpected[:20]}"] if unexpected else []
        raise InvalidCall(f"Invalid input of action {name}: {', '.join(faults)}")


def converted(call: Call, result: Result, evaluation: Evaluation, task: TaskRun) -> Result:
    """Return the result as the ad-hoc actions give it; a failure stays what it is."""
    if result.state is not State.SUCCESS:
        return result
    value = result.value
    try:
        for output in call.outputs:
            value = evaluation.of_value(output, value, task)
    except Broken as broken:
        return Result(error=f"the output of the ad-hoc action failed: {broken}", broken=True)
    return Result(value)
