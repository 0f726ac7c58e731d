"""A resource that is a stack: what its version asks of the stack, and what the stack reports."""

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from sqlalchemy import Connection

from hotplate.bounded import Evaluation, at_hand
from hotplate.document import Data, InvalidDocument
from hotplate.engine import status_texts
from hotplate.engine.published_values import published_by, storable_attributes
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import Bound, RecipeBook, StackFacts
from hotplate.model import Action, ReasonCode, Stack, Status, Version
from hotplate.plan.decide import asks_for_visits
from hotplate.resources.capabilities import (
    AlwaysReplaced,
    AlwaysUpdated,
    HasVariants,
    NestedStack,
)
from hotplate.resources.catalogue import Catalogue, UnknownType
from hotplate.resources.cookie import Cookie
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.resources.property import BadProperty
from hotplate.resources.resource_type import Child, ResourceType
from hotplate.resources.stages import Contents
from hotplate.store.large.survey import kinds_of_versions, references_by_id, survey
from hotplate.store.stacks import read_stacks
from hotplate.store.versions import (
    members_of_stacks,
    read_versions,
    versions_of,
)
from hotplate.template import NoValue, ResolveError, ResourceData


class HasBook(Protocol):
    """The part of the engine's tools that binds recipes."""

    @property
    def book(self) -> RecipeBook:
        """What is bound."""


@dataclass(frozen=True, slots=True)
class DelegationCookie(Cookie):
    """What a version whose nested stack acts keeps until that has ended."""

    node: int
    """The node for which the nested stack acts."""

    policy: str | None = None
    """The update policy by which it goes on after its present stage; None after the last one."""

    pause: float | None = None
    """Seconds between two stages."""

    until: float | None = None
    """When the pause after the stage that has ended is over."""

    scaling: bool | None = None
    """Whether a signal began it, and no traversal."""


