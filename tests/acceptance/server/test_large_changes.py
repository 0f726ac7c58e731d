"""Stacks of more resources than one transaction accepts are previewed and changed on a server."""

from typing import Any

import httpx

from tests.acceptance.serving import PATIENCE, serving, until

_COUNT = 600


def _template(length: int) -> dict[str, Any]:
    """Return resources that are written alike but for one."""
    text = {"type": "OS::Heat::RandomString"}
    resources: dict[str, Any] = {f"r{number}": text for number in range(_COUNT)}
    resources["r0"] = {**text, "properties": {"length": length}}
    return {"heat_template_version": "wallaby", "resources": resources}


def test_a_large_stack_is_previewed_and_changed_again_and_again() -> None:
    with serving() as served:
        address = f"{served.endpoint()}/stacks"
        body: dict[str, Any] = {"stack_name": "large", "template": _template(8)}
        created = httpx.post(address, json=body, timeout=PATIENCE)
        address = created.json()["stack"]["links"][0]["href"]
        until(address, "CREATE_COMPLETE")
        for length in (9, 10):
            body = {"template": _template(length)}
            preview = httpx.put(f"{address}/preview", json=body, timeout=PATIENCE)
            changes = preview.json()["resource_changes"]
            assert [each["resource_name"] for each in changes["replaced"]] == ["r0"]
            assert len(changes["unchanged"]) == _COUNT - 1
            assert httpx.put(address, json=body, timeout=PATIENCE).status_code == 202
            until(address, "UPDATE_COMPLETE")
