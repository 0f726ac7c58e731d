"""What an update will do to a version while values it depends on are only known later."""

from collections.abc import Collection, Container
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from hotplate.model import Definition, Version
from hotplate.plan.decide import Change, Decision, Step, decide, restrict
from hotplate.resources.capabilities import NeverUpdated
from hotplate.resources.property import BadProperty
from hotplate.resources.resource_type import ResourceType

KNOWN_LATER: Final = "(known later)"
"""Shown for a value that comes from a resource which is still to be made or changed."""

METADATA: Final = "metadata"
UPDATE_POLICY: Final = "update_policy"
"""Names, beside those of properties, of what may be known later."""


@dataclass(frozen=True, slots=True)
class ExpectedDecision:
    """A decision; if it is not ``certain``, it may turn out that less has to be done."""

    decision: Decision
    certain: bool = True


def decide_with_unknown(
    version: Version,
    wanted: Definition,
    resource_type: ResourceType,
    unknown: Collection[str],
    restricted: Container[Step] = (),
) -> ExpectedDecision:
    """Return what will be decided. ``unknown`` are the properties whose values are not known yet.

    What is certain is decided as if those values did not change; then the most is assumed that
    their change can demand.
    """
    if not unknown:
        return ExpectedDecision(decide(version, wanted, resource_type, restricted))
    version = replace(version, definition=_in_todays_names(version.definition, resource_type))
    wanted = _in_todays_names(wanted, resource_type)
    unknown = {_todays_name(resource_type, name) for name in unknown}
    old = version.definition.properties
    try:
        decision = decide(version, unchanged(version, wanted, unknown), resource_type)
    except BadProperty:
        decision = Decision(Step.UPDATE)
    with suppress(BadProperty):  # the properties are those of another type if that changes
        old = resource_type.convert(old)
    typed = version.definition.secrets().typed
    open_changes = tuple(
        Change(name, typed(old.get(name)), KNOWN_LATER, _in_place(resource_type, name))
        for name in sorted(unknown)
        if name not in (METADATA, UPDATE_POLICY)
    )
    changes = (*decision.changes, *open_changes)
    if decision.transfer is not None:
        return ExpectedDecision(restrict(replace(decision, changes=changes), restricted), False)
    if decision.step not in (Step.LEAVE, Step.UPDATE):
        return ExpectedDecision(restrict(replace(decision, changes=changes), restricted))
    replacing = [change.name for change in open_changes if not change.in_place]
    if isinstance(resource_type, NeverUpdated) and decision.step is Step.LEAVE:
        return ExpectedDecision(decision)
    if replacing:
        reason = f"{', '.join(replacing)} may change, which cannot be made in place"
        expected = Decision(Step.REPLACE, reason, changes)
    else:
        expected = replace(decision, step=Step.UPDATE, changes=changes)
    is_certain = decision.step is expected.step
    return ExpectedDecision(restrict(expected, restricted), is_certain)


def _in_todays_names(definition: Definition, resource_type: ResourceType) -> Definition:
    properties = {
        _todays_name(resource_type, name): value for name, value in definition.properties.items()
    }
    return replace(definition, properties=properties)


def _todays_name(resource_type: ResourceType, written: str) -> str:
    """Return the name of a property that a template may give under an older one."""
    for name, declared in resource_type.properties.items():
        if written in declared.older:
            return name
    return written


def _in_place(resource_type: ResourceType, name: str) -> bool:
    declared = resource_type.properties.get(name)
    return declared is None or declared.updatable


def unchanged(version: Version, wanted: Definition, unknown: Collection[str]) -> Definition:
    """Return the definition in which whatever is not known yet is as it was."""
    before = version.definition
    given = before.properties
    properties = {
        name: given.get(name) if name in unknown else value
        for name, value in wanted.properties.items()
        if name not in unknown or name in given
    }
    return replace(
        wanted,
        properties=properties,
        metadata=before.metadata if METADATA in unknown else wanted.metadata,
        update_policy=before.update_policy if UPDATE_POLICY in unknown else wanted.update_policy,
        # What is inside follows from the properties.
        child_digest=before.child_digest if wanted.child_digest else "",
    )
