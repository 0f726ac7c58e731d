"""What an old object gives up before its replacement is made. Previews and updates ask this."""

from dataclasses import replace

from hotplate.model import Action, Definition, Relation, Status, Version
from hotplate.plan.decide import RETAINED, Decision, Step, is_hurt
from hotplate.resources.capabilities import PreparesReplacement
from hotplate.resources.catalogue import Catalogue, UnknownType
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.property import BadProperty
from hotplate.resources.resource_type import ResourceType


def preparing_type(version: Version, catalogue: Catalogue) -> PreparesReplacement | None:
    """Return the type of a version that may have to give something up; None if it has not to.

    It is the type that the version has, whatever is wanted. Nothing is asked of an object that is
    external or stays by its deletion policy.
    """
    is_made = version.physical_id is not None or version.may_have_unknown_object
    is_deleted = version.action is Action.DELETE and version.status is Status.COMPLETE
    if not is_made or is_deleted or version.action is Action.INIT:
        return None
    is_ours = not version.is_external and not version.is_nested_stack
    if not is_ours or version.definition.deletion_policy in RETAINED:
        return None
    try:
        resource_type = resource_type_for(catalogue, version.type_name)
    except UnknownType:
        return None
    return resource_type if isinstance(resource_type, PreparesReplacement) else None


def given_up(version: Version, wanted: Definition, resource_type: PreparesReplacement) -> str:
    """Return what the object of a version gives up for one that is wanted, for people. Pure.

    Properties that are not known are taken for those that the old object has.
    """
    try:
        old = resource_type.convert(version.definition.properties)
        new = None
        if wanted.type_name == version.type_name:
            new = resource_type.convert(wanted.properties)
    except BadProperty:
        return ""  # whoever makes the new object says what is wrong
    return resource_type.gives_up(old, new)


def with_preparation(
    decision: Decision, version: Version, wanted: Definition, catalogue: Catalogue
) -> Decision:
    """Return a decision that says, if it replaces, what the old object gives up first."""
    if decision.step is not Step.REPLACE:
        return decision
    resource_type = preparing_type(version, catalogue)
    what = given_up(version, wanted, resource_type) if resource_type is not None else ""
    if not what:
        return decision
    note = f"the old object gives up {what} before the new one is made"
    reason = f"{decision.reason}; {note}" if decision.reason else note
    return replace(decision, reason=reason)


def prepared_relation(version: Version, resource_type: ResourceType) -> Relation:
    """Return what a version becomes whose object gives something up.

    One that has failed, or is in the middle of something, must not come back as if it were well.
    """
    if version.relation is Relation.SPENT or version.action is Action.DELETE:
        return Relation.SPENT
    is_open = version.status is Status.IN_PROGRESS and not version.is_giving_up
    is_lost = is_open or is_hurt(version, resource_type)
    return Relation.SPENT if is_lost else Relation.PREPARED
