"""One operation of the API: where it is, what it takes, who answers it, what it may answer."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from hotplate.api.http.address_uses import AddressUses
from hotplate.api.http.event_waiter import EventWaiter
from hotplate.api.http.execution_waiter import ExecutionWaiter
from hotplate.api.http.faults import Fault, forbidden
from hotplate.api.http.fields import Body, Query, Schema
from hotplate.api.http.links import Links
from hotplate.api.http.settings import Settings
from hotplate.identity import Caller
from hotplate.secret import shown

if TYPE_CHECKING:
    # A list of stacks is answered without the code that works on them.
    from hotplate.engine.context import Tools
    from hotplate.engine.requests.listings import Listings
    from hotplate.engine.requests.operations import Operations
    from hotplate.model import Stack
    from hotplate.workflow.engine import Workflows

T = TypeVar("T")

OPEN = ""
"""The rule of endpoints whose addresses carry their own proof."""

_ADMINISTRATORS = ("service:index", ":global_index", ":publicize", ":all_projects")
"""Ends of the rules that allow to administrators alone where there is no policy."""

_MOST_VALUES = 2000
_MOST_CHARACTERS = 256 * 1024
_GREAT = 2**63
_AT_ONCE = 512
_FEW = 16
_WIDE = 64
_DEEPEST = 8
"""Large documents are written so many entries at a time; entries with many of their own, and those
of documents with few, one by one, down to a depth."""

_LEAVE_NOTHING = ("/preview", "/validate", "/actions")
"""Ends of the addresses of what is answered only, and of what ends operations."""


class Authorization(Protocol):
    """Says who may do what."""

    def allows(self, rule: str, caller: Caller) -> bool:
        """Return whether a rule of the policy allows something to a caller."""
        ...

    def allows_type(self, resource_type: str, caller: Caller) -> bool:
        """Return whether a caller may use a resource type."""
        ...

    def missing_service(self, resource_type: str, caller: Caller) -> str:
        """Return the service that a type needs and the caller's cloud has not; mostly empty."""
        ...

    def needed_extension(self, resource_type: str, caller: Caller) -> tuple[str, str, str] | None:
        """Return the client, the service and the extension of it that a type needs, if any."""
        ...


@dataclass(frozen=True, slots=True)
class Engine:
    """What the handlers need of the running engine."""

    operations: "Operations"
    tools: "Tools"
    settings: Settings
    event_waiter: EventWaiter = field(default_factory=EventWaiter)
    execution_waiter: ExecutionWaiter = field(default_factory=ExecutionWaiter)
    authorization: "Authorization | None" = None
    """What says who may do what; None where there is one user alone."""

    address_uses: AddressUses = field(default_factory=AddressUses)
    is_full: Callable[[], bool] = lambda: False
    """Whether the disk of the database is full, and deletes only are accepted."""

    @property
    def has_workflows(self) -> bool:
        """Whether workflows are run here."""
        from hotplate.workflow.running import OPERATIONS  # noqa: PLC0415 (heavy, and seldom asked)

        return OPERATIONS in self.tools.world.services


