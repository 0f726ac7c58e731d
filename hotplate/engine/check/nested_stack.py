"""Nodes whose version is a nested stack: it is given a recipe, stage by stage, and reports."""

import json
from dataclasses import replace
from typing import Any

from hotplate.bounded import Evaluation
from hotplate.document import Data, InvalidDocument
from hotplate.engine import status_texts
from hotplate.engine.check.actions import VISIT_ACTIONS, Actions
from hotplate.engine.check.checked_node import CheckedNode
from hotplate.engine.check.claims import Outcome, OutcomeKind
from hotplate.engine.check.faults import NestedStackFailed, Stopped
from hotplate.engine.check.wanted import confirm, want, wanted_by_template
from hotplate.engine.nested_stacks import (
    ChildReport,
    ChildRequest,
    DelegationCookie,
    as_nested_stack,
    attributes_from,
)
from hotplate.engine.physical_names import child_name
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import StackFacts
from hotplate.engine.recipes.stored import digest_of_recipe
from hotplate.engine.restrictions import restricted_steps
from hotplate.engine.traversal.begin import ADOPTED
from hotplate.engine.wanted_definition import bind_recipe
from hotplate.model import Action, Definition, Status, Task
from hotplate.plan.decide import Step, decide, is_suspended
from hotplate.plan.settled import lacks
from hotplate.resources.capabilities import StagedStack
from hotplate.resources.resource_type import Child, Done, ResourceFailed, ResourceType
from hotplate.resources.stages import Contents, Stage


