"""What can be asked of the engine. Every change of a stack is one accepted transaction."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from hotplate.dispatch import Dispatcher
from hotplate.document import InvalidDocument, Problem, did_you_mean
from hotplate.engine import words
from hotplate.engine.handover import export, forget
from hotplate.engine.nested import kind_for
from hotplate.engine.patch import Patch, patched
from hotplate.engine.preview import Planned, preview
from hotplate.engine.reading import AlreadyExists, NotFound, Reading, Refused, existing, shown
from hotplate.engine.recipes import EMPTY, Bound, Recipe, digest_of_recipe, fetch, keep
from hotplate.engine.store import Store
from hotplate.engine.traversal import Tools, begin, fail
from hotplate.engine.walk import WALKS, begin_walk
from hotplate.model import Action, Snapshot, Stack, Status
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.property import BadProperty
from hotplate.store.nodes import busy_versions
from hotplate.store.snapshots import insert_snapshot, read_snapshot, snapshots_of
from hotplate.store.stacks import (
    change_stack,
    insert_stacks,
    name_lock,
)
from hotplate.store.versions import save_versions, versions_of
from hotplate.template import ResolveError
from hotplate.validation.nesting import NestedTemplates
from hotplate.validation.report import Report

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Options:
    """How an operation is carried out. None leaves things as they are."""

    rollback: bool | None = None
    timeout: int | None = None
    tags: tuple[str, ...] | None = None


class Operations(Reading):
    """The engine's own API. Safe to call from any number of tasks."""

    def __init__(self, store: Store, tools: Tools, dispatcher: Dispatcher) -> None:
        super().__init__(store, tools)
        self._dispatcher = dispatcher

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
        self._validate(stack_id, name, project, recipe, options.timeout)

        def accept(connection: Connection) -> list[int]:
            stack = self._insert(connection, stack_id, project, name, recipe, options)
            return begin(connection, self._tools, stack, action, stack.recipe, adopted) or []

        try:
            await self._accepted(accept)
        except IntegrityError:
            raise AlreadyExists(f"the stack {name} already exists") from None
        return stack_id

    async def update(self, stack_id: str, recipe: Recipe, options: Options | None = None) -> None:
        """Accept an update to a new recipe. Raises InvalidDocument or Refused."""
        options = options or Options()
        stack = await self.stack(stack_id)
        timeout = stack.timeout if options.timeout is None else options.timeout
        self._validate(stack.id, stack.name, stack.project, recipe, timeout)

        def accept(connection: Connection) -> list[int]:
            locked = existing(connection, stack_id)
            _must_be_updatable(locked)
            _apply(connection, locked, options)
            digest = keep(connection, recipe)
            return begin(connection, self._tools, locked, Action.UPDATE, digest) or []

        await self._accepted(accept)

    async def patch(self, stack_id: str, patch: Patch, options: Options | None = None) -> None:
        """Accept an update that says only what differs from what the stack is made of.

        The patch is laid over the recipe that the stack has when the request is accepted, so two
        patches that race are both applied.
        """

        def accept(connection: Connection) -> list[int]:
            locked = existing(connection, stack_id)
            _must_be_updatable(locked)
            _apply(connection, locked, options or Options())
            recipe = patched(fetch(connection, locked.recipe), patch)
            self._validate(locked.id, locked.name, locked.project, recipe, locked.timeout)
            digest = keep(connection, recipe)
            return begin(connection, self._tools, locked, Action.UPDATE, digest) or []

        await self._accepted(accept)

    async def preview_create(self, project: str, name: str, recipe: Recipe) -> list[Planned]:
        """Return what creating a stack would do. Raises InvalidDocument."""
        stack_id = self._tools.world.uuid()
        bound = self._validate(stack_id, name, project, recipe)
        stack = _imagined(stack_id, project, name)
        return await self._store.transact(
            partial(preview, tools=self._tools, stack=stack, bound=bound, exists=False)
        )

    async def preview_update(self, stack_id: str, recipe: Recipe) -> list[Planned]:
        """Return what an update would do, decided as the update decides. Raises InvalidDocument."""
        stack = await self.stack(stack_id)
        bound = self._validate(stack.id, stack.name, stack.project, recipe)
        return await self._store.transact(
            partial(preview, tools=self._tools, stack=stack, bound=bound, exists=True)
        )

    async def preview_delete(self, stack_id: str) -> list[Planned]:
        """Return everything that a deletion would delete."""
        stack = await self.stack(stack_id)
        return await self._store.transact(
            partial(preview, tools=self._tools, stack=stack, bound=None, exists=True)
        )

    async def delete(self, stack_id: str) -> None:
        """Accept the deletion of a stack; it stops whatever is going on."""

        def accept(connection: Connection) -> list[int]:
            locked = existing(connection, stack_id)
            return begin(connection, self._tools, locked, Action.DELETE, locked.recipe) or []

        await self._accepted(accept)

    async def roll_back(self, stack_id: str) -> None:
        """Go back to the last recipe that completed, or to nothing."""

        def accept(connection: Connection) -> list[int]:
            locked = existing(connection, stack_id)
            if locked.action in (Action.DELETE, Action.SUSPEND):
                raise Refused(f"there is no way back from {locked.action.value}")
            target = locked.completed_recipe or keep(connection, EMPTY)
            return begin(connection, self._tools, locked, Action.ROLLBACK, target) or []

        await self._accepted(accept)

    async def retry(self, stack_id: str) -> None:
        """Try again what failed, with the recipe that the stack has."""

        def accept(connection: Connection) -> list[int]:
            locked = existing(connection, stack_id)
            if locked.status is not Status.FAILED:
                raise Refused("only a stack that failed can be tried again")
            if locked.action is Action.DELETE:
                return begin(connection, self._tools, locked, Action.DELETE, locked.recipe) or []
            if locked.action in WALKS:
                action = locked.action
                return begin_walk(connection, self._tools, locked, action, WALKS[action]) or []
            return begin(connection, self._tools, locked, Action.UPDATE, locked.recipe) or []

        await self._accepted(accept)

    async def cancel(self, stack_id: str, roll_back: bool) -> None:
        """Stop an update; without going back also a creation. Raises Refused if idle."""

        def accept(connection: Connection) -> list[int]:
            locked = existing(connection, stack_id)
            allowed = (Action.UPDATE,) if roll_back else (Action.UPDATE, Action.CREATE)
            if locked.status is not Status.IN_PROGRESS or locked.action not in allowed:
                state = f"{locked.action.value}_{locked.status.value}"
                raise Refused(f"Cancelling update when stack is {state} is not supported.")
            if roll_back:
                target = locked.completed_recipe or keep(connection, EMPTY)
                return begin(connection, self._tools, locked, Action.ROLLBACK, target) or []
            reason = words.cancelled(locked.action)
            return fail(connection, self._tools, locked, reason, may_roll_back=False)

        await self._accepted(accept)

    async def walk(self, stack_id: str, action: Action) -> None:
        """Suspend, resume, check or snapshot every resource of a stack."""

        def accept(connection: Connection) -> list[int]:
            locked = existing(connection, stack_id)
            _must_be_idle(locked)
            return begin_walk(connection, self._tools, locked, action, WALKS[action]) or []

        await self._accepted(accept)

    async def take_snapshot(self, stack_id: str, name: str | None = None) -> str:
        """Start to keep the state of a stack and of its resources; return the snapshot's id."""
        snapshot_id = self._tools.world.uuid()

        def accept(connection: Connection) -> list[int]:
            locked = existing(connection, stack_id)
            _must_be_idle(locked)
            insert_snapshot(
                connection,
                Snapshot(
                    id=snapshot_id,
                    stack_id=stack_id,
                    name=name,
                    status=Status.IN_PROGRESS,
                    reason="",
                    recipe=locked.recipe,
                    data={},
                    created_at=self._tools.world.now(),
                ),
            )
            action = Action.SNAPSHOT
            return begin_walk(connection, self._tools, locked, action, WALKS[action]) or []

        await self._accepted(accept)
        return snapshot_id

    async def restore(self, stack_id: str, snapshot_id: str) -> None:
        """Bring a stack back to the recipe it had when a snapshot was taken."""

        def accept(connection: Connection) -> list[int]:
            locked = existing(connection, stack_id)
            _must_be_idle(locked)
            found = read_snapshot(connection, stack_id, snapshot_id)
            if found is None:
                raise NotFound(f"there is no snapshot {snapshot_id} of the stack {locked.name}")
            if found.status is not Status.COMPLETE:
                raise Refused(f"the snapshot is {found.status.value}, it cannot be restored")
            return begin(connection, self._tools, locked, Action.RESTORE, found.recipe) or []

        await self._accepted(accept)

    async def snapshots(self, stack_id: str) -> list[Snapshot]:
        """Return the snapshots of a stack, oldest first."""
        return await self._store.transact(partial(snapshots_of, stack_id=stack_id))

    async def export(self, stack_id: str) -> dict[str, Any]:
        """Return all that is needed to take a stack up elsewhere."""
        return await self._store.transact(
            lambda connection: export(connection, existing(connection, stack_id))
        )

    async def abandon(self, stack_id: str) -> dict[str, Any]:
        """Forget a stack without touching its objects; return what is needed to adopt it."""

        def accept(connection: Connection) -> dict[str, Any]:
            locked = existing(connection, stack_id)
            _must_be_idle(locked)
            document = export(connection, locked)
            forget(connection, self._tools.world, locked)
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

    async def mark(self, stack_id: str, name: str, unhealthy: bool, reason: str = "") -> None:
        """Declare a resource unhealthy, so that the next update replaces it, or well again."""

        def accept(connection: Connection) -> list[int]:
            locked = existing(connection, stack_id)
            version = shown(versions_of(connection, stack_id)).get(name)
            if version is None:
                raise NotFound(f"there is no resource {name} in the stack {locked.name}")
            if version.id in busy_versions(connection, stack_id):
                raise Refused(f"the resource {name} is being worked on; try again later")
            if version.status is Status.IN_PROGRESS:
                raise Refused(f"the resource {name} is being worked on; try again later")
            if version.action in (Action.DELETE, Action.INIT):
                return []
            failed = version.action is Action.CHECK and version.status is Status.FAILED
            if not unhealthy and not failed:
                return []
            version.action = Action.CHECK
            version.status = Status.FAILED if unhealthy else Status.COMPLETE
            version.reason = reason or f"state changed by a request: {version.status.value}"
            version.updated_at = self._tools.world.now()
            save_versions(connection, [version])
            return []

        await self._accepted(accept)

    async def _accepted(self, accept: Callable[[Connection], list[int]]) -> None:
        self._dispatcher.publish(await self._store.transact(accept))

    def _validate(
        self, stack_id: str, name: str, project: str, recipe: Recipe, timeout: int | None = None
    ) -> Bound:
        """Return the recipe bound to the stack, or refuse what could not work."""
        digest = digest_of_recipe(recipe)
        known = self._tools.book.known(stack_id, digest)
        if known is not None and known.is_validated:
            return known
        bound = self._tools.book.bind(stack_id, name, project, recipe, digest)
        bound.template.check_values()
        report = Report()
        NestedTemplates(recipe.files, report).check(bound.template.template, bound.environment)
        problems = report.errors or [
            problem
            for resource in bound.template.resources
            for problem in self._type_problems(bound, resource, timeout)
        ]
        if problems:
            raise InvalidDocument(problems)
        bound.is_validated = True
        return bound

    def _type_problems(self, bound: Bound, name: str, timeout: int | None) -> Iterable[Problem]:
        definition = bound.template.resources[name]
        document = bound.template.template.document
        words_ = bound.template.template.dialect.words
        resolution = bound.resolution(name)
        kind_name = resolution.template or resolution.type
        try:
            kind = kind_for(self._tools.catalogue, kind_name)
        except UnknownType as error:
            yield document.placed(Problem(str(error), (*definition.path, words_.type)))
            return
        for attribute in sorted({str(path[0]) for path in bound.needed.get(name, ()) if path}):
            if not kind.nested and not kind.has_attribute(attribute):
                text = f"The Referenced Attribute ({name} {attribute}) is incorrect."
                hint = did_you_mean(attribute, kind.attributes)
                yield document.placed(Problem(text, definition.path, hint))
        if definition.static_references:
            return  # values come from other resources: checked when these exist
        try:
            properties = kind.convert(bound.template.properties(name))
        except (BadProperty, ResolveError) as error:
            path = getattr(error, "path", ())
            where = (*definition.path, words_.properties, *path)
            yield document.placed(Problem(str(error), where, getattr(error, "hint", "")))
            return
        fault = kind.validate(properties, None if timeout is None else 60.0 * timeout)
        if fault:
            yield document.placed(Problem(fault, (*definition.path, words_.properties)))

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
        }
        insert_stacks(connection, [row])
        if options.tags:
            change_stack(connection, stack_id, tags=list(options.tags))
        return existing(connection, stack_id)


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


def _must_be_updatable(stack: Stack) -> None:
    if stack.action in (Action.DELETE, Action.SUSPEND):
        way_on = "resume it first" if stack.action is Action.SUSPEND else "delete it again"
        raise Refused(f"a stack cannot be updated after {stack.action.value}; {way_on}")


def _must_be_idle(stack: Stack) -> None:
    if stack.status is Status.IN_PROGRESS:
        raise Refused(f"{stack.action.value} is in progress; wait until it has ended")


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
