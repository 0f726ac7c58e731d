"""Actions that are asked for one by one: what can be called, on a real Mistral and here."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from hotplate.api.http.settings import Settings
from hotplate.engine.embedded import embedded
from hotplate.server.service import application
from hotplate.workflow.engine import lone_actions
from hotplate.workflow.engine.settings import FlowSettings
from hotplate.workflow.running import workflows
from tests.databases import sqlite_file
from tests.mistral_server import Mistral

ADHOC = """
version: '2.0'
loud: {base: std.echo, input: [word], base-input: {output: <% $.word + '!' %>}}
baseless: {base: no.such}
later: {base: std.async_noop}
"""
# What is asked for, the status here, and what a real Mistral says to it.
CALLS: list[tuple[dict[str, Any], int, int]] = [
    ({"name": "no.such"}, 400, 400),
    ({"name": "no.such", "params": {"save_result": True}}, 400, 400),
    ({"name": "baseless"}, 400, 400),
    # It takes wrong input for its own fault.
    ({"name": "std.echo"}, 400, 500),
    ({"name": "std.echo", "params": {"save_result": True}}, 400, 500),
    ({"name": "std.echo", "input": {"output": 1, "more": 2}}, 400, 500),
    ({"name": "loud"}, 400, 500),
    ({"name": "loud", "input": {"word": "hey"}}, 201, 201),
    ({"name": "std.fail"}, 201, 201),
    ({"name": "std.sleep", "input": {"seconds": 1}}, 201, 201),
    ({"name": "std.async_noop"}, 201, 201),
]
IDS = ["-".join(map(str, [call["name"], *call.get("input", ()), *call.get("params", ())]))
       for call, _, _ in CALLS]  # fmt: skip


class Here:
    """The workflow API of an engine in this process."""

    def __init__(self, folder: Path, settings: FlowSettings | None = None) -> None:
        self._folder = folder
        self._settings = settings

    def ask(self, *requests: tuple[str, str, Any]) -> list[httpx.Response]:
        """Define the ad-hoc actions and send requests, one after the other."""

        async def act() -> list[httpx.Response]:
            opening = embedded(sqlite_file(self._folder / "a.db"), extend=workflows(self._settings))
            async with opening as engine:
                transport = httpx.ASGITransport(application(engine, settings=Settings()))
                async with httpx.AsyncClient(
                    transport=transport, base_url="http://here/v2", timeout=60
                ) as client:
                    text = {"content-type": "text/plain"}
                    await client.post("/actions", content=ADHOC, headers=text)
                    return [
                        await client.request(method, path, json=body)
                        for method, path, body in requests
                    ]

        return asyncio.run(act())


@pytest.fixture
def here(tmp_path: Path) -> Here:
    return Here(tmp_path)


@pytest.fixture(scope="session")
def there(mistral: Mistral) -> Mistral:
    status, answer = mistral.request("POST", "/actions", text=ADHOC)
    # All workers of a test run share it: another may have been here.
    assert status in (201, 409), answer
    return mistral


@pytest.mark.parametrize(("call", "status", "of_mistral"), CALLS, ids=IDS)
def test_what_can_be_called(
    here: Here, there: Mistral, call: dict[str, Any], status: int, of_mistral: int
) -> None:
    (ours,) = here.ask(("POST", "/action_executions", call))
    assert ours.status_code == status, ours.text
    # Its own form of the same: maps are texts in it.
    written = {key: json.dumps(value) if key != "name" else value for key, value in call.items()}
    found, theirs = there.request("POST", "/action_executions", written)
    assert found == of_mistral, theirs
    if status == 201:
        shown = ours.json()
        assert set(shown) == set(theirs)
        for name in ("state", "name", "accepted"):
            assert shown[name] == theirs[name]
        assert (shown["id"] is None) == (theirs["id"] is None)
    else:
        assert call["name"] in ours.text or "no.such" in ours.text


def test_what_cannot_be_called_leaves_nothing_behind(here: Here) -> None:
    *_, listed = here.ask(
        ("POST", "/action_executions", {"name": "std.echo", "params": {"save_result": True}}),
        ("GET", "/action_executions", None),
    )
    assert listed.json() == {"action_executions": []}


def test_what_ends_from_outside_is_kept_though_nobody_asked_for_that(here: Here) -> None:
    begun, listed = here.ask(
        ("POST", "/action_executions", {"name": "later"}), ("GET", "/action_executions", None)
    )
    assert begun.json()["state"] == "RUNNING"
    assert [each["id"] for each in listed.json()["action_executions"]] == [begun.json()["id"]]


def test_a_long_pause_must_be_kept(here: Here) -> None:
    body = {"name": "std.sleep", "input": {"seconds": lone_actions.LONGEST_WAIT + 1}}
    (answer,) = here.ask(("POST", "/action_executions", body))
    assert answer.status_code == 400
    assert "save_result" in answer.json()["faultstring"]


def test_kept_actions_are_limited(tmp_path: Path) -> None:
    here = Here(tmp_path, FlowSettings(most_executions=2))
    body = {"name": "std.noop", "params": {"save_result": True}}
    answers = here.ask(*[("POST", "/action_executions", body)] * 3)
    assert [each.status_code for each in answers] == [201, 201, 403]
    assert "maximum of 2 actions" in answers[-1].json()["faultstring"]


def test_kept_actions_wait_for_their_turn(tmp_path: Path) -> None:
    """One process performs so many at the same time and no more, whoever asked for them."""
    here = Here(tmp_path, FlowSettings(actions_at_once=0))
    body = {"name": "std.noop", "params": {"save_result": True}}
    _, listed = here.ask(("POST", "/action_executions", body), ("GET", "/action_executions", None))
    assert [each["state"] for each in listed.json()["action_executions"]] == ["RUNNING"]
