"""What can be asked of the engine. Every change of a stack is one accepted transaction."""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from hotplate.dispatch import Dispatcher
from hotplate.engine.context import Tools
from hotplate.engine.kept_secrets import holds_stars, with_secrets
from hotplate.engine.lookup import existing
from hotplate.engine.recipes import EMPTY, Bound, Recipe, fetch, keep
from hotplate.engine.refusals import (
    AlreadyExists,
    NotSupported,
)
from hotplate.engine.requests.adoption import export, forget, snapshot_document
from hotplate.engine.requests.forgetting import forget_resource
from hotplate.engine.requests.health import mark_resource
from hotplate.engine.requests.hooks import clear_hook
from hotplate.engine.requests.listings import Listings
from hotplate.engine.requests.patch import Patch, patched
from hotplate.engine.requests.preconditions import (
    must_be_at,
    must_be_awake,
    must_be_changeable,
    must_be_idle,
    must_be_sound,
)
from hotplate.engine.requests.previews import Previews
from hotplate.engine.requests.signal_answers import answer
from hotplate.engine.requests.signals import SignalRefused, note_refused, send_signal
from hotplate.engine.requests.snapshots import (
    begin_restore,
    begin_snapshot,
    forget_snapshot,
    removable_snapshot,
    remove_copies,
)
from hotplate.engine.requests.software import Software
from hotplate.engine.store import Store
from hotplate.engine.traversal.begin import begin
from hotplate.engine.traversal.end import fail
from hotplate.engine.traversal.interruption import interrupt
from hotplate.engine.traversal.transitions import cancelled
from hotplate.engine.traversal.visits import VISITS, begin_visit
from hotplate.model import Action, Snapshot, Stack, Status, Version
from hotplate.store.requests import Request, insert_request
from hotplate.store.stacks import (
    change_stack,
    insert_stacks,
    name_lock,
    stacks_of_root,
)
from hotplate.validation.recipes import (
    StackToBe,
    refuse_changed_immutables,
    refuse_external_conflicts,
    validated,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Options:
    """How an operation is carried out. None leaves things as they are."""

    rollback: bool | None = None
    timeout: int | None = None
    tags: tuple[str, ...] | None = None
    converges: bool = False
    """Whether an update also brings back what differs in objects from what was applied."""

    username: str = ""
    """Who makes the stack; an update does not change it."""


class Operations(Previews):
    """The engine's own API. Safe to call from any number of tasks."""

    def __init__(self, store: Store, tools: Tools, dispatcher: Dispatcher) -> None:
        super().__init__(store, tools)
        self._dispatcher = dispatcher
        self._user = ""
        self.software = Software(store, tools, dispatcher)
        self.listings = Listings(store, tools.book)

    def on_behalf_of(self, user: str) -> "Operations":
        """Return the same operations; what is asked of them is noted with the user's name."""
        asked = copy(self)
        asked._user = user
        return asked

    async def create(
        self, project: str, name: str, recipe: Recipe, options: Options | None = None
    ) -> str:
        """Accept a new stack and return its id. Raises InvalidDocument or AlreadyExists."""
        return await self._make(project, name, recipe, options, Action.CREATE, {})

    async def _make(
        self,
        project: str,
        name: str,
        recipe: Recipe,
        options: Options | None,
        action: Action,
        adopted: Mapping[str, Mapping[str, Any]],
    ) -> str:
        options = options or Options()
        stack_id = self._tools.world.uuid()
        recipe = await self._with_secrets(recipe)
        bound = await self._validated(stack_id, name, project, recipe, options.timeout)

        def accept(connection: Connection) -> list[int]:
            stack = self._insert(connection, stack_id, project, name, recipe, options)
            refuse_external_conflicts(connection, stack, bound)
            ready = begin(connection, self._tools, stack, action, stack.recipe, adopted)
            return self._noted(connection, stack, ready)

        try:
            await self._accepted(accept)
        except IntegrityError:
            raise AlreadyExists(name) from None
        return stack_id

    async def update(
        self,
        stack_id: str,
        recipe: Recipe,
        options: Options | None = None,
        expected: int | None = None,
    ) -> int:
        """Accept an update to a new recipe; return the sequence of its traversal.

        Raises InvalidDocument or NotSupported. ``expected`` is the sequence of the traversal
        that the caller has seen; a stack that has begun another one is left alone. Raises Moved.
        """
        options = options or Options()
        stack = await self.stack(stack_id)
        timeout = stack.timeout if options.timeout is None else options.timeout
        completed = await self._with_secrets(recipe, stack)
        bound = await self._validated(stack.id, stack.name, stack.project, completed, timeout)

        def accept(connection: Connection) -> tuple[int, list[int]]:
            locked = existing(connection, stack_id)
            must_be_at(locked, expected)
            must_be_changeable(locked, "Updating a stack")
            _apply(connection, locked, options)
            known = bound if completed is recipe else None
            ready = self._begin_update(connection, locked, recipe, options, known)
            return locked.sequence, self._noted(connection, locked, ready)

        return await self._numbered(accept)

    async def patch(
        self,
        stack_id: str,
        patch: Patch,
        options: Options | None = None,
        expected: int | None = None,
    ) -> int:
        """Accept an update that says only what differs from what the stack is made of.

        The patch is laid over the recipe that the stack has when the request is accepted, so two
        patches that race are both applied. Returns the sequence of the traversal.
        """
        stack = await self.stack(stack_id)
        completed = await self._with_secrets(await self._patched(stack, patch), stack)
        await self._validated(stack.id, stack.name, stack.project, completed, stack.timeout)

        def accept(connection: Connection) -> tuple[int, list[int]]:
            locked = existing(connection, stack_id)
            must_be_at(locked, expected)
            must_be_changeable(locked, "Updating a stack")
            _apply(connection, locked, options or Options())
            recipe = patched(fetch(connection, locked.recipe), patch, self._tools.book)
            ready = self._begin_update(connection, locked, recipe, options or Options())
            return locked.sequence, self._noted(connection, locked, ready)

        return await self._numbered(accept)

    def _begin_update(
        self,
        connection: Connection,
        stack: Stack,
        recipe: Recipe,
        options: Options,
        bound: Bound | None = None,
    ) -> list[int]:
        """Begin an update of a locked stack, or refuse it; ``bound`` if it has been validated."""
        tools = self._tools
        if bound is None:
            if holds_stars(recipe):
                # The secrets are those of now, whoever has changed them meanwhile.
                old = tools.book.bound(connection, stack, stack.recipe)
                recipe = with_secrets(recipe, tools.book, old)
            whose = StackToBe(stack.id, stack.name, stack.project, stack.timeout)
            bound = validated(tools, whose, recipe)
        refuse_changed_immutables(connection, tools, stack, bound)
        refuse_external_conflicts(connection, stack, bound)
        digest = keep(connection, recipe)
        return begin(connection, tools, stack, Action.UPDATE, digest, converges=options.converges)

    async def delete(self, stack_id: str, expected: int | None = None) -> None:
        """Accept the deletion of a stack; it stops whatever is going on."""

        def accept(connection: Connection) -> list[int]:
            locked = existing(connection, stack_id)
            must_be_at(locked, expected)
            ready = begin(connection, self._tools, locked, Action.DELETE, locked.recipe)
            return self._noted(connection, locked, ready)

        await self._accepted(accept)

    async def roll_back(self, stack_id: str) -> None:
        """Go back to the last recipe that completed, or to nothing."""

        def accept(connection: Connection) -> list[int]:
            locked = existing(connection, stack_id)
            must_be_changeable(locked, "Rolling back a stack")
            target = locked.completed_recipe or keep(connection, EMPTY)
            ready = begin(connection, self._tools, locked, Action.ROLLBACK, target)
            return self._noted(connection, locked, ready)

        await self._accepted(accept)

    async def retry(self, stack_id: str) -> None:
        """Try again what failed, with the recipe that the stack has."""

        def accept(connection: Connection) -> list[int]:
            locked = existing(connection, stack_id)
            must_be_idle(locked)
            if locked.status is not Status.FAILED:
                raise NotSupported("Retrying a stack that has not failed", "update it instead")
            if locked.action in VISITS:
                ready = begin_visit(connection, self._tools, locked, locked.action)
            else:
                action = Action.DELETE if locked.action is Action.DELETE else Action.UPDATE
                ready = begin(
                    connection,
                    self._tools,
                    locked,
                    action,
                    locked.recipe,
                    converges=locked.converges,
                )
            return self._noted(connection, locked, ready)

        await self._accepted(accept)

    async def cancel(self, stack_id: str, roll_back: bool) -> None:
        """Stop an update; without going back also a creation. Raises NotSupported if idle."""

        def accept(connection: Connection) -> list[int]:
            locked = existing(connection, stack_id)
            allowed = (Action.UPDATE,) if roll_back else (Action.UPDATE, Action.CREATE)
            if locked.status is not Status.IN_PROGRESS or locked.action not in allowed:
                state = f"{locked.action.value}_{locked.status.value}"
                raise NotSupported(f"Cancelling update when stack is {state}")
            interrupt(connection, self._tools, locked)
            if roll_back:
                target = locked.completed_recipe or keep(connection, EMPTY)
                ready = begin(connection, self._tools, locked, Action.ROLLBACK, target)
            else:
                ready = fail(connection, self._tools, locked, cancelled(locked))
            return self._noted(connection, locked, ready, "CANCEL")

        await self._accepted(accept)

    async def visit(self, stack_id: str, action: Action) -> None:
        """Suspend, resume or check every resource of a stack.

        What is suspended or resumed already stays as it is.
        """

        def accept(connection: Connection) -> list[int]:
            locked = existing(connection, stack_id)
            must_be_idle(locked)
            is_done = locked.action is action and locked.status is Status.COMPLETE
            if is_done and action in (Action.SUSPEND, Action.RESUME):
                return []
            if action is Action.CHECK:
                must_be_awake(connection, locked, "Checking a stack")
            else:
                must_be_sound(locked, f"{action.value.capitalize()} of a stack")
            ready = begin_visit(connection, self._tools, locked, action)
            return self._noted(connection, locked, ready)

        await self._accepted(accept)

    async def take_snapshot(self, stack_id: str, name: str | None = None) -> str:
        """Start to keep the state of a stack and of its resources; return the snapshot's id."""
        snapshot_id = self._tools.world.uuid()

        def accept(connection: Connection) -> list[int]:
            locked = existing(connection, stack_id)
            ready = begin_snapshot(connection, self._tools, locked, snapshot_id, name)
            return self._noted(connection, locked, ready)

        await self._accepted(accept)
        return snapshot_id

    async def restore(self, stack_id: str, snapshot_id: str) -> None:
        """Bring a stack back to the recipe it had when a snapshot was taken.

        Types may add to it what brings back the state that the snapshot kept of their objects.
        """

        def accept(connection: Connection) -> list[int]:
            locked = existing(connection, stack_id)
            ready = begin_restore(connection, self._tools, locked, snapshot_id)
            return self._noted(connection, locked, ready)

        await self._accepted(accept)

    async def delete_snapshot(self, stack_id: str, snapshot_id: str) -> None:
        """Remove a snapshot and the copies of objects. Raises NotSupported while it is taken."""
        found = await self._store.read(
            lambda connection: removable_snapshot(connection, stack_id, snapshot_id)
        )
        await remove_copies(self._tools, found.data)

        def accept(connection: Connection) -> list[int]:
            forget_snapshot(connection, stack_id, snapshot_id)
            return []

        await self._accepted(accept)

    async def snapshot_document(self, stack: Stack, snapshot: Snapshot) -> dict[str, Any]:
        """Return what a snapshot kept, in the form in which a stack is exported."""
        book = self._tools.book
        return await self._store.read(
            lambda connection: snapshot_document(connection, book, stack, snapshot)
        )

    async def export(self, stack_id: str) -> dict[str, Any]:
        """Return all that is needed to take a stack up elsewhere."""
        return await self._store.transact(
            lambda connection: export(connection, self._tools.book, existing(connection, stack_id))
        )

    async def abandon(self, stack_id: str) -> dict[str, Any]:
        """Forget a stack without touching its objects; return what is needed to adopt it."""

        def accept(connection: Connection) -> dict[str, Any]:
            locked = existing(connection, stack_id)
            for inside in stacks_of_root(connection, locked.root_id):
                # A group may change its size while its parents are at rest. A delete may be left:
                # what it still does for objects it has in hand is done for nobody.
                if inside.action is not Action.DELETE:
                    must_be_idle(inside)
            document = export(connection, self._tools.book, locked)
            forget(connection, self._tools.world, self._tools.book, locked)
            return document

        return await self._store.transact(accept)

    async def adopt(
        self,
        project: str,
        name: str,
        recipe: Recipe,
        resources: Mapping[str, Mapping[str, Any]],
        options: Options | None = None,
    ) -> str:
        """Accept a new stack of objects that exist already, as `abandon` wrote them down."""
        return await self._make(project, name, recipe, options, Action.ADOPT, resources)

    async def signal(
        self, stack_id: str, name: str, details: Mapping[str, Any], creation_token: str = ""
    ) -> None:
        """Tell a resource something; with a creation token, that version of it.

        Raises NotFound, NotSupported or BadRequest.
        """

        def accept(connection: Connection) -> list[int]:
            return send_signal(connection, self._tools, stack_id, name, details, creation_token)

        try:
            await self._accepted(accept)
        except SignalRefused as refused:
            await self._accepted(partial(note_refused, tools=self._tools, version=refused.version))
            raise
        await answer(self._store, self._tools, stack_id, name, details, creation_token)

    async def clear_hook(self, stack_id: str, name: str, hook: str) -> None:
        """Let a resource go on that waits at a hook. Raises NotFound or BadHook."""

        def accept(connection: Connection) -> list[int]:
            return clear_hook(connection, self._tools, stack_id, name, hook)

        await self._accepted(accept)

    async def mark(self, stack_id: str, name: str, unhealthy: bool, reason: str = "") -> None:
        """Declare a resource unhealthy, so that the next update replaces it, or well again.

        ``name`` is its name in the template or its physical id. Raises ActionInProgress while the
        stack is busy, or work of an interrupted operation still goes on on the resource.
        """

        def accept(connection: Connection) -> list[int]:
            mark_resource(connection, self._tools.world, stack_id, name, unhealthy, reason)
            return []

        await self._accepted(accept)

    async def forget(self, stack_id: str, name: str) -> list[Version]:
        """Take a resource that could not be deleted for deleted; its object is left alone.

        Return the versions that were forgotten. Raises NotFound, ActionInProgress, NotSupported.
        """
        world = self._tools.world
        return await self._store.transact(
            lambda connection: forget_resource(connection, world, stack_id, name)
        )

    async def _accepted(self, accept: Callable[[Connection], list[int]]) -> None:
        self._dispatcher.publish(await self._store.transact(accept))

    async def _numbered(self, accept: Callable[[Connection], tuple[int, list[int]]]) -> int:
        sequence, ready = await self._store.transact(accept)
        self._dispatcher.publish(ready)
        return sequence

    def _noted(
        self, connection: Connection, stack: Stack, ready: list[int], asked: str = ""
    ) -> list[int]:
        """Note who asked for what a stack has begun; return the nodes that are ready."""
        if self._user:
            action, now = asked or stack.action.value, self._tools.world.now()
            request = Request(stack.sequence, action, self._user, now)
            insert_request(connection, stack.id, request)
        return ready

    def _insert(
        self,
        connection: Connection,
        stack_id: str,
        project: str,
        name: str,
        recipe: Recipe,
        options: Options,
    ) -> Stack:
        now = self._tools.world.now()
        row: Mapping[str, Any] = {
            "id": stack_id,
            "name": name,
            "project": project,
            "root_id": stack_id,
            "depth": 0,
            "recipe": keep(connection, recipe),
            "sequence": 0,
            "counter": 0,
            "need": 0,
            "update_need": 0,
            "action": Action.CREATE.value,
            "status": Status.IN_PROGRESS.value,
            "reason": "",
            "rollback": bool(options.rollback),
            "timeout": options.timeout,
            "tags": "[]",
            "created_at": now,
            "name_lock": name_lock(project, name),
            "username": options.username,
        }
        insert_stacks(connection, [row])
        if options.tags:
            change_stack(connection, stack_id, tags=list(options.tags))
        return existing(connection, stack_id)


def _apply(connection: Connection, stack: Stack, options: Options) -> None:
    changes: dict[str, Any] = {}
    if options.rollback is not None:
        changes["rollback"] = stack.rollback = options.rollback
    if options.timeout is not None:
        changes["timeout"] = stack.timeout = options.timeout
    if options.tags is not None:
        changes["tags"] = list(options.tags)
        stack.tags = options.tags
    if changes:
        change_stack(connection, stack.id, **changes)
