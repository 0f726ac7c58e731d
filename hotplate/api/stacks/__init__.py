"""Stacks: made, shown, changed, previewed, explained."""
