"""In which project of which cloud an object is.

It is kept with every resource: a worker that has the credentials of another project would be told
that the object does not exist, and would take it for deleted.
"""

from typing import Final

from hotplate.cloud import SERVICE, Cloud
from hotplate.resources.resource_type import Resource, ResourceFailed, World

PLACE: Final = "cloud"
"""Under which the place is kept among the data of a resource."""


def cloud_of(resource: Resource) -> Cloud:
    """Return the cloud that this process works with. Raises ResourceFailed, CloudError."""
    return cloud_in(resource.world)


def cloud_in(world: World) -> Cloud:
    """Return the cloud that a world has. Raises ResourceFailed, CloudError."""
    try:
        cloud: Cloud = world.service(SERVICE)
    except LookupError:
        raise ResourceFailed(
            "no cloud is configured; start the server with --os-cloud NAME, a cloud of clouds.yaml"
        ) from None
    return cloud


async def place_of(cloud: Cloud) -> str:
    """Return the project, and the region if one is named."""
    project = await cloud.project_id()
    region = await cloud.region()
    return f"{project} in {region}" if region else project


def elsewhere(kept: str, present: str) -> str:
    """Return why nothing can be done to an object of another place, and who can."""
    return (
        f"its object is in the project {kept}, and the credentials here are for {present}; "
        "go on with those of the former"
    )
