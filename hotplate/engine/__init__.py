"""Convergence: traversals, sync points, the check of a node."""
