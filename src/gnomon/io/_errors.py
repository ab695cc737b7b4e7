"""Errors that are the user's to mend: the command shows their text alone, without a traceback."""

__all__ = ["UserError"]


class UserError(ValueError):
    """Input that cannot be used; the text says what was found and what to do.

    References
    ----------
    IEEE Std 1003.1-2017, §1.4: utilities write diagnostics to standard error and exit with a code above zero.

    Examples
    --------
    >>> from gnomon.io import UserError, read_table
    >>> try:
    ...     read_table("nowhere.csv")
    ... except UserError as error:
    ...     print(error)
    nowhere.csv: no such file
    """
