"""The client of Mistral's API: what it sends, and what it makes of every sort of answer."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import httpx
import pytest

from hotplate.workflow.drivers.driver import ExecutionState, Refused, Start, Unreachable
from hotplate.workflow.drivers.remote import RemoteWorkflows, shortened

FLOW = {"id": "w-1", "name": "flow", "definition": "text"}
RUN = {"id": "e-1", "workflow_name": "flow", "state": "RUNNING", "output": "{}", "input": "{}"}
Answer = Callable[[httpx.Request], httpx.Response]


class Tokens:
    """Gives a token, and another when that was not accepted."""

    def __init__(self) -> None:
        self.asked: list[bool] = []

    async def headers(self, renew: bool) -> Mapping[str, str]:
        self.asked.append(renew)
        return {"X-Auth-Token": "second" if renew else "first"}


def client(answer: Answer, identity: Tokens | None = None) -> RemoteWorkflows:
    return RemoteWorkflows("http://mistral/v2/", identity, httpx.MockTransport(answer))


def test_an_execution_is_started_with_the_id_of_the_client() -> None:
    sent: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            assert request.url.path == "/v2/workflows/my%20flow" or "my flow" in request.url.path
            return httpx.Response(200, json=FLOW)
        sent.append(json.loads(request.content))
        return httpx.Response(201, json=RUN)

    request = Start("e-1", "my flow", {"a": 1}, {"env": {"k": 1}}, "why")
    found = asyncio.run(client(answer).start("p", request))
    assert found.state is ExecutionState.RUNNING
    (body,) = sent
    assert (body["id"], body["workflow_id"], body["description"]) == ("e-1", "w-1", "why")
    assert json.loads(body["input"]) == {"a": 1}
    assert json.loads(body["params"]) == {"env": {"k": 1}}


def test_a_workflow_that_is_not_there_is_named() -> None:
    with pytest.raises(Refused, match="there is no workflow nothing"):
        asyncio.run(client(lambda r: httpx.Response(404)).start("p", Start("e", "nothing")))


@pytest.mark.parametrize("status", [400, 403, 409])
def test_what_is_wrong_is_refused_with_the_words_of_the_server(status: int) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(status, json={"faultstring": "no such input"})

    with pytest.raises(Refused, match=f"{status}: no such input"):
        asyncio.run(client(answer).show("p", "e-1"))


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_trouble_of_the_server_may_pass(status: int) -> None:
    with pytest.raises(Unreachable, match=str(status)):
        asyncio.run(client(lambda r: httpx.Response(status, text="busy")).show("p", "e-1"))


def test_nobody_there_may_pass() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    with pytest.raises(Unreachable, match="cannot be reached: refused"):
        asyncio.run(client(answer).show("p", "e-1"))


def test_a_token_that_is_not_accepted_is_renewed_once() -> None:
    tokens = Tokens()

    def answer(request: httpx.Request) -> httpx.Response:
        fits = request.headers["X-Auth-Token"] == "second"
        return httpx.Response(200, json=RUN) if fits else httpx.Response(401)

    assert asyncio.run(client(answer, tokens).show("p", "e-1")) is not None
    assert tokens.asked == [False, True]


def test_cancelling_what_has_ended_is_no_error() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        assert request.method == "GET"
        return httpx.Response(200, json={**RUN, "state": "SUCCESS"})

    asyncio.run(client(answer).cancel("p", "e-1", "why"))


def test_traces_are_left_out() -> None:
    assert shortened("it broke\nTraceback (most recent call last):\n  File ...") == "it broke"
    assert len(shortened("x" * 9000)) == 2000
