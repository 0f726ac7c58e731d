"""What a resource makes of signals that users and services send to it or to another resource."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from hotplate.resources.resource import Resource
from hotplate.resources.resource_type import ResourceType
from hotplate.resources.scaling import Adjustment

ITSELF: Final = "."
"""What `listens_to` returns for a resource that waits for signals to itself."""


class TakesSignals(ResourceType):
    """May be sent signals; each is kept, and resources that listen to this one are woken."""

    def received(
        self, details: Mapping[str, Any], earlier: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Return what is kept of a signal, given those that were kept before.

        Runs inside a transaction: it may compute, and nothing else. Raises BadSignal.
        """
        return dict(details)

    def signal_news(self, kept: Mapping[str, Any]) -> str:
        """Return what the event of a signal tells of it, given what is kept; may be nothing."""
        return ""

    def shown_metadata(
        self, written: Mapping[str, Any], signals: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Return the metadata as people see it: what the template says, and what signals made."""
        return dict(written)


class ActsOnSignals(TakesSignals, ABC):
    """Does something about a signal, besides keeping it."""

    growing: ClassVar[Mapping[str, int]] = {}
    """Lists among the data to which signals add, and how many of the newest items are kept.

    Nothing but signals changes them: what other methods return for them does not count, for a
    signal may have come meanwhile. An attribute of the same name gives the list.
    """

    @abstractmethod
    async def signalled(
        self, resource: Resource, details: Mapping[str, Any], signal_token: str
    ) -> Mapping[str, Sequence[Any]]:
        """Do what a signal asks for, after it has been kept. Raises BadSignal.

        ``signal_token`` is unique to the signal. Returns what is added to the lists in `growing`.
        Not called again if the process dies meanwhile: the sender of the signal has got no answer.
        """


class AdjustsGroup(TakesSignals, ABC):
    """A policy: a signal to it changes the size of a group."""

    @abstractmethod
    def adjustment(self, properties: Mapping[str, Any]) -> Adjustment:
        """Return what a signal to the resource asks of a group. Pure."""


class Listens(ResourceType, ABC):
    """Waits for signals, to itself or to another resource."""

    @abstractmethod
    def listens_to(self, properties: Mapping[str, Any]) -> str:
        """Return the reference of the resource whose signals it waits for; empty for none. Pure.

        While it sleeps, each signal to that resource wakes it, and its methods find all of them
        in ``resource.signals``. ITSELF stands for the resource's own reference.
        """

    def listens_until(self, data: Mapping[str, Any]) -> float | None:
        """Return until when signals may count for a resource that is complete, given its data.

        When that is over for all that have listened to a resource, its signed address has ended,
        until one of them begins to wait anew. None: not before the resource is deleted.
        """
        return None
