"""The ASGI application: finds the endpoint of a request, reads it, answers, and never leaks."""

import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from urllib.parse import parse_qs
from uuid import uuid4

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Message, Receive, Scope, Send

from hotplate.api.http.body import BodyShares, read_body, read_text
from hotplate.api.http.endpoint import (
    Call,
    Endpoint,
    Engine,
    JsonAnswer,
    json_answer,
)
from hotplate.api.http.faults import Fault, bad_request, fault_of
from hotplate.api.http.fields import read_query
from hotplate.api.http.links import Links
from hotplate.api.http.project_bytes import ProjectBytes
from hotplate.api.http.routes import Routes
from hotplate.api.versions import (
    version_answer,
    versions_answer,
    wanted_version,
    workflow_version_answer,
)
from hotplate.engine.refusals import NotFound
from hotplate.identity import Caller
from hotplate.secret import noting_secrets
from hotplate.store.fairness.fair_queue import on_behalf_of

_log = logging.getLogger("hotplate.api")

Identify = Callable[[Request, str | None], Awaitable[Caller]]
"""Returns who asks, given the project in the address; None if there is none in it.

Raises Fault 401 or 403.
"""

Page = Callable[[Request], Awaitable[Response]]
Observe = Callable[[str, str, int, float], None]
"""Takes the method, the endpoint's path, the status and the seconds of an answered request."""


def _unobserved(method: str, path: str, status: int, seconds: float) -> None:
    """Keep no figures."""


