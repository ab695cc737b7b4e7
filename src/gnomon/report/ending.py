"""How a study is ended early: a stage that is interrupted gives what it has found, and the study goes on with that."""

from __future__ import annotations

__all__ = ["ENDINGS", "Enough"]


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
