"""Requests that schemathesis makes up from an OpenAPI document, and what must hold of answers."""

import asyncio
import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeVar

import httpx
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import APIOperation, Case, GenerationMode, checks
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from hotplate.api.http.settings import Settings
from hotplate.engine.embedded import Embedded
from tests.api.conftest import Api

Operation = APIOperation[Any, Any, Any, Any]
AnyCase = Case[Any]
HOST = "http://testserver"
_CHECKS = [
    checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
]


@dataclass(slots=True)
class Findings:
    """What came of the requests."""

    requests: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    accepted: set[str] = field(default_factory=set)
    """Operations that were carried out at least once."""

    failures: list[str] = field(default_factory=list)


class Tester(ABC):
    """Fuzzes an API with an engine of its own, in this process and without a socket.

    Who knows the document says how requests come to be about things that exist.
    """

    renewing: frozenset[str]
    """Methods after which, if they were carried out, things may not exist any more."""

    def __init__(self, runner: asyncio.Runner, engine: Embedded, document: dict[str, Any]) -> None:
        self._runner = runner
        self._api = Api(runner, engine, Settings())
        self._client = httpx.AsyncClient(transport=self._transport(), timeout=None, base_url=HOST)
        self._count = 0
        self.findings = Findings()
        self._schema = schemathesis.openapi.from_dict(json.loads(json.dumps(document)))

    @property
    def operations(self) -> list[Operation]:
        """All operations of the document."""
        results = self._schema.get_all_operations()
        return [result.ok() for result in results if isinstance(result, Ok)]

    def can_reach(self, operation: Operation) -> bool:
        """Tell whether the operation can be carried out with what there is."""
        return True

    def fuzz(self, operation: Operation, examples: int, number: int) -> None:
        """Send so many made-up requests, the same ones for the same number."""
        self._renew()
        # Not hypothesis' own numbers: it prefers small ones, and here all shall be as likely.
        mixed = Random(number)

        @seed(number)
        @settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=cases_of(operation))
        def send(case: AnyCase) -> None:
            chosen = mixed.getrandbits(32)
            if chosen % 4:
                self._make_real(case, chosen // 4)
            self._check(case)

        send()

    def close(self) -> None:
        """Let go of the clients."""
        self._runner.run(self._client.aclose())
        self._runner.run(self._api.client.aclose())

    @abstractmethod
    def _make_real(self, case: AnyCase, chance: int) -> None:
        """Put names of things that exist into the address, and a body that makes sense."""

    @abstractmethod
    def _renew(self) -> None:
        """See to it that there is one of everything, and know its name."""

    def _transport(self) -> httpx.AsyncBaseTransport:
        return httpx.ASGITransport(self._api.app, raise_app_exceptions=False)

    def _ask(self, method: str, path: str, **options: Any) -> Any:
        """Return the answer to a request that must be carried out; the path is a whole one."""
        response = self._runner.run(self._client.request(method, path, **options))
        assert response.status_code < 400, response.text
        return response.json()

    def _check(self, case: AnyCase) -> None:
        options = case.as_transport_kwargs(base_url=HOST)
        options.pop("cookies", None)
        request = _request_of(options)
        if request is None:
            return
        response = self._runner.run(self._client.send(request))
        findings = self.findings
        findings.requests += 1
        findings.statuses[response.status_code] += 1
        if response.status_code < 400:
            findings.accepted.add(case.operation.label)
            if case.method in self.renewing:
                self._renew()
        try:
            case.validate_response(response, checks=_CHECKS)
        except (Failure, FailureGroup) as failure:
            findings.failures.append(f"{case.operation.label}: {_words_of(failure)}")


TesterT = TypeVar("TesterT", bound=Tester)


@contextmanager
def testing(
    opening: AbstractAsyncContextManager[Embedded],
    make: Callable[[asyncio.Runner, Embedded], TesterT],
) -> Iterator[TesterT]:
    """An engine and what fuzzes its API, for the time of a test."""
    stack = AsyncExitStack()
    with asyncio.Runner() as runner:
        engine = runner.run(stack.enter_async_context(opening))
        tester = make(runner, engine)
        try:
            yield tester
        finally:
            tester.close()
            runner.run(stack.aclose())


def cases_of(operation: Operation) -> st.SearchStrategy[AnyCase]:
    """Return requests that fit the document, and, where there can be any, such that do not."""
    fitting = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    if operation.body or operation.query:
        return st.one_of(fitting, operation.as_strategy(generation_mode=GenerationMode.NEGATIVE))
    return fitting


def _request_of(options: dict[str, Any]) -> httpx.Request | None:
    try:
        return httpx.Request(
            options["method"],
            options["url"],
            params=options.get("params"),
            headers=options.get("headers"),
            json=options.get("json"),
            content=options.get("data"),
        )
    except (httpx.InvalidURL, ValueError, UnicodeError):
        # Not every text can be written into an address or a header.
        return None


def _words_of(failure: Failure | FailureGroup) -> str:
    inner = failure.exceptions if isinstance(failure, FailureGroup) else [failure]
    return "; ".join(f"{each.title}: {each.message}"[:2000] for each in inner)
