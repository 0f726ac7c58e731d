"""A compiled template: what its text says, independent of any stack."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, Final

from hotplate.document import Data, Document, Problem
from hotplate.template.alike import AlikeResources
from hotplate.template.definition import Output, ResourceDefinition
from hotplate.template.dialect import Dialect
from hotplate.template.expression import Expression
from hotplate.template.packed_resources import PackedResources
from hotplate.template.parameter import Parameter, ParameterGroup

_LARGE: Final = 500
"""Resources of a template that are not all unpacked where they arrive from another process."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Template:
    """Immutable and shared: one for all stacks of the same text, in all threads."""

    document: Document
    dialect: Dialect
    description: str
    parameters: Mapping[str, Parameter]
    groups: tuple[ParameterGroup, ...]
    conditions: Mapping[str, Expression]
    resources: Mapping[str, ResourceDefinition]
    outputs: Mapping[str, Output]
    warnings: tuple[Problem, ...] = ()

    def __reduce__(self) -> Any:
        facts = {each.name: getattr(self, each.name) for each in fields(self)}
        facts["resources"] = _packed(self.resources)
        plain = {
            key: dict(each) if isinstance(each, MappingProxyType) else each
            for key, each in facts.items()
        }
        return _restored, (plain,)

    @property
    def name(self) -> str:
        """The file it came from."""
        return self.document.name

    @property
    def data(self) -> Data:
        """The template as plain data."""
        return self.document.data


def _packed(resources: Mapping[str, ResourceDefinition]) -> Mapping[str, ResourceDefinition]:
    if isinstance(resources, AlikeResources):
        return resources.packed(_packed)
    return PackedResources.of(resources) if len(resources) > _LARGE else resources


def _restored(facts: dict[str, Any]) -> Template:
    read_only: dict[str, Any] = {
        key: MappingProxyType(each) if isinstance(each, dict) else each
        for key, each in facts.items()
    }
    return Template(**read_only)
