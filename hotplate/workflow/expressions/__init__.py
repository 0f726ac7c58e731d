"""Expressions in workflows: ``<% YAQL %>``, ``{{ Jinja }}`` and ``{% Jinja %}``."""

from hotplate.workflow.expressions.expressions import (
    BadExpression,
    ExpressionLimits,
    Expressions,
)
from hotplate.workflow.expressions.scope import Scope

__all__ = ["BadExpression", "ExpressionLimits", "Expressions", "Scope"]