class Application:
    """Answers ``/v1/{project}/…`` with the endpoints, and a few pages beside them.

    ``pages`` are answered at the root of the server, without a version and without a caller.
    ``open_endpoints`` stand directly below the version: their addresses carry their own proof.
    ``workflow_endpoints`` are answered below ``/v2``, in the project of the caller.
    """

    def __init__(
        self,
        engine: Engine,
        endpoints: Iterable[Endpoint],
        identify: Identify,
        open_endpoints: Iterable[Endpoint] = (),
        pages: Mapping[str, Page] | None = None,
        observe: Observe = _unobserved,
        workflow_endpoints: Iterable[Endpoint] = (),
    ) -> None:
        self._engine = engine
        self._bytes = ProjectBytes(engine.settings.most_bytes, self._bytes_of)
        self._shares = BodyShares(engine.settings.largest_body)
        self._routes = Routes(endpoints)
        self._open_routes = Routes(open_endpoints)
        self._workflow_routes = Routes(workflow_endpoints)
        self._identify = identify
        self._pages = dict(pages or {})
        self._observe = observe

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        request_id = f"req-{uuid4()}"
        begun = time.perf_counter()
        request.state.route = ""
        request.state.is_of_workflows = False
        request.state.project = ""
        with noting_secrets():
            response = await self._answer(request, request_id)
        response.headers["x-openstack-request-id"] = request_id
        status = response.status_code
        try:
            # What is streamed is read only now.
            with on_behalf_of(request.state.project):
                await response(scope, receive, send)
        finally:
            seconds = time.perf_counter() - begun
            self._observe(request.method, request.state.route, status, seconds)
            _log.info(
                "request",
                extra={
                    "request_id": request_id,
                    "method": request.method,
                    "path": request.url.path,
                    "status": status,
                    "seconds": round(seconds, 4),
                },
            )

    def end_streams(self) -> None:
        """End what would go on for ever, such as the events of a stack: the server stops."""
        self._engine.event_waiter.close()
        self._engine.execution_waiter.close()

    async def _bytes_of(self, project: str) -> int:
        return await self._engine.operations.listings.bytes_of(project)

    async def _answer(self, request: Request, request_id: str) -> Response:
        try:
            response = await self._find_and_answer(request)
            if isinstance(response, JsonAnswer):
                await response.write_document()
            return response
        except ClientDisconnect:
            # The client has disconnected.
            return Response(None, 400)
        except Exception as error:
            is_of_workflows = request.state.is_of_workflows
            fault = _workflow_fault_of(error) if is_of_workflows else fault_of(error)
            if fault is None:
                _log.exception("unexpected error", extra={"request_id": request_id})
                fault = Fault(
                    500,
                    f"The server met an unexpected error ({type(error).__name__}). "
                    f"Its log has the details under {request_id}.",
                    type(error).__name__,
                )
            document = fault.mistral_document() if is_of_workflows else fault.document()
            return json_answer(document, fault.status, fault.headers)

    async def _find_and_answer(self, request: Request) -> Response:
        path = request.scope["path"]
        if "\0" in path:
            raise bad_request("the address contains a NUL character")
        page = self._pages.get(path.rstrip("/") or "/")
        if page is not None:
            request.state.route = path
            return await page(request)
        version = wanted_version(path, request.headers.get("accept", ""))
        if version is None:
            return PlainTextResponse("Not Found", 404)
        if not version.is_known:
            return versions_answer(request)
        if version.is_of_workflows:
            return await self._find_workflow_answer(request, version.prefix, version.rest)
        if version.rest == "/" and request.method == "GET":
            return version_answer(request)
        base = f"{_host(request)}{version.prefix}"
        found = self._open_routes.find(version.rest)
        if found is not None:
            largest = self._engine.settings.largest_signal
            anonymous = Caller("", "")
            return await self._call(request, found.methods, found.path, anonymous, base, largest)
        project, _, rest = version.rest.lstrip("/").partition("/")
        caller = await self._identify(request, project)
        found = self._routes.find(f"/{rest.rstrip('/')}")
        if found is None:
            return PlainTextResponse("Not Found", 404)

        async def ask_again() -> Caller:
            return await self._identify(request, project)

        methods = found.methods
        return await self._call(request, methods, found.path, caller, base, again=ask_again)

    async def _find_workflow_answer(self, request: Request, prefix: str, rest: str) -> Response:
        request.state.is_of_workflows = True
        if not self._engine.has_workflows:
            return PlainTextResponse("Not Found", 404)
        if rest == "/" and request.method == "GET":
            return workflow_version_answer(request)
        caller = await self._identify(request, None)
        found = self._workflow_routes.find(rest.rstrip("/"))
        if found is None:
            return PlainTextResponse("Not Found", 404)
        base = f"{_host(request)}{prefix}"
        return await self._call(request, found.methods, found.path, caller, base)

    async def _entered(self, caller: Caller, stack_id: str) -> Caller:
        """Return the caller in the project of the stack that they name by its id.

        Only an administrator gets into another project by it.
        """
        if not stack_id or not caller.is_admin or self._engine.authorization is None:
            return caller
        try:
            stack = await self._engine.operations.stack(stack_id)
        except NotFound:
            return caller
        return caller if stack.project == caller.project else replace(caller, project=stack.project)

    async def _call(
        self,
        request: Request,
        methods: Mapping[str, Endpoint],
        path: Mapping[str, str],
        caller: Caller,
        base: str,
        largest: int | None = None,
        again: Callable[[], Awaitable[Caller]] | None = None,
    ) -> Response:
        if largest is None:
            largest = self._engine.settings.largest_body
        caller = await self._entered(caller, path.get("stack_id", ""))
        allow = {"allow": ", ".join(sorted({*methods, "OPTIONS"}))}
        if request.method == "OPTIONS":
            return Response(None, 204, headers=allow)
        endpoint = methods.get(request.method)
        if endpoint is None:
            message = f"{request.method} is not possible here; possible: {allow['allow']}"
            raise Fault(405, message, headers=allow)
        request.state.route, request.state.project = endpoint.path, caller.project
        world = self._engine.tools.world
        with (
            self._shares.share(caller.project) as share,
            on_behalf_of(caller.project),
            world.asking(caller.project),
        ):
            takes_text = bool(endpoint.takes_text)
            call = Call(
                engine=self._engine,
                caller=caller,
                request=request,
                links=Links(base),
                path=path,
                query=read_query(endpoint.query, _query_of(request), endpoint.strict),
                body=await read_body(request, endpoint.body, largest, share, world.in_turn),
                text=await read_text(request, largest, share) if takes_text else "",
            )
            if endpoint.rule:
                call.require(endpoint.rule_of(call.body))
            if again is not None:
                call = replace(call, still_allowed=partial(self._ask_again, call, endpoint, again))
            if endpoint.may_grow:
                if self._engine.is_full():
                    raise _full()
                if caller.project:
                    await self._bytes.admit(caller.project, share.size)
            response = await endpoint.handler(call)
            if isinstance(response, JsonAnswer) and not call.sees_secrets:
                response.hide_secrets()
            return response

    async def _ask_again(
        self, call: Call, endpoint: Endpoint, again: Callable[[], Awaitable[Caller]]
    ) -> None:
        """Do as when a request came: who asks, and may they? Raises Fault."""
        caller = await self._entered(await again(), call.path.get("stack_id", ""))
        if caller.project != call.project:
            raise Fault(403, "Access was denied to this resource.")
        if endpoint.rule:
            replace(call, caller=caller).require(endpoint.rule_of(call.body))


def _full() -> Fault:
    return Fault(
        503,
        "The disk of the server's database is full. Deletes are accepted, nothing else; its "
        "operator has to make room.",
        headers={"retry-after": "60"},
    )


def _workflow_fault_of(error: Exception) -> Fault | None:
    from hotplate.api.workflows.faults import workflow_fault_of  # noqa: PLC0415 (a list of stacks needs no workflows)

    return workflow_fault_of(error)


def _query_of(request: Request) -> dict[str, list[str]]:
    text = request.scope.get("query_string", b"").decode("latin-1")
    try:
        given = parse_qs(text, keep_blank_values=True, max_num_fields=500, errors="strict")
    except ValueError as error:
        raise bad_request(f"the query cannot be read: {error}") from None
    if any("\0" in value for values in given.values() for value in values):
        raise bad_request("the query contains a NUL character")
    return given


def _host(request: Request) -> str:
    host = request.headers.get("host")
    if not host:
        address = request.scope.get("server") or ("127.0.0.1", 8004)
        host = f"{address[0]}:{address[1]}"
    return f"{request.scope.get('scheme', 'http')}://{host}"


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message: Message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
