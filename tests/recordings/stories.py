"""The stories: one per type, or per matter that several share. Add yours to STORIES.

A story makes up nothing by itself: names and marks come from the stage, so that every play asks the
same. It leaves nothing behind.
"""

from collections.abc import Mapping
from typing import Final

import pytest

from hotplate.cloud import NotFound
from tests.recordings import (
    compute_admin_stories,
    compute_stories,
    image_stories,
    network_admin_stories,
    network_stories,
    router_stories,
    security_stories,
    volume_stories,
)
from tests.recordings.stage import Recorded, Stage


async def network(stage: Stage) -> None:
    """A network is made with a mark, found by it, changed, and deleted."""
    neutron = stage.cloud.service("network")
    mark = stage.resource({}).creation_token
    body = {"name": "recorded", "description": mark}
    made = (await neutron.post("/networks", {"network": body}))["network"]
    path = f"/networks/{made['id']}"
    query = {"description": mark, "fields": "id"}
    assert await neutron.list_all("/networks", "networks", query) == [{"id": made["id"]}]
    changed = await neutron.put(path, {"network": {"name": "changed"}})
    assert changed["network"]["name"] == "changed"
    assert (await neutron.get(path))["network"]["status"] == "ACTIVE"
    assert await neutron.delete(path)
    with pytest.raises(NotFound, match=made["id"]):
        await neutron.get(path)


STORIES: Final[Mapping[str, Recorded]] = {
    "network": Recorded(network),
    **network_stories.STORIES,
    **compute_stories.STORIES,
    **compute_admin_stories.STORIES,
    **volume_stories.STORIES,
    **image_stories.STORIES,
    **network_admin_stories.STORIES,
    **router_stories.STORIES,
    **security_stories.STORIES,
}
