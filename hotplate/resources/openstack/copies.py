"""Copies of objects, which snapshots of stacks have made."""

from collections.abc import Mapping
from typing import Any

from hotplate.cloud import BadConfiguration, CloudError, NotFound
from hotplate.resources.openstack.place import PLACE, cloud_in, elsewhere, place_of
from hotplate.resources.resource_type import ResourceFailed, World


async def remove_copy(world: World, kept: Mapping[str, Any], service: str, path: str) -> None:
    """Delete the copy at a path of a service, which the data of a snapshot tell of.

    Raises ResourceFailed, also if the data are of another project than the credentials.
    """
    try:
        cloud = cloud_in(world)
        place = await place_of(cloud)
        if kept.get(PLACE, place) != place:
            raise ResourceFailed(elsewhere(kept[PLACE], place))
        await cloud.service(service).delete(path)
    except NotFound:
        return
    except (CloudError, BadConfiguration) as error:
        raise ResourceFailed(str(error), type(error).__name__) from None
