"""What a template version calls things, and what it has."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hotplate.template.expression import Call


@dataclass(frozen=True, slots=True)
class Keywords:
    """The keywords of a language: HOT or CloudFormation. An empty word means: not there."""

    version: str
    description: str
    parameters: str
    parameter_groups: str
    mappings: str
    conditions: str
    resources: str
    outputs: str
    type: str
    properties: str
    metadata: str
    depends_on: str
    deletion_policy: str
    update_policy: str
    external_id: str
    condition: str
    value: str


@dataclass(frozen=True, slots=True)
class Dialect:
    """One template version."""

    version: str
    alias: str
    keywords: Keywords
    is_cfn: bool
    functions: Mapping[str, type[Call]]
    condition_functions: Mapping[str, type[Call]]
    has_conditions: bool = False
    has_modulo: bool = False
    has_tags: bool = False
    lower_case_policies: bool = False
    optional_else: bool = False
    pseudo_parameters: tuple[str, ...] = ()
    removed: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The version as the API lists it."""
        return f"{self.keywords.version}.{self.version}"
