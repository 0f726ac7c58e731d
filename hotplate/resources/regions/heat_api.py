"""The few calls of Heat's API that a stack elsewhere needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from hotplate.resources.lease import hold, hold_before_sending
from hotplate.resources.regions.region import Access
from hotplate.resources.resource_type import ResourceFailed

_SECONDS = 30.0
"""For one answer. Heat answers a creation when it has stored it."""

_BAD_REQUEST = 400
_PASSING = frozenset((408, 429, 500, 502, 503, 504))
"""Answers that another try may change. Heat says 500 also while its database is away."""


class Unreachable(Exception):
    """The server did not answer, or says that it cannot now; the text says why."""


class Refused(ResourceFailed):
    """The server answered that it will not; the text has its words, ``words`` nothing else."""

    def __init__(self, text: str, status: int, words: str = "") -> None:
        super().__init__(text, "RemoteStackFailed")
        self.status = status
        self.words = words or text


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

    def __init__(self, access: Access) -> None:
        self._access = access

    @property
    def patience(self) -> float:
        """Seconds for which the server is asked again while it does not answer."""
        return self._access.patience

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
        raise Refused(f"{self._where()} has no stack {stack_id}", 404)

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

    async def _ask(self, method: str, path: str, body: Any = None) -> Any:
        """Return the answer of the server. Raises Unreachable or Refused."""
        headers = {"Accept": "application/json", "User-Agent": "hotplate"}
        if self._access.token:
            headers["X-Auth-Token"] = self._access.token
        try:
            async with httpx.AsyncClient(
                verify=self._access.verify,
                timeout=_SECONDS,
                # A redirect would carry the token to wherever it leads.
                follow_redirects=False,
                trust_env=False,
                transport=self._access.transport,
            ) as client:
                await hold()
                answer = await client.request(
                    method,
                    self._access.url + path,
                    headers=headers,
                    json=body,
                    extensions={"trace": hold_before_sending},
                )
        except httpx.HTTPError as error:
            words = str(error) or type(error).__name__
            raise Unreachable(f"{self._where()} cannot be reached: {words}") from None
        if answer.status_code in _PASSING:
            raise Unreachable(f"{self._where()} cannot answer: {_words(answer)}")
        if not answer.is_success:
            text = f"{self._where()} refuses: {_words(answer)}"
            words = _said(answer) if answer.status_code == _BAD_REQUEST else _words(answer)
            raise Refused(text, answer.status_code, words)
        if not answer.content:
            return None
        try:
            return answer.json()
        except ValueError:
            raise Refused(f"{self._where()} does not answer in JSON", answer.status_code) from None

    def _where(self) -> str:
        return f'the server of region "{self._access.region}"'


def _path(name: str, stack_id: str) -> str:
    return f"/stacks/{quote(name, safe='')}/{quote(stack_id, safe='')}"


def _words(answer: httpx.Response) -> str:
    """Return the status and the words of a refusal, Heat's own where it is Heat that answers."""
    return f"{answer.status_code} {_said(answer) or answer.reason_phrase}".strip()


def _said(answer: httpx.Response) -> str:
    try:
        body = answer.json()
        return str(body.get("error", {}).get("message") or body.get("explanation") or "")
    except (ValueError, AttributeError):
        return ""