class NestedStackCheck:
    """Lets the nested stack of a version act.

    Where it stands is in rows: the stack's own recipe is the stage that it was given last, and the
    version's cookie says by which node, whether there is more to come, and until when it pauses.
    """

    __slots__ = ("_actions", "_node")

    def __init__(self, node: CheckedNode, actions: Actions) -> None:
        self._node = node
        self._actions = actions

    async def update(self, wanted: Definition, recipe: Recipe, needed: list[int]) -> Outcome:
        """Let the nested stack become what is wanted, unless it is that already."""
        node, version, stack = self._node, self._node.version, self._node.claim.stack
        resource_type = node.resource_type(wanted.type_name)
        unfinished = version.action is Action.INIT or version.intent is not None
        if stack.converges:
            version.always_visited = True  # what is in it reports anew whether it asks for that
        decision = decide(
            version, wanted, resource_type, restricted_steps(node.bound, version.name)
        )
        is_left = decision.step is Step.LEAVE and not is_suspended(version)
        if not unfinished and is_left:
            confirm(node, wanted, needed)
            if lacks(version, node.bound.needed.get(version.name, ())):
                await self._refresh_attributes()
            return node.finished()
        deepest = node.tools.deepest_nesting
        if stack.depth >= deepest:
            raise ResourceFailed(f"stacks are nested deeper than {deepest}")
        fault = resource_type.validate(
            node.converted(resource_type, wanted.properties), stack.timeout_seconds
        )
        if fault:
            raise ResourceFailed(fault)
        is_new = version.action is Action.INIT or version.physical_id is None
        if version.intent is None:
            # Work that has begun is not stopped any more: it is given its new recipe.
            node.wait_at_hook(Action.CREATE if is_new else Action.UPDATE)
        found = await self._stage(wanted, resource_type, "")
        child_id = version.uuid if is_new else version.physical_id or ""
        recipe = await self._at_stage(child_id, recipe, found)
        # From here on the version changes, so nothing more may be waited for.
        version.physical_id = child_id
        want(node, wanted, needed)
        stage = found[0] if found else None
        self._keep_data(stage)
        timeout = as_nested_stack(resource_type).child_timeout(
            node.converted(resource_type, wanted.properties)
        )
        action, adopted = Action.CREATE if is_new else Action.UPDATE, {}
        if is_new and stack.action is Action.ADOPT:
            action, adopted = Action.ADOPT, version.data.pop(ADOPTED, {})
        request = ChildRequest(action, recipe, adopted, timeout, stack.converges)
        return self.delegate(action, request, stage)

    def delegate(
        self, action: Action, request: ChildRequest, stage: Stage | None = None, more: bool = False
    ) -> Outcome:
        """Park the node and let the nested stack act; both in one transaction.

        ``more``: it is a further stage of an action that has begun.
        """
        node = self._node
        self._actions.mark_begun(action, resumed=more)
        cookie = DelegationCookie(node.claim.node.id)
        if stage is not None and stage.policy:
            cookie = replace(cookie, policy=stage.policy, pause=stage.pause)
        node.version.cookie = cookie.as_data()
        outcome = node.outcome(OutcomeKind.DELEGATED)
        outcome.request = request
        return outcome

    async def take_report(self) -> Outcome | None:
        """Apply how the nested stack stands; return an outcome if it is given its next stage."""
        node, version = self._node, self._node.version
        node.must_wait()
        cookie = DelegationCookie.from_data(version.cookie)
        if cookie is not None and cookie.until is not None:
            return await self._go_to_next_stage(cookie, cookie.until)
        report = await node.ports.report_of(version.physical_id or "")
        if report.is_running:
            return None
        if cookie is not None and cookie.policy and not report.failures:
            return await self._go_to_next_stage(cookie, node.world.now() + (cookie.pause or 0))
        node.has_acted = True  # how it ended is recorded, also for an old traversal
        if report.failures:
            raise NestedStackFailed(report.failures, report.is_stopped)
        self._apply(report)
        return None

    def _apply(self, report: ChildReport) -> None:
        """Apply the report of a nested stack that has come to its end without a failure."""
        node, version = self._node, self._node.version
        action = version.intent or version.action
        if action is Action.CHECK and report.child is None:
            raise ResourceFailed("the stack that it is does not exist")
        is_unchanged = action is Action.DELETE or (
            action in VISIT_ACTIONS and action is not Action.CHECK
        )
        if report.child is None or is_unchanged:
            self._actions.apply(action, Done())  # what it offers stays as it was
            return
        version.always_visited = report.asks_for_visits
        if action is Action.CHECK:
            # What is external may have changed; the check has read it.
            self._actions.apply(action, Done(attributes=self._attributes_of(report.child)))
            return
        resource_type = as_nested_stack(node.present_type())
        reference = resource_type.child_reference(report.child)
        attributes = self._attributes_of(report.child)
        data = None
        if isinstance(resource_type, StagedStack):
            properties = resource_type.convert(version.definition.properties)
            data = resource_type.child_ended(properties, version.data, node.world.now())
        self._actions.apply(action, Done(reference=reference, attributes=attributes, data=data))

    def is_overtaken(self) -> bool:
        """Tell whether the nested stack acts for an older node; this one gives it a new recipe.

        A visit does not: what is going on in the nested stack comes to its end first.
        """
        node, version = self._node, self._node.version
        if node.claim.node.task not in (Task.UPDATE, Task.CLEANUP):
            return False
        cookie = DelegationCookie.from_data(version.cookie) if version.is_nested_stack else None
        return cookie is not None and cookie.node != node.claim.node.id and node.claim.is_current

    async def end_overtaken(self) -> Outcome:
        """Let what an overtaken node began come to its end, if no newer node waits for it."""
        node, version = self._node, self._node.version
        if node.claim.node.releases or version.status is not Status.IN_PROGRESS:
            return Outcome(node.claim, OutcomeKind.DROPPED)
        policy = "unknown" if self._has_stages() else None
        version.cookie = DelegationCookie(node.claim.node.id, policy).as_data()
        await self.take_report()
        return node.finished_or_parked()

    async def _stage(
        self, wanted: Definition, resource_type: ResourceType, policy: str
    ) -> tuple[Stage, Contents] | None:
        """Return what the nested stack goes to next, from what; None if there are no stages."""
        if not isinstance(resource_type, StagedStack):
            return None
        node, version = self._node, self._node.version
        properties = node.converted(resource_type, wanted.properties)
        policies: dict[str, Any] = {}
        if node.claim.stack.action is not Action.ADOPT:
            # What is adopted is there already and need not be made one after the other.
            policies = resource_type.policies(properties, wanted.update_policy)
        if not resource_type.has_stages(properties, policies, version.data):
            return None
        contents = Contents(order=tuple(version.data.get(ADOPTED, ())))
        was_the_same = version.definition.type_name == wanted.type_name
        if was_the_same and version.action is not Action.INIT and version.physical_id is not None:
            node.must_wait()
            contents = await node.ports.contents_of(version.physical_id)
        is_new = version.action is Action.INIT or (
            version.action is Action.CREATE and version.status is not Status.COMPLETE
        )
        contents = replace(contents, is_new=is_new, policy=policy, creation_token=version.uuid)
        timeout = node.claim.stack.timeout_seconds
        stage = resource_type.child_stage(properties, policies, version.data, contents, timeout)
        return stage, contents

    def _keep_data(self, stage: Stage | None) -> None:
        """Keep what the type has noted of a stage."""
        if stage is not None and stage.data is not None:
            self._node.version.data = stage.data

    async def _at_stage(
        self, child_id: str, recipe: Recipe, found: tuple[Stage, Contents] | None
    ) -> Recipe:
        """Return what the nested stack is made of at its next stage; it is known to be valid."""
        version, stack = self._node.version, self._node.claim.stack
        if found is not None:
            stage, contents = found
            # Members that have not been changed yet may need files that others need no more.
            files = {**contents.files, **recipe.files} if stage.policy else recipe.files
            recipe = recipe.with_template(stage.template)
            # Members that stay as they are have secrets that nobody hands to the stack any more.
            kept = (each for each in contents.secrets if json.dumps(each)[1:-1] in recipe.template)
            secrets = tuple(sorted({*recipe.secrets, *kept}))
            recipe = replace(recipe, files=files, secrets=secrets)
        digest = digest_of_recipe(recipe)
        child = StackFacts(child_id, child_name(stack, version), stack.project)
        try:
            bound = await self._node.evaluated(
                Evaluation(stack.project, bind_recipe, (child, recipe, digest)),
                lambda: self._node.tools.book.bind(child, recipe, digest),
            )
        except InvalidDocument as fault:
            raise ResourceFailed(str(fault)) from None
        self._node.tools.book.keep(child.id, bound)
        return recipe

    async def _go_to_next_stage(self, cookie: DelegationCookie, until: float) -> Outcome | None:
        """Give the nested stack its next recipe, or wait until it is time to do so."""
        node, version = self._node, self._node.version
        action = version.intent or version.action
        if not node.claim.is_current or node.claim.node.task is not Task.UPDATE:
            node.has_acted = True
            raise Stopped(status_texts.cancelled(action))
        if node.world.now() < until:
            version.cookie = replace(cookie, until=until).as_data()
            node.due = until
            return None
        name = node.claim.node.name
        if node.published.missing(node.bound.template.explicit_graph.requires(name)):
            # A newer traversal owns them now.
            return Outcome(node.claim, OutcomeKind.DROPPED)
        wanted, recipe = await wanted_by_template(node)
        found = await self._stage(wanted, node.resource_type(wanted.type_name), cookie.policy or "")
        if recipe is None:
            raise AssertionError(f"{name} was a stack and is none within one traversal")
        child_id = version.physical_id or ""
        recipe = await self._at_stage(child_id, recipe, found)
        stage = found[0] if found else None
        self._keep_data(stage)
        request = ChildRequest(Action.UPDATE, recipe, converges=node.claim.stack.converges)
        return self.delegate(action, request, stage, more=True)

    def _has_stages(self) -> bool:
        """Tell whether the nested stack may have been on its way through several stages."""
        definition, resource_type = self._node.version.definition, self._node.present_type()
        if not isinstance(resource_type, StagedStack):
            return False
        properties = resource_type.convert(definition.properties)
        return any(resource_type.policies(properties, definition.update_policy).values())

    async def _refresh_attributes(self) -> None:
        """Read what a nested stack offers that nothing asked for until now."""
        node = self._node
        node.must_wait()
        report = await node.ports.report_of(node.version.physical_id or "")
        if report.child is not None:
            node.version.attributes = self._attributes_of(report.child)
            node.version.always_visited = report.asks_for_visits

    def _attributes_of(self, child: Child) -> dict[str, Data]:
        node = self._node
        return attributes_from(node.present_type(), node.version, node.bound, child)
