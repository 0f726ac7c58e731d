"""What operations would do, asked before they are done."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection

from hotplate.bounded import Evaluation
from hotplate.engine.context import Tools
from hotplate.engine.explain.causes import Cause, explain
from hotplate.engine.external_objects import Observation, Observations, observe
from hotplate.engine.live_values import observe_managed
from hotplate.engine.preview.deletion import PlannedDeletion, preview_deletion
from hotplate.engine.preview.planned_change import NOT_YET, Planned
from hotplate.engine.preview.questions import Questions, answers_to
from hotplate.engine.preview.unknown_values import UNKNOWN, AnyAttribute, has_unknown
from hotplate.engine.preview.update import Background, preview
from hotplate.engine.recipes import EMPTY, Recipe
from hotplate.engine.recipes.book import Bound, fetch
from hotplate.engine.recipes.hidden_parameters import secrets_of
from hotplate.engine.recipes.kept_secrets import holds_stars, with_secrets
from hotplate.engine.recipes.stored import digest_of_recipe
from hotplate.engine.requests.patch import Patch, patched
from hotplate.engine.requests.queries import Queries
from hotplate.model import Action, Relation, Stack, Status, Version
from hotplate.secret import Secrets, plain
from hotplate.store.stacks import read_stacks
from hotplate.store.tree import stacks_of_tree
from hotplate.store.versions import external_versions, versions_of_stacks
from hotplate.template import ResolveError, ResourceData
from hotplate.validation.recipes import (
    StackToBe,
    ask_remote_servers,
    checked_by_cloud,
    refuse_changed_immutables,
    refuse_external_conflicts,
    validated,
)

Show = Callable[[Stack, Iterable[Planned], Secrets], Any]
"""Makes of a plan what shall be shown of it, while it is made. A function of a module: it is called
where the plan is made, and only what it returns comes from there. The secrets are those of the
whole stack."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What would happen to each resource, and what the stack would be made of."""

    bound: Bound
    planned: list[Planned]
    """Empty if the preview was asked to show it: then it is in ``shown``."""

    shown: Any = None
    outputs: Mapping[str, Any] = field(default_factory=dict)
    """Of a new stack: null where the value is known later only, and what failed as its error."""


