"""What a request with a token of Keystone does to the stacks that it is about."""

from dataclasses import replace
from functools import partial

from sqlalchemy import Connection

from hotplate.engine import status_texts
from hotplate.engine.authority import services_for_users, take_over
from hotplate.engine.context import Tools
from hotplate.engine.event_log import NewEvents
from hotplate.engine.requests.acting_later import recipe_acts_later, stack_acts_later
from hotplate.engine.store import Store
from hotplate.identity import Credentials, authority_id
from hotplate.model import Action, Stack, Status
from hotplate.store.authorities import read_authority, wake_waiting
from hotplate.store.events import insert_events


class CallerAuthority:
    """Puts the authority of whoever asks on stacks; does nothing for callers without a token.

    Nor for administrators who come with a token for another project than that of the stack:
    nothing can be made there with it, and the stack keeps the authority that it has.
    """

    def __init__(self, store: Store, tools: Tools, credentials: Credentials | None) -> None:
        self._store = store
        self._tools = tools
        self._world = tools.world
        self._credentials = credentials

    @classmethod
    def offered(
        cls, store: Store, tools: Tools, credentials: Credentials | None
    ) -> "CallerAuthority":
        """Return that of a caller; services that act for users are told of the token."""
        if credentials is not None:
            for each in services_for_users(tools.world.services):
                each.offer(credentials)
        return cls(store, tools, credentials)

    @property
    def is_known(self) -> bool:
        """Whether the caller came with a token of Keystone."""
        return self._credentials is not None

    def put(self, connection: Connection, stack: Stack) -> None:
        """Let a locked stack be worked on with the authority of the caller."""
        if self._credentials is not None and self._credentials.project_id == stack.project:
            take_over(connection, stack, self._credentials, self._world.now())

    def put_for_visit(self, connection: Connection, stack: Stack, action: Action) -> None:
        """Let a locked stack be visited with the authority of the caller; no more than that.

        Whoever resumes one that has no authority gives it theirs: it may act by itself from then.
        """
        given = self._credentials
        if given is not None and given.project_id == stack.project:
            now = self._world.now()
            if action is Action.RESUME and stack.authority_id is None:
                take_over(connection, stack, given, now)
            take_over(connection, stack, given, now, visits_only=True)

    def woken(self, connection: Connection, stack: Stack) -> list[int]:
        """Make ready what waits for an authority in the tree of a stack; return the nodes.

        To be called when a new traversal has begun: it sees what is laid aside.
        """
        if self._credentials is None:
            return []
        return wake_waiting(connection, root_id=stack.root_id)

    async def ensure_trust(self, project: str, acts_later: bool, stack: Stack | None = None) -> str:
        """See to it that the authority outlives the token, if something in the stack acts later.

        That may be something new, as ``acts_later`` says, or something that the stack has: it may
        stay, or come back if the operation fails. Return why it is not possible; empty if it is, or
        is not needed.
        """
        given = self._credentials
        if given is None or given.project_id != project:
            return ""
        if not acts_later and stack is not None:
            acts_later = await stack_acts_later(self._store, self._tools, stack)
        return await self._delegated(given, stack) if acts_later else ""

    async def ensure_trust_for_recipe(self, stack: Stack, digest: str | None) -> str:
        """Do the same for a stored recipe that a stack is to be made of, or go back to."""
        given = self._credentials
        if given is None or given.project_id != stack.project or stack.deleted_at is not None:
            return ""
        has = digest and await recipe_acts_later(self._store, self._tools, stack, digest)
        return await self.ensure_trust(stack.project, bool(has), stack)

    async def ensure_trust_for_resume(self, stack: Stack) -> str:
        """Do the same for a stack that shall be resumed, if the caller is who it acts for then."""
        given = self._credentials
        if given is None or given.project_id != stack.project:
            return ""
        at_home = await self._at_home(given, stack)
        if stack.authority_id not in (None, authority_id(at_home)):
            return ""
        return await self.ensure_trust(stack.project, False, stack)

    async def _delegated(self, given: Credentials, stack: Stack | None) -> str:
        at_home = given if stack is None else await self._at_home(given, stack)
        services = services_for_users(self._world.services)
        return "; ".join(filter(None, [await each.delegate(at_home) for each in services]))

    async def _at_home(self, given: Credentials, stack: Stack) -> Credentials:
        """Return the token for the region in which a stack is, unless it names one itself."""
        if given.region or stack.authority_id is None:
            return given
        present = await self._store.read(partial(read_authority, authority_id=stack.authority_id))
        return replace(given, region="" if present is None else present.region)

    def warn(self, connection: Connection, stack: Stack, fault: str) -> None:
        """Write an event that says what will not work later."""
        if fault:
            events = NewEvents(self._world, self._world.now())
            events.stack(stack, stack.action, Status.IN_PROGRESS, status_texts.acts_no_later(fault))
            insert_events(connection, events.rows)
