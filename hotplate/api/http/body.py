"""The body of a request."""

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any

import orjson
from starlette.requests import Request

from hotplate.api.http.faults import Fault, bad_request
from hotplate.api.http.fields import Body

_JSON_TYPES = frozenset(("", "application/json", "text/plain"))
_BLANK = re.compile(rb"\s*")
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
_RUN = re.compile(rb'[^"]{1,262144}|"(?:[^"\\]|\\.)*"', re.DOTALL)
_RUNS = 20_000
"""What stands between strings, or a string; and how many of them are looked at in one turn."""

_MARKS = (b",", b"[", b"{")

_SMALL = 64 * 1024
"""Bytes that are read in the event loop; what is larger would keep everybody waiting."""

_MOST_VALUES = 500_000
"""Values in a body: its lists and maps take a hundred times as much memory as text."""

_LARGE_BODIES = 4
"""As many largest bodies a project may have in the server at a time, and all together twice."""

_PIECE = 1024 * 1024
"""Bytes that are looked through at a time: that holds the interpreter, which others need."""

InTurn = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Returns what a piece of work returns that takes some milliseconds, when it is its turn."""


class BodyShares:
    """Counts the bytes of all bodies that the server has in hand. Used in the event loop only."""

    def __init__(self, largest: int) -> None:
        self._most_of_one = _LARGE_BODIES * largest
        self._total = 0
        self._of: Counter[str] = Counter()

    @contextmanager
    def share(self, project: str) -> Iterator["Share"]:
        """Give back at the end of the block what was taken inside."""
        share = Share(self, project)
        try:
            yield share
        finally:
            self._total -= share.size
            self._of[project] -= share.size
            if not self._of[project]:
                del self._of[project]

    def take(self, project: str, size: int) -> None:
        """Count bytes. Raises Fault 503 if there are too many."""
        of_one, total = self._of[project] + size, self._total + size
        if of_one > self._most_of_one or total > 2 * self._most_of_one:
            raise Fault(
                503,
                "The server has as many large requests in hand as it takes at a time. "
                "Send this one again later.",
                "ServiceUnavailable",
                headers={"retry-after": "2"},
            )
        self._of[project], self._total = of_one, total


class Share:
    """What one request has of the bytes that the server takes at a time."""

    def __init__(self, shares: BodyShares, project: str) -> None:
        self.size = 0
        self._shares, self._project = shares, project

    def take(self, size: int) -> None:
        """Count bytes of the request. Raises Fault 503."""
        self._shares.take(self._project, size)
        self.size += size


async def read_body(
    request: Request, declared: Body | None, largest: int, share: Share, in_turn: InTurn
) -> dict[str, Any]:
    """Return the body as the endpoint declares it, empty if it takes none. Raises Fault.

    What does not look like a JSON object counts as no body, as Heat's clients expect it. A large
    body is read ``in_turn``, piece by piece.
    """
    if declared is None:
        return {}
    text = await _bytes(request, largest, share)
    if not _may_be_object(request, text):
        return declared.check(None)
    if len(text) <= _SMALL:
        return declared.check(_parsed(text))
    if await _has_too_many_values(text, in_turn):
        raise bad_request(
            f"Request limit exceeded: the body has more than the maximum of {_MOST_VALUES} values",
            "RequestLimitExceeded",
        )
    parsed = await in_turn(partial(_parsed, text))
    del text
    return await in_turn(partial(declared.check, parsed))


async def read_text(request: Request, largest: int, share: Share) -> str:
    """Return the body as a text in UTF-8. Raises Fault."""
    try:
        return (await _bytes(request, largest, share)).decode("utf-8")
    except UnicodeDecodeError:
        raise bad_request("the body is not text in UTF-8") from None


async def _bytes(request: Request, largest: int, share: Share) -> bytearray:
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > largest:
        raise _too_large(largest)
    # Grows as it comes: to join megabytes afterwards would take milliseconds.
    found = bytearray()
    async for piece in request.stream():
        if len(found) + len(piece) > largest:
            raise _too_large(largest)
        share.take(len(piece))
        found += piece
    return found


def _too_large(largest: int) -> Fault:
    return bad_request(
        f"Request limit exceeded: the body is larger than the maximum of {largest} bytes",
        "RequestLimitExceeded",
    )


def _may_be_object(request: Request, text: bytearray) -> bool:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in _JSON_TYPES and not media_type.endswith("+json"):
        return False
    begin = _BLANK.match(text)
    return begin is not None and text.startswith(b"{", begin.end())


def _parsed(text: bytearray) -> dict[str, Any]:
    return dict(parsed_json(text, "the body"))


async def _has_too_many_values(text: bytearray, in_turn: InTurn) -> bool:
    """Tell whether a text of JSON has more lists, maps and further values than are taken."""
    if len(text) <= _MOST_VALUES:
        return False
    # Cheap and mostly enough: at most this many, whatever stands inside of its strings.
    most = 0
    for start in range(0, len(text), _PIECE):
        most += await in_turn(partial(_marks, text, start))
        if most > _MOST_VALUES:
            break
    else:
        return False
    found = end = 0
    while end < len(text) and found <= _MOST_VALUES:
        more, end = await in_turn(partial(_values, text, end))
        found += more
    return found > _MOST_VALUES


def _marks(text: bytearray, start: int) -> int:
    return sum(text.count(each, start, start + _PIECE) for each in _MARKS)


def _values(text: bytearray, start: int) -> tuple[int, int]:
    """Return how many values some of a text brings that begins outside of a string; and its end."""
    found, end = 0, len(text)
    for match in islice(_RUN.finditer(text, start), _RUNS):
        begin, end = match.span()
        if text[begin] != 0x22:
            found += sum(text.count(each, begin, end) for each in _MARKS)
    return found, end


def parsed_json(text: bytes | bytearray, place: str) -> Any:
    """Return what a text of JSON says; ``place`` is what the text is in errors. Raises Fault."""
    # The plain search comes first: it is a hundred times as fast on the megabytes of a template.
    if b"\\u0000" in text and _NUL.search(text):
        raise bad_request(f"{place} contains a NUL character, which cannot be stored")
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise bad_request(
            f"{place} is not valid JSON: {error.msg}: line {error.lineno}, column {error.colno}"
        ) from None
