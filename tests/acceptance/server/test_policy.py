"""The files that say who may do what are read again while the server runs."""

import time
from collections.abc import Callable
from pathlib import Path

import httpx

from tests.acceptance.serving import serving

BODY = {"stack_name": "s", "template": {"heat_template_version": "wallaby", "resources": {}}}


def _until(look: Callable[[], int], wanted: int) -> None:
    end = time.monotonic() + 30
    while (found := look()) != wanted:
        assert time.monotonic() < end, found
        time.sleep(0.1)


def test_roles_and_rules_change_while_the_server_runs(tmp_path: Path) -> None:
    tokens, policy = tmp_path / "tokens", tmp_path / "policy.yaml"
    tokens.write_text("one alice p roles=reader\n")
    tokens.chmod(0o600)
    policy.write_text('"stacks:validate_template": "role:reader"\n')
    flags = ("--auth-tokens", str(tokens), "--policy-file", str(policy))
    with serving(*flags) as served, httpx.Client(base_url=served.endpoint("p")) as client:

        def ask(method: str, path: str, token: str = "one") -> int:
            headers = {"x-auth-token": token}
            return client.request(method, path, json=BODY, headers=headers).status_code

        template = {"template": BODY["template"]}
        headers = {"x-auth-token": "one"}
        assert client.post("/validate", json=template, headers=headers).status_code == 200
        assert ask("POST", "/stacks") == 403
        policy.write_text('"stacks:create": "role:reader"\n')
        _until(lambda: ask("POST", "/stacks/preview") and ask("POST", "/stacks"), 201)
        policy.write_text('"stacks:index": "nonsense"\n')
        _until(lambda: int("what it said before stays in use" in served.log()), 1)
        assert ask("GET", "/stacks") == 200
        tokens.write_text("two bob p\n")
        _until(lambda: ask("GET", "/stacks", "two"), 200)
        assert ask("GET", "/stacks") == 401
