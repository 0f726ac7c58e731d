"""What can be asked of the engine. Every change of a stack is one accepted transaction."""

from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from functools import partial
from typing import Any, Final, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from hotplate.dispatch import Dispatcher
from hotplate.engine.authority import caller_of
from hotplate.engine.context import Tools
from hotplate.engine.evaluation import LightStore, evaluating
from hotplate.engine.lookup import current_stack, locked_stack
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import Bound, StackFacts
from hotplate.engine.refusals import (
    ActionInProgress,
    AlreadyExists,
    NotSupported,
)
from hotplate.engine.requests.abandoning import abandon, write_down
from hotplate.engine.requests.acceptance import (
    Options,
    Overtaken,
    RequestedUpdate,
    begin_update,
    insert_requested,
)
from hotplate.engine.requests.adoption import export, snapshot_document
from hotplate.engine.requests.caller import CallerAuthority
from hotplate.engine.requests.forgetting import forget_resource
from hotplate.engine.requests.health import mark_resource
from hotplate.engine.requests.hooks import clear_hook
from hotplate.engine.requests.kept_ahead import kept_ahead
from hotplate.engine.requests.listings import Listings
from hotplate.engine.requests.patch import Patch
from hotplate.engine.requests.preconditions import (
    must_be_at,
    must_be_awake,
    must_be_changeable,
    must_be_idle,
    must_be_sound,
)
from hotplate.engine.requests.previews import Previews, applied_recipe
from hotplate.engine.requests.signal_answers import answer
from hotplate.engine.requests.signals import SignalRefused, note_refused, send_signal
from hotplate.engine.requests.snapshots import (
    begin_restore,
    begin_snapshot,
    forget_snapshot,
    removable_snapshot,
    removable_snapshots,
    remove_copies,
    restorable,
    without_copies,
)
from hotplate.engine.requests.software import Software
from hotplate.engine.store import Store
from hotplate.engine.traversal.begin import begin
from hotplate.engine.traversal.interruption import cancel
from hotplate.engine.traversal.rollback import go_back
from hotplate.engine.traversal.visits import VISIT_TASKS, begin_visit
from hotplate.engine.wanted_definition import note_definitions
from hotplate.engine.world import PerActor
from hotplate.identity import Credentials
from hotplate.model import Action, Snapshot, Stack, Status, Version
from hotplate.store.requests import Request, insert_request
from hotplate.store.snapshots import remove_snapshot
from hotplate.validation.recipes import refuse_external_conflicts

T = TypeVar("T")

_MANY: Final = 1000
"""Resources, nested ones included, of a stack of which it is not quickly said what it shall be."""

_TRIES: Final = 20
"""How often an update is validated anew because another one was accepted meanwhile."""


