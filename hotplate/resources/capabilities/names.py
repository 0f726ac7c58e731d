"""Types whose properties name objects of a cloud."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from hotplate.resources.resource import ObjectMissing, World
from hotplate.resources.resource_type import ResourceType

CLOUD: Final = "cloud"
"""The service that knows names: `hotplate.cloud.SERVICE`, which only who has a cloud imports."""


class TakesNames(ResourceType):
    """Takes names or ids of objects. Which of the two a template says makes no difference.

    Where a value changes from one to the other, both are looked up before it is decided what an
    update does: if they mean the same object, nothing changes, and the new spelling is stored.
    """

    named: ClassVar[Mapping[str, str]] = {}
    """The paths of such properties, each with the custom constraint for what it names.

    ``{"network": "neutron.network", "fixed_ips[].subnet": "neutron.subnet"}``: a point leads into
    a map, ``[]`` to the items of a list. Older names of properties are not listed: paths are those
    of converted properties, and converting these once more changes nothing.
    """

    def named_in(self, properties: Mapping[str, Any]) -> Mapping[str, str]:
        """Return the paths for a resource with these properties, of which one may decide. Pure."""
        return self.named

    async def id_of(self, world: World, constraint: str, name_or_id: str) -> str:
        """Return the id of the object that a value names, and change nothing.

        Raises ObjectMissing if none has that name or id, or several have the name; anything else
        if that cannot be found out now.
        """
        found = await world.service(CLOUD).look_up(constraint, name_or_id)
        if found.fault:
            raise ObjectMissing(found.fault)
        return str(found.id)
