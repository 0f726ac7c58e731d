"""A template with all that is nested in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hotplate.environment import Environment
from hotplate.template import Template


@dataclass(frozen=True, slots=True)
class TemplateTree:
    """A template with its environment, and the nested ones by the name of their resource.

    Of a nested template, the environment's parameters are the properties that are known.
    """

    type_name: str
    """That of the resource which is made from the template; empty for the outermost."""

    template: Template
    environment: Environment
    nested: Mapping[str, "TemplateTree"] = field(default_factory=dict)
    size: int = 0
    """How many resources there will be for certain, nested ones included; as far as is known."""
