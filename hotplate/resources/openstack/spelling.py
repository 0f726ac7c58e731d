"""Names and ids: a template has either, a service tells ids."""

from collections.abc import Iterable, Mapping
from typing import Any

from hotplate.cloud import Cloud, NotFound
from hotplate.cloud.constraints import CONSTRAINTS
from hotplate.cloud.names import is_uuid
from hotplate.resources.openstack.translation import at, replaced, steps


async def with_ids(
    cloud: Cloud,
    values: Mapping[str, Any],
    named: Mapping[str, str],
    only: Iterable[str] | None = None,
    is_lenient: bool = False,
) -> Mapping[str, Any]:
    """Return properties with ids in place of names, only at some paths if these are given.

    What looks like an id is one: the service itself says if it is not. An old name may have
    lost its object.
    """
    found: Any = values
    for path in named if only is None else only:

        async def id_of(value: Any, constraint: str = named[path]) -> Any:
            kind = CONSTRAINTS[constraint]
            if kind.ids_are_uuids and is_uuid(str(value)):
                return value
            try:
                return await cloud.names.id_of(kind, str(value))
            except NotFound:
                if is_lenient:
                    return value
                raise

        found = await replaced(found, steps(path), id_of)
    resolved: Mapping[str, Any] = found
    return resolved


async def as_spelled(
    live: Mapping[str, Any],
    written: Mapping[str, Any],
    ids: Mapping[str, Any],
    named: Mapping[str, str],
) -> Mapping[str, Any]:
    """Return what a service tells with the names that the template gives in place of ids.

    ``ids`` are the written properties with ids in place of names.
    """
    for path in named:
        way = steps(path)
        spelled = dict(zip(at(ids, way), at(written, way), strict=True))

        async def name_of(value: Any, spelled: Mapping[Any, Any] = spelled) -> Any:
            return spelled.get(value, value)

        live = await replaced(live, way, name_of)
    return live
