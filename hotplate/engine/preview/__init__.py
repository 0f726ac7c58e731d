"""What would happen, and why something is as it is: decided by the functions that do it.

- `update.preview`: what an update does to each resource
- `deletion`: what a deletion does, step by step
- `causes.explain`: why a resource is as it is
- `failures.failures`: what failed in a tree of stacks
"""
