"""Heat's API from the other side: what is asked, and what its answers mean."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

import httpx
import pytest

from hotplate.resources.regions import Access, DirectServer, HeatApi, Refused, Unreachable

Answer = Callable[[httpx.Request], httpx.Response]


def ask(answer: Answer, question: Callable[[HeatApi], Coroutine[Any, Any, Any]]) -> Any:
    access = Access("far", "http://far/v1/p", "secret", True, 1, httpx.MockTransport(answer))
    return asyncio.run(question(HeatApi(DirectServer(access))))


def test_a_request_carries_the_token_and_goes_nowhere_else() -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(302, headers={"location": "http://elsewhere/"})

    with pytest.raises(Refused, match='the server of region "far" refuses: 302'):
        ask(answer, lambda api: api.find("a b"))
    (request,) = asked
    assert str(request.url) == "http://far/v1/p/stacks?name=a%20b"
    assert request.headers["x-auth-token"] == "secret"


def test_a_state_has_outputs_by_name() -> None:
    stack = {
        "stack_name": "s",
        "stack_status": "UPDATE_IN_PROGRESS",
        "updated_time": "2020",
        "outputs": [{"output_key": "a", "output_value": [1]}, {"output_key": "b"}],
    }
    state = ask(lambda _: httpx.Response(200, json={"stack": stack}), lambda a: a.state("s", "1"))
    assert (state.action, state.status) == ("UPDATE", "IN_PROGRESS")
    assert state.outputs == {"a": [1], "b": None}
    assert not state.is_gone
    assert ask(lambda _: httpx.Response(404), lambda a: a.state("s", "1")) is None


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_what_may_pass_is_no_refusal(status: int) -> None:
    with pytest.raises(Unreachable, match=str(status)):
        ask(lambda _: httpx.Response(status), lambda api: api.create({}))


def test_nobody_there_is_no_refusal() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("nobody listens")

    with pytest.raises(Unreachable, match="nobody listens"):
        ask(answer, lambda api: api.create({}))


def test_a_refusal_has_the_words_of_the_server() -> None:
    body = {"error": {"message": "The template is bad."}, "code": 400}
    with pytest.raises(Refused, match="refuses: 400 The template is bad") as refusal:
        ask(lambda _: httpx.Response(400, json=body), lambda api: api.create({}))
    assert refusal.value.status == 400
    with pytest.raises(Refused, match="not answer in JSON"):
        ask(lambda _: httpx.Response(200, text="<html>"), lambda api: api.find("x"))


def test_deleting_what_is_gone_is_no_error() -> None:
    assert ask(lambda _: httpx.Response(404), lambda api: api.delete("s", "1")) is False
    assert ask(lambda _: httpx.Response(204), lambda api: api.delete("s", "1")) is True


def test_an_action_has_no_argument() -> None:
    asked: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append((request.url.path, json.loads(request.content)))
        return httpx.Response(200)

    ask(answer, lambda api: api.act("s", "1", "suspend"))
    assert asked == [("/v1/p/stacks/s/1/actions", {"suspend": None})]
