"""Calls to one service of a cloud: JSON there, JSON back, or one error of the family."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode, urljoin, urlsplit

import orjson

from hotplate.cloud.calling import Attempts, Clock, under_lease
from hotplate.cloud.errors import (
    CloudError,
    NotFound,
    ServiceFailed,
    Unavailable,
    Unsupported,
    refusal,
    request_id,
)
from hotplate.cloud.identity import Token, Tokens
from hotplate.cloud.microversions import Microversions
from hotplate.cloud.services import Microversion
from hotplate.cloud.settings import CloudSettings
from hotplate.cloud.wire import Answer, NoAnswer, NotSent, Wire

Parameters = Mapping[str, Any] | Sequence[tuple[str, Any]]
"""Of a query; a list gives a name several times, None leaves it out."""

_READ: Final = 30.0
_WRITE: Final = 60.0
"""Seconds for one answer. While one is awaited the lease is read again and again."""

_MOST_PAGES: Final = 500
_HARMLESS: Final = frozenset(("GET", "HEAD", "DELETE"))
_OK: Final = range(200, 300)


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a call: its JSON, None if it had no body."""

    body: Any
    status: int
    headers: Mapping[str, str]

    @property
    def request_id(self) -> str:
        """The id by which the service knows the request."""
        return request_id(self.headers)


