"""What a server's report means for a deployment."""

from typing import Any

import pytest

from hotplate.model import Output, SoftwareDeployment
from hotplate.software import Changes, reported

OUTPUTS = (Output("result"), Output("fault", is_error=True))
NOTHING = {"deploy_stdout": None, "deploy_stderr": None, "deploy_status_code": None}


def deployment(status: str | None = "IN_PROGRESS", **facts: Any) -> SoftwareDeployment:
    return SoftwareDeployment(
        **{
            "id": "d",
            "project": "p",
            "config_id": "c",
            "server_id": "s",
            "input_values": {},
            "output_values": None,
            "action": "CREATE",
            "status": status,
            "reason": "",
            "stack_user_project_id": None,
            "created_at": 1.0,
            "updated_at": None,
            **facts,
        }
    )


@pytest.mark.parametrize("status", ["COMPLETE", "FAILED", None])
def test_nobody_waits_for_a_second_report(status: str | None) -> None:
    assert reported(deployment(status), OUTPUTS, {"result": 1}) is None


def test_declared_outputs_and_what_agents_always_report_are_kept() -> None:
    details = {"result": [1], "deploy_stdout": "o", "deploy_status_code": 0, "stray": True}
    assert reported(deployment(), OUTPUTS, details) == Changes(
        output_values=NOTHING | {"result": [1], "deploy_stdout": "o", "deploy_status_code": 0},
        status="COMPLETE",
        reason="Outputs received",
    )


@pytest.mark.parametrize("code", [0, "0", "", None])
def test_a_status_code_of_zero_or_none_is_well(code: Any) -> None:
    changes = reported(deployment(), OUTPUTS, {"deploy_status_code": code})
    assert changes is not None
    assert changes.status == "COMPLETE"


def test_another_status_code_and_an_output_for_errors_mean_failure() -> None:
    details = {"deploy_status_code": "2", "fault": {"disk": "full"}}
    changes = reported(deployment(), OUTPUTS, details)
    assert changes is not None
    assert changes.status == "FAILED"
    assert changes.reason == (
        "deploy_status_code : Deployment exited with non-zero status code: 2, "
        "fault : {'disk': 'full'}"
    )
    assert changes.output_values == NOTHING | details


def test_an_output_for_errors_fails_it_even_if_it_is_empty() -> None:
    changes = reported(deployment(), OUTPUTS, {"fault": ""})
    assert changes is not None
    assert (changes.status, changes.reason) == ("FAILED", "fault : ")


def test_outputs_that_are_left_out_stay_and_the_old_ones_are_not_touched() -> None:
    old = {"result": "old", "deploy_stdout": "old"}
    changes = reported(deployment(output_values=old), OUTPUTS, {})
    assert changes is not None
    assert changes.output_values == NOTHING | {"result": "old"}
    assert old == {"result": "old", "deploy_stdout": "old"}
