"""What an update node does to its version, and why."""

from collections.abc import Container
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

from hotplate.model import Action, Status, Version
from hotplate.plan.definition import Definition
from hotplate.resources.heat.provider_template import is_template_file
from hotplate.resources.resource_type import ResourceType


class Step(Enum):
    """The five things that can happen to a resource in an update."""

    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    LEAVE = "leave"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Change:
    """A property whose value differs."""

    name: str
    old: Any
    new: Any
    in_place: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """The step, the reason in words, and the properties that differ."""

    step: Step
    reason: str = ""
    changes: tuple[Change, ...] = ()
    restricted: Step | None = None
    """The step that would be taken if the environment did not forbid it; set with REFUSE only."""


def decide(
    version: Version,
    wanted: Definition,
    kind: ResourceType,
    restricted: Container[Step] = (),
) -> Decision:
    """Return what must happen to a version so that it becomes what is wanted. Pure.

    ``restricted`` are steps that the environment forbids. What is being deleted is replaced all the
    same: there is nothing left to protect.
    """
    decision = _decide(version, wanted, kind)
    return decision if version.action is Action.DELETE else restrict(decision, restricted)


def restrict(decision: Decision, restricted: Container[Step]) -> Decision:
    """Return a decision, or its refusal if the environment forbids the step."""
    if decision.step not in restricted:
        return decision
    reason = f"{decision.step.value} is restricted for resource."
    return replace(decision, step=Step.REFUSE, reason=reason, restricted=decision.step)


def _decide(version: Version, wanted: Definition, kind: ResourceType) -> Decision:
    if version.action is Action.INIT:
        return Decision(Step.CREATE)
    if version.action is Action.DELETE:
        return Decision(Step.REPLACE, "the old one is being deleted")
    before = version.definition.get("kind", version.type)
    nested = bool(version.definition.get("child"))
    # One template file in place of another is a change like any other of what is inside.
    files = is_template_file(before) and is_template_file(wanted.kind)
    if nested != bool(wanted.child) or (before != wanted.kind and not files):
        return Decision(Step.REPLACE, f"the type changes from {before} to {wanted.kind}")
    if kind.ignores_changes and version.physical_id is not None:
        return Decision(Step.LEAVE)
    if kind.replaced_by_updates:
        return Decision(Step.REPLACE, "every update replaces it")
    if version.status is Status.FAILED and (
        kind.replace_when_failed or version.action is Action.CHECK
    ):
        return Decision(Step.REPLACE, f"the last {version.action.value} failed")
    return _decide_by_changes(version, wanted, kind)


def _decide_by_changes(version: Version, wanted: Definition, kind: ResourceType) -> Decision:
    """Return what the difference between the old and the new definition demands."""
    changes = property_changes(version, wanted, kind)
    for change in changes:
        if kind.properties[change.name].immutable:
            return Decision(
                Step.REFUSE, f'the property "{change.name}" can never be changed', changes
            )
    replacing = [change.name for change in changes if not change.in_place]
    if replacing:
        names = ", ".join(replacing)
        return Decision(Step.REPLACE, f"a change of {names} cannot be made in place", changes)
    if changes:
        old = kind.convert(version.definition.get("properties", {}))
        new = kind.convert(wanted.properties)
        reason = kind.replacement_reason(old, new)
        if reason:
            return Decision(Step.REPLACE, reason, changes)
    unchanged = not changes and version.definition == wanted.as_data()
    if unchanged and version.status is not Status.FAILED:
        if always_updates(wanted, kind):
            return Decision(Step.UPDATE, "it is updated every time")
        return Decision(Step.LEAVE)
    return Decision(Step.UPDATE, "" if changes else _other_reason(version, wanted), changes)


_WORDS: Final = {
    "child": "what is inside changes",
    "metadata": "the metadata changes",
    "deletion_policy": "the deletion policy changes",
    "update_policy": "the update policy changes",
    "depends_on": "it depends on other resources",
}


def _other_reason(version: Version, wanted: Definition) -> str:
    """Return why a version is updated although no property differs."""
    if version.status is Status.FAILED:
        return f"the last {version.action.value} failed"
    data = wanted.as_data()
    return next(
        (words for key, words in _WORDS.items() if version.definition.get(key) != data[key]), ""
    )


def always_updates(wanted: Definition, kind: ResourceType) -> bool:
    """Tell whether a resource is updated though nothing has changed."""
    if type(kind).always_updates is ResourceType.always_updates:
        return False  # most types: their properties need not be converted for it
    return kind.always_updates(kind.convert(wanted.properties))


def is_suspended(version: Version) -> bool:
    """Tell whether the object may be at rest: it was suspended, and has not been resumed since."""
    return version.action is Action.SUSPEND or (
        version.action is Action.RESUME and version.status is Status.FAILED
    )


def property_changes(
    version: Version, wanted: Definition, kind: ResourceType
) -> tuple[Change, ...]:
    """Return the properties whose values differ, defaults filled in."""
    given_before = version.definition.get("properties", {})
    if given_before == wanted.properties:
        return ()
    old = kind.convert(given_before)
    new = kind.convert(wanted.properties)
    return tuple(
        Change(name, old.get(name), new.get(name), kind.properties[name].updatable)
        for name in dict.fromkeys((*old, *new))
        if old.get(name) != new.get(name)
    )