class Operations(Previews):
    """The engine's own API. Safe to call from any number of tasks."""

    def __init__(self, store: Store, tools: Tools, dispatcher: Dispatcher) -> None:
        tools = evaluating(tools, store)
        store = LightStore(store, tools)
        super().__init__(store, tools)
        self._dispatcher = dispatcher
        self._user = ""
        self._authority = CallerAuthority(store, tools, None)
        self.software = Software(store, tools, dispatcher)
        self.listings = Listings(store, tools.book)

    @property
    def acts_for_callers(self) -> bool:
        """Whether callers have clouds of their own."""
        return any(isinstance(each, PerActor) for each in self._tools.world.services.values())

    def on_behalf_of(
        self, user: str, project: str = "", credentials: Credentials | None = None
    ) -> "Operations":
        """Return the same operations; what is asked of them is noted with the user's name.

        With credentials, clouds are called with them, and what is accepted is done with the
        authority that they stand for. A ``project`` may have a cloud of its own.
        """
        asked = copy(self)
        asked._user = user
        asked._authority = CallerAuthority.offered(self._store, self._tools, credentials)
        asked._tools = self._tools.acting_for(caller_of(project, credentials))
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
        recipe = await self._with_secrets(project, recipe)
        bound = await self._validated(stack_id, name, project, recipe, options.timeout)
        fault = await self._authority.ensure_trust(project, bound.acts_later)

        def accept(connection: Connection) -> list[int]:
            whose = StackFacts(stack_id, name, project)
            stack = insert_requested(connection, self._tools, whose, recipe, options)
            self._authority.put(connection, stack)
            refuse_external_conflicts(connection, stack, bound)
            ready = begin(connection, self._tools, stack, action, stack.recipe, adopted)
            self._authority.warn(connection, stack, fault)
            return self._noted(connection, stack, ready)

        try:
            async with kept_ahead(self._store, self._tools, project, recipe):
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

        async def given(stack: Stack) -> Recipe:
            return recipe

        return await self._updated(stack_id, given, options or Options(), expected)

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

        async def laid_over(stack: Stack) -> Recipe:
            return await self.patched(stack, patch)

        return await self._updated(stack_id, laid_over, options or Options(), expected, True)

    async def _updated(
        self,
        stack_id: str,
        wanted: Callable[[Stack], Awaitable[Recipe]],
        options: Options,
        expected: int | None,
        is_relative: bool = False,
    ) -> int:
        """Validate what is wanted of a stack, then accept it; return the sequence of its traversal.

        ``is_relative``: it follows from what the stack is made of, as it also does if secrets stay
        what they are. If that has become something else meanwhile, all is done anew.
        """
        for _ in range(_TRIES):
            seen = await self.stack(stack_id)
            given = await wanted(seen)
            recipe = await self._with_secrets(seen.project, given, seen)
            timeout = seen.timeout if options.timeout is None else options.timeout
            whose = (seen.id, seen.name, seen.project)
            bound = await self._validated(*whose, recipe, timeout, applied_recipe(seen))
            await self._note_definitions_early(bound)
            follows = seen.recipe if is_relative or recipe is not given else None
            update = RequestedUpdate(seen.id, recipe, bound, options, follows, expected)
            fault = await self._authority.ensure_trust(seen.project, bound.acts_later, seen)

            def accept(
                connection: Connection, update: RequestedUpdate = update, fault: str = fault
            ) -> tuple[int, list[int]]:
                if self._authority.is_known:
                    self._authority.put(connection, locked_stack(connection, update.stack_id))
                stack, ready = begin_update(connection, self._tools, update)
                self._authority.warn(connection, stack, fault)
                return stack.sequence, self._noted(connection, stack, ready)

            try:
                async with kept_ahead(self._store, self._tools, seen.project, recipe):
                    sequence, ready = await self._store.transact(accept)
            except Overtaken:
                continue
            self._publish(ready)
            return sequence
        raise ActionInProgress(seen)

    async def _note_definitions_early(self, bound: Bound) -> None:
        """Find out what many resources shall be now, not in the transaction that accepts."""
        if bound.size > _MANY:
            await self._store.read(lambda _: note_definitions(self._tools.catalogue, bound))

    async def delete(self, stack_id: str, expected: int | None = None) -> None:
        """Accept the deletion of a stack with its snapshots; it stops whatever is going on."""

        def kept(connection: Connection) -> list[Snapshot]:
            must_be_at(current_stack(connection, stack_id), expected)
            return removable_snapshots(connection, stack_id)

        gone = await without_copies(self._tools, await self._store.read(kept))

        def accept(connection: Connection) -> list[int]:
            locked = locked_stack(connection, stack_id)
            must_be_at(locked, expected)
            self._authority.put(connection, locked)
            for each in gone:
                remove_snapshot(connection, each)
            ready = begin(connection, self._tools, locked, Action.DELETE, locked.recipe)
            return self._noted(connection, locked, ready)

        await self._accepted(accept)

    async def roll_back(self, stack_id: str) -> None:
        """Go back to the last recipe that completed, or to nothing."""
        seen = await self.stack(stack_id)
        fault = await self._authority.ensure_trust_for_recipe(seen, seen.completed_recipe)

        def accept(connection: Connection) -> list[int]:
            locked = locked_stack(connection, stack_id)
            must_be_changeable(locked, "Rolling back a stack")
            self._authority.put(connection, locked)
            ready = go_back(connection, self._tools, locked)
            self._authority.warn(connection, locked, fault)
            return self._noted(connection, locked, ready)

        await self._accepted(accept)

    async def retry(self, stack_id: str) -> None:
        """Try again what failed, with the recipe that the stack has."""
        seen = await self.stack(stack_id)
        fault = ""
        if seen.action is Action.RESUME:
            fault = await self._authority.ensure_trust_for_resume(seen)
        elif seen.action not in (*VISIT_TASKS, Action.DELETE):
            fault = await self._authority.ensure_trust_for_recipe(seen, seen.recipe)

        def accept(connection: Connection) -> list[int]:
            locked = locked_stack(connection, stack_id)
            must_be_idle(locked)
            if locked.status is not Status.FAILED:
                raise NotSupported("Retrying a stack that has not failed", "update it instead")
            if locked.action in VISIT_TASKS:
                self._authority.put_for_visit(connection, locked, locked.action)
                ready = begin_visit(connection, self._tools, locked, locked.action)
            else:
                self._authority.put(connection, locked)
                action = Action.DELETE if locked.action is Action.DELETE else Action.UPDATE
                ready = begin(
                    connection,
                    self._tools,
                    locked,
                    action,
                    locked.recipe,
                    converges=locked.converges,
                )
            self._authority.warn(connection, locked, fault)
            return self._noted(connection, locked, ready)

        await self._accepted(accept)

    async def cancel(self, stack_id: str, roll_back: bool) -> None:
        """Stop an update; without going back also a creation. Raises NotSupported if idle."""
        seen = await self.stack(stack_id)
        fault = await self._authority.ensure_trust_for_recipe(seen, seen.completed_recipe)

        def accept(connection: Connection) -> list[int]:
            locked = locked_stack(connection, stack_id)
            allowed = (Action.UPDATE,) if roll_back else (Action.UPDATE, Action.CREATE)
            if locked.status is not Status.IN_PROGRESS or locked.action not in allowed:
                state = f"{locked.action.value}_{locked.status.value}"
                raise NotSupported(f"Cancelling update when stack is {state}")
            self._authority.put(connection, locked)
            ready = cancel(connection, self._tools, locked, roll_back)
            self._authority.warn(connection, locked, fault)
            return self._noted(connection, locked, ready, "CANCEL")

        await self._accepted(accept)

    async def visit(self, stack_id: str, action: Action) -> None:
        """Suspend, resume or check every resource of a stack.

        What is suspended or resumed already stays as it is.
        """
        fault = ""
        if action is Action.RESUME:
            fault = await self._authority.ensure_trust_for_resume(await self.stack(stack_id))

        def accept(connection: Connection) -> list[int]:
            locked = locked_stack(connection, stack_id)
            must_be_idle(locked)
            is_done = locked.action is action and locked.status is Status.COMPLETE
            if is_done and action in (Action.SUSPEND, Action.RESUME):
                return []
            if action is Action.CHECK:
                must_be_awake(connection, locked, "Checking a stack")
            else:
                must_be_sound(locked, f"{action.value.capitalize()} of a stack")
            self._authority.put_for_visit(connection, locked, action)
            ready = begin_visit(connection, self._tools, locked, action)
            self._authority.warn(connection, locked, fault)
            return self._noted(connection, locked, ready)

        await self._accepted(accept)

    async def take_snapshot(self, stack_id: str, name: str | None = None) -> str:
        """Start to keep the state of a stack and of its resources; return the snapshot's id."""
        snapshot_id = self._tools.world.uuid()

        def accept(connection: Connection) -> list[int]:
            locked = locked_stack(connection, stack_id)
            self._authority.put_for_visit(connection, locked, Action.SNAPSHOT)
            ready = begin_snapshot(connection, self._tools, locked, snapshot_id, name)
            return self._noted(connection, locked, ready)

        await self._accepted(accept)
        return snapshot_id

    async def restore(self, stack_id: str, snapshot_id: str) -> None:
        """Bring a stack back to the recipe it had when a snapshot was taken.

        Types may add to it what brings back the state that the snapshot kept of their objects.
        """
        kept = await self._store.read(
            partial(restorable, stack_id=stack_id, snapshot_id=snapshot_id)
        )
        fault = await self._authority.ensure_trust_for_recipe(kept.stack, kept.snapshot.recipe)

        def accept(connection: Connection) -> list[int]:
            locked = locked_stack(connection, stack_id)
            self._authority.put(connection, locked)
            ready = begin_restore(connection, self._tools, locked, kept)
            self._authority.warn(connection, locked, fault)
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
        return await self._store.read(
            lambda connection: export(
                connection, self._tools.book, current_stack(connection, stack_id)
            )
        )

    async def abandon(self, stack_id: str) -> dict[str, Any]:
        """Forget a stack without touching its objects; return what is needed to adopt it."""
        for _ in range(_TRIES):
            written = await self._store.read(
                partial(write_down, tools=self._tools, stack_id=stack_id)
            )
            accept = partial(abandon, tools=self._tools, stack_id=stack_id, seen=written.seen)
            try:
                await self._accepted(accept)
            except Overtaken:
                continue
            return written.document
        raise ActionInProgress(await self.stack(stack_id))

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
        finally:
            for version in self._tools.signals.due():
                await self._store.read(partial(self._tools.signals.read, of=version))
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
        self._publish(await self._store.transact(accept))

    def _publish(self, ready: list[int]) -> None:
        self._tools.owners.learn_of_caller(ready)
        self._dispatcher.publish(ready)

    def _noted(
        self, connection: Connection, stack: Stack, ready: list[int], asked: str = ""
    ) -> list[int]:
        """Note who asked for what a stack has begun; return the nodes that are ready."""
        if self._user:
            action, now = asked or stack.action.value, self._tools.world.now()
            request = Request(stack.sequence, action, self._user, now)
            insert_request(connection, stack.id, request)
        return ready + self._authority.woken(connection, stack)
