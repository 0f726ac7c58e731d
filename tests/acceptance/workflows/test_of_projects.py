"""Workflows of several projects: who may publish, whose names count, and who waits for whom."""

import time
from collections.abc import Iterator

import httpx
import pytest

from tests.acceptance.serving import PATIENCE, Served, serving

TOKENS = "alice alice a\nbob bob b\nroot root operators admin\n"


def text(name: str, words: str) -> str:
    return f"""version: '2.0'
{name}:
  output: {{said: <% task(t).result %>}}
  tasks: {{t: {{action: std.echo output="{words}"}}}}
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    file = tmp_path_factory.mktemp("projects") / "tokens"
    file.write_text(TOKENS, encoding="utf-8")
    file.chmod(0o600)
    with serving("--auth-tokens", str(file)) as found:
        yield found


def ask(served: Served, who: str, method: str, path: str, **options: object) -> httpx.Response:
    headers = {"x-auth-token": who, "content-type": "text/plain"}
    if "json" in options:
        del headers["content-type"]
    return httpx.request(method, f"{served.url}/v2/{path}", headers=headers, timeout=60, **options)  # type: ignore[arg-type]


def started(served: Served, who: str, name: str) -> str:
    answer = ask(served, who, "POST", "executions", json={"workflow_name": name})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def ended(served: Served, who: str, execution: str) -> httpx.Response:
    limit = time.monotonic() + PATIENCE
    while True:
        answer = ask(served, who, "GET", f"executions/{execution}")
        if answer.json()["state"] not in ("RUNNING", "IDLE"):
            return answer
        assert time.monotonic() < limit
        time.sleep(0.05)


@pytest.mark.parametrize("kind", ["workflows", "actions", "workbooks"])
def test_only_administrators_publish(served: Served, kind: str) -> None:
    body = {
        "workflows": text("forged", "hello"),
        "actions": "version: '2.0'\nforged: {base: std.noop}\n",
        "workbooks": "version: '2.0'\nname: forged\nactions: {one: {base: std.noop}}\n",
    }[kind]
    answer = ask(served, "alice", "POST", f"{kind}?scope=public", content=body)
    assert answer.status_code == 403
    assert "administrator" in answer.text
    assert ask(served, "root", "POST", f"{kind}?scope=public", content=body).status_code == 201
    assert ask(served, "alice", "PUT", f"{kind}?scope=public", content=body).status_code == 403


def test_environments_are_published_by_administrators_only(served: Served) -> None:
    body = {"name": "e", "variables": {}, "scope": "public"}
    assert ask(served, "alice", "POST", "environments", json=body).status_code == 403
    assert ask(served, "root", "POST", "environments", json=body).status_code == 201


def test_names_of_built_in_actions_are_reserved(served: Served) -> None:
    answer = ask(served, "root", "POST", "workflows", content=text("std.mine", "hello"))
    assert answer.status_code == 400
    assert "reserved" in answer.text


def test_own_names_win_over_public_ones(served: Served) -> None:
    public = text("greet", "public")
    answer = ask(served, "root", "POST", "workflows?scope=public&namespace=n", content=public)
    assert answer.status_code == 201, answer.text
    answer = ask(served, "alice", "POST", "workflows", content=text("greet", "mine"))
    assert answer.status_code == 201, answer.text
    for who, words in (("alice", "mine"), ("bob", "public")):
        body = {"workflow_name": "greet", "workflow_namespace": "n"}
        answer = ask(served, who, "POST", "executions", json=body)
        assert answer.status_code == 201, answer.text
        found = ended(served, who, answer.json()["id"]).json()
        assert f'"said": "{words}"' in found["output"], found
