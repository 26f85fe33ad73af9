"""Alembic's way in: runs on the connection, and in the transaction, that store/versions.py hands over."""

from alembic import context

from steward.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite alters a table by copying it.
    render_as_batch=True,
)
context.run_migrations()
