"""What happens to a deployment after it has been made."""

from dataclasses import replace

from hotplate.model import SoftwareDeployment
from hotplate.software import Changes, change

DEPLOYMENT = SoftwareDeployment(
    id="d",
    project="p",
    config_id="c",
    server_id="s",
    input_values={"a": 1},
    output_values={"b": 2},
    action="CREATE",
    status="IN_PROGRESS",
    reason="why",
    stack_user_project_id="q",
    created_at=1.0,
    updated_at=None,
)


def test_what_is_not_given_stays() -> None:
    assert change(DEPLOYMENT, Changes(), 5.0) == replace(DEPLOYMENT, updated_at=5.0)


def test_maps_are_replaced_as_a_whole() -> None:
    changed = change(DEPLOYMENT, Changes(input_values={"c": 3}, output_values={}), 5.0)
    assert (changed.input_values, changed.output_values) == ({"c": 3}, {})


def test_all_the_rest_can_be_changed() -> None:
    changes = Changes(config_id="e", action="UPDATE", status="FAILED", reason="")
    assert change(DEPLOYMENT, changes, 5.0) == replace(
        DEPLOYMENT, config_id="e", action="UPDATE", status="FAILED", reason="", updated_at=5.0
    )
