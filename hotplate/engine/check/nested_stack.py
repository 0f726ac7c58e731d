"""Nodes whose version is a stack: told what to become, stage by stage, and heard of."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hotplate.document import Data, InvalidDocument
from hotplate.engine import status_texts
from hotplate.engine.check.actions import WALKED, Acting, FailedInside, NotAtOnce
from hotplate.engine.check.outcome import Outcome, OutcomeKind, Stopped
from hotplate.engine.nested_stacks import (
    ChildRequest,
    as_nested_stack,
    attributes_from,
    child_name,
)
from hotplate.engine.recipes import Recipe, digest_of_recipe
from hotplate.engine.restrictions import restricted_steps
from hotplate.engine.traversal.begin import ADOPTED
from hotplate.engine.wanted_definition import wanted_definition
from hotplate.model import Action, Definition, ReasonCode, Relation, Status, Task
from hotplate.plan.decide import Step, decide, is_suspended
from hotplate.plan.settled import lacks
from hotplate.resources.capabilities import StagedStack
from hotplate.resources.resource_type import Child, Done, ResourceFailed, ResourceType
from hotplate.resources.stages import Contents, Stage

_POLICY = "policy"
"""Key in the cookie: the update policy by which the stack goes on after its present stage."""

_PAUSE = "pause"
_UNTIL = "until"


class Inside(Acting):
    """Lets the stack inside a version act.

    Where it stands is in rows: the stack's own recipe is the stage that was told last, and the
    version's cookie says by whom, whether there is more to come, and until when it pauses.
    """

    def _delegation(self) -> dict[str, Any]:
        """Return the cookie of a version whose stack inside was told something by this node."""
        return {"node": self._claim.node.id}

    def _is_overtaken_delegation(self) -> bool:
        """Tell whether an older node told the stack inside what to do; this one does so anew.

        A walk does not: what is going on inside comes to its end first.
        """
        if self._claim.node.task not in (Task.UPDATE, Task.CLEANUP):
            return False
        cookie = self._version.cookie
        told = self._is_stack and isinstance(cookie, dict) and "node" in cookie
        return told and cookie["node"] != self._claim.node.id and self._claim.is_current

    def _confirm(self, wanted: Definition, needed: list[int]) -> None:
        """Take the version over as it is; what it requires may have changed all the same."""
        version = self._version
        self._want(wanted, needed)
        version.requires = needed
        if version.status is Status.FAILED:
            version.status = Status.COMPLETE
            version.reason, version.reason_code = "", ReasonCode.NONE

    def _want(self, wanted: Definition, needed: list[int]) -> None:
        """Note what the version shall be and for whom."""
        version = self._version
        version.before = version.definition.properties
        version.owner = self._claim.node.sequence
        version.recipe = self._claim.stack.recipe
        version.type = wanted.type
        version.requires = sorted({*version.requires, *needed})
        version.needed = needed
        version.definition = wanted
        version.fingerprint = wanted.fingerprint()
        version.replaced_by = None
        if version.relation is Relation.KEPT:
            version.relation = Relation.MANAGED

    async def _update_child(self, wanted: Definition, recipe: Recipe, needed: list[int]) -> Outcome:
        """Let the stack inside become what is wanted, unless it is that already."""
        version, stack = self._version, self._claim.stack
        kind = self._kind(wanted.kind)
        unfinished = version.action is Action.INIT or version.intent is not None
        decision = decide(version, wanted, kind, restricted_steps(self._bound, version.name))
        is_left = decision.step is Step.LEAVE and not is_suspended(version)
        if not unfinished and is_left:
            self._confirm(wanted, needed)
            if lacks(version, self._bound.needed.get(version.name, ())):
                await self._take_over_attributes()
            return self._ended(OutcomeKind.FINISHED)
        deepest = self._checker.tools.deepest_nesting
        if stack.depth >= deepest:
            raise ResourceFailed(f"stacks are nested deeper than {deepest}")
        fault = kind.validate(self._converted(kind, wanted.properties), stack.timeout_seconds)
        if fault:
            raise ResourceFailed(fault)
        is_new = version.action is Action.INIT or version.physical_id is None
        if version.intent is None:
            # Work that has begun is not stopped any more: it is told where to go now.
            self._wait_at_hook(Action.CREATE if is_new else Action.UPDATE)
        found = await self._stage(wanted, kind, "")
        if is_new:
            version.physical_id = version.uuid
        self._want(wanted, needed)
        recipe = self._at_stage(recipe, wanted.child, found)
        stage = found[0] if found else None
        timeout = as_nested_stack(kind).child_timeout(self._converted(kind, wanted.properties))
        action, adopted = Action.CREATE if is_new else Action.UPDATE, {}
        if is_new and stack.action is Action.ADOPT:
            action, adopted = Action.ADOPT, version.data.pop(ADOPTED, {})
        return self._delegate(action, ChildRequest(action, recipe, adopted, timeout), stage)

    async def _stage(
        self, wanted: Definition, kind: ResourceType, policy: str
    ) -> tuple[Stage, Contents] | None:
        """Return what the stack inside goes to next, from what; None if there are no stages."""
        if not isinstance(kind, StagedStack):
            return None
        version = self._version
        properties = self._converted(kind, wanted.properties)
        policies: dict[str, Any] = {}
        if self._claim.stack.action is not Action.ADOPT:
            # What is adopted is there already and need not be made one after the other.
            policies = kind.policies(properties, wanted.update_policy)
        if not kind.has_stages(properties, policies, version.data):
            return None
        contents = Contents(order=tuple(version.data.get(ADOPTED, ())))
        was_the_same = version.definition.kind == wanted.kind
        if was_the_same and version.action is not Action.INIT and version.physical_id is not None:
            if self._inline:
                raise NotAtOnce
            contents = await self._checker.inspect(version.physical_id)
        is_new = version.action is Action.INIT or (
            version.action is Action.CREATE and version.status is not Status.COMPLETE
        )
        contents = replace(contents, is_new=is_new, policy=policy, creation_token=version.uuid)
        timeout = self._claim.stack.timeout_seconds
        stage = kind.child_stage(properties, policies, version.data, contents, timeout)
        return stage, contents

    def _at_stage(
        self, recipe: Recipe, digest: str, found: tuple[Stage, Contents] | None
    ) -> Recipe:
        """Return what the stack inside is made of at its next stage; it is known to be valid."""
        version, stack = self._version, self._claim.stack
        if found is not None:
            stage, contents = found
            # Members that have not been changed yet may need files that others need no more.
            files = {**contents.files, **recipe.files} if stage.policy else recipe.files
            recipe = replace(recipe, template=json.dumps(stage.template), files=files)
            digest = digest_of_recipe(recipe)
            version.data = version.data if stage.data is None else stage.data
        try:
            self._checker.tools.book.bind(
                version.physical_id or "", child_name(stack, version), stack.project, recipe, digest
            )
        except InvalidDocument as fault:
            raise ResourceFailed(str(fault)) from None
        return recipe

    def _delegate(
        self, action: Action, request: ChildRequest, stage: Stage | None = None, more: bool = False
    ) -> Outcome:
        """Lay the node aside and let the stack inside act; both in one transaction.

        ``more``: it is a further stage of an action that has begun.
        """
        self._start(action, resumed=more)
        self._version.cookie = self._delegation()
        if stage is not None and stage.policy:
            self._version.cookie |= {_POLICY: stage.policy, _PAUSE: stage.pause}
        outcome = self._ended(OutcomeKind.DELEGATED)
        outcome.request = request
        return outcome

    async def _hear_of_child(self) -> Outcome | None:
        """Take in how the stack inside stands; return an outcome if it is told its next stage."""
        if self._inline:
            raise NotAtOnce
        version = self._version
        cookie: Mapping[str, Any] = version.cookie if isinstance(version.cookie, dict) else {}
        if _UNTIL in cookie:
            return await self._go_to_next_stage(cookie)
        news = await self._checker.look(version.physical_id or "")
        if news.is_running:
            return None
        if cookie.get(_POLICY) and not news.failures:
            until = self._world.now() + cookie.get(_PAUSE, 0)
            return await self._go_to_next_stage({**cookie, _UNTIL: until})
        self._has_acted = True  # how it ended is recorded, also for an old traversal
        if news.failures:
            raise FailedInside(news.failures, news.is_stopped)
        action = version.intent or version.action
        if action is Action.CHECK and news.child is None:
            raise ResourceFailed("the stack that it is does not exist")
        is_unchanged = action is Action.DELETE or (action in WALKED and action is not Action.CHECK)
        if news.child is None or is_unchanged:
            self._take_in(action, Done())  # what it offers stays as it was
            return None
        version.always_visited = news.asks_for_visits
        if action is Action.CHECK:
            # What is somebody else's may have changed; the check has looked at it.
            self._take_in(action, Done(attributes=self._attributes_of(news.child)))
            return None
        kind = as_nested_stack(self._present_kind())
        reference = kind.child_reference(news.child)
        attributes = self._attributes_of(news.child)
        data = None
        if isinstance(kind, StagedStack):
            properties = kind.convert(version.definition.properties)
            data = kind.child_ended(properties, version.data, self._world.now())
        self._take_in(action, Done(reference=reference, attributes=attributes, data=data))
        return None

    async def _go_to_next_stage(self, cookie: Mapping[str, Any]) -> Outcome | None:
        """Tell the stack inside what to become next, or sleep until it is time to do so."""
        version, action = self._version, self._version.intent or self._version.action
        if not self._claim.is_current or self._claim.node.task is not Task.UPDATE:
            self._has_acted = True
            raise Stopped(status_texts.cancelled(action))
        if self._world.now() < cookie[_UNTIL]:
            version.cookie = dict(cookie)
            self._due = cookie[_UNTIL]
            return None
        name = self._claim.node.name
        if self._known.missing(self._bound.template.graph.requires(name)):
            return Outcome(self._claim, OutcomeKind.DROPPED)  # a newer traversal owns them now
        wanted, recipe = wanted_definition(
            self._checker.tools.catalogue, self._bound, name, self._known.data
        )
        found = await self._stage(wanted, self._kind(wanted.kind), cookie[_POLICY])
        if recipe is None:
            raise AssertionError(f"{name} was a stack and is none within one traversal")
        recipe = self._at_stage(recipe, wanted.child, found)
        stage = found[0] if found else None
        return self._delegate(action, ChildRequest(Action.UPDATE, recipe), stage, more=True)

    def _has_stages(self) -> bool:
        """Tell whether the stack inside may have been on its way through several stages."""
        definition, kind = self._version.definition, self._present_kind()
        if not isinstance(kind, StagedStack):
            return False
        properties = kind.convert(definition.properties)
        return any(kind.policies(properties, definition.update_policy).values())

    async def _take_over_attributes(self) -> None:
        """Take in what a stack inside offers that nobody asked for until now."""
        if self._inline:
            raise NotAtOnce
        news = await self._checker.look(self._version.physical_id or "")
        if news.child is not None:
            self._version.attributes = self._attributes_of(news.child)
            self._version.always_visited = news.asks_for_visits

    def _attributes_of(self, child: Child) -> dict[str, Data]:
        return attributes_from(self._present_kind(), self._version, self._bound, child)
