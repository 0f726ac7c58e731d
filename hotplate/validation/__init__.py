"""A template with its environments, checked as a whole before anything starts; pure."""

from hotplate.validation.report import Report
from hotplate.validation.request import Request
from hotplate.validation.validate import validate

__all__ = ["Report", "Request", "validate"]
