"""A stream of events is open for as long as its reader would be let in anew."""

import json
from typing import Any

import httpx
import pytest
from starlette.requests import Request

from hotplate.api import Fault
from hotplate.api.events import stream
from hotplate.api.stacks import following
from hotplate.api.workflows import following as executions
from hotplate.engine.embedded import Extend
from hotplate.identity import Caller
from hotplate.policy import Policy
from hotplate.server.access.admission import Admission
from hotplate.server.access.authorization import PolicyAuthorization
from hotplate.server.access.watched import Watched
from hotplate.server.service import application
from hotplate.workflow.running import workflows
from tests.api.conftest import PROJECT, Api
from tests.api.flows import started
from tests.api.trees import VERSION, made

READER = Caller("ann", PROJECT, roles=frozenset(("reader",)))


class Door:
    """Lets the same reader in for so many times; what comes then is anything else."""

    def __init__(self, then: Fault | Caller, times: int = 3) -> None:
        self._then = then
        self._left = times

    async def __call__(self, request: Request, project: str | None) -> Caller:
        self._left -= 1
        if self._left >= 0:
            return READER
        if isinstance(self._then, Fault):
            raise self._then
        return self._then


@pytest.fixture
def api_extension() -> Extend:
    return workflows()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "SILENCE", 0.01)
    monkeypatch.setattr(following, "SILENCE", 0.01)
    monkeypatch.setattr(executions, "SILENCE", 0.3)


@pytest.fixture
def path(api: Api) -> str:
    return made(api, "watched", {"template": VERSION})


def followed(api: Api, path: str, door: Door) -> list[dict[str, Any]]:
    """Return the messages of a stream that the server ends."""
    policy = Policy.of({})
    app = application(
        api.engine,
        Admission(door, PolicyAuthorization(Watched(list, lambda: policy))),
        api.settings,
    )

    async def read() -> str:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as http:
            return (await http.get(f"/v1/{PROJECT}{path}/stream", timeout=60)).text

    blocks = api.run(read()).split("\n\n")
    fields = [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks if block]
    return [each for each in fields if "data" in each]


@pytest.mark.parametrize(
    "then",
    [
        Fault(401, "The token has expired."),
        Fault(503, "Keystone cannot be asked now who sent the request. Try again later."),
        Caller("ann", PROJECT, roles=frozenset(("intern",))),
        Caller("ann", "another", roles=frozenset(("reader",))),
    ],
    ids=["expired", "away", "role lost", "another project"],
)
def test_who_would_be_refused_now_reads_no_further(
    api: Api, path: str, then: Fault | Caller
) -> None:
    *before, last = followed(api, f"{path}/events", Door(then))
    assert [each["event"] for each in before] == ["stack", "stack"]
    assert last["event"] == "end"
    assert "id" not in last
    told = json.loads(last["data"])
    assert told["code"] == (then.status if isinstance(then, Fault) else 403)
    assert told["error"]["message"]


def test_nothing_is_told_after_the_token_is_refused(api: Api, path: str) -> None:
    found = followed(api, f"{path}/events", Door(Fault(401, "The token has expired."), times=1))
    assert [each["event"] for each in found] == ["end"]


def test_the_list_of_stacks_ends_with_the_token_as_well(api: Api, path: str) -> None:
    found = followed(api, "/events", Door(Fault(401, "The token has expired.")))
    assert [each["event"] for each in found] == ["stack", "listed", "end"]
    assert json.loads(found[-1]["data"])["code"] == 401


def test_executions_end_with_the_token_as_well(api: Api) -> None:
    flow = started(api, "quick")
    refused = Fault(401, "The token has expired.")
    found = followed(api, "/executions", Door(refused, times=2))
    assert [each["event"] for each in found] == ["execution", "listed", "end"]
    found = followed(api, f"/executions/{flow}", Door(refused, times=2))
    assert [each["event"] for each in found] == ["execution", "task", "listed", "end"]
    assert json.loads(found[-1]["data"])["code"] == 401
    # A change of what they may do counts as well.
    intern = Caller("ann", PROJECT, roles=frozenset(("intern",)))
    found = followed(api, "/executions", Door(intern, times=1))
    assert [each["event"] for each in found] == ["end"]
