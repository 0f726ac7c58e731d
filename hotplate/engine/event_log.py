"""New events, made in the transaction of the change that they report.

`hotplate.store.events.insert_events` writes them there.
"""

from hotplate.engine.world import RealWorld
from hotplate.model import Action, Stack, Status, Version
from hotplate.store.events import EventRow

_STACK_TYPE = "OS::Heat::Stack"


class NewEvents:
    """Collects the events of one transaction in their order."""

    def __init__(self, world: RealWorld, now: float) -> None:
        self._world = world
        self._now = now
        self.rows: list[EventRow] = []

    def stack(self, stack: Stack, action: Action, status: Status, reason: str) -> None:
        """Note a change of a stack's status."""
        self._add(
            stack.id, stack.root_id, stack.name, _STACK_TYPE, stack.id, action, status, reason
        )

    def version(
        self,
        version: Version,
        action: Action,
        status: Status,
        reason: str,
        physical_name: str | None = None,
    ) -> None:
        """Note a change of a version's status.

        ``physical_name`` takes the place of the physical id. Events have it as long as there may
        be an object whose id is unknown, and where the making of a nested stack begins: by it
        clients know which resource the stack of that name belongs to.
        """
        self._add(
            version.stack_id,
            version.root_id,
            version.name,
            version.type,
            physical_name or version.physical_id,
            action,
            status,
            reason,
        )

    def _add(  # noqa: PLR0913, PLR0917 (the columns of an event)
        self,
        stack_id: str,
        root_id: str,
        name: str,
        type_name: str,
        physical_id: str | None,
        action: Action,
        status: Status,
        reason: str,
    ) -> None:
        self.rows.append(
            (
                self._world.uuid(),
                stack_id,
                root_id,
                self._now,
                name,
                type_name,
                physical_id,
                action.value,
                status.value,
                reason,
            )
        )