class Previews(Queries):
    """Decides as the operations decide, and changes nothing."""

    async def preview_create(
        self, project: str, name: str, recipe: Recipe, show: Show | None = None
    ) -> Preview:
        """Return what creating a stack would do. Raises InvalidDocument."""
        recipe = await self._with_secrets(project, recipe)
        whose = StackToBe(NOT_YET, name, project, is_kept=False)
        bound = await checked_by_cloud(self._tools, project, validated, whose, recipe)
        await ask_remote_servers(self._tools, project, name, bound)
        whole = _imagined(NOT_YET, project, name)
        found = await self._preview(whole, bound, exists=False, show=show)
        outputs = await self._tools.evaluate(Evaluation(project, _outputs, (bound,)))
        return replace(found, outputs=outputs)

    async def preview_update(
        self,
        stack_id: str,
        recipe: Recipe,
        converges: bool = False,
        nested: bool = True,
        show: Show | None = None,
    ) -> Preview:
        """Return what an update would do, decided as the update decides. Raises InvalidDocument.

        ``converges``: as if the live values of objects were those that were applied. ``nested``:
        with what is in nested stacks.
        """
        stack = await self.stack(stack_id)
        recipe = await self._with_secrets(stack.project, recipe, stack)
        bound = await self._validated(
            stack.id, stack.name, stack.project, recipe, applied=applied_recipe(stack)
        )
        await self._store.read(
            partial(refuse_changed_immutables, tools=self._tools, stack=stack, bound=bound)
        )
        return await self._preview(stack, bound, True, converges, nested, show)

    async def _preview(
        self,
        stack: Stack,
        bound: Bound,
        exists: bool,
        converges: bool = False,
        nested: bool = True,
        show: Show | None = None,
    ) -> Preview:
        await self._store.read(partial(refuse_external_conflicts, stack=stack, bound=bound))
        observations = await self._observations(stack, bound, exists)
        if converges:
            managed = await self._managed_objects(stack)
            observations = replace(observations, present={**managed, **observations.present})
        background = Background(observations=observations, converges=converges, shows_nested=nested)
        showing = None if show is None else await self._showing(show, stack, bound, exists)
        planned, questions = await self._planned(stack, bound, exists, background, showing)
        while questions:
            answers = await answers_to(self._tools, questions, background.answers)
            background = replace(background, answers=answers, questions=Questions())
            planned, questions = await self._planned(stack, bound, exists, background, showing)
        return Preview(bound, planned) if showing is None else Preview(bound, [], planned)

    async def _showing(self, show: Show, stack: Stack, bound: Bound, exists: bool) -> "_Showing":
        # The old values are shown beside the new ones.
        bounds = (bound, await self.bound(stack)) if exists else (bound,)
        return _Showing(show, await self._tools.world.aside(lambda: secrets_of(*bounds)))

    async def _planned(
        self,
        stack: Stack,
        bound: Bound | None,
        exists: bool,
        background: Background,
        showing: "_Showing | None" = None,
    ) -> tuple[Any, Questions]:
        """Return what would happen to each resource, and what must be asked to be sure of it.

        It is a list, or what is shown of it once nothing must be asked any more.
        """
        args = (stack, bound, exists, background, showing)
        return await self._tools.evaluate(Evaluation(stack.project, _plan, args, reads=True))

    async def _observations(self, stack: Stack, bound: Bound, exists: bool) -> Observations:
        """Read the external objects that the stack has, or shall have."""
        wanted = {
            name: self._imagined_version(stack, bound, name, object_id)
            for name, object_id in bound.external_ids().items()
        }
        versions: list[Version] = []
        stacks = {stack.id: stack}
        if exists:
            versions = await self._store.read(partial(external_versions, root_id=stack.root_id))
        if versions:
            inside = {version.stack_id for version in versions}
            stacks |= await self._store.read(partial(read_stacks, ids=inside))
        if not versions and not wanted:
            return Observations()
        return await observe(self._tools, stacks, versions, wanted)

    async def _managed_objects(self, stack: Stack) -> dict[int, Observation]:
        """Read the managed objects of a stack and its nested stacks."""

        def read(connection: Connection) -> tuple[dict[str, Stack], list[Version]]:
            inside = stacks_of_tree(connection, stack.id, self._tools.deepest_nesting)
            stacks = {each.id: each for each in inside if each.deleted_at is None}
            return stacks, versions_of_stacks(connection, stacks)

        stacks, versions = await self._store.read(read)
        return await observe_managed(self._tools, stacks, versions)

    def _imagined_version(self, stack: Stack, bound: Bound, name: str, object_id: str) -> Version:
        resolution = bound.resolution(name)
        return Version(
            id=0,
            uuid=self._tools.world.uuid(),
            stack_id=stack.id,
            root_id=stack.root_id,
            name=name,
            type=resolution.template or resolution.type,
            action=Action.INIT,
            status=Status.COMPLETE,
            owner=0,
            recipe="",
            created_at=0,
            physical_id=object_id,
            relation=Relation.EXTERNAL,
            project=stack.project,
        )

    async def preview_delete(self, stack_id: str) -> list[Planned]:
        """Return everything that a deletion would delete."""
        stack = await self.stack(stack_id)
        planned, _ = await self._planned(stack, None, True, Background())
        return planned

    async def preview_deletion(self, stack: Stack) -> list[PlannedDeletion]:
        """Return what a deletion would do to everything in a stack, in order."""
        return await self._tools.evaluate(
            Evaluation(stack.project, _plan_deletion, (stack,), reads=True)
        )

    async def explain(self, stack: Stack, name: str) -> list[Cause]:
        """Return the chain of causes of a resource. Raises NotFound."""
        return await self._tools.evaluate(
            Evaluation(stack.project, _explain, (stack, name), reads=True)
        )

    async def preview_patch(
        self,
        stack_id: str,
        patch: Patch,
        converges: bool = False,
        nested: bool = True,
        show: Show | None = None,
    ) -> Preview:
        """Return what an update that says only what differs would do. Raises InvalidDocument."""
        stack = await self.stack(stack_id)
        recipe = await self.patched(stack, patch)
        return await self.preview_update(stack_id, recipe, converges, nested, show)

    async def patched(self, stack: Stack, patch: Patch) -> Recipe:
        """Do as `patched` to what a stack is made of now, while other tasks go on."""
        old = await self._store.read(partial(fetch, project=stack.project, digest=stack.recipe))
        return await self._tools.evaluate(Evaluation(stack.project, _patch, (old, patch)))

    async def _with_secrets(
        self, project: str, recipe: Recipe, stack: Stack | None = None
    ) -> Recipe:
        """Do as `with_secrets`, while other tasks go on. Without stars it is the same object."""
        if not holds_stars(recipe):
            return recipe
        old = None if stack is None else await self.bound(stack)
        return await self._tools.evaluate(Evaluation(project, _restore_secrets, (recipe, old)))

    async def preview_rollback(
        self, stack_id: str, nested: bool = True, show: Show | None = None
    ) -> Preview:
        """Return what going back to what last completed would do, or to nothing."""
        stack = await self.stack(stack_id)
        recipe = EMPTY
        if stack.completed_recipe is not None:
            recipe = await self._store.read(
                partial(fetch, project=stack.project, digest=stack.completed_recipe)
            )
        # Going back gives even immutable parameters the values that they had.
        bound = await self._validated(stack.id, stack.name, stack.project, recipe)
        return await self._preview(stack, bound, exists=True, nested=nested, show=show)

    async def _validated(
        self,
        stack_id: str,
        name: str,
        project: str,
        recipe: Recipe,
        minutes: int | None = None,
        applied: str = "",
    ) -> Bound:
        """Do as `validated`, while other tasks go on: a large template takes seconds.

        Others who must make parts of the stack are asked as well. Raises InvalidDocument. A cloud
        is not asked about a recipe that is ``applied``: nothing is made of its values.
        """
        whose = StackToBe(stack_id, name, project, minutes)
        if applied and digest_of_recipe(recipe) == applied:
            bound = await self._tools.evaluate(Evaluation(project, validated, (whose, recipe)))
        else:
            bound = await checked_by_cloud(self._tools, project, validated, whose, recipe)
        self._tools.book.keep(stack_id, bound)
        await ask_remote_servers(self._tools, project, name, bound)
        return bound


