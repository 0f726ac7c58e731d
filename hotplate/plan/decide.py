"""What an update does to a version (leave, update, replace, refuse), and why."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

from hotplate.document import same
from hotplate.model import Action, Definition, Relation, Status, Version
from hotplate.plan.definition import DRIFTED, UNAPPLIED
from hotplate.resources.capabilities import (
    Adoptable,
    AlwaysReplaced,
    AlwaysUpdated,
    NeverUpdated,
    RefusesReplacement,
)
from hotplate.resources.heat.provider_template import is_template_file
from hotplate.resources.resource_type import ResourceType
from hotplate.secret import secret

RETAINED: Final = ("Retain",)
"""Deletion policies by which an object stays."""

SNAPSHOT: Final = "Snapshot"
"""The deletion policy by which the state of an object is kept before it is deleted."""

_VISITED: Final = "something inside is looked at by every update"
_RESTORED: Final = "it gave up what a replacement needed, and is restored"
_HIDDEN: Final = "more of what it is given is secret"
_MARKS: Final = {
    UNAPPLIED: "it is well, but its last creation or update failed",
    DRIFTED: "its object has been changed to what is wanted",
}
"""Why an update is needed though nothing changes, by what is in place of a fingerprint."""

_UNKNOWN: Final = object()


class Step(Enum):
    """The five things that can happen to a resource in an update."""

    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    LEAVE = "leave"
    REFUSE = "refuse"


class Transfer(Enum):
    """How an object becomes external or managed."""

    ADOPT = "adopt"
    """An external object is used; there was none before."""

    HAND_OVER = "hand over"
    """The object stays and is external from now on."""

    SWITCH = "switch"
    """An external object takes the place of the present one."""

    RETURN = "return"
    """An external object is managed from now on."""


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

    transfer: Transfer | None = None
    is_visit: bool = False
    """Whether nothing about it changes: something in the nested stack is looked at every time."""

    restores: bool = False
    """Whether the object gets back what it gave up for a replacement; then it is updated."""


def keeps_snapshot(version: Version) -> bool:
    """Tell whether a deletion keeps the state of the object first. Pure.

    Of what never was complete there is nothing to keep.
    """
    return version.definition.deletion_policy == SNAPSHOT and bool(version.attributes)


def decide(
    version: Version,
    wanted: Definition,
    resource_type: ResourceType,
    restricted: Container[Step] = (),
    is_going_back: bool = False,
) -> Decision:
    """Return what must happen to a version so that it becomes what is wanted. Pure.

    ``restricted`` are steps that the environment forbids. What is being deleted is replaced all the
    same: there is nothing left to protect. ``is_going_back``: it is wanted because something else
    failed, so nothing is taken into management that was not managed before.
    """
    if wanted.external_id:
        decision = _decide_external(version, wanted)
    else:
        decision = _decide(version, wanted, resource_type, is_going_back)
    if decision.step is Step.LEAVE and wanted.child_digest and version.always_visited:
        # Nothing about it changes, so this is no reason to refuse anything.
        return (
            decision
            if Step.UPDATE in restricted
            else Decision(Step.UPDATE, _VISITED, is_visit=True)
        )
    if version.action is not Action.DELETE:
        decision = restrict(decision, restricted)
    return _with_restoration(decision, version)


def _with_restoration(decision: Decision, version: Version) -> Decision:
    """Return a decision by which a prepared object is not used before it is restored.

    Where nothing else changes that is no update which an environment could forbid.
    """
    if not version.is_prepared or decision.transfer is not None:
        return decision
    if decision.step not in (Step.LEAVE, Step.UPDATE):
        return decision
    return replace(decision, step=Step.UPDATE, reason=_RESTORED, restores=True)


def restrict(decision: Decision, restricted: Container[Step]) -> Decision:
    """Return a decision, or its refusal if the environment forbids the step."""
    if decision.step not in restricted:
        return decision
    reason = f"{decision.step.value} is restricted for resource."
    refused = decision.step
    return replace(decision, step=Step.REFUSE, reason=reason, restricted=refused, is_visit=False)


def replace_instead(decision: Decision, reason: str, restricted: Container[Step]) -> Decision:
    """Return a decision to update as one to replace, since the type says so; or its refusal."""
    replaced = replace(decision, step=Step.REPLACE, reason=reason, is_visit=False, restores=False)
    return restrict(replaced, restricted)


def _decide_external(version: Version, wanted: Definition) -> Decision:
    """Return how a version comes to its external object."""
    old, new = version.physical_id, wanted.external_id
    if version.action is Action.INIT:
        return Decision(Step.CREATE, f"adopt {new}", transfer=Transfer.ADOPT)
    before = version.type_name
    is_other = version.is_nested_stack or before != wanted.type_name
    is_gone = version.action is Action.DELETE or old is None
    if version.is_external and not is_other and version.action is not Action.DELETE:
        if old is None:
            return Decision(Step.UPDATE, f"adopt {new}", transfer=Transfer.ADOPT)
        if old != new:
            reason = f"adopt {new}, leave {old} as it is"
            return Decision(Step.UPDATE, reason, transfer=Transfer.SWITCH)
        if version.relation is not Relation.RETURNING:
            return Decision(Step.LEAVE)
    if old == new and not is_other and not is_gone:
        return Decision(Step.UPDATE, f"hand over {old}", transfer=Transfer.HAND_OVER)
    if is_gone:
        return Decision(Step.REPLACE, f"adopt {new}", transfer=Transfer.ADOPT)
    stays = version.is_external or version.definition.deletion_policy in RETAINED
    old_object = f"leave {old} as it is" if stays else f"delete {old}"
    return Decision(Step.REPLACE, f"adopt {new}, {old_object}", transfer=Transfer.SWITCH)


def decide_return(
    version: Version, wanted: Definition, resource_type: ResourceType, live: Mapping[str, Any]
) -> Decision:
    """Return how an external object becomes managed, given what is known of it. Pure.

    ``live`` are values of properties as the provider tells them. What it does not tell may have
    any value and is set. A difference that cannot be made in place leaves the object alone, and a
    new one is made. Only properties that the template gives are compared. A refusal counts for an
    object that is there: see `decide_anew` for one that is not. Raises BadProperty.
    """
    lost = (
        resource_type.irrecoverable
        if isinstance(resource_type, Adoptable) and not version.data
        else ""
    )
    if lost:
        reason = f"{version.physical_id} stays external: {lost} cannot be recovered"
        return Decision(Step.REFUSE, reason, transfer=Transfer.RETURN)
    new = resource_type.convert(wanted.properties)
    given = {
        name: declared
        for name, declared in resource_type.properties.items()
        if wanted.properties.get(name) is not None or not same(new.get(name), declared.default)
    }
    mask = wanted.secrets().typed
    # Where a secret is wanted, there may be another one now.
    secret_names = {path[1] for path in wanted.secret_paths() if path[0] == "properties"}
    changes = tuple(
        Change(
            name,
            secret(live.get(name)) if name in secret_names else live.get(name),
            mask(new[name]),
            declared.updatable,
        )
        for name, declared in given.items()
        if live.get(name, new[name] if not declared.updatable else _UNKNOWN) != new[name]
    )
    return _returned(version, resource_type, changes)


def decide_anew(version: Version) -> Decision:
    """Return what becomes of a resource that shall be managed and has no object any more. Pure."""
    return Decision(Step.REPLACE, f"{version.physical_id} is gone: a new object is made")


def _returned(
    version: Version, resource_type: ResourceType, changes: tuple[Change, ...]
) -> Decision:
    fixed = [change.name for change in changes if not change.in_place]
    for name in fixed:
        if resource_type.properties[name].immutable:
            reason = f'the property "{name}" can never be changed'
            return Decision(Step.REFUSE, reason, changes, transfer=Transfer.RETURN)
    if fixed:
        reason = (
            f"{', '.join(fixed)} of {version.physical_id} cannot be changed in place: a new object "
            f"is made, {version.physical_id} stays as it is"
        )
        return Decision(Step.REPLACE, reason, changes)
    names = ", ".join(change.name for change in changes)
    reason = f"return to management: update {names}" if names else "return to management"
    return Decision(Step.UPDATE, reason, changes, transfer=Transfer.RETURN)


def _decide(
    version: Version, wanted: Definition, resource_type: ResourceType, is_going_back: bool
) -> Decision:
    if version.action is Action.INIT:
        return Decision(Step.CREATE)
    if version.action is Action.DELETE:
        return Decision(Step.REPLACE, "the old one is being deleted")
    before = version.type_name
    nested = version.is_nested_stack
    # One template file in place of another is a change like any other of what is inside.
    files = is_template_file(before) and is_template_file(wanted.type_name)
    is_same = before == wanted.type_name or before in resource_type.former_names
    if nested != bool(wanted.child_digest) or not (is_same or files):
        return Decision(Step.REPLACE, f"the type changes from {before} to {wanted.type_name}")
    if version.is_external:
        return _decide_managed(version, wanted, resource_type, is_going_back)
    if version.relation is Relation.SPENT:
        return Decision(Step.REPLACE, "it had failed when it gave up what a replacement needed")
    return _decide_by_state(version, wanted, resource_type)


def _decide_by_state(version: Version, wanted: Definition, resource_type: ResourceType) -> Decision:
    """Return what becomes of an object that is ours and of the type that is wanted."""
    if isinstance(resource_type, NeverUpdated) and version.physical_id is not None:
        return Decision(Step.LEAVE)
    if isinstance(resource_type, AlwaysReplaced):
        return Decision(Step.REPLACE, "every update replaces it")
    if is_hurt(version, resource_type):
        return Decision(Step.REPLACE, f"the last {version.action.value} failed")
    return _decide_by_changes(version, wanted, resource_type)


def is_hurt(version: Version, resource_type: ResourceType) -> bool:
    """Tell whether the object of a version has failed in such a way that it must be replaced.

    Not if it failed before the object was touched, or when that was to be prepared: then the
    object is as it was, or is restored.
    """
    if version.status is not Status.FAILED or version.relation is Relation.KEPT:
        return False
    if version.action is Action.CHECK:
        return True
    return resource_type.replace_when_failed and version.relation is not Relation.PREPARED


def _decide_managed(
    version: Version, wanted: Definition, resource_type: ResourceType, is_going_back: bool
) -> Decision:
    """Return how a resource that is an external object becomes one that is managed."""
    if version.physical_id is None:
        return Decision(Step.REPLACE, "what was to be adopted was never found")
    if is_going_back and version.relation is Relation.EXTERNAL:
        reason = f"{version.physical_id} was not managed before and stays as it is"
        return Decision(Step.REPLACE, reason)
    return decide_return(version, wanted, resource_type, {})


def _decide_by_changes(
    version: Version, wanted: Definition, resource_type: ResourceType
) -> Decision:
    """Return what the difference between the old and the new definition demands."""
    changes = property_changes(version, wanted, resource_type)
    for change in changes:
        if resource_type.properties[change.name].immutable:
            return Decision(
                Step.REFUSE, f'the property "{change.name}" can never be changed', changes
            )
    replacing = [change.name for change in changes if not change.in_place]
    if replacing:
        if refusal := _refusal(version, wanted, resource_type):
            return Decision(Step.REFUSE, refusal, changes)
        names = ", ".join(replacing)
        return Decision(Step.REPLACE, f"a change of {names} cannot be made in place", changes)
    if changes:
        old = resource_type.convert(version.definition.properties)
        new = resource_type.convert(wanted.properties)
        reason = resource_type.replacement_reason(old, new)
        if reason:
            return Decision(Step.REPLACE, reason, changes)
    # Properties have been compared as their types take them.
    unchanged = (
        not changes
        and same(_besides(version.definition), _besides(wanted))
        and not _hides_more(version, wanted)
    )
    if unchanged and (version.status is not Status.FAILED or version.relation is Relation.KEPT):
        if version.fingerprint in _MARKS:
            return Decision(Step.UPDATE, _MARKS[version.fingerprint])
        if always_updates(wanted, resource_type):
            return Decision(Step.UPDATE, "it is updated every time")
        return Decision(Step.LEAVE)
    return Decision(Step.UPDATE, "" if changes else _other_reason(version, wanted), changes)


def _hides_more(version: Version, wanted: Definition) -> bool:
    """Tell whether a nested stack is given as a secret what it did not know to be one."""
    if not wanted.child_digest:
        return False
    return not (wanted.secrets().texts <= version.definition.secrets().texts)


def _refusal(version: Version, wanted: Definition, resource_type: ResourceType) -> str:
    """Return why a replacement that property changes demand must not be begun; else nothing."""
    if not isinstance(resource_type, RefusesReplacement) or version.physical_id is None:
        return ""
    old = resource_type.convert(version.definition.properties)
    return resource_type.replacement_refusal(old, resource_type.convert(wanted.properties))


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
    before, after = version.definition.as_data(), wanted.as_data()
    changed = (words for key, words in _WORDS.items() if not same(before.get(key), after[key]))
    return next(changed, _HIDDEN if _hides_more(version, wanted) else "")


def _besides(definition: Definition) -> dict[str, Any]:
    """Return a definition without its properties, so that it can be compared."""
    data = definition.as_data()
    data.pop("properties", None)
    data.pop("secrets", None)  # that a value is secret by now changes nothing about the object
    return data


def always_updates(wanted: Definition, resource_type: ResourceType) -> bool:
    """Tell whether a resource is updated though nothing has changed."""
    return _always_updates(wanted.properties, resource_type)


def _always_updates(properties: dict[str, Any], resource_type: ResourceType) -> bool:
    return isinstance(resource_type, AlwaysUpdated) and resource_type.always_updates(
        resource_type.convert(properties)
    )


def asks_for_visits(version: Version, resource_type: ResourceType) -> bool:
    """Tell whether every update must visit a version, whatever else stays as it is.

    Then it must also visit the outer stacks.
    """
    if version.is_nested_stack:
        return version.always_visited
    if version.is_external or isinstance(resource_type, AlwaysReplaced):
        return True
    return _always_updates(version.definition.properties, resource_type)


def is_suspended(version: Version) -> bool:
    """Tell whether the object may be at rest: it was suspended, and has not been resumed since."""
    return version.action is Action.SUSPEND or (
        version.action is Action.RESUME and version.status is Status.FAILED
    )


def property_changes(
    version: Version, wanted: Definition, resource_type: ResourceType
) -> tuple[Change, ...]:
    """Return the properties whose values differ, defaults filled in."""
    given_before = version.definition.properties
    if same(given_before, wanted.properties):
        return ()
    old = resource_type.convert(given_before)
    new = resource_type.convert(wanted.properties)
    # A type gets and gives plain values.
    typed = (version.definition.secrets() | wanted.secrets()).typed
    return tuple(
        Change(
            name,
            typed(old.get(name)),
            typed(new.get(name)),
            resource_type.properties[name].updatable,
        )
        for name in dict.fromkeys((*old, *new))
        if not same(old.get(name), new.get(name))
    )