class Service:
    """One service, as one user of one project in one region. Any number of calls at the same time.

    Paths begin with a slash and come after the version and, where the service has it there, the
    project: "/servers", "/networks/ID".
    """

    def __init__(
        self,
        kind: str,
        settings: CloudSettings,
        identity: Tokens,
        wire: Wire,
        clock: Clock,
        bounds: Iterable[asyncio.Semaphore],
    ) -> None:
        self.kind = kind
        self._settings = settings
        self._identity = identity
        self._wire = wire
        self._clock = clock
        self._bounds = tuple(bounds)
        self._microversions = Microversions(kind, settings, self._root, clock.now)

    async def project_id(self) -> str:
        """Return the id of the project as which the service is called."""
        return (await self._identity.token(self.kind)).project_id

    async def get(self, path: str, query: Parameters = (), microversion: str = "") -> Any:
        """Return the JSON at a path."""
        return (await self.call("GET", path, query=query, microversion=microversion)).body

    async def post(
        self, path: str, body: Any = None, *, repeatable: bool = False, microversion: str = ""
    ) -> Any:
        """Send JSON and return the JSON that is answered. See `call` for ``repeatable``."""
        reply = await self.call(
            "POST", path, body, repeatable=repeatable, microversion=microversion
        )
        return reply.body

    async def put(
        self, path: str, body: Any = None, *, repeatable: bool = False, microversion: str = ""
    ) -> Any:
        """Send JSON and return the JSON that is answered. See `call` for ``repeatable``."""
        reply = await self.call("PUT", path, body, repeatable=repeatable, microversion=microversion)
        return reply.body

    async def patch(
        self,
        path: str,
        body: Any,
        *,
        repeatable: bool = False,
        microversion: str = "",
        content_type: str = "application/json",
    ) -> Any:
        """Send JSON and return the JSON that is answered; Glance has a content type of its own."""
        headers = {"Content-Type": content_type}
        reply = await self.call(
            "PATCH", path, body, repeatable=repeatable, microversion=microversion, headers=headers
        )
        return reply.body

    async def delete(self, path: str, query: Parameters = (), microversion: str = "") -> bool:
        """Delete what is at a path; False if there is nothing."""
        try:
            await self.call("DELETE", path, query=query, microversion=microversion)
        except NotFound:
            return False
        return True

    async def list_all(
        self,
        path: str,
        key: str,
        query: Parameters = (),
        *,
        microversion: str = "",
        most: int = 0,
    ) -> list[dict[str, Any]]:
        """Return all objects below a path, page after page; ``most`` ends it earlier.

        ``key`` is the name of the list in the answer. Raises CloudError.
        """
        found: list[dict[str, Any]] = []
        async for page in self.pages(path, key, query, microversion=microversion):
            found += page
            if most and len(found) >= most:
                return found[:most]
        return found

    async def pages(
        self, path: str, key: str, query: Parameters = (), *, microversion: str = ""
    ) -> AsyncIterator[list[dict[str, Any]]]:
        """Yield a listing page by page, along the links to the next one that the service gives."""
        seen: set[str] = set()
        for _ in range(_MOST_PAGES):
            document = await self.get(path, query, microversion)
            if not isinstance(document, Mapping) or not isinstance(document.get(key), list):
                raise ServiceFailed(f"the answer to GET {path} has no list {key}", self.kind)
            yield document[key]
            following = _next_page(document, key)
            if not following or not document[key]:
                return
            path, query = self._below_root(await self._root(), following), ()
            if path in seen:
                raise ServiceFailed(f"the pages of GET {path} have no end", self.kind)
            seen.add(path)
        raise ServiceFailed(f"GET {path} has more than {_MOST_PAGES} pages", self.kind)

    async def exists(self) -> bool:
        """Return whether the catalogue has the service, in our region and for our interface."""
        token = await self._identity.token(self.kind)
        return token.catalogue.has(self.kind, self._settings)

    async def microversion(self) -> Microversion | None:
        """Return the newest microversion that both the service and our calls know.

        None for a service without microversions. Calls are made with it unless they name another.
        """
        return await self._microversions.newest(self._discover)

    async def supports(self, microversion: str) -> bool:
        """Return whether the service has a microversion."""
        return await self._microversions.has(Microversion.parse(microversion), self._discover)

    async def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Parameters = (),
        repeatable: bool = False,
        microversion: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Make a call, under the lease of the caller's claim. Raises CloudError, LeaseLost.

        What certainly had no effect is tried again for a while: no connection, 429 and 413 with
        Retry-After. What may have had one (no answer, 503 …) is tried again only for GET, HEAD and
        DELETE, or if the caller says that the call is ``repeatable``; else the error is
        ``in_doubt``. A body is sent as JSON, bytes as they are.
        """
        sent = dict(headers or {})
        sent |= await self._microversions.headers(microversion, self._discover)
        content = _content(body, sent)
        address = path + _query(query)
        harmless = repeatable or method in _HARMLESS
        limit = self._settings.timeout or (_READ if method == "GET" else _WRITE)
        attempts = Attempts(self._clock)
        renewals = 0
        while True:
            token = await self._identity.token(self.kind)
            url = token.catalogue.url(self.kind, self._settings, token.project_id) + address
            try:
                answer = await self._send(method, url, sent, content, limit, token)
            except NotSent as error:
                failure: CloudError = Unavailable(f"{_origin(url)}: {error}", self.kind)
                may_repeat = True
            except (NoAnswer, TimeoutError) as error:
                words = str(error) or f"no answer within {limit:g} seconds"
                doubt = method not in ("GET", "HEAD")
                failure = Unavailable(f"{_origin(url)}: {words}", self.kind, in_doubt=doubt)
                may_repeat = harmless
            else:
                if answer.status in _OK:
                    self._identity.accepted(token)
                    return self._reply(method, path, answer)
                if answer.status == 401 and renewals < self._identity.chances:
                    renewals += 1
                    self._identity.refused(token)
                    continue
                doubt = method not in ("GET", "HEAD")
                failure = refusal(self.kind, answer.status, answer.headers, answer.body, doubt)
                may_repeat = _may_repeat(answer, harmless)
            pause = attempts.pause(answer.headers if failure.status else {}) if may_repeat else None
            if pause is None:
                raise failure
            await self._clock.sleep(pause)

    async def _send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        content: bytes,
        limit: float,
        token: Token,
    ) -> Answer:
        sent = {"Accept": "application/json", **headers}
        if token.value:
            sent["X-Auth-Token"] = token.value
        if token.service_token:
            sent["X-Service-Token"] = token.service_token
        async with AsyncExitStack() as stack:
            for bound in self._bounds:
                await stack.enter_async_context(bound)
            return await under_lease(
                lambda: self._wire.send(method, url, sent, content, limit), limit
            )

    def _reply(self, method: str, path: str, answer: Answer) -> Reply:
        body = None
        if answer.body and "json" in answer.headers.get("content-type", "json"):
            try:
                body = orjson.loads(answer.body)
            except ValueError:
                raise ServiceFailed(
                    f"the answer to {method} {path} is no JSON",
                    self.kind,
                    answer.status,
                    request_id(answer.headers),
                    method != "GET",
                ) from None
        return Reply(body, answer.status, answer.headers)

    async def _root(self) -> str:
        token = await self._identity.token(self.kind)
        return token.catalogue.url(self.kind, self._settings, token.project_id)

    async def _discover(self, url: str) -> Any:
        """Return what a service says of its versions; anybody may ask for it."""
        token = await self._identity.token(self.kind)
        try:
            answer = await self._send("GET", url, {}, b"", _READ, token)
        except (NotSent, NoAnswer, TimeoutError) as error:
            raise Unavailable(f"{_origin(url)}: {error}", self.kind) from None
        if answer.status not in (*_OK, 300):
            raise refusal(self.kind, answer.status, answer.headers, answer.body)
        try:
            return json.loads(answer.body)
        except ValueError:
            raise Unsupported(f"{url} does not say which versions it has", self.kind) from None

    def _below_root(self, root: str, link: str) -> str:
        """Return the path of a link; services behind a proxy often get their own host wrong."""
        found = urlsplit(urljoin(f"{root}/", link))
        below = urlsplit(root).path.rstrip("/")
        _, is_ours, path = found.path.partition(below) if below else ("", True, found.path)
        if not is_ours:
            raise ServiceFailed(f"the next page is elsewhere: {link}", self.kind)
        return f"{path}?{found.query}" if found.query else path


def _may_repeat(answer: Answer, harmless: bool) -> bool:
    if answer.status == 429 or (answer.status == 413 and "retry-after" in answer.headers):
        return True  # refused before anything was done
    return harmless and answer.status in (408, 425, 502, 503, 504)


def _content(body: Any, headers: dict[str, str]) -> bytes:
    if isinstance(body, bytes):
        return body
    if body is None:
        return b""
    headers.setdefault("Content-Type", "application/json")
    return orjson.dumps(body)


def _query(query: Parameters) -> str:
    pairs = query.items() if isinstance(query, Mapping) else query
    found = [(name, _written(value)) for name, value in pairs if value is not None]
    return f"?{urlencode(found, doseq=True)}" if found else ""


def _written(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _next_page(document: Mapping[str, Any], key: str) -> str:
    """Return the link to the next page, in any service's way to write it."""
    if isinstance(document.get("next"), str):  # Glance, Barbican
        return str(document["next"])
    links = document.get(f"{key}_links") or document.get("links")
    if isinstance(links, Mapping):  # Keystone, Designate
        return str(links.get("next") or "")
    for link in links or ():
        if isinstance(link, Mapping) and link.get("rel") == "next":
            return str(link.get("href") or "")
    return ""


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
