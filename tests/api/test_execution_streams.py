"""Executions of workflows are followed as they go: those of a project, and one with its tasks."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from hotplate.api.http import execution_waiter
from hotplate.api.workflows import following
from hotplate.engine.embedded import Extend
from hotplate.engine.requests.listings import Listings
from hotplate.workflow.running import workflows
from tests.api.conftest import Api
from tests.api.flows import FLOWS, OWN, flows, release, started, state
from tests.api.streams import streamed
from tests.api.trees import Item


@pytest.fixture
def api_extension() -> Extend:
    return workflows()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution_waiter, "_INTERVAL", 0.01)
    monkeypatch.setattr(following, "_PAUSE", 0.01)


async def until_listed(messages: Any) -> list[Item]:
    """Return the messages up to the next that says that all is told."""
    found: list[Item] = []
    while (message := await messages.next()) is not None:
        found.append(message)
        if message["event"] == "listed":
            break
    return found


async def until(messages: Any, enough: Callable[[Item], bool]) -> list[Item]:
    found: list[Item] = []
    while not found or not enough(found[-1]):
        message = await messages.next()
        assert message is not None, f"the stream has ended after {found}"
        found.append(message)
    return found


async def ask(api: Api, method: str, path: str, **options: Any) -> Any:
    address = f"http://testserver/v2{path}"
    answer = await api.client.request(method, address, headers=OWN, **options)
    return answer.json() if answer.content else None


def is_state(name: str, wanted: str) -> Callable[[Item], bool]:
    def is_it(message: Item) -> bool:
        data = message["data"]
        return wanted == data.get("state") and name in (data.get("name"), data.get("workflow_name"))

    return is_it


def test_executions_of_a_project_come_with_each_change(api: Api) -> None:
    first, second = started(api, "quick"), started(api, "waiting")

    async def story() -> None:
        async with streamed(api, "/executions/stream") as messages:
            told = await until_listed(messages)
            assert [each["data"].get("id") for each in told] == [first, second, None]
            assert told[0]["data"]["state"] == "SUCCESS"
            body = {"workflow_name": "quick"}
            third = (await ask(api, "POST", "/executions", json=body))["id"]
            news = await until(messages, is_state("quick", "SUCCESS"))
            assert {each["data"]["id"] for each in news} == {third}
            await ask(api, "PUT", f"/executions/{second}", json={"state": "PAUSED"})
            news = await until(messages, is_state("waiting", "PAUSED"))
            assert news[-1]["data"]["id"] == second
            await ask(api, "DELETE", f"/executions/{first}")
            news = await until(messages, lambda each: each["event"] == "gone")
            assert news[-1]["data"] == {"id": first}

    api.run(story())


def test_the_list_has_the_newest_roots_and_of_some_workflows_if_asked(api: Api) -> None:
    nested = FLOWS + "outer: {tasks: {call: {workflow: quick}}}\n"
    flows(api, "POST", "/workflows", content=nested, headers={"content-type": "text/plain"})
    ids = [started(api, name) for name in ("quick", "waiting", "quick", "outer")]
    while state(api, ids[-1]) == "RUNNING":
        pass

    async def listed(query: str) -> list[str]:
        async with streamed(api, "/executions/stream", query=query) as messages:
            return [each["data"]["id"] for each in (await until_listed(messages))[:-1]]

    assert api.run(listed("")) == ids
    assert api.run(listed("workflow_name=quick")) == [ids[0], ids[2]]
    assert api.run(listed("workflow_name=waiting,outer")) == [ids[1], ids[3]]
    assert api.run(listed("limit=2")) == ids[2:]
    assert api.get("/executions/stream?limit=x").status_code == 400


def test_an_execution_is_followed_task_by_task(api: Api) -> None:
    execution = started(api, "waiting")

    async def begin() -> None:
        async with streamed(api, f"/executions/{execution}/stream") as messages:
            await until(messages, is_state("held", "RUNNING"))

    api.run(begin())

    async def story() -> list[Item]:
        async with streamed(api, f"/executions/{execution}/stream") as messages:
            told = await until_listed(messages)
            assert [each["event"] for each in told] == ["execution", "task", "task", "listed"]
            assert [each["data"]["state"] for each in told[:-1]] == [
                "RUNNING",
                "SUCCESS",
                "RUNNING",
            ]
            assert '"triggered_by"' in told[2]["data"]["runtime_context"]
            found = await ask(api, "GET", "/action_executions?name=std.async_noop")
            [held] = found["action_executions"]
            body = {"state": "SUCCESS", "output": {"result": 1}}
            await ask(api, "PUT", f"/action_executions/{held['id']}", json=body)
            news = await until(messages, is_state("waiting", "SUCCESS"))
            return [*news, *await until_listed(messages)]

    news = api.run(story())
    states = {
        each["data"]["name"]: each["data"]["state"] for each in news if each["event"] == "task"
    }
    assert states == {"held": "SUCCESS", "after": "SUCCESS"}


def test_whoever_comes_back_hears_nothing_twice_and_misses_nothing(api: Api) -> None:
    execution = started(api, "waiting")
    path = f"/executions/{execution}/stream"

    async def first() -> str:
        async with streamed(api, path) as messages:
            await until(messages, is_state("held", "RUNNING"))
            return str((await until_listed(messages))[-1]["id"])

    last = api.run(first())

    async def nothing() -> None:
        async with streamed(api, path, last=last) as messages:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(messages.next(), 0.3)

    api.run(nothing())
    release(api, execution)
    while state(api, execution) == "RUNNING":
        pass

    async def again() -> list[Item]:
        async with streamed(api, path, last=last) as messages:
            return await until_listed(messages)

    told = [each["data"].get("state") for each in api.run(again())]
    assert told == ["SUCCESS", "SUCCESS", "SUCCESS", "SUCCESS", None]


def test_a_removed_execution_ends_its_stream(api: Api) -> None:
    execution = started(api, "quick")

    async def story() -> list[Item]:
        async with streamed(api, f"/executions/{execution}/stream") as messages:
            await until_listed(messages)
            await ask(api, "DELETE", f"/executions/{execution}")
            return await until_listed(messages)

    assert [each["event"] for each in api.run(story())] == ["gone"]
    assert api.get(f"/executions/{execution}/stream").status_code == 404


def test_one_query_serves_all_who_wait(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """And none is made once nobody waits."""
    execution = started(api, "waiting")
    asked: list[tuple[list[str], list[str]]] = []
    real = Listings.execution_marks

    async def counted(self: Listings, projects: list[str], trees: list[str]) -> Any:
        asked.append((sorted(projects), sorted(trees)))
        return await real(self, projects, trees)

    monkeypatch.setattr(Listings, "execution_marks", counted)

    async def story() -> int:
        async with (
            streamed(api, "/executions/stream") as one,
            streamed(api, "/executions/stream") as two,
            streamed(api, f"/executions/{execution}/stream") as three,
            streamed(api, f"/executions/{execution}/stream") as four,
        ):
            for each in (one, two, three, four):
                await until_listed(each)
            await asyncio.sleep(0.1)
        await asyncio.sleep(0.1)
        before = len(asked)
        await asyncio.sleep(0.1)
        return len(asked) - before

    assert api.run(story()) == 0
    assert (["project"], [execution]) in asked
    assert all(len(projects) < 2 and len(trees) < 2 for projects, trees in asked)
