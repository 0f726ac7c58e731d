"""What an update would do, decided by the same functions that do it, through all nesting."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sqlalchemy import Connection

from hotplate.document import InvalidDocument
from hotplate.engine.context import Tools
from hotplate.engine.external_objects import Observation, Observations, as_observed
from hotplate.engine.nested_stacks import child_of, nested_contents
from hotplate.engine.object_ownership import ObjectUse, refusal
from hotplate.engine.preview.expected_values import ExpectedValues
from hotplate.engine.preview.origins import Tracer
from hotplate.engine.preview.planned_change import NOT_YET, Planned
from hotplate.engine.preview.present_state import (
    is_there,
    kept_because,
    kept_of,
    left_in_nested_stacks,
    nested_stacks_of,
)
from hotplate.engine.preview.present_versions import Present, present_versions
from hotplate.engine.preview.questions import Answers, Question, Questions
from hotplate.engine.preview.spelling import Spelling
from hotplate.engine.preview.unknown_values import (
    PartialDefinition,
    all_properties,
    partial_definition,
    shown,
)
from hotplate.engine.recipes import EMPTY, Recipe
from hotplate.engine.recipes.book import Bound, StackFacts
from hotplate.engine.recipes.stored import digest_of_recipe
from hotplate.engine.restrictions import restricted_steps
from hotplate.engine.wanted_definition import bind_recipe, is_as_wanted
from hotplate.model import Definition, Difference, Stack, Task, Version
from hotplate.plan.decide import (
    Decision,
    Step,
    Transfer,
    decide_anew,
    decide_return,
    replace_instead,
    restrict,
)
from hotplate.plan.drift import converges, with_live_values
from hotplate.plan.prepare import prepare
from hotplate.plan.replacement_preparation import with_preparation
from hotplate.plan.unknown_values import ExpectedDecision, unchanged
from hotplate.resources.capabilities import (
    ChecksReplacement,
    NestedStack,
    StagedStack,
)
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.heat.provider_template import is_template_file, resource_type_for
from hotplate.resources.property import BadProperty
from hotplate.resources.resource_type import ResourceFailed, ResourceType
from hotplate.resources.stages import Contents
from hotplate.store.large.survey import objects_of
from hotplate.store.stacks import read_stacks
from hotplate.template import ResolveError, ResourceData

_LEFT_OVER: Final = "left over from an earlier update"


@dataclass(frozen=True, slots=True)
class Background:
    """What is known besides the stack when a plan is made.

    ``tracer`` says where values in a nested stack come from, ``observations`` what was read of
    external objects, ``answers`` what types have said; ``questions`` that have no answer yet are
    added.
    """

    tracer: Tracer | None = None
    observations: Observations = field(default_factory=Observations)
    answers: Answers = field(default_factory=Answers)
    questions: Questions = field(default_factory=Questions)
    converges: bool = False
    """Whether objects are compared with what is wanted: then managed ones were read, too."""

    is_whole: bool = False
    """Whether all that the resources offer is asked for, also of those that are left alone."""

    shows_nested: bool = True
    """Whether it is wanted to know of each resource of nested stacks that it is left alone."""


def preview(
    connection: Connection,
    tools: Tools,
    stack: Stack,
    bound: Bound | None,
    exists: bool,
    path: tuple[str, ...] = (),
    background: Background | None = None,
) -> Iterator[Planned]:
    """Yield what bringing a stack to a recipe would do; ``bound`` is None for a deletion."""
    background = background or Background()
    return _begun(connection, tools, stack, bound, exists, path, background).run()


def _begun(
    connection: Connection,
    tools: Tools,
    stack: Stack,
    bound: Bound | None,
    exists: bool,
    path: tuple[str, ...],
    background: Background,
) -> "_Preview":
    present = Present([])
    if exists:
        is_whole = background.is_whole or background.converges
        present = present_versions(connection, stack, None if is_whole else bound)
    observations = background.observations.present
    versions = [as_observed(each, observations.get(each.id)) for each in present.versions]
    if background.converges:
        versions = [replace(version, always_visited=True) for version in versions]
    if background.tracer is None and bound is not None:
        background = replace(background, tracer=Tracer(bound))
    present = replace(present, versions=versions)
    return _Preview(connection, tools, stack, bound, present, path, background)


class _Preview:
    def __init__(
        self,
        connection: Connection,
        tools: Tools,
        stack: Stack,
        bound: Bound | None,
        present: Present,
        path: tuple[str, ...],
        background: Background,
    ) -> None:
        self._connection = connection
        self._tracer = background.tracer
        self._tools = tools
        self._stack = stack
        self._bound = bound
        self._versions = present.versions
        self._untouched = present.untouched
        self._path = path
        self._background = background
        self._observations = background.observations
        self._spelling = Spelling(background.answers, background.questions)
        self._expected = ExpectedValues(connection, tools, bound)
        self._uses: list[tuple[ObjectUse, Version, Stack]] = []

    def run(self) -> Iterator[Planned]:
        bound = self._bound
        requires: dict[str, tuple[str, ...]] = {}
        if bound is not None:
            graph = bound.template.graph
            requires = {
                name: graph.requires(name) for name in graph.order() if name not in self._untouched
            }
        digest = bound.digest if bound else ""
        external_ids = bound.external_ids() if bound else {}
        plan = prepare(
            self._versions,
            requires,
            self._stack.recipe,
            digest,
            {},
            self._is_settled,
            external_ids,
        )
        by_id = {version.id: version for version in self._versions}
        spoken_for: set[int] = set(plan.settled)
        for version_id in plan.settled:
            version = by_id[version_id]
            yield self._planned(version.name, version.type, Decision(Step.LEAVE), version)
            yield from left_in_nested_stacks(self._connection, version, (*self._path, version.name))
        if bound is not None and (self._background.shows_nested or not self._path):
            yield from self._left_alone(bound)
        for node in plan.nodes:
            if node.task is Task.UPDATE and bound is not None:
                spoken_for.add(node.version_id)
                yield from self._update(bound, node.name, by_id.get(node.version_id))
        for version in self._versions:
            if version.id not in spoken_for and is_there(version):
                reason = _LEFT_OVER if version.name in requires else ""
                yield from self._deleted(version, reason)

    def _left_alone(self, bound: Bound) -> Iterator[Planned]:
        """Tell of the resources of which nothing but their fingerprints had to be looked at."""
        if not self._untouched:
            return
        for each in objects_of(self._connection, self._stack):
            if self._untouched.get(each.name) == each.id:
                yield Planned(
                    (*self._path, each.name),
                    each.type,
                    Step.LEAVE,
                    each.physical_id,
                    stack_name=self._stack.name,
                    stack_id=self._stack.id,
                    description=bound.template.resources[each.name].description,
                )

    def _is_settled(self, name: str, version: Version) -> bool:
        bound, catalogue = self._bound, self._tools.catalogue
        if bound is None or not is_as_wanted(
            catalogue, bound, name, version, self._expected.data, self._background.converges
        ):
            return False
        self._expected.add_settled(version)
        return True

    def _update(self, bound: Bound, name: str, present: Version | None) -> Iterator[Planned]:
        catalogue = self._tools.catalogue
        try:
            partial = partial_definition(catalogue, bound, name, self._expected.data)
        except (ResolveError, ResourceFailed, UnknownType, BadProperty) as error:
            yield from self._doomed(bound, name, present, str(error))
            return
        wanted, resource_type = (
            partial.definition,
            resource_type_for(catalogue, partial.definition.type_name),
        )
        expected = ExpectedDecision(Decision(Step.CREATE))
        if present is not None:
            restricted = restricted_steps(bound, name)
            seen = self._seen(present, wanted, resource_type)
            expected = (
                ExpectedDecision(restrict(decide_anew(present), restricted))
                if seen is None
                else self._spelling.decided(partial, resource_type, seen, restricted)
            )
        elif wanted.external_id:
            reason = f"adopt {wanted.external_id}"
            expected = ExpectedDecision(Decision(Step.CREATE, reason, transfer=Transfer.ADOPT))
        decision = self._as_observed(name, wanted, resource_type, expected.decision, present)
        is_open = False
        if (
            present is not None
            and decision.step is Step.UPDATE
            and isinstance(resource_type, ChecksReplacement)
        ):
            verdict = self._verdict(resource_type, partial, present)
            is_open = verdict is None
            if verdict:
                decision = replace_instead(decision, verdict, restricted_steps(bound, name))
        if present is not None and not wanted.external_id:
            as_known = unchanged(present, wanted, partial.unknown) if partial.unknown else wanted
            decision = with_preparation(decision, present, as_known, catalogue)
        self._expected.add(name, decision, present)
        if wanted.external_id and decision.step not in (Step.REFUSE, Step.LEAVE):
            observation = None if self._path else self._observations.wanted.get(name)
            self._expected.add_external(name, wanted.external_id, observation)
        contents: list[Planned] | None = []
        if isinstance(resource_type, NestedStack) and decision.step not in (
            Step.LEAVE,
            Step.REFUSE,
        ):
            keeps = decision.step is Step.UPDATE
            is_visit = decision.is_visit and not partial.unknown
            contents = self._child(name, partial, present if keeps else None, is_visit)
        certain = expected.certain and contents is not None and not is_open
        planned = self._planned(name, wanted.type, decision, present, certain)
        yield replace(
            planned,
            properties=shown(all_properties(resource_type, wanted.properties)),
            metadata=shown(wanted.metadata),
            attributes=tuple(resource_type.attributes),
            is_stack=isinstance(resource_type, NestedStack) and contents is not None,
            **self._traced(name, decision),
        )
        if present is not None and decision.step in (Step.LEAVE, Step.REFUSE):
            yield from left_in_nested_stacks(self._connection, present, (*self._path, name))
        yield from contents or ()
        if present is not None and decision.step is Step.REPLACE:
            if decision.transfer is Transfer.SWITCH and not kept_because(present):
                yield from self._deleted(present, "")
            else:
                yield from self._children_deleted(present)

    def _seen(
        self, present: Version, wanted: Definition, resource_type: ResourceType
    ) -> Version | None:
        """Return a version as an update that converges finds it; None if its object is gone."""
        observation = self._observations.present.get(present.id)
        if (
            not self._background.converges
            or observation is None
            or not converges(present, wanted, resource_type)
        ):
            return present
        if observation.is_missing:
            return None
        return with_live_values(present, observation.drifted)

    def _verdict(
        self, resource_type: ChecksReplacement, partial: PartialDefinition, present: Version
    ) -> str | None:
        """Return why the type wants a new object; None if that is not known (yet)."""
        if partial.unknown:
            return None
        verdicts = self._background.answers.verdicts
        if present.id not in verdicts:
            properties = partial.definition.properties
            self._background.questions.replacements.append(
                Question(resource_type, self._stack, present, properties)
            )
        return verdicts.get(present.id)

    def _as_observed(
        self,
        name: str,
        wanted: Definition,
        resource_type: ResourceType,
        decision: Decision,
        present: Version | None,
    ) -> Decision:
        """Return a decision as it is when the external object has been read."""
        observation = None
        if decision.restricted is not None:
            return decision
        if decision.transfer is Transfer.RETURN and present is not None:
            observation = self._observations.present.get(present.id)
            if observation is not None and (observation.is_missing or not observation.fault):
                return self._returned(name, wanted, resource_type, present, observation)
        elif decision.transfer is not None and not self._path:
            observation = self._observations.wanted.get(name)
        if observation is None or not observation.fault:
            return decision
        return replace(decision, step=Step.REFUSE, reason=f"{decision.reason}: {observation.fault}")

    def _returned(
        self,
        name: str,
        wanted: Definition,
        resource_type: ResourceType,
        present: Version,
        observation: Observation,
    ) -> Decision:
        """Return what a return to management comes to, given what was read of the object."""
        steps = () if self._bound is None else restricted_steps(self._bound, name)
        if observation.is_missing:
            return restrict(decide_anew(present), steps)
        live = self._spelling.live(present, wanted, resource_type, observation.live)
        decision = restrict(decide_return(present, wanted, resource_type, live), steps)
        if decision.step is not Step.UPDATE:
            return decision
        use = ObjectUse(wanted.type_name, present.physical_id or "", False, str)
        text = refusal(self._connection, use, present, self._stack, self._uses)
        if text:
            return replace(decision, step=Step.REFUSE, reason=f"{decision.reason}: {text}")
        self._uses.append((use, present, self._stack))
        return decision

    def _traced(self, name: str, decision: Decision) -> dict[str, Any]:
        """Return where a resource is written, and where what changes in it comes from."""
        if self._tracer is None or decision.step is Step.LEAVE:
            return {}
        sources = {
            change.name: self._tracer.of_property(name, change.name) for change in decision.changes
        }
        return {"sources": sources, "written": self._tracer.definition(name)}

    def _doomed(
        self, bound: Bound, name: str, present: Version | None, reason: str
    ) -> Iterator[Planned]:
        """Tell of a resource whose definition cannot be worked out: it would fail, and why."""
        step = Step.CREATE if present is None else Step.UPDATE
        decision = Decision(Step.REFUSE, reason, restricted=step)
        self._expected.add(name, decision, present)
        yield self._planned(name, bound.template.resources[name].type, decision, present)
        if present is not None:
            yield from left_in_nested_stacks(self._connection, present, (*self._path, name))

    def _planned(
        self,
        name: str,
        type_name: str,
        decision: Decision,
        present: Version | None,
        certain: bool = True,
    ) -> Planned:
        step = decision.step
        if step is Step.REPLACE and (present is None or not is_there(present)):
            step, present = Step.CREATE, None  # it was never made, or is deleted already
        required_by: tuple[str, ...] = ()
        description = ""
        if self._bound is not None and name in self._bound.template.resources:
            required_by = self._bound.template.graph.required_by(name)
            description = self._bound.template.resources[name].description
        return Planned(
            (*self._path, name),
            type_name,
            step,
            present.physical_id if present else None,
            shown(decision.reason),
            tuple(replace(change, new=shown(change.new)) for change in decision.changes),
            certain,
            differences=self._left(step, present, decision),
            restricted=decision.restricted,
            transfer=decision.transfer,
            is_visit=decision.is_visit,
            stack_name=self._stack.name,
            stack_id=self._stack.id,
            required_by=required_by,
            description=description,
        )

    def _left(
        self, step: Step, present: Version | None, decision: Decision
    ) -> tuple[Difference, ...]:
        """Return what differs in an object that stays, and is not changed anyway."""
        if present is None or step is Step.REPLACE or self._background.converges:
            return ()
        changed = {change.name for change in decision.changes}
        return tuple(each for each in present.differences if each.name not in changed)

    def _child(
        self, name: str, partial: PartialDefinition, present: Version | None, is_visit: bool
    ) -> list[Planned] | None:
        """Return what would happen in the nested stack; None if values known later decide that.

        ``is_visit``: what it is made of does not change, something in it asks for visits.
        """
        if partial.recipe is None:
            return None
        found = None
        if present is not None and present.physical_id:
            found = read_stacks(self._connection, [present.physical_id]).get(present.physical_id)
        child = found or replace(
            self._stack, id=NOT_YET, name=f"{self._stack.name}-{name}", recipe=""
        )
        try:
            recipe = self._in_the_end(partial, present if found else None)
            whose = StackFacts(child.id, child.name, child.project)
            bound = bind_recipe(self._tools, whose, recipe, digest_of_recipe(recipe))
        except (InvalidDocument, BadProperty, ResourceFailed):
            return None  # values that are only known later do not fit yet
        path, tracer = (*self._path, name), None
        if self._tracer is not None:
            type_name = partial.definition.type_name
            tracer = self._tracer.nested(bound, name, type_name, is_template_file(type_name))
        exists = found is not None
        background = replace(self._background, tracer=tracer, is_whole=is_visit)
        nested = _begun(self._connection, self._tools, child, bound, exists, path, background)
        contents = list(nested.run())
        if is_visit and present is not None and all(_is_left(planned) for planned in contents):
            self._expected.add_visited(present, child_of(child, bound, nested.expected))
        return contents

    @property
    def expected(self) -> Mapping[str, ResourceData]:
        """What each resource will have published, after `run` has ended."""
        return self._expected.data

    def _in_the_end(self, partial: PartialDefinition, present: Version | None) -> Recipe:
        """Return what the nested stack is made of when it has gone through all its stages."""
        wanted, recipe = partial.definition, partial.recipe or EMPTY
        resource_type = resource_type_for(self._tools.catalogue, wanted.type_name)
        properties = resource_type.convert(wanted.properties) if resource_type.properties else {}
        data, contents = {} if present is None else present.data, Contents()
        if not isinstance(resource_type, StagedStack) or not resource_type.has_stages(
            properties, {}, data
        ):
            return recipe
        if present is not None:
            contents = nested_contents(
                self._connection, self._tools.book, present.physical_id or ""
            )
        policies = resource_type.policies(properties, wanted.update_policy)
        absent = {name: None for name, policy in policies.items() if policy is None}
        template = resource_type.child_stage(properties, absent, data, contents).template
        return recipe.with_template(template)

    def _deleted(self, version: Version, reason: str) -> Iterator[Planned]:
        path, kept = (*self._path, version.name), kept_because(version)
        words = "; ".join(filter(None, (reason, kept_of(version))))
        planned = Planned(path, version.type, None, version.physical_id, kept or words)
        whose = self._stack
        yield replace(planned, is_kept=bool(kept), stack_name=whose.name, stack_id=whose.id)
        yield from self._children_deleted(version)

    def _children_deleted(self, version: Version) -> Iterator[Planned]:
        if kept_because(version):
            return
        for child in nested_stacks_of(self._connection, version):
            path = (*self._path, version.name)
            yield from preview(self._connection, self._tools, child, None, True, path)


def _is_left(planned: Planned) -> bool:
    """Tell whether a resource stays as it is, or is a stack in which everything does."""
    is_left = planned.step is Step.LEAVE or planned.is_visit
    return planned.certain and is_left
