"""What would happen: decided by the functions that do it.

- `update.preview`: what an update does to each resource
- `deletion`: what a deletion does, step by step
"""
