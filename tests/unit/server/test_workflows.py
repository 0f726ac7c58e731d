"""What the configuration says of workflows."""

from pathlib import Path
from typing import Any

import pytest

from hotplate.server.refusal import CannotStart
from hotplate.server.workflows import workflow_services, workflow_settings
from hotplate.workflow.drivers.driver import SERVICE
from hotplate.workflow.drivers.remote import KeystoneIdentity, RemoteWorkflows


def test_what_is_written_is_set() -> None:
    flows, actions = workflow_settings({"most_tasks": 5, "may_reach": ["10.0.0.0/8"]})
    assert flows.most_tasks == 5
    assert tuple(actions.may_reach) == ("10.0.0.0/8",)


def test_without_a_mistral_the_engine_runs_workflows_itself() -> None:
    assert workflow_services({"most_tasks": 5}) == {}


def test_a_mistral_elsewhere_is_asked_with_or_without_a_token(tmp_path: Path) -> None:
    found = workflow_services({"mistral": {"url": "http://m:8989/v2"}})[SERVICE]
    assert isinstance(found, RemoteWorkflows)
    secret = tmp_path / "secret"
    secret.write_text("pass\n")
    secret.chmod(0o600)
    table = {
        "url": "http://m:8989/v2",
        "auth_url": "http://keystone:5000/v3",
        "username": "hotplate",
        "password_file": str(secret),
        "project_name": "service",
        "user_domain_name": "Default",
        "project_domain_name": "Default",
    }
    found = workflow_services({"mistral": table})[SERVICE]
    assert isinstance(found._identity, KeystoneIdentity)


def test_a_password_that_others_can_read_is_refused(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("pass\n")
    secret.chmod(0o644)
    table = {"url": "http://m:8989/v2", "password_file": str(secret)}
    with pytest.raises(CannotStart, match="holds a password and has mode 0644"):
        workflow_services({"mistral": table})


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ({"colour": 1}, "colour"),
        ({"may_reach": ["the office"]}, "may_reach"),
        ({"mistral": {}}, "needs the url"),
        ({"mistral": "http://m"}, "needs the url"),
        ({"mistral": {"url": "u", "auth_type": "none", "username": "x"}}, "takes no username"),
        ({"mistral": {"url": "u", "auth_type": "odd"}}, "odd"),
        ({"mistral": {"url": "u", "password_file": "/no/such"}}, "No such file"),
    ],
)
def test_faults_are_told(written: dict[str, Any], words: str) -> None:
    read = workflow_services if "mistral" in written else workflow_settings
    with pytest.raises(CannotStart, match=words):
        read(written)
