"""Whoever stops a stack does not wait for what only waits."""

import time
from typing import Any

from tests.api.conftest import Api
from tests.api.trees import begin, made

LONG = 600


def _template(**waits: int) -> dict[str, Any]:
    waiting = {"value": "x", "action_wait_secs": waits}
    return {
        "heat_template_version": "wallaby",
        "resources": {
            "slow": {"type": "OS::Heat::TestResource", "properties": waiting},
            "after": {"type": "OS::Heat::RandomString", "depends_on": "slow"},
        },
    }


def _stopped_soon(api: Api, path: str, action: str, state: str) -> None:
    begun = time.monotonic()
    answer = api.post(f"{path}/actions", json={action: None})
    assert answer.status_code in (200, 202), answer.text
    assert api.wait(path.rsplit("/", 1)[1]) == state
    assert time.monotonic() - begun < LONG / 10


def _waiting(api: Api, path: str, state: str) -> None:
    while api.get(f"{path}/resources/slow").json()["resource"]["resource_status"] != state:
        time.sleep(0.02)


def test_a_rollback_after_a_cancelled_creation_does_not_wait_for_its_wait(api: Api) -> None:
    path, _ = begin(api, "stopped", {"template": _template(create=LONG)})
    _waiting(api, path, "CREATE_IN_PROGRESS")
    _stopped_soon(api, path, "cancel_without_rollback", "CREATE_FAILED")
    _stopped_soon(api, path, "rollback", "ROLLBACK_COMPLETE")


def test_an_update_that_waits_is_rolled_back_at_once(api: Api) -> None:
    path = made(api, "stopped", {"template": _template(update=LONG)})
    template = _template(update=LONG)
    template["resources"]["slow"]["properties"]["value"] = "y"
    assert api.patch(path, json={"template": template}).status_code == 202
    _waiting(api, path, "UPDATE_IN_PROGRESS")
    _stopped_soon(api, path, "cancel_update", "ROLLBACK_COMPLETE")
