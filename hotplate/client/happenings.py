"""Events of stacks, as they come from the API."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True, slots=True)
class Happening:
    """One event. ``is_of_stack``: the stack itself did something, not one of its resources."""

    id: str
    at: str
    stack_id: str
    stack_name: str
    name: str
    type: str
    action: str
    status: str
    reason: str
    physical_id: str

    @property
    def is_of_stack(self) -> bool:
        """Whether the stack as a whole did it."""
        return self.physical_id == self.stack_id

    @property
    def state(self) -> str:
        """Action and status as one word."""
        return f"{self.action}_{self.status}"


def happening_of(document: Mapping[str, Any]) -> Happening:
    """Return the event that a document of the API describes."""
    address = next(
        (each["href"] for each in document.get("links", ()) if each.get("rel") == "stack"), ""
    )
    name, _, stack_id = urlsplit(address).path.rpartition("/")
    action, _, status = str(document.get("resource_status", "")).partition("_")
    return Happening(
        id=str(document["id"]),
        at=str(document.get("event_time", "")),
        stack_id=stack_id,
        stack_name=unquote(name.rpartition("/")[2]),
        name=str(document.get("resource_name", "")),
        type=str(document.get("resource_type", "")),
        action=action,
        status=status,
        reason=str(document.get("resource_status_reason") or ""),
        physical_id=str(document.get("physical_resource_id") or ""),
    )


class NotLetInAnyMore(Exception):
    """The server has ended a stream: who opened it has to prove again who they are."""


async def messages(lines: AsyncIterator[str]) -> AsyncIterator[str | None]:
    """Yield the data of each server-sent event, and None for each sign of life without one.

    Raises NotLetInAnyMore.
    """
    data: list[str] = []
    kind = ""
    async for line in lines:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif line.startswith("event:"):
            kind = line[6:].strip()
        elif not line and data:
            if kind == "end":
                raise NotLetInAnyMore
            yield "\n".join(data)
            data, kind = [], ""
        elif line.startswith(":"):
            yield None
