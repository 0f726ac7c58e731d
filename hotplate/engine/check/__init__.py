"""The check of one node: decide, act, record."""
