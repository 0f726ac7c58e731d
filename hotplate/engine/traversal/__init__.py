"""Traversals: how they begin, visit, are interrupted and end, through nested stacks."""
