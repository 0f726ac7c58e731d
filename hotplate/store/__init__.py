"""The only place where SQL is spoken: tables, named queries, and the threads that run them.

Begin at `database.Database`, `upgrade.upgrade` and `schema`; each other module has the queries of
what it is named after.
"""
