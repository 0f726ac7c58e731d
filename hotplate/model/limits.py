"""Limits that hold where no others are set."""

DEEPEST_NESTING = 20
"""How deep stacks may be nested, unless an operator says otherwise. Heat allows 5."""

MOST_SIGNALS = 2000
"""Signals that are kept for a resource."""

LARGEST_SIGNALS = 4 * 1024 * 1024
"""Bytes that the signals of a resource have together."""
