"""Which resources a listing shows."""

from typing import Any

import pytest

from hotplate.api.resources.filters import FILTERS, Filters
from hotplate.store.tree import ListedVersion

ITEM = ListedVersion(
    stack_id="s",
    stack_name="stack",
    depth=0,
    owner_name=None,
    child_id=None,
    child_name=None,
    id=7,
    uuid="u-u-i-d",
    name="server",
    type="OS::Nova::Server",
    physical_id="physical",
    action="CREATE",
    status="COMPLETE",
    reason="",
    owner=1,
    requires="[]",
    created_at=0.0,
    updated_at=None,
    recipe="",
    attributes="{}",
)


@pytest.mark.parametrize(
    ("query", "passes"),
    [
        ({}, True),
        ({"type": ("Nova",)}, True),
        ({"type": ("Neutron", "Server")}, True),
        ({"type": ("Neutron",)}, False),
        ({"status": ("COMPLETE",)}, True),
        ({"status": ("CREATE_COMPLETE",)}, True),
        ({"status": ("UPDATE_COMPLETE",)}, False),
        ({"name": ("serve",)}, False),
        ({"name": ("a", "server")}, True),
        ({"action": ("CREATE",)}, True),
        ({"action": ("create",)}, False),
        ({"id": ("7",)}, True),
        ({"id": ("u-u-i-d",)}, True),
        ({"id": ("8",)}, False),
        ({"physical_resource_id": ("physical",)}, True),
        ({"physical_resource_id": ("",)}, False),
        ({"name": ("server",), "status": ("FAILED",)}, False),
        ({"with_detail": True}, True),
    ],
)
def test_every_filter_must_let_a_resource_pass(query: dict[str, Any], passes: bool) -> None:
    assert Filters(query).lets_pass(ITEM) is passes


def test_every_filter_that_is_declared_works() -> None:
    for declared in FILTERS:
        assert not Filters({declared.name: ("something else",)}).lets_pass(ITEM)
