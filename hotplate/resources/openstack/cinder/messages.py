"""What the block storage service has to say of an object that it could not serve."""

from contextlib import suppress

from hotplate.cloud import CloudError
from hotplate.resources.openstack.cloud_resource import CloudResource


async def with_messages(it: CloudResource, object_id: str, text: str) -> str:
    """Return a text with the newest message of Cinder about an object, if there is one.

    Calls that Cinder accepts and fails at later leave their reason there, and nowhere else.
    """
    query = {"resource_uuid": object_id, "sort": "created_at:desc", "limit": 1}
    with suppress(CloudError):
        answer = await it.cloud.service("block-storage").get("/messages", query)
        for each in answer["messages"]:
            return f"{text}: {each['user_message']} (request {each['request_id']})"
    return text
