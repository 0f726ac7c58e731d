"""A resource's definition with all values in place."""

from collections.abc import Mapping
from typing import Final

from hotplate.model import Definition
from hotplate.template import BoundTemplate, ResourceData

UNAPPLIED: Final = "unapplied"
"""In place of a fingerprint: the object is well, but it is not known to be what was wanted last."""

DRIFTED: Final = "drifted"
"""In place of a fingerprint, and never stored: the object has been changed to what is wanted."""


def resolve_definition(
    bound: BoundTemplate, name: str, type_name: str, resources: Mapping[str, ResourceData]
) -> Definition:
    """Return the definition of a resource. Raises ResolveError."""
    definition = bound.resources[name]
    external_id = bound.external_id(name, resources) if definition.external_id else None
    if external_id is not None:
        return Definition(
            type=definition.type,
            type_name=type_name,
            properties={},
            metadata=bound.metadata(name, resources) if definition.metadata else {},
            deletion_policy=bound.deletion_policy(name).value,
            update_policy={},
            depends_on=definition.depends_on,
            external_id=external_id,
        )
    return Definition(
        type=definition.type,
        type_name=type_name,
        properties=bound.properties(name, resources),
        metadata=bound.metadata(name, resources) if definition.metadata else {},
        deletion_policy=bound.deletion_policy(name).value,
        update_policy=bound.update_policy(name, resources) if definition.update_policy else {},
        depends_on=definition.depends_on,
    )
