"""Errors that are the user's to mend: the command shows their text alone, without a traceback."""

__all__ = ["UserError"]


class UserError(ValueError):
    """Input that cannot be used; the text says what was found and what to do."""
