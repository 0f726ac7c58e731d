"""What can be asked of the engine: operations and queries. Each change is one transaction.

`operations.Operations` has all of it; `queries.Queries` is the part that changes nothing.
"""
