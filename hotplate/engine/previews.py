"""What operations would do, asked before they are done."""

from dataclasses import dataclass
from functools import partial

from hotplate.engine.patch import Patch, patched
from hotplate.engine.preview import Planned, preview
from hotplate.engine.reading import Reading
from hotplate.engine.recipes import Bound, Recipe, fetch
from hotplate.engine.validating import validated
from hotplate.model import Action, Stack, Status


@dataclass(frozen=True, slots=True)
class Preview:
    """What would happen to each resource, and what the stack would be made of."""

    bound: Bound
    planned: list[Planned]


class Previews(Reading):
    """Decides as the operations decide, and changes nothing."""

    async def preview_create(self, project: str, name: str, recipe: Recipe) -> Preview:
        """Return what creating a stack would do. Raises InvalidDocument."""
        stack_id = self._tools.world.uuid()
        bound = await self._validated(stack_id, name, project, recipe)
        stack = _imagined(stack_id, project, name)
        planned = await self.ask(
            partial(preview, tools=self._tools, stack=stack, bound=bound, exists=False)
        )
        return Preview(bound, planned)

    async def preview_update(self, stack_id: str, recipe: Recipe) -> Preview:
        """Return what an update would do, decided as the update decides. Raises InvalidDocument."""
        stack = await self.stack(stack_id)
        bound = await self._validated(stack.id, stack.name, stack.project, recipe)
        planned = await self.ask(
            partial(preview, tools=self._tools, stack=stack, bound=bound, exists=True)
        )
        return Preview(bound, planned)

    async def preview_delete(self, stack_id: str) -> list[Planned]:
        """Return everything that a deletion would delete."""
        stack = await self.stack(stack_id)
        return await self.ask(
            partial(preview, tools=self._tools, stack=stack, bound=None, exists=True)
        )

    async def preview_patch(self, stack_id: str, patch: Patch) -> Preview:
        """Return what an update that says only what differs would do. Raises InvalidDocument."""
        stack = await self.stack(stack_id)
        old = await self.ask(partial(fetch, digest=stack.recipe))
        return await self.preview_update(stack_id, patched(old, patch))

    async def _validated(
        self, stack_id: str, name: str, project: str, recipe: Recipe, minutes: int | None = None
    ) -> Bound:
        """Do as `validated`, while other tasks go on: a large template takes seconds."""
        return await self._tools.world.aside(
            partial(validated, self._tools, stack_id, name, project, recipe, minutes)
        )


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
