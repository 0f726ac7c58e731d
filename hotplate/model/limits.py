"""Limits that hold wherever nobody has set others."""

DEEPEST_NESTING = 20
"""How deep stacks may be nested, unless an operator says otherwise. Heat allows 5."""
