"""Callbacks of scikit-learn (≥ 1.9), told of the tasks of a fit.

    fit:  begin, task 1, …, task m, end        m ≤ the maximum that was told at the beginning, if one is known      (1)

A task is an iteration of a solver, a round of boosting, a tree, or a column of a code, and is told when it is done. A
callback may ask to stop: then a solver, EM and boosting end with ``stop_reason_ = "callback"``, a forest and a bag keep
what they have, as after an interrupt. Columns of a code are all needed, so there the wish is not heard.

With an older scikit-learn there is no `set_callbacks`, and nobody is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from gnomon.base.progress import Report
from gnomon.optim.solution import Callback, Row

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback._callback_support import callback_management_context
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Adds nothing: this scikit-learn has no callbacks."""


__all__ = ["UNHEARD", "CallbackSupportMixin", "StopAsked", "Tasks", "fit_tasks"]


class StopAsked(KeyboardInterrupt):
    """A callback asked to stop a fit that is made of parts: as an interrupt, it ends the fit and keeps what is done."""


class Tasks:
    """Where a fit tells of its tasks; made by `fit_tasks`."""

    def __init__(self, owner: Any, name: str, context: Any, data: dict[str, Any]) -> None:
        self._owner, self._name, self._context, self._data = owner, name, context, data
        # Parts may be fitted by threads, and a callback is promised one task after the other.
        self._lock, self._asked = Lock(), False

    def done(self) -> bool:
        """Tell of one more task; whether a callback asks to stop."""
        if self._context is None:
            return False
        with self._lock:
            task = self._context.subcontext(task_name=self._name)
            task.call_on_fit_task_begin(estimator=self._owner, **self._data)
            self._asked |= task.call_on_fit_task_end(estimator=self._owner, **self._data)
            return self._asked

    def go_on(self) -> None:
        """Raise `StopAsked` if a callback has asked to stop; for parts, before each of them."""
        if self._asked:
            raise StopAsked("a callback asked to stop")

    def reported(self, report: Report | None) -> Report | None:
        """`report`, by which every part is a task too; None where nobody listens."""
        if self._context is None:
            return report

        def both(done: int, total: int, note: str = "") -> None:
            if report is not None:
                report(done, total, note)
            self.done()

        return both

    def rows(self, *listeners: Callback | None) -> Callback | None:
        """A callback for runs of a solver, one after the other, by which each iteration that it looks at is a task.

        None where nobody listens. A run that has no row for its start needs a callback of its own.

        Parameters
        ----------
        *listeners : callable or None
            Who else hears of every row.
        """
        others = [listener for listener in listeners if listener is not None]
        if self._context is None and not others:
            return None
        last = 0

        def callback(row: Row) -> bool:
            nonlocal last
            asked = [bool(listener(row)) for listener in others]
            # The start of a run is no iteration, and a solver may look twice after the same one.
            new = row["iteration"] > last
            last = row["iteration"]
            asked.append(self.done() if new else self._asked)
            return any(asked)

        return callback


UNHEARD = Tasks(None, "", None, {})
"""Tasks of which nobody is told, as those of `partial_fit`."""


@contextmanager
def fit_tasks(owner: Any, name: str, total: int | None = None, **data: Any) -> Iterator[Tasks]:
    """A context for what follows the checks in `fit`, up to the last attribute: equation (1).

    Parameters
    ----------
    owner : estimator
        With `CallbackSupportMixin` among its bases.
    name : str
        What a task is called.
    total : int, optional
        The maximum of (1), where it is known.
    **data
        `X`, `y` and `metadata` as scikit-learn's callbacks take them, in the form that the user gave.

    Yields
    ------
    Tasks

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> from gnomon.base.callbacks import CallbackSupportMixin, fit_tasks
    >>> class Counter(CallbackSupportMixin, BaseEstimator):
    ...     def fit(self, X, y=None):
    ...         with fit_tasks(self, "row", len(X), X=X) as told:
    ...             for self.n_seen_, _ in enumerate(X, 1):
    ...                 if told.done():
    ...                     break
    ...         return self
    >>> Counter().fit([[1.0], [2.0]]).n_seen_
    2
    """
    if not vars(owner).get("_skl_callbacks"):
        yield Tasks(owner, name, None, data)
        return
    with callback_management_context(owner):
        context = owner._init_callback_context(max_subtasks=total)
        context.call_on_fit_task_begin(estimator=owner, **data)
        yield Tasks(owner, name, context, data)
        context.call_on_fit_task_end(estimator=owner, reconstruction_attributes={}, **data)
