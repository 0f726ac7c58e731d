"""Limits that hold where no others are set."""

DEEPEST_NESTING = 20
"""How deep stacks may be nested, unless an operator says otherwise. Heat allows 5."""
