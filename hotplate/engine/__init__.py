"""Convergence: traversals, sync points, the check of a node.

Others begin at these modules; nothing is imported here, so that a command loads what it needs only.

- `embedded`: `embedded` starts an engine in this process, `opened` opens its parts without a worker
- `requests.operations`, `requests.queries`: what can be asked of it
- `preview`: what would happen, and why something is as it is
- `recipes`, `context`, `store`, `world`: what all of it works with
- `refusals`: why a request is not carried out
"""
