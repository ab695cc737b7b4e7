"""Errors that the user can fix: the command shows their text alone, without a traceback."""

from __future__ import annotations

__all__ = ["UserError"]


class UserError(ValueError):
    """Input that cannot be used; the text says what was found and what to do.

    Examples
    --------
    >>> from gnomon.io import UserError, read_table
    >>> try:
    ...     read_table("nowhere.csv")
    ... except UserError as error:
    ...     print(error)
    nowhere.csv: no such file
    """
