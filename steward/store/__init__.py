"""The one durable store behind the ports: SQLAlchemy Core, one statement text for SQLite and PostgreSQL."""
