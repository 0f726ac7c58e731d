"""Lists of what is stored: resources, events, requests, workers, executions of workflows."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection

from hotplate.document import InvalidDocument
from hotplate.engine import status_texts
from hotplate.engine.recipes.book import RecipeBook
from hotplate.engine.store import Store
from hotplate.model import Stack, Status
from hotplate.store.authorities import waiting_for_authority
from hotplate.store.deleted import listed_resources
from hotplate.store.event_listing import (
    Followed,
    ListedEvent,
    WantedEvents,
    follow_events,
    list_events,
    number_of_event,
)
from hotplate.store.events import Took, durations, newest_settled, settled_number
from hotplate.store.recipes import templates_of
from hotplate.store.requests import Request, requests_of
from hotplate.store.stack_listing import Wanted, changed_roots, count_states, list_stacks
from hotplate.store.stacks import read_stacks
from hotplate.store.tree import (
    ListedVersion,
    hooks_of_tree,
    listed_versions,
    stacks_of_tree,
    types_in_tree,
)
from hotplate.store.workers import KnownWorker, workers
from hotplate.store.workflows.following import mark_of_project, marks_of_trees
from hotplate.store.workflows.listing import ListQuery, listed_rows

T = TypeVar("T")


class ChangedStack(NamedTuple):
    """A root stack, and how many of its resources have each action and status; None: not counted.

    That is only counted where something goes on.
    """

    stack: Stack
    states: Counter[tuple[str, str]] | None


class Tree:
    """A stack and those nested in it, ``depth`` levels down, as they are at one moment.

    Only for the function that it was given to, and only until that returns: it reads the database
    while it is asked, in the thread of that function.
    """

    def __init__(
        self, connection: Connection, book: RecipeBook, stack_id: str, depth: int = 0
    ) -> None:
        self._connection = connection
        self._book = book
        self._stack_id = stack_id
        self._depth = depth
        self._descriptions: dict[str, dict[str, str]] = {}

    def stacks(self) -> list[Stack]:
        """Return the stacks, depth first; deleted ones are included."""
        return stacks_of_tree(self._connection, self._stack_id, self._depth)

    def versions(self, with_attributes: bool) -> Iterator[Sequence[ListedVersion]]:
        """Yield the versions stack by stack, depth first, in one query."""
        return listed_versions(self._connection, self._stack_id, self._depth, with_attributes)

    def resources(self, with_attributes: bool) -> Iterator[Sequence[ListedVersion]]:
        """Yield the versions and, of a stack that is deleted, those that are deleted already."""
        return listed_resources(self._connection, self._stack_id, self._depth, with_attributes)

    def hooks(self) -> dict[int, str]:
        """Return the hooks at which versions wait, by the ids of the versions."""
        return hooks_of_tree(self._connection, self._stack_id, self._depth)

    def newest_event(self, root_id: str) -> str:
        """Return the last event that no other of the whole tree can come before; empty for none."""
        return newest_settled(self._connection, root_id)

    def description(self, project: str, recipe: str, name: str) -> str:
        """Return what a recipe's template says about a resource; each template is read once."""
        if recipe not in self._descriptions:
            self._descriptions[recipe] = self._descriptions_in(project, recipe)
        return self._descriptions[recipe].get(name, "")

    def _descriptions_in(self, project: str, recipe: str) -> dict[str, str]:
        found = templates_of(self._connection, project, [recipe]).get(recipe)
        if found is None or "escription" not in found:
            return {}  # a generated template of very many members is not compiled to find none
        try:
            template = self._book.templates.stored(found, "template")
        except InvalidDocument:
            return {}
        return {name: each.description for name, each in template.resources.items()}