async def _forever() -> None:
    """Let go on what needs no leave."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request, read and checked: what a handler is given."""

    engine: Engine
    caller: Caller
    request: Request
    links: Links
    path: Mapping[str, str]
    query: Mapping[str, Any]
    body: dict[str, Any]
    text: str = ""
    """The body of an endpoint that takes a plain text."""

    still_allowed: Callable[[], Awaitable[None]] = field(default=_forever, repr=False)
    """Asks again what was asked when the request came. Raises the Fault that it would get now.

    For answers that take long: a token may expire or be revoked, and a role be lost meanwhile.
    """

    @property
    def operations(self) -> "Operations":
        """The engine's own API, which sees clouds as the caller does."""
        found = self.engine.operations
        return self.operations_as_caller if found.acts_for_callers else found

    def may(self, rule: str) -> bool:
        """Return whether the policy allows something to whoever asks."""
        policy = self.engine.authorization
        if policy is None:
            return self.caller.is_admin or not rule.endswith(_ADMINISTRATORS)
        return policy.allows(rule, self.caller)

    def may_use(self, resource_type: str) -> bool:
        """Return whether whoever asks may use a resource type."""
        policy = self.engine.authorization
        return policy is None or policy.allows_type(resource_type, self.caller)

    def missing_service(self, resource_type: str) -> str:
        """Return the service that a type needs and the caller's cloud has not; mostly empty."""
        policy = self.engine.authorization
        return "" if policy is None else policy.missing_service(resource_type, self.caller)

    async def missing_extensions(self, types: Iterable[str]) -> dict[str, str]:
        """Return "client extension" of the types whose service in the caller's cloud lacks one.

        A service that does not tell which it has is taken to have them all: the resource will find
        out. Costs one request to a service and hour, if one of the types needs an extension.
        """
        policy = self.engine.authorization
        if policy is None:
            return {}
        needed = {name: policy.needed_extension(name, self.caller) for name in types}
        has: dict[str, frozenset[str] | None] = {}
        missing: dict[str, str] = {}
        for name, need in needed.items():
            if need is None or self.missing_service(name):
                continue
            client, service, alias = need
            if service not in has:
                has[service] = await self.operations.extensions(service)
            found = has[service]
            if found is not None and alias not in found:
                missing[name] = f"{client} {alias}"
        return missing

    def require(self, rule: str) -> None:
        """Refuse the request unless the policy allows something. Raises Fault 403."""
        if not self.may(rule):
            raise forbidden(rule)

    @property
    def is_everywhere(self) -> bool:
        """Whether a stack that is named by its id may be one of another project."""
        return self.caller.is_admin and self.engine.authorization is not None

    @property
    def sees_secrets(self) -> bool:
        """Whether whoever asks may see secrets that outputs and attributes show."""
        return self.may("stacks:secrets")

    async def with_reasons(self, stacks: Sequence["Stack"]) -> Sequence["Stack"]:
        """Return stacks with what waits in them for an authority told in their reasons."""
        if not self.engine.operations.acts_for_callers:
            return stacks
        return await self.listings.reasons(stacks)

    async def in_turn(self, work: Callable[[], T], is_large: bool = True) -> T:
        """Return what work on data gives; much of it waits for its turn, and others go on."""
        return await self.engine.tools.world.in_turn(work) if is_large else work()

    async def evaluate(self, function: Callable[..., T], *args: Any) -> T:
        """Return what a function of a module makes of the engine's tools and ``args``.

        It is called where it keeps nobody waiting: what tenants wrote is read and evaluated so.
        """
        from hotplate.bounded import Evaluation  # noqa: PLC0415 (who lists needs none)

        return await self.engine.tools.evaluate(Evaluation(self.project, function, args))

    @property
    def listings(self) -> "Listings":
        """What the engine lists."""
        return self.engine.operations.listings

    @property
    def operations_as_caller(self) -> "Operations":
        """The same on behalf of the caller: what they begin or cancel is noted with their name."""
        caller = self.caller
        return self.engine.operations.on_behalf_of(caller.user, caller.project, caller.credentials)

    @property
    def workflows(self) -> "Workflows":
        """The operations on workflows. Raises Fault if this server runs none."""
        from hotplate.workflow.engine import Workflows  # noqa: PLC0415
        from hotplate.workflow.running import OPERATIONS  # noqa: PLC0415

        found = self.engine.tools.world.services.get(OPERATIONS)
        if not isinstance(found, Workflows):
            raise Fault(503, "This server runs no workflows.")
        return found

    @property
    def project(self) -> str:
        """The project that the request is about."""
        return self.caller.project


