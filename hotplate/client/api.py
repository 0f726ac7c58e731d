"""One project of one server: every call that the command makes, and nothing else."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from hotplate.client.happenings import Happening, NotLetInAnyMore, happening_of, messages
from hotplate.client.http import httpx
from hotplate.client.refusal import Refusal, Unreachable, refusal_of

_PATIENCE = 60.0
"""Seconds that a server may be away while its events are followed."""

_PASSING = (502, 503, 504)
"""What a server answers whose database is away, and a proxy whose server is."""

_ADDRESSES_OF_OTHERS = ("", ".", "..", "detail", "preview")
"""Names that mean something else in an address."""

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StackName:
    """A stack that exists: its name, its id, and what it aims at as `If-Match` wants it."""

    name: str
    id: str
    etag: str = ""

    @property
    def path(self) -> str:
        """Where it is below the project."""
        return f"/stacks/{quote(self.name, safe='~')}/{self.id}"


class Api:
    """Speaks with one project. Raises Refusal or Unreachable, from every method."""

    def __init__(self, http: httpx.AsyncClient, base: str, retry_pause: float = 1.0) -> None:
        self._http = http
        self._base = base.rstrip("/")
        self._pause = retry_pause

    async def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Mapping[str, Any] | Sequence[tuple[str, Any]] = (),
        etag: str = "",
    ) -> Any:
        """Return the document that a request is answered with, None if there is none."""
        _, document = await self._exchange(method, path, body, query, etag)
        return document

    async def begin(
        self, method: str, path: str, body: Any = None, etag: str = ""
    ) -> tuple[Any, int | None]:
        """Ask for an operation; return the answer's document and the number of the operation.

        The number is that of the ETag; None from a server that sends none.
        """
        answer, document = await self._exchange(method, path, body, (), etag)
        number = answer.headers.get("etag", "").strip('"')
        return document, int(number) if number.isdecimal() else None

    async def requests(self, stack: StackName, after: int) -> list[Document]:
        """Return what was asked of a stack after an operation; nothing if the server lists none."""
        try:
            answer = await self.call("GET", f"{stack.path}/requests", query={"after": after})
        except Refusal as refusal:
            if refusal.is_missing:
                return []
            raise
        found: list[Document] = answer["requests"]
        return found

    async def _exchange(
        self, method: str, path: str, body: Any, query: Any, etag: str = ""
    ) -> tuple[httpx.Response, Any]:
        headers = {"if-match": etag} if etag else {}
        try:
            answer = await self._http.request(
                method,
                f"{self._base}{path}",
                json=body,
                params=query or None,
                headers=headers,
                follow_redirects=method == "GET",
            )
        except httpx.HTTPError as error:
            raise self._unreachable(error) from None
        except httpx.InvalidURL as error:
            raise Unreachable(f'"{self._base}" is not an address: {error}') from None
        try:
            document = answer.json() if answer.content else None
        except ValueError:
            document = None
            if answer.is_success:
                raise Unreachable(
                    f"{self._base} answers, but not as an orchestration API does; check the address"
                ) from None
        if not answer.is_success:
            raise refusal_of(answer.status_code, document, answer.text)
        return answer, document

    def _unreachable(self, error: Exception) -> Unreachable:
        words = " ".join(str(error).split()) or type(error).__name__
        return Unreachable(f"{self._base} does not answer: {words}")

    async def stack(self, name_or_id: str, outputs: bool = False) -> Document:
        """Return a stack with all it says about itself; ``etag`` is among it."""
        query = {} if outputs else {"resolve_outputs": "false"}
        path = _stack_path(name_or_id)
        if name_or_id in _ADDRESSES_OF_OTHERS:
            found = await self.stacks(stack_name=name_or_id) if name_or_id else []
            if not found:
                raise Refusal(404, f"The Stack ({name_or_id}) could not be found.")
            path = name_of(found[0]).path
        answer, document = await self._exchange("GET", path, None, query)
        return {**document["stack"], "etag": answer.headers.get("etag", "")}

    async def find(self, name_or_id: str) -> StackName | None:
        """Return a stack that exists, None if there is none."""
        try:
            found = await self.stack(name_or_id)
        except Refusal as refusal:
            if refusal.is_missing:
                return None
            raise
        return None if found.get("deletion_time") else name_of(found)

    async def stacks(self, **query: Any) -> list[Document]:
        """Return the stacks that a query lets pass, newest first."""
        found: list[Document] = (await self.call("GET", "/stacks", query=query))["stacks"]
        return found

    async def tree(self, stack: StackName) -> Document:
        """Return a stack with its resources and nested stacks."""
        document: Document = await self.call("GET", f"{stack.path}/tree")
        found: Document = document["stack"]
        return found

    async def last_event(self, stack: StackName) -> str:
        """Return the id of the newest event of a stack and its nested stacks, empty if none."""
        query = {"limit": 1, "sort_dir": "desc", "nested_depth": "MAX"}
        found = (await self.call("GET", f"{stack.path}/events", query=query))["events"]
        return str(found[0]["id"]) if found else ""

    async def follow(
        self, stack: StackName, after: str = "", depth: str = "MAX"
    ) -> AsyncIterator[Happening | None]:
        """Yield events as they happen, until the stack is deleted; None now and then for a pause.

        A connection that breaks is made again, and goes on after the last event; so it is while
        the server says that it cannot answer for the moment, and when the token has expired: with
        another one if there is one, else it is refused as any request is.
        """
        away = 0.0
        while True:
            try:
                async for message in self._stream(stack, after, depth):
                    away = 0.0
                    if message is None:
                        yield None
                        continue
                    event = happening_of(json.loads(message))
                    after = event.id
                    yield event
            except NotLetInAnyMore:
                await asyncio.sleep(self._pause)
                continue
            except (httpx.TransportError, Refusal) as error:
                if isinstance(error, Refusal) and error.status not in _PASSING:
                    raise
                away += self._pause
                if away > _PATIENCE:
                    words = error if isinstance(error, Refusal) else self._unreachable(error)
                    raise words from None
                await asyncio.sleep(self._pause)
                yield None
                continue
            return

    async def _stream(self, stack: StackName, after: str, depth: str) -> AsyncIterator[str | None]:
        headers = {"last-event-id": after} if after else {}
        async with self._http.stream(
            "GET",
            f"{self._base}{stack.path}/events/stream",
            params={"nested_depth": depth},
            headers=headers,
            timeout=httpx.Timeout(10.0, read=60.0),
        ) as answer:
            if not answer.is_success:
                await answer.aread()
                raise refusal_of(answer.status_code, _json(answer), answer.text)
            async for message in messages(answer.aiter_lines()):
                yield message


def name_of(document: Mapping[str, Any]) -> StackName:
    """Return how to address a stack that was shown."""
    return StackName(document["stack_name"], document["id"], document.get("etag", ""))


def _json(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        return None


def _stack_path(name_or_id: str) -> str:
    return f"/stacks/{quote(name_or_id, safe='~')}"
