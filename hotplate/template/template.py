"""A compiled template: what its text says, independent of any stack."""

from collections.abc import Mapping
from dataclasses import dataclass

from hotplate.document import Data, Document, Problem
from hotplate.template.definition import Output, ResourceDefinition
from hotplate.template.dialect import Dialect
from hotplate.template.expression import Expression
from hotplate.template.parameter import Parameter, ParameterGroup


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

    @property
    def name(self) -> str:
        """The file it came from."""
        return self.document.name

    @property
    def data(self) -> Data:
        """The template as plain data."""
        return self.document.data
