"""Alembic's way in: runs the steps on the connection that hotplate.store.upgrade hands over."""

from alembic import context

from hotplate.store.workflows.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    # SQLite cannot change a column: a changed table is copied.
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
