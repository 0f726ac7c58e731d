"""What a request with a token of Keystone does to the stacks that it is about."""

from dataclasses import replace
from functools import partial

from sqlalchemy import Connection

from hotplate.engine import status_texts
from hotplate.engine.authority import services_for_users, take_over
from hotplate.engine.event_log import NewEvents
from hotplate.engine.recipes import Bound
from hotplate.engine.store import Store
from hotplate.engine.world import RealWorld
from hotplate.identity import Credentials
from hotplate.model import Stack, Status
from hotplate.store.authorities import read_authority, wake_waiting
from hotplate.store.events import insert_events


class CallerAuthority:
    """Puts the authority of whoever asks on stacks; does nothing for callers without a token.

    Nor for administrators who come with a token for another project than that of the stack:
    nothing can be made there with it, and the stack keeps the authority that it has.
    """

    def __init__(self, store: Store, world: RealWorld, credentials: Credentials | None) -> None:
        self._store = store
        self._world = world
        self._credentials = credentials

    @classmethod
    def offered(
        cls, store: Store, world: RealWorld, credentials: Credentials | None
    ) -> "CallerAuthority":
        """Return that of a caller; services that act for users are told of the token."""
        if credentials is not None:
            for each in services_for_users(world.services):
                each.offer(credentials)
        return cls(store, world, credentials)

    @property
    def is_known(self) -> bool:
        """Whether the caller came with a token of Keystone."""
        return self._credentials is not None

    def put(self, connection: Connection, stack: Stack, visits_only: bool = False) -> None:
        """Let a locked stack be worked on with the authority of the caller."""
        if self._credentials is not None and self._credentials.project_id == stack.project:
            take_over(connection, stack, self._credentials, self._world.now(), visits_only)

    def woken(self, connection: Connection, stack: Stack) -> list[int]:
        """Make ready what waits for an authority in the tree of a stack; return the nodes.

        To be called when a new traversal has begun: it sees what is laid aside.
        """
        if self._credentials is None:
            return []
        return wake_waiting(connection, root_id=stack.root_id)

    async def last(self, bound: Bound, project: str, stack: Stack | None = None) -> str:
        """See to it that the authority outlives the token, if something in the stack acts later.

        Return why that is not possible; empty if it is, or is not needed.
        """
        given = self._credentials
        if given is None or not bound.acts_later or given.project_id != project:
            return ""
        if not given.region and stack is not None and stack.authority_id is not None:
            read = partial(read_authority, authority_id=stack.authority_id)
            present = await self._store.read(read)
            given = replace(given, region="" if present is None else present.region)
        faults = [await each.delegate(given) for each in services_for_users(self._world.services)]
        return "; ".join(filter(None, faults))

    def warn(self, connection: Connection, stack: Stack, fault: str) -> None:
        """Write an event that says what will not work later."""
        if fault:
            events = NewEvents(self._world, self._world.now())
            events.stack(stack, stack.action, Status.IN_PROGRESS, status_texts.acts_no_later(fault))
            insert_events(connection, events.rows)