Handler = Callable[[Call], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class RuleByBody:
    """The rule of an endpoint that does several things: the body of a request tells which."""

    names: tuple[str, ...]
    choose: Callable[[Mapping[str, Any]], str]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An operation below ``/v1/{project}``, or, of workflows, below ``/v2``.

    ``answers`` maps each status of success to the schema of its body, None for no body; refusals
    are the same everywhere and need not be named. ``strict``: unknown query parameters are
    refused.
    """

    method: str
    path: str
    handler: Handler
    summary: str
    tag: str
    rule: str | RuleByBody = field(kw_only=True)
    """What the policy must allow to whoever asks; `OPEN` for nothing."""

    query: tuple[Query, ...] = ()
    body: Body | None = None
    answers: Mapping[int, Schema | None] = field(default_factory=lambda: {200: {}})
    strict: bool = False
    description: str = ""
    takes_text: str = ""
    """What the plain text is that the request brings instead of a body of JSON."""

    media_type: str = "application/json"
    """Of the answers of success that have a body."""

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the rules that may be asked about a request."""
        return self.rule.names if isinstance(self.rule, RuleByBody) else (self.rule,)

    def rule_of(self, body: Mapping[str, Any]) -> str:
        """Return the rule about a request with this body."""
        return self.rule.choose(body) if isinstance(self.rule, RuleByBody) else self.rule

    @property
    def may_grow(self) -> bool:
        """Whether it can leave more in the database than there was."""
        is_change = self.method in ("POST", "PUT", "PATCH")
        return is_change and not self.path.endswith(_LEAVE_NOTHING)


class JsonAnswer(Response):
    """An answer that is written as JSON just before it is sent: a large one outside of the loop."""

    def __init__(self, document: Any, status: int, headers: Mapping[str, str] | None) -> None:
        super().__init__(b"", status, headers=headers, media_type="application/json")
        self._document = document
        self._hides_secrets = False
        self._is_written = False

    def hide_secrets(self) -> None:
        """Write stars in place of secrets."""
        self._hides_secrets = True

    async def write_document(self) -> None:
        """Write the body; what cannot be written raises here, while another answer is possible."""
        document = self._document
        if self._hides_secrets:
            document = await off_loop(partial(shown, document), not is_small(document))
        if is_small(document):
            self.body = json_bytes(document)
        else:
            self.body = await asyncio.to_thread(written_in_pieces, document)
        self._document, self._is_written = None, True
        self.headers["content-length"] = str(len(self.body))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._is_written:
            await self.write_document()
        await super().__call__(scope, receive, send)


def json_answer(
    document: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a document as the body of an answer."""
    return JsonAnswer(document, status, headers)


def bytes_answer(document: bytes) -> Response:
    """Return a document that has been written as JSON already, where it kept nobody waiting."""
    return Response(document, media_type="application/json")


async def off_loop(work: Callable[[], T], is_large: bool = True) -> T:
    """Return what work on data gives; if there is much of it, others go on meanwhile."""
    return await asyncio.to_thread(work) if is_large else work()


def is_small(document: Any) -> bool:
    """Return whether a document is written in a millisecond or so."""
    values, size = 0, 0
    waiting = [document]
    while waiting:
        value = waiting.pop()
        values += 1
        if isinstance(value, str):
            size += len(value)
        elif isinstance(value, Mapping):
            waiting.extend(value.values())
            values += len(value)
        elif isinstance(value, list | tuple):
            waiting.extend(value)
        elif isinstance(value, int) and not -_GREAT < value < _GREAT:
            return False
        if values + len(waiting) > _MOST_VALUES or size > _MOST_CHARACTERS:
            return False
    return True


def json_bytes(document: Any) -> bytes:
    """Return a document as JSON, however great its numbers and however deep its values are."""
    try:
        return orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS)
    except orjson.JSONEncodeError:
        # Slower, but without orjson's limits: 64 bits, and 254 levels.
        return "".join(_ENCODER.iterencode(document)).encode()


def written_in_pieces(document: Any) -> bytes:
    """Return the same of a large document; other threads get the interpreter in between."""
    return b"".join(_pieces(document, 0))


def _pieces(document: Any, level: int) -> Iterator[bytes]:
    if not isinstance(document, dict | list) or not document or level > _DEEPEST:
        yield json_bytes(document)
        return
    entries: Iterator[Any] = iter(document)
    if is_map := isinstance(document, dict):
        entries = iter(document.items())
    before = b"{" if is_map else b"["
    while some := list(islice(entries, _AT_ONCE)):
        values = [value for _, value in some] if is_map else some
        if len(document) > _FEW and not any(map(_is_wide, values)):
            yield before + json_bytes(dict(some) if is_map else some)[1:-1]
            before = b","
            continue
        for entry in some:
            # A map of one entry says how a key is written, whatever it is.
            yield before + (json_bytes({entry[0]: 0})[1:-2] if is_map else b"")
            yield from _pieces(entry[1] if is_map else entry, level + 1)
            before = b","
    yield b"}" if is_map else b"]"


def _is_wide(value: Any) -> bool:
    return isinstance(value, dict | list) and len(value) > _WIDE


_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def empty_answer(status: int, headers: Mapping[str, str] | None = None) -> Response:
    """Return an answer without a body."""
    return Response(None, status, headers=headers)


def moved_answer(location: str) -> Response:
    """Return a redirect that clients follow with the method and body they came with."""
    return Response(None, 302, headers={"location": location})
