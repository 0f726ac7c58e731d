"""What everything that runs workflows needs of its process."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from hotplate.engine.store import Store
from hotplate.workflow.engine.settings import FlowSettings
from hotplate.workflow.engine.threads import InThread


class Identity(Protocol):
    """The worker in whose name actions are performed; its id changes if it was taken for dead."""

    @property
    def id(self) -> int:
        """The id by which the database knows it."""
        ...

    @property
    def has_valid_lease(self) -> bool:
        """Whether the database has heard of it lately."""
        ...


@dataclass(frozen=True, slots=True)
class FlowTools:
    """The database, the clock, new ids, threads, the worker, and what the operator allows."""

    store: Store
    now: Callable[[], float]
    new_id: Callable[[], str]
    in_thread: InThread
    identity: Identity
    settings: FlowSettings
