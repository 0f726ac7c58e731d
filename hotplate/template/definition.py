"""The compiled entries of the sections resources and outputs."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from hotplate.document import Path
from hotplate.template.expression import Expression, walk
from hotplate.template.functions.logic import If
from hotplate.template.functions.references import ResourceReference


class DeletionPolicy(Enum):
    """What happens to the physical object when its resource is deleted."""

    DELETE = "Delete"
    RETAIN = "Retain"
    SNAPSHOT = "Snapshot"


POLICIES = {policy.value: policy for policy in DeletionPolicy}
LOWER_CASE_POLICIES = {policy.value.lower(): policy for policy in DeletionPolicy}


@dataclass(frozen=True, slots=True)
class ResourceDefinition:
    """One entry of the section resources. Shared by all stacks that use the template.

    ``static_references`` names the resources it refers to if that does not depend on conditions
    or parameters, and is None if it does.
    """

    name: str
    type: str
    path: Path
    properties: Expression | None = None
    metadata: Expression | None = None
    depends_on: tuple[str, ...] = ()
    deletion_policy: Expression | None = None
    update_policy: Expression | None = None
    external_id: Expression | None = None
    condition: Expression | None = None
    description: str = ""
    static_references: frozenset[str] | None = frozenset()
    like: str = ""
    """An earlier resource of the template that is written in the very same words.

    Only where nothing is called in them: then what is found out about one holds for the other.
    """

    def __reduce__(self) -> Any:
        # Far cheaper than what a dataclass does by itself, and there may be a hundred thousand.
        return ResourceDefinition, (
            self.name, self.type, self.path, self.properties, self.metadata, self.depends_on,
            self.deletion_policy, self.update_policy, self.external_id, self.condition,
            self.description, self.static_references, self.like,
        )  # fmt: skip

    def alike(self, name: str) -> "ResourceDefinition":
        """Return the definition of a resource that is written as this one."""
        return ResourceDefinition(
            name=name,
            type=self.type,
            path=(*self.path[:-1], name),
            properties=self.properties,
            metadata=self.metadata,
            deletion_policy=self.deletion_policy,
            update_policy=self.update_policy,
            description=self.description,
            like=self.name,
        )

    def reference_holders(self) -> Iterator[Expression]:
        """Yield the parts whose references make dependencies."""
        for part in (self.properties, self.metadata, self.external_id):
            if part is not None:
                yield part

    def parts(self) -> Iterator[Expression]:
        """Yield all parts in which functions may be called, the condition excepted."""
        yield from self.reference_holders()
        for part in (self.deletion_policy, self.update_policy):
            if part is not None:
                yield part


@dataclass(frozen=True, slots=True)
class Output:
    """One entry of the section outputs."""

    name: str
    value: Expression
    path: Path
    description: str = ""
    condition: Expression | None = None


def reference_path(definition: ResourceDefinition, target: str, depends_on: str) -> Path:
    """Return where a definition refers to another resource; its own path if that is unknown."""
    if target in definition.depends_on:
        return (*definition.path, depends_on)
    for part in definition.reference_holders():
        for expression in walk(part):
            if isinstance(expression, ResourceReference) and expression.static_target() == target:
                return expression.path
    return definition.path


def static_references(parts: Iterator[Expression]) -> frozenset[str] | None:
    """Return the resources referred to, or None if that must be decided for each stack."""
    names = set()
    for part in parts:
        for expression in walk(part):
            if isinstance(expression, If):
                return None
            if isinstance(expression, ResourceReference):
                name = expression.static_target()
                if name is None:
                    return None
                names.add(name)
    return frozenset(names)
