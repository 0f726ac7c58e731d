"""An operation followed to its end, and how it ended."""
