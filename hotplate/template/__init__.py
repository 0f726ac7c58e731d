"""HOT and CFN text to an immutable, compiled template; pure."""

from hotplate.template.bound_template import BoundTemplate
from hotplate.template.budget import Budget
from hotplate.template.cache import TemplateCache
from hotplate.template.compiler import TemplateLimits, compile_template
from hotplate.template.constraint import Constraint, CustomConstraint, NamedCheck
from hotplate.template.definition import DeletionPolicy, Output, ResourceDefinition
from hotplate.template.dialect import Dialect
from hotplate.template.errors import InvalidTemplate, ResolveError
from hotplate.template.named_constraint import SERVICE_CONSTRAINTS, TIMELESS_CHECKS, local_checks
from hotplate.template.parameter import Parameter, ParameterGroup
from hotplate.template.parameter_type import ParameterType
from hotplate.template.parameter_values import (
    ParameterValues,
    changed_immutable,
    custom_problems,
    parameter_values,
)
from hotplate.template.scope import AttributePath, Facade, NoValue, ResourceData, Scope
from hotplate.template.template import Template
from hotplate.template.versions import DIALECTS
from hotplate.template.written_value import (
    UNKNOWN,
    Reference,
    Unknown,
    Written,
    written_property,
)

__all__ = [
    "DIALECTS",
    "SERVICE_CONSTRAINTS",
    "TIMELESS_CHECKS",
    "UNKNOWN",
    "AttributePath",
    "BoundTemplate",
    "Budget",
    "Constraint",
    "CustomConstraint",
    "DeletionPolicy",
    "Dialect",
    "Facade",
    "InvalidTemplate",
    "NamedCheck",
    "NoValue",
    "Output",
    "Parameter",
    "ParameterGroup",
    "ParameterType",
    "ParameterValues",
    "Reference",
    "ResolveError",
    "ResourceData",
    "ResourceDefinition",
    "Scope",
    "Template",
    "TemplateCache",
    "TemplateLimits",
    "Unknown",
    "Written",
    "changed_immutable",
    "compile_template",
    "custom_problems",
    "local_checks",
    "parameter_values",
    "written_property",
]
