"""A resource's definition with all values in place, as it is compared and stored."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from hotplate.template import BoundTemplate, ResourceData

UNAPPLIED: Final = "unapplied"
"""In place of a fingerprint: the object is well, but it is not known to be what was wanted last."""


@dataclass(frozen=True, slots=True)
class Definition:
    """What a resource shall be.

    ``type`` is the type as the template names it, ``kind`` what the registry makes of it.
    ``child`` is the digest of the recipe of the stack inside, for a resource that is one.
    ``external_id`` is the object that it shall be and that nobody here may touch: then there are
    no properties.
    """

    type: str
    kind: str
    properties: dict[str, Any]
    metadata: dict[str, Any]
    deletion_policy: str
    update_policy: dict[str, Any]
    depends_on: tuple[str, ...]
    child: str = ""
    sent: str = ""
    """The digest of the files and the environment that are sent elsewhere with it."""

    external_id: str = ""
    _fingerprint: list[str] = field(default_factory=list, repr=False, compare=False)

    def as_data(self) -> dict[str, Any]:
        """Return it as it is stored."""
        data: dict[str, Any] = {
            "kind": self.kind,
            "child": self.child,
            "properties": self.properties,
            "metadata": self.metadata,
            "deletion_policy": self.deletion_policy,
            "update_policy": self.update_policy,
            "depends_on": list(self.depends_on),
        }
        if self.sent:
            data["sent"] = self.sent
        if self.external_id:
            data["external_id"] = self.external_id
        return data

    def fingerprint(self) -> str:
        """Return a digest, computed once: two definitions are equal if theirs are."""
        if not self._fingerprint:
            text = json.dumps([self.type, self.as_data()], sort_keys=True)
            self._fingerprint.append(sha256(text.encode()).hexdigest())
        return self._fingerprint[0]


def resolve_definition(
    bound: BoundTemplate, name: str, kind: str, resources: Mapping[str, ResourceData]
) -> Definition:
    """Return the definition of a resource. Raises ResolveError."""
    definition = bound.resources[name]
    external_id = bound.external_id(name, resources) if definition.external_id else None
    if external_id is not None:
        return Definition(
            type=definition.type,
            kind=kind,
            properties={},
            metadata=bound.metadata(name, resources) if definition.metadata else {},
            deletion_policy=bound.deletion_policies[name].value,
            update_policy={},
            depends_on=definition.depends_on,
            external_id=external_id,
        )
    return Definition(
        type=definition.type,
        kind=kind,
        properties=bound.properties(name, resources),
        metadata=bound.metadata(name, resources) if definition.metadata else {},
        deletion_policy=bound.deletion_policies[name].value,
        update_policy=bound.update_policy(name, resources) if definition.update_policy else {},
        depends_on=definition.depends_on,
    )