class Listings:
    """Answers lists. Safe to call from any number of tasks."""

    def __init__(self, store: Store, book: RecipeBook) -> None:
        self._store = store
        self._book = book

    async def of_tree(self, stack_id: str, depth: int, read: Callable[[Tree], T]) -> T:
        """Return what a function reads of a tree, all of one moment."""
        return await self._store.read(
            lambda connection: read(Tree(connection, self._book, stack_id, depth))
        )

    def stream_tree(
        self, stack_id: str, depth: int, write: Callable[[Tree], Iterator[bytes]]
    ) -> AsyncIterator[bytes]:
        """Yield the chunks that a function makes of a tree while it is read.

        Closing the iterator ends the reading.
        """
        return self._store.stream(
            lambda connection: write(Tree(connection, self._book, stack_id, depth))
        )

    async def bytes_of(self, project: str) -> int:
        """Return about how many bytes a project has in the database; reads all of them."""
        from hotplate.store.capacity.project_bytes import bytes_of_project  # noqa: PLC0415 (only servers ask)

        return await self._store.read(partial(bytes_of_project, project=project))

    async def events(self, wanted: WantedEvents) -> list[ListedEvent]:
        """Return one page of events, in a total order."""
        return await self._store.read(partial(list_events, wanted=wanted))

    async def follow_events(self, stack_id: str, depth: int, after: int, limit: int) -> Followed:
        """Return the oldest events of a tree after a number, at most ``limit``."""
        return await self._store.read(
            partial(follow_events, stack_id=stack_id, depth=depth, after=after, limit=limit)
        )

    async def event_number(self, event_id: str) -> int | None:
        """Return the number of an event, None if there is none with that id."""
        return await self._store.read_soon(partial(number_of_event, event_id=event_id))

    async def settled_event_number(self, after: int) -> int:
        """Return the number up to which no more events can come; ``after`` was one before."""
        return await self._store.read_soon(partial(settled_number, after=after))

    async def changed_stacks(
        self, project: str, after: int, until: int, hidden_tags: tuple[str, ...]
    ) -> list[ChangedStack]:
        """Return the root stacks of a project in which something happened between two events.

        With an ``until`` of 0 all that are there, those with a hidden tag left out.
        """

        def read(connection: Connection) -> list[ChangedStack]:
            if until:
                found = list(
                    read_stacks(
                        connection, changed_roots(connection, project, after, until)
                    ).values()
                )
            else:
                found = list_stacks(connection, Wanted(project, hidden_tags=hidden_tags))
            shown = [each for each in found if not set(hidden_tags).intersection(each.tags)]
            moving = [each.id for each in shown if until or each.status is Status.IN_PROGRESS]
            counts = count_states(connection, moving)
            return [ChangedStack(each, counts.get(each.id)) for each in shown]

        return await self._store.read(read)

    async def types(self, root_id: str) -> set[str]:
        """Return the types of all resources in a tree of stacks."""
        return await self._store.read(partial(types_in_tree, root_id=root_id))

    async def reasons(self, stacks: Sequence[Stack]) -> list[Stack]:
        """Return stacks with what waits in them for an authority told in their reasons."""
        waiting = await self._store.read(partial(waiting_for_authority, stacks=stacks))
        return [
            replace(each, reason=status_texts.lacks_authority(each.reason, *waiting[each.id]))
            if each.id in waiting
            else each
            for each in stacks
        ]

    async def requests(self, stack_id: str, after: int) -> list[Request]:
        """Return who asked when for what, after the traversal with this number."""
        return await self._store.read(partial(requests_of, stack_id=stack_id, after=after))

    async def durations(self, project: str) -> list[Took]:
        """Return how long each of the latest actions of a project took."""
        return await self._store.read(lambda connection: list(durations(connection, project)))

    async def workers(self) -> list[KnownWorker]:
        """Return all workers, alive or not."""
        return await self._store.read(workers)

    async def executions(self, query: ListQuery) -> list[Mapping[str, Any]]:
        """Return executions of workflows, whether any are run here or not."""
        return await self._store.read(
            lambda connection: list(listed_rows(connection, "executions", query))
        )

    async def tasks(self, query: ListQuery) -> list[Mapping[str, Any]]:
        """Return tasks of executions."""
        return await self._store.read(
            lambda connection: list(listed_rows(connection, "tasks", query))
        )

    async def execution_marks(
        self, projects: Sequence[str], trees: Sequence[str]
    ) -> tuple[dict[str, int], dict[str, int]]:
        """Return what changes when something happens to executions of projects, and in trees."""

        def read(connection: Connection) -> tuple[dict[str, int], dict[str, int]]:
            marks = {each: mark_of_project(connection, each) for each in projects}
            return marks, marks_of_trees(connection, trees)

        return await self._store.read(read)
