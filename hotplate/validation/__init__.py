"""Everything that can refuse a template before a stack is made of it.

Here: texts with their environments, without any resource type; pure, and all that the command
needs to validate a file. In ``static``: templates against the resource types, values or not. In
``recipes``: what is to become a stack, with its values, what is stored, and what other servers say.
"""

from hotplate.validation.report import Report
from hotplate.validation.request import Request
from hotplate.validation.validate import validate

__all__ = ["Report", "Request", "validate"]
