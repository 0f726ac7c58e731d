"""Why something is as it is.

- `causes.explain`: why a resource is as it is, back to the file and line
- `failures.failures`: what failed in a tree of stacks
- `differences.differing`: which objects are not what was applied to them
"""
