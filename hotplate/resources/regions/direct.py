"""A server whose address and token the operator has written down."""

import ssl
from dataclasses import dataclass, field
from typing import Any

import httpx

from hotplate.resources.lease import hold, hold_before_sending
from hotplate.resources.regions.errors import Refused, Unreachable

_SECONDS = 30.0
"""For one answer. Heat answers a creation when it has stored it."""

_BAD_REQUEST = 400
_PASSING = frozenset((408, 429, 500, 502, 503, 504))
"""Answers that another try may change. Heat says 500 also while its database is away."""


@dataclass(frozen=True, slots=True)
class Access:
    """How a server is reached for one project. ``verify`` is how its certificate is checked."""

    region: str
    url: str
    token: str = field(repr=False)
    verify: ssl.SSLContext | bool
    patience: float
    transport: httpx.AsyncBaseTransport | None = None
    """What carries requests, if not the network."""


class DirectServer:
    """Asks one server with one token. Holds nothing between calls."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self.where = f'the server of region "{access.region}"'
        self.patience = access.patience

    async def connect(self) -> None:
        """All is known."""

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
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
            raise Unreachable(f"{self.where} cannot be reached: {words}") from None
        if answer.status_code in _PASSING:
            raise Unreachable(f"{self.where} cannot answer: {_words(answer)}")
        if not answer.is_success:
            text = f"{self.where} refuses: {_words(answer)}"
            words = _said(answer) if answer.status_code == _BAD_REQUEST else _words(answer)
            raise Refused(text, answer.status_code, words)
        if not answer.content:
            return None
        try:
            return answer.json()
        except ValueError:
            raise Refused(f"{self.where} does not answer in JSON", answer.status_code) from None


def _words(answer: httpx.Response) -> str:
    """Return the status and the words of a refusal, Heat's own where it is Heat that answers."""
    return f"{answer.status_code} {_said(answer) or answer.reason_phrase}".strip()


def _said(answer: httpx.Response) -> str:
    try:
        body = answer.json()
        return str(body.get("error", {}).get("message") or body.get("explanation") or "")
    except (ValueError, AttributeError):
        return ""
