"""OS::Heat::None."""

from collections.abc import Iterator, Mapping

from hotplate.resources.capabilities import NeverUpdated
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import Creation, Done, Resource, Result
from hotplate.resources.support import Support

_ANYTHING = Property(PropertyKind.ANY, updatable=True)


class _Everything(Mapping[str, Property]):
    """Declares whatever is asked for."""

    def __getitem__(self, name: str) -> Property:
        return _ANYTHING

    def __contains__(self, name: object) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


ANY_PROPERTIES = _Everything()


class NoneType(NeverUpdated):
    """Stands in for a type that is not wanted: takes any property, has any attribute, null."""

    name = "OS::Heat::None"
    support = Support(version="5.0.0")
    creation = Creation.REPEATABLE
    instant = True
    properties = ANY_PROPERTIES

    def has_attribute(self, name: str) -> bool:
        return True

    async def create(self, resource: Resource) -> Result:
        return Done(physical_id=resource.creation_token)