@dataclass(frozen=True, slots=True)
class _Showing:
    """How a plan is shown, and which secrets may be in it."""

    show: Show
    secrets: Secrets


def applied_recipe(stack: Stack) -> str:
    """Return the recipe that all of a stack is as it says; nothing if that is not sure."""
    is_whole = stack.status is Status.COMPLETE and stack.action in _APPLYING
    return stack.recipe if is_whole and stack.recipe == stack.completed_recipe else ""


_APPLYING: Final = frozenset((Action.CREATE, Action.UPDATE, Action.CHECK))


def _plan(
    tools: Tools,
    connection: Connection,
    stack: Stack,
    bound: Bound | None,
    exists: bool,
    background: Background,
    showing: "_Showing | None",
) -> tuple[Any, Questions]:
    planned = preview(connection, tools, stack, bound, exists, background=background)
    if not background.shows_nested:
        planned = (each for each in planned if len(each.path) == 1)
    if showing is None:
        return list(planned), background.questions
    # Whether there are questions is known at the end only, and most plans have none.
    shown = showing.show(stack, planned, showing.secrets)
    return None if background.questions else shown, background.questions


def _plan_deletion(tools: Tools, connection: Connection, stack: Stack) -> list[PlannedDeletion]:
    return preview_deletion(connection, tools, stack)


def _explain(tools: Tools, connection: Connection, stack: Stack, name: str) -> list[Cause]:
    return explain(connection, tools, stack, name)


def _patch(tools: Tools, old: Recipe, patch: Patch) -> Recipe:
    return patched(old, patch, tools.book)


def _restore_secrets(tools: Tools, recipe: Recipe, old: Bound | None) -> Recipe:
    return with_secrets(recipe, tools.book, old)


def _outputs(tools: Tools, bound: Bound) -> dict[str, Any]:
    """Return what is known of the outputs before anything exists."""
    nothing = ResourceData(UNKNOWN, AnyAttribute())
    known = dict.fromkeys(bound.template.resources, nothing)
    values: dict[str, Any] = {}
    for name in bound.template.template.outputs:
        try:
            value = plain(bound.template.output(name, known))
        except ResolveError as error:
            # The stand-in for a value may be all that does not fit.
            values[name] = None if known else error
        else:
            values[name] = None if has_unknown(value) else value
    return values


def _imagined(stack_id: str, project: str, name: str) -> Stack:
    """Return a stack as it would be before anything has been made."""
    return Stack(
        number=0,
        id=stack_id,
        name=name,
        project=project,
        root_id=stack_id,
        parent_id=None,
        parent_version=None,
        depth=0,
        recipe="",
        completed_recipe=None,
        traversal=None,
        sequence=0,
        counter=0,
        need=0,
        update_need=0,
        action=Action.INIT,
        status=Status.COMPLETE,
        reason="",
        rollback=False,
        timeout=None,
        deadline=None,
        tags=(),
        created_at=0,
        updated_at=None,
        deleted_at=None,
    )
