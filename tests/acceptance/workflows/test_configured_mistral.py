"""`hotplate serve` lets the Mistral of its configuration run the workflows of resources."""

import json
import time
import urllib.request
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.acceptance.serving import serving
from tests.acceptance.workflows.workflow_lab import template
from tests.mistral_server import Mistral


def ask(url: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def test_a_resource_is_made_by_the_mistral_that_the_configuration_names(
    mistral: Mistral, tmp_path: Path
) -> None:
    name = f"configured_{uuid4().hex[:8]}"
    tasks = {"t": {"action": "std.noop"}}
    mistral.define(
        json.dumps({"version": "2.0", name: {"output": {"resource_id": "far"}, "tasks": tasks}})
    )
    configuration = tmp_path / "hotplate.toml"
    configuration.write_text(f'[workflows.mistral]\nurl = "{mistral.url}"\n')
    with serving(environ={"HOTPLATE_CONFIG": str(configuration)}) as served:
        properties = {"actions": {"CREATE": {"workflow": name}}}
        body = {"stack_name": "far", "template": template(properties)}
        stack = ask(f"{served.endpoint()}/stacks", body)["stack"]
        end = time.monotonic() + 60
        status = ""
        while status != "CREATE_COMPLETE":
            assert time.monotonic() < end, status
            time.sleep(0.1)
            found = ask(f"{served.endpoint()}/stacks/far/{stack['id']}")["stack"]
            status = found["stack_status"]
            assert "FAILED" not in status, found["stack_status_reason"]
        resource = ask(f"{served.endpoint()}/stacks/far/{stack['id']}/resources/thing")
        assert resource["resource"]["physical_resource_id"] == "far"
    status_code, found = mistral.request("GET", f"/executions?workflow_name={name}")
    assert status_code == 200
    assert [each["state"] for each in found["executions"]] == ["SUCCESS"]