@dataclass(frozen=True, slots=True)
class ChildRequest:
    """What a node asks of the nested stack of its version."""

    action: Action
    recipe: Recipe | None
    """What it shall be made of; None unless it gets a new recipe: for a deletion and for visits."""

    adopted: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What is known of the resources of a stack that is taken over."""

    timeout: int | None = None
    """Minutes that it may take; counts with a recipe only."""

    converges: bool = False
    """Whether objects are compared with what is wanted; counts with a recipe only."""


@dataclass(frozen=True, slots=True)
class ChildReport:
    """What a stack reports to the version of its parent that it is."""

    stack: Stack | None
    child: Child | None = None
    failures: tuple[str, ...] = ()
    """Why it failed, in the words of whatever failed in it; empty if it did not."""

    is_stopped: bool = False
    """Whether the work in it was only ended, for a cause that is not its own."""

    asks_for_visits: bool = False
    """Whether something in it must be looked at by every update."""

    @property
    def is_running(self) -> bool:
        """Whether there is more to wait for."""
        return self.stack is not None and self.stack.status is Status.IN_PROGRESS


_MANY = 1000
"""Members of a group that are not all read to find out what it offers, if nobody asks for that."""


def child_reports(
    connection: Connection,
    book: RecipeBook,
    catalogue: Catalogue,
    stack_ids: Sequence[str],
    reads_all: bool = False,
) -> list[ChildReport]:
    """Return for each child how it stands and, if it is complete, what it offers.

    Of very many members nothing is read that nobody asks for, unless ``reads_all``.
    """
    stacks = read_stacks(connection, set(stack_ids))
    complete = [
        stack.id
        for stack in stacks.values()
        if stack.status is Status.COMPLETE and stack.deleted_at is None
    ]
    # Before all that is in them is read: if it takes long, that is done elsewhere first.
    bounds = {each: book.bound(connection, stacks[each], stacks[each].recipe) for each in complete}
    unread = set()
    if not reads_all:
        unread = {
            each
            for each in complete
            if len(bounds[each].template.resources) > _MANY
            and _is_unasked(connection, book, catalogue, stacks[each])
            and _is_quiet(connection, catalogue, bounds[each], each)
        }
    found: dict[str, _Members] = {each: {} for each in complete if each not in unread}
    for version in members_of_stacks(connection, found):
        names = bounds[version.stack_id].template.resources
        _add(found[version.stack_id], version, names, catalogue)
    members: dict[str, _Members | None] = {**dict.fromkeys(unread), **found}
    return [_report(connection, book, stacks.get(each), members) for each in stack_ids]


def _is_unasked(
    connection: Connection, book: RecipeBook, catalogue: Catalogue, stack: Stack
) -> bool:
    """Tell whether the stack around one asks for nothing that its members offer."""
    outer = read_stacks(connection, [stack.parent_id or ""]).get(stack.parent_id or "")
    holder = read_versions(connection, [stack.parent_version or 0]).get(stack.parent_version or 0)
    bound = None if outer is None else book.known(outer.id, outer.recipe)
    if bound is None or holder is None:
        return False
    try:
        resource_type = as_nested_stack(resource_type_for(catalogue, holder.type_name))
    except UnknownType:
        return False
    return not resource_type.publishes_members(bound.needed.get(holder.name, ()))


def _is_quiet(connection: Connection, catalogue: Catalogue, bound: Bound, stack_id: str) -> bool:
    """Tell whether no resource of a stack must be visited by every update, judged by the types."""
    registry = bound.environment.registry
    if bound.template.template.outputs or registry.names_resources:
        return False
    for kind in kinds_of_versions(connection, stack_id):
        try:
            resolution = registry.lookup(kind.type)
            resource_type = resource_type_for(catalogue, resolution.template or resolution.type)
        except (UnknownType, InvalidDocument):
            return False
        if kind.is_visited or isinstance(
            resource_type, AlwaysReplaced | AlwaysUpdated | HasVariants
        ):
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Member:
    """What a report needs of a version, which may be one of very many."""

    owner: int
    created_at: float
    data: ResourceData
    asks_for_visits: bool


_Members = dict[str, _Member]


def _add(members: _Members, version: Version, names: Container[str], catalogue: Catalogue) -> None:
    """Add a version, unless another one of its name was wanted later."""
    known = members.get(version.name)
    if _is_present(version, names) and (known is None or known.owner <= version.owner):
        asks = _asks_for_visits(catalogue, version)
        members[version.name] = _Member(
            version.owner, version.created_at, published_by(version), asks
        )


def _report(
    connection: Connection,
    book: RecipeBook,
    stack: Stack | None,
    members: Mapping[str, _Members | None],
) -> ChildReport:
    if stack is not None and stack.status is Status.FAILED:
        failures, is_stopped = _failures(connection, stack)
        return ChildReport(stack, failures=failures, is_stopped=is_stopped)
    if stack is None or stack.id not in members:
        return ChildReport(stack)
    bound = book.bound(connection, stack, stack.recipe)
    found = members[stack.id]
    if found is None:
        return ChildReport(stack, replace(child_of(stack, bound, {}), knows_members=False))
    order = sorted(found, key=lambda name: (found[name].created_at, name))
    asks = any(member.asks_for_visits for member in found.values())
    offered = {name: found[name].data for name in order}
    return ChildReport(stack, child_of(stack, bound, offered), asks_for_visits=asks)


def child_of(stack: Stack, bound: Bound, members: Mapping[str, ResourceData]) -> Child:
    """Return what a stack offers to the resource that it is, given what is in it."""
    outputs: dict[str, Any] = {}
    if bound.template.template.outputs:
        whose = StackFacts(stack.id, stack.name, stack.project)
        evaluation = Evaluation(
            stack.project, _outputs_of, (whose, bound.recipe, bound.digest, members)
        )
        outputs = at_hand(evaluation, lambda: _outputs(bound, members))
    arn = f"arn:openstack:heat::{stack.project}:stacks/{stack.name}/{stack.id}"
    return Child(stack.id, arn, outputs, members)


def _outputs_of(
    tools: HasBook,
    stack: StackFacts,
    recipe: Recipe,
    digest: str,
    members: Mapping[str, ResourceData],
) -> dict[str, Any]:
    return _outputs(tools.book.bind(stack, recipe, digest), members)


def _outputs(bound: Bound, members: Mapping[str, ResourceData]) -> dict[str, Any]:
    outputs: dict[str, Any] = {}
    for name in bound.template.template.outputs:
        try:
            outputs[name] = bound.template.output(name, members)
        except ResolveError as error:
            outputs[name] = NoValue(status_texts.output_error(error.problem))
    return outputs


def _asks_for_visits(catalogue: Catalogue, version: Version) -> bool:
    try:
        resource_type = resource_type_for(catalogue, version.type_name)
        return asks_for_visits(version, resource_type)
    except (UnknownType, BadProperty):
        return False  # an update of it will fail and say so


def nested_contents(connection: Connection, book: RecipeBook, stack_id: str) -> Contents:
    """Return what is in a nested stack, whatever it is doing; nothing if there is none."""
    stack = read_stacks(connection, [stack_id]).get(stack_id)
    if stack is None or stack.deleted_at is not None:
        return Contents()
    bound = book.bound(connection, stack, stack.recipe)
    template = bound.template.template
    data: Any = template.data
    definitions: Mapping[str, Any] = data.get(template.dialect.keywords.resources) or {}
    present = _present(survey(connection, stack_id), definitions)
    references = references_by_id(connection, stack_id)
    ages = {version.name: version.created_at for version in present}
    is_complete = stack.status is Status.COMPLETE
    settled = {
        version.name
        for version in present
        if version.status is Status.COMPLETE and (is_complete or version.recipe == stack.recipe)
    }
    return Contents(
        definitions,
        {v.name: references.get(v.id) or v.physical_id or v.name for v in present},
        frozenset(definitions.keys() - settled),
        bound.recipe.files,
        bound.recipe.secrets,
        exists=True,
        is_new=False,
        order=tuple(sorted(definitions, key=lambda name: (ages.get(name, math.inf), name))),
        failed=frozenset(v.name for v in present if v.status is Status.FAILED),
    )


def as_nested_stack(resource_type: ResourceType) -> NestedStack:
    """Return the type of a version that is a nested stack as what it is."""
    if not isinstance(resource_type, NestedStack):
        raise AssertionError(f"{resource_type.name} is the type of a nested stack and is none")
    return resource_type


def attributes_from(
    resource_type: ResourceType, version: Version, bound: Bound, child: Child
) -> dict[str, Data]:
    """Return what a version offers of its nested stack, as far as its own stack asks for it."""
    properties = (
        resource_type.convert(version.definition.properties) if resource_type.properties else {}
    )
    asked = bound.needed.get(version.name, frozenset())
    outputs = {
        name: NoValue(status_texts.output_failed(version.name, name, value.reason))
        if isinstance(value, NoValue)
        else value
        for name, value in child.outputs.items()
    }
    child = replace(child, outputs=outputs, data=version.data)
    found = as_nested_stack(resource_type).child_attributes(properties, child, asked)
    return storable_attributes(found)


def attributes_of_all(
    connection: Connection, book: RecipeBook, catalogue: Catalogue, version: Version
) -> dict[str, Any]:
    """Return what a version offers of very many members and has not kept; secrets are typed."""
    try:
        resource_type = resource_type_for(catalogue, version.type_name)
    except UnknownType:
        return {}
    if not isinstance(resource_type, NestedStack) or version.physical_id is None:
        return {}
    unread = resource_type.attributes_of_all.difference(version.attributes)
    if not unread or not version.attributes:
        return {}
    (report,) = child_reports(connection, book, catalogue, [version.physical_id], reads_all=True)
    if report.child is None:
        return {}
    properties = resource_type.convert(version.definition.properties)
    child = replace(report.child, data=version.data)
    found = resource_type.child_attributes(properties, child, ())
    return {name: found[name] for name in sorted(unread) if name in found}


def _present(versions: Iterable[Version], names: Container[str]) -> list[Version]:
    """Return the version of each name that was wanted last; a visit does not own all versions."""
    found: dict[str, Version] = {}
    for version in versions:
        present = found.get(version.name)
        if _is_present(version, names) and (present is None or present.owner <= version.owner):
            found[version.name] = version
    return list(found.values())


def _is_present(version: Version, names: Container[str]) -> bool:
    return version.action not in (Action.INIT, Action.DELETE) and version.name in names


def _failures(connection: Connection, stack: Stack) -> tuple[tuple[str, ...], bool]:
    """Return why a stack failed, and whether it was only stopped.

    One reason, or after a check that of everything that failed.
    """
    versions = versions_of(connection, stack.id) if stack.action is Action.CHECK else []
    failed = [version for version in versions if _counts_as_failed(version)]
    if failed:
        is_stopped = all(version.reason_code is ReasonCode.ABORTED for version in failed)
        return tuple(failures_of(failed)), is_stopped
    is_stopped = stack.reason_code in (ReasonCode.CANCELLED, ReasonCode.ABORTED)
    return (status_texts.leaf_of(stack.reason),), is_stopped


def failures_of(versions: Iterable[Version]) -> list[str]:
    """Return why those of the versions that failed did so, each with its path, none twice.

    What failed to be changed, and then to be replaced, has two versions that failed.
    """
    found = (
        version.reason
        if f": {status_texts.place(version.name)}" in version.reason
        else status_texts.failure(version.name, "ResourceFailed", version.reason)
        for version in versions
        if _counts_as_failed(version)
    )
    return list(dict.fromkeys(found))


def _counts_as_failed(version: Version) -> bool:
    return version.status is Status.FAILED and version.action is not Action.DELETE
