"""What a driver's exception means to the steward. No exception of a driver or of SQLAlchemy leaves the store.

Two kinds matter (D1, D3). The store is unavailable: nothing was written, and trying again may help. Or it is
there and refuses these values: trying again cannot help, and in a batch the others must not suffer for it. What
is left is a bug of ours.
"""

import sqlite3

from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    ProgrammingError,
    SQLAlchemyError,
    StatementError,
)

from steward.errors import ContractError, StoreError, StoreRejectedError, StoreUnavailableError

FOREIGN = (SQLAlchemyError, sqlite3.Error, UnicodeError, OverflowError)
"""What may come out of a transaction that no code of ours raised; a value that no driver can bind is a
UnicodeError or an OverflowError."""

_CONFLICTS = frozenset({"40001", "40P01", "25P03"})
"""PostgreSQL: serialization failure, deadlock, and a session that the server ended because its transaction stood
still, as a stopped process's does. The transaction was undone, and may simply run again."""

_LIMIT_EXCEEDED = "54"
"""PostgreSQL's class "program limit exceeded": a key too long for its index, which psycopg calls operational."""

_WRONG_STATEMENT = "42"
"""PostgreSQL's class "syntax error or access rule violation"."""


def translated(error: BaseException) -> StoreError | ContractError:
    """Our error for a foreign one; the caller chains it. The text holds no value, statement or address."""
    if isinstance(error, StatementError) and isinstance(error.orig, ContractError):
        return error.orig
    if _is_bug(error):
        return ContractError("a statement of the store's is wrong, or found what cannot be")
    if _refused(error):
        return StoreRejectedError("the store refuses these values")
    return StoreUnavailableError("the store could not be read or written; nothing was kept")


def is_conflict(error: BaseException) -> bool:
    """Whether two transactions were in each other's way, and this one was undone whole."""
    return _sqlstate(error) in _CONFLICTS


def _is_bug(error: BaseException) -> bool:
    if not isinstance(error, DBAPIError):
        return isinstance(error, SQLAlchemyError) and not isinstance(error, StatementError)
    wrong = getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR
    return wrong or _sqlstate(error).startswith(_WRONG_STATEMENT)


def _refused(error: BaseException) -> bool:
    if isinstance(error, DBAPIError):
        named = isinstance(error, DataError | IntegrityError | ProgrammingError)
        return named or _sqlstate(error).startswith(_LIMIT_EXCEEDED)
    return isinstance(error, StatementError | UnicodeError | OverflowError)


def _sqlstate(error: BaseException) -> str:
    origin = error.orig if isinstance(error, DBAPIError) else error
    return getattr(origin, "sqlstate", None) or ""
