"""Addresses in answers. They repeat the host and the version prefix that the client used."""

from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote

from hotplate.model import Stack

Link = dict[str, str]


@lru_cache(maxsize=4096)
def _part(text: str) -> str:
    return quote(text, safe="~")


@dataclass(frozen=True, slots=True)
class Links:
    """Makes addresses below ``base``, which ends in the version: ``http://host:8004/v1``."""

    base: str

    def stack(self, project: str, name: str, stack_id: str) -> str:
        """Return the address of a stack."""
        return f"{self.base}/{_part(project)}/stacks/{_part(name)}/{stack_id}"

    def of_stack(self, stack: Stack) -> str:
        """Return the address of a stack."""
        return self.stack(stack.project, stack.name, stack.id)

    def resource(self, stack: str, resource: str) -> str:
        """Return the address of a resource of the stack with that address."""
        return f"{stack}/resources/{_part(resource)}"

    def event(self, stack: str, resource: str, event_id: str) -> str:
        """Return the address of an event."""
        return f"{stack}/resources/{_part(resource)}/events/{event_id}"


def link(href: str, rel: str = "self") -> Link:
    """Return one entry of a list of links."""
    return {"href": href, "rel": rel}
