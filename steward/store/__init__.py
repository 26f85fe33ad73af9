"""The store: SQLAlchemy Core over SQLite or PostgreSQL, by one code path.

Above: control, through the protocols of steward.ports, and the composition root, through `open_store`. Each
method of a port is one transaction; no session, connection or row leaves this package.
"""

from steward.store.lock import StoreLock
from steward.store.opening import Store, open_store, store_revision, store_state
from steward.store.server import Server, server_of
from steward.store.versions import SchemaState

__all__ = [
    "SchemaState",
    "Server",
    "Store",
    "StoreLock",
    "open_store",
    "server_of",
    "store_revision",
    "store_state",
]
