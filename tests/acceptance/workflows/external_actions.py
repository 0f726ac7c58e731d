"""Workflows for the actions of an OS::Mistral::ExternalResource, and the input they take."""

from typing import Any

from tests.acceptance.workflows.workflow_lab import Lab

DATA = "<% env().heat_extresource_data %>"
GIVEN = {"foo1": 123, "foo2": 456}


async def three(lab: Lab, **create: Any) -> dict[str, Any]:
    """Return actions for a creation, an update and a deletion."""
    inputs = ("foo1", "foo2")
    return {
        "CREATE": {
            "workflow": await lab.echo("create", {"resource_id": "thing-1", "a": 1}, *inputs)
        },
        "UPDATE": {"workflow": await lab.echo("update", {"b": "<% $.foo1 %>"}, *inputs)},
        "DELETE": {"workflow": await lab.echo("delete", {"seen": DATA}, *inputs)},
    }
