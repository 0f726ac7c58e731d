"""The few calls of Heat's API that a stack elsewhere needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote

from hotplate.resources.regions.errors import Refused


class HeatServer(Protocol):
    """A server that speaks Heat's API, as one project sees it."""

    where: str
    """What it is called in a sentence."""

    patience: float
    """Seconds for which it is asked again while it does not answer."""

    async def connect(self) -> None:
        """Find out where it is and who we are to it; it need not answer.

        Raises ResourceFailed if that is not to be had, Unreachable if that is not known now.
        """
        ...

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Return the JSON that it answers, None for nothing. Raises Unreachable, Refused.

        ResourceFailed, too, as `connect` does.
        """
        ...


@dataclass(frozen=True, slots=True)
class StackState:
    """How a stack elsewhere stands."""

    id: str
    name: str
    action: str
    status: str
    reason: str
    updated: str
    outputs: Mapping[str, Any]
    document: Mapping[str, Any]

    @property
    def is_gone(self) -> bool:
        """Whether it has been deleted."""
        return (self.action, self.status) == ("DELETE", "COMPLETE")


class HeatApi:
    """Asks one server, for one project. Holds nothing between calls."""

    def __init__(self, server: HeatServer) -> None:
        self._server = server
        self._ask = server.ask

    @property
    def patience(self) -> float:
        """Seconds for which the server is asked again while it does not answer."""
        return self._server.patience

    async def connect(self) -> None:
        """Find the server, and who we are to it. Raises ResourceFailed, Unreachable."""
        await self._server.connect()

    async def create(self, body: Mapping[str, Any]) -> str:
        """Ask for a new stack and return its id. Raises Refused with 409 if the name is taken."""
        answer = await self._ask("POST", "/stacks", body)
        return str(answer["stack"]["id"])

    async def find(self, name: str) -> str | None:
        """Return the id of the stack with a name, None if there is none."""
        answer = await self._ask("GET", f"/stacks?name={quote(name, safe='')}")
        found = (each for each in answer["stacks"] if each["stack_name"] == name)
        return next((str(each["id"]) for each in found), None)

    async def name_of(self, stack_id: str) -> str:
        """Return the name of the stack with an id. Raises Refused with 404."""
        answer = await self._ask("GET", f"/stacks?id={quote(stack_id, safe='')}")
        for each in answer["stacks"]:
            if each["id"] == stack_id:
                return str(each["stack_name"])
        raise Refused(f"{self._server.where} has no stack {stack_id}", 404)

    async def state(self, name: str, stack_id: str) -> StackState | None:
        """Return how a stack stands, None if there is none."""
        try:
            answer = await self._ask("GET", _path(name, stack_id))
        except Refused as refusal:
            if refusal.status == 404:
                return None
            raise
        stack = answer["stack"]
        action, _, status = str(stack["stack_status"]).partition("_")
        outputs = {
            each["output_key"]: each.get("output_value") for each in stack.get("outputs") or ()
        }
        return StackState(
            stack_id,
            str(stack["stack_name"]),
            action,
            status,
            str(stack.get("stack_status_reason") or ""),
            str(stack.get("updated_time") or ""),
            outputs,
            stack,
        )

    async def validate(self, body: Mapping[str, Any]) -> None:
        """Ask whether the server would take a template. Raises Refused if it would not."""
        await self._ask("POST", "/validate", body)

    async def update(self, name: str, stack_id: str, body: Mapping[str, Any]) -> None:
        """Ask that a stack becomes something else."""
        await self._ask("PUT", _path(name, stack_id), body)

    async def delete(self, name: str, stack_id: str) -> bool:
        """Ask that a stack is deleted; False if there is none."""
        try:
            await self._ask("DELETE", _path(name, stack_id))
        except Refused as refusal:
            if refusal.status == 404:
                return False
            raise
        return True

    async def act(self, name: str, stack_id: str, action: str) -> None:
        """Ask for suspend, resume or check."""
        await self._ask("POST", f"{_path(name, stack_id)}/actions", {action: None})

    async def snapshot(self, name: str, stack_id: str) -> str:
        """Ask for a snapshot and return its id."""
        answer = await self._ask("POST", f"{_path(name, stack_id)}/snapshots", {})
        return str(answer["id"])


def _path(name: str, stack_id: str) -> str:
    return f"/stacks/{quote(name, safe='')}/{quote(stack_id, safe='')}"
