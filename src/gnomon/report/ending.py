"""How a study is ended early: a stage that is interrupted gives what it has found, and the study goes on with that.

A table that cannot be read in time is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

from gnomon.io import UserError
from gnomon.report._deadline import TooLong, within

__all__ = ["ENDINGS", "Enough", "reading_within"]

LEAST_FOR_READING = 5.0
"""Seconds that reading may take under any limit."""


class Enough(BaseException):
    """The user wants what a study has found so far. A solver, which ends at a KeyboardInterrupt, passes it on.

    Examples
    --------
    >>> from gnomon.report.ending import ENDINGS, Enough
    >>> issubclass(Enough, Exception), Enough in ENDINGS
    (False, True)
    """


ENDINGS = (KeyboardInterrupt, Enough)
"""What ends a stage of a study."""


@contextmanager
def reading_within(limit: float | None) -> Iterator[None]:
    """A `UserError` where a table is still being read when all the time of a study, or some seconds, are over.

    Examples
    --------
    >>> from gnomon.report.ending import reading_within
    >>> with reading_within(300.0):
    ...     sum(range(10))
    45
    """
    try:
        with within(math.inf if limit is None else max(limit, LEAST_FOR_READING)):
            yield
    except TooLong:
        raise UserError(
            f"the table could not be read within the --time-limit of {limit:g} s; give more, or fewer rows and columns"
        ) from None
