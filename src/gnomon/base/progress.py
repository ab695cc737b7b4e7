"""Progress of a fit that is made of many parts.

verbose = 1: after every tenth of the parts,    verbose ≥ 2: after each                                         (1)
"""

from __future__ import annotations

import sys
from typing import Protocol

from gnomon._typing import Verbosity

__all__ = ["Report", "progress_of"]


class Report(Protocol):
    """A callable that is given the number of parts done and the total."""

    def __call__(self, done: int, total: int, note: str = "") -> None: ...


def progress_of(verbose: Verbosity, what: str) -> Report | None:
    """A function that writes to stderr how many parts are done, as (1) says; None for verbose=0.

    Parameters
    ----------
    verbose : int
    what : str
        What a part is called.

    Returns
    -------
    callable (done, total, note="") or None
        `note` is appended to the line.

    Examples
    --------
    >>> from contextlib import redirect_stderr
    >>> import sys
    >>> from gnomon.base.progress import progress_of
    >>> report = progress_of(1, "tree")
    >>> with redirect_stderr(sys.stdout):
    ...     for done in range(1, 5):
    ...         report(done, total=20)
    tree 2 of 20
    tree 4 of 20
    """
    if not verbose:
        return None

    def report(done: int, total: int, note: str = "") -> None:
        if verbose > 1 or done % max(1, total // 10) == 0:
            sys.stderr.write(f"{what} {done} of {total}{note}\n")

    return report
