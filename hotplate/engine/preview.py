"""What an update would do, decided by the same functions that do it, through all nesting."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sqlalchemy import Connection

from hotplate.document import Data, InvalidDocument
from hotplate.engine.hooks import restricted_steps
from hotplate.engine.known import Known
from hotplate.engine.nested import kind_for, look_inside, wanted_definition
from hotplate.engine.recipes import Bound, Recipe, digest_of_recipe
from hotplate.engine.traversal import Tools
from hotplate.model import Action, Stack, Task, Version
from hotplate.plan.decide import Change, Decision, Step, decide
from hotplate.plan.definition import Definition
from hotplate.plan.prepare import prepare
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.property import BadProperty
from hotplate.resources.resource_type import ResourceFailed
from hotplate.resources.stages import Contents
from hotplate.store.stacks import read_stacks
from hotplate.store.versions import versions_of
from hotplate.template import ResolveError, ResourceData

_LATER: Final = "\u2060known later\u2060"
KNOWN_LATER: Final = "(known later)"
"""Shown for a value that comes from a resource which is still to be made or changed."""


@dataclass(frozen=True, slots=True)
class Planned:
    """What would happen to one resource.

    ``path`` are the names that lead to it through the stacks. If not ``certain``, a value it
    depends on is only known later, and it may turn out that less has to be done.
    """

    path: tuple[str, ...]
    type: str
    step: Step | None
    physical_id: str | None
    reason: str = ""
    changes: tuple[Change, ...] = ()
    certain: bool = True
    """A step of None stands for deletion."""

    properties: Mapping[str, Any] = field(default_factory=dict)
    """What it shall be given; empty for a deletion."""

    restricted: Step | None = None
    """The step that would be taken if the environment did not forbid it."""


class _AnyAttribute(Mapping[Any, Data]):
    """Every attribute of a resource that does not exist yet."""

    def __getitem__(self, key: Any) -> Data:
        return _LATER

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0


def preview(
    connection: Connection,
    tools: Tools,
    stack: Stack,
    bound: Bound | None,
    exists: bool,
    path: tuple[str, ...] = (),
) -> list[Planned]:
    """Return what bringing a stack to a recipe would do; ``bound`` is None for a deletion."""
    versions = versions_of(connection, stack.id) if exists else []
    return list(_Preview(connection, tools, stack, bound, versions, path).run())


class _Preview:
    def __init__(
        self,
        connection: Connection,
        tools: Tools,
        stack: Stack,
        bound: Bound | None,
        versions: list[Version],
        path: tuple[str, ...],
    ) -> None:
        self._connection = connection
        self._tools = tools
        self._stack = stack
        self._bound = bound
        self._versions = versions
        self._path = path
        self._known = Known()

    def run(self) -> Iterator[Planned]:
        bound = self._bound
        requires: dict[str, tuple[str, ...]] = {}
        if bound is not None:
            graph = bound.template.graph
            requires = {name: graph.requires(name) for name in graph.order()}
        digest = bound.digest if bound else ""
        plan = prepare(self._versions, requires, self._stack.recipe, digest, {}, self._is_settled)
        by_id = {version.id: version for version in self._versions}
        kept: set[int] = set(plan.settled)
        for version_id in plan.settled:
            version = by_id[version_id]
            yield self._planned(version.name, version.type, Decision(Step.LEAVE), version)
        for node in plan.nodes:
            if node.task is Task.UPDATE and bound is not None:
                present = by_id.get(node.version_id)
                decision = yield from self._update(bound, node.name, present)
                if present is not None and decision.step in (Step.LEAVE, Step.UPDATE):
                    kept.add(present.id)
        for version in self._versions:
            gone = version.action in (Action.INIT, Action.DELETE)
            if version.id not in kept and not gone and version.name not in requires:
                yield Planned((*self._path, version.name), version.type, None, version.physical_id)
                yield from self._children_deleted(version)

    def _is_settled(self, name: str, version: Version) -> bool:
        if self._bound is None:
            return False
        try:
            wanted, _ = wanted_definition(
                self._tools.catalogue, self._bound, name, self._known.data
            )
        except (ResolveError, ResourceFailed, UnknownType, BadProperty):
            return False
        if wanted.fingerprint() != version.fingerprint:
            return False
        if kind_for(self._tools.catalogue, wanted.kind).replaced_by_updates:
            return False
        self._known.add(version)
        return True

    def _update(self, bound: Bound, name: str, present: Version | None) -> Any:
        wanted, recipe = wanted_definition(self._tools.catalogue, bound, name, self._known.data)
        kind = kind_for(self._tools.catalogue, wanted.kind)
        decision = Decision(Step.CREATE)
        if present is not None:
            decision = decide(present, wanted, kind, restricted_steps(bound, name))
        self._expect(name, decision, present)
        planned = self._planned(name, wanted.type, decision, present, _is_certain(wanted))
        yield replace(planned, properties=_shown(wanted.properties))
        if recipe is not None and decision.step is not Step.REFUSE:
            keeps = decision.step in (Step.LEAVE, Step.UPDATE)
            yield from self._child(name, recipe, wanted, present if keeps else None)
        return decision

    def _expect(self, name: str, decision: Decision, present: Version | None) -> None:
        """Note what others will know of the resource by then."""
        if present is not None and decision.step in (Step.LEAVE, Step.REFUSE):
            self._known.add(present)
            return
        reference = _LATER
        if present is not None and decision.step is Step.UPDATE:
            reference = present.reference or present.physical_id or name
        self._known.data[name] = ResourceData(reference, _AnyAttribute())
        self._known.ids[name] = present.id if present else 0

    def _planned(
        self,
        name: str,
        type_name: str,
        decision: Decision,
        present: Version | None,
        certain: bool = True,
    ) -> Planned:
        return Planned(
            (*self._path, name),
            type_name,
            decision.step,
            present.physical_id if present else None,
            decision.reason,
            tuple(replace(change, new=_shown(change.new)) for change in decision.changes),
            certain,
            restricted=decision.restricted,
        )

    def _child(
        self, name: str, recipe: Recipe, wanted: Definition, present: Version | None
    ) -> Iterator[Planned]:
        found = None
        if present is not None and present.physical_id:
            found = read_stacks(self._connection, [present.physical_id]).get(present.physical_id)
        recipe = self._in_the_end(recipe, wanted, present if found else None)
        child = found or replace(self._stack, id=self._tools.world.uuid(), recipe="")
        try:
            bound = self._tools.book.bind(
                child.id,
                child.name if found else f"{self._stack.name}-{name}",
                child.project,
                recipe,
                digest_of_recipe(recipe),
            )
        except InvalidDocument:
            return  # values that are only known later do not fit yet
        yield from preview(
            self._connection, self._tools, child, bound, found is not None, (*self._path, name)
        )

    def _in_the_end(self, recipe: Recipe, wanted: Definition, present: Version | None) -> Recipe:
        """Return what the stack inside is made of when it has gone through all its stages."""
        kind = kind_for(self._tools.catalogue, wanted.kind)
        try:
            properties = kind.convert(wanted.properties)
        except BadProperty:
            return recipe
        data, contents = {} if present is None else present.data, Contents()
        if not kind.has_stages(properties, {}, data):
            return recipe
        if present is not None:
            contents = look_inside(self._connection, self._tools.book, present.physical_id or "")
        template = kind.child_stage(properties, {}, data, contents).template
        return replace(recipe, template=json.dumps(template))

    def _children_deleted(self, version: Version) -> Iterator[Planned]:
        if not version.definition.get("child") or not version.physical_id:
            return
        child = read_stacks(self._connection, [version.physical_id]).get(version.physical_id)
        if child is not None:
            yield from preview(
                self._connection, self._tools, child, None, True, (*self._path, version.name)
            )


def _is_certain(wanted: Definition) -> bool:
    return _LATER not in json.dumps(wanted.as_data(), ensure_ascii=False)


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace(_LATER, KNOWN_LATER)
    if isinstance(value, Mapping):
        return {key: _shown(item) for key, item in value.items()}
    return [_shown(item) for item in value] if isinstance(value, list) else value
