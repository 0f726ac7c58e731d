"""Who may do what: rules with names, in the language of oslo.policy. Pure."""

from hotplate.policy.checks import Check, Facts
from hotplate.policy.defaults import DEFAULTS, Default
from hotplate.policy.language import BadRule, parse_rule
from hotplate.policy.policy import Policy, Written
from hotplate.policy.resource_types import rule_of_type

__all__ = [
    "DEFAULTS",
    "BadRule",
    "Check",
    "Default",
    "Facts",
    "Policy",
    "Written",
    "parse_rule",
    "rule_of_type",
]
