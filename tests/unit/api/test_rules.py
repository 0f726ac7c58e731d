"""Every endpoint says what the policy must allow, and the policy knows it."""

import pytest

from hotplate.api import ENDPOINTS, OPEN_ENDPOINTS, WORKFLOW_ENDPOINTS
from hotplate.api.http.endpoint import OPEN, Endpoint
from hotplate.policy import DEFAULTS

ASKED_BY_HANDLERS = {
    "stacks:global_index",
    "stacks:secrets",
    "software_configs:global_index",
    *(f"{kind}:list:all_projects" for kind in ("executions", "cron_triggers")),
    *(f"{kind}:publicize" for kind in ("workflows", "workbooks", "actions", "environments")),
}
BLOCKS = (
    {"context_is_admin", "project_admin"}
    | {f"{word}_everybody" for word in ("deny", "allow")}
    | {"deny_stack_user"}
)


@pytest.mark.parametrize(
    "endpoint",
    [
        pytest.param(each, id=f"{each.method} {each.path}")
        for each in (*ENDPOINTS, *WORKFLOW_ENDPOINTS)
    ],
)
def test_every_endpoint_has_a_rule_that_the_policy_knows(endpoint: Endpoint) -> None:
    assert endpoint.rules
    assert all(rule in DEFAULTS for rule in endpoint.rules)


def test_only_signed_addresses_need_no_rule() -> None:
    assert all(each.rule == OPEN for each in OPEN_ENDPOINTS)


def test_no_default_is_about_nothing() -> None:
    asked = {rule for each in (*ENDPOINTS, *WORKFLOW_ENDPOINTS) for rule in each.rules}
    rest = set(DEFAULTS) - asked - ASKED_BY_HANDLERS - BLOCKS
    assert not {rule for rule in rest if not rule.startswith("resource_types:")}
