"""How many threads BLAS takes: one where more would cost more than they gain, or where threads of ours are at work."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from itertools import count
from threading import RLock, get_ident
from typing import Any, NamedTuple

from threadpoolctl import ThreadpoolController

__all__ = ["blas_threads", "calm_blas", "one_blas_thread"]

_SMALL = 512
"""Matrices of fewer rows gain nothing from BLAS's threads, which LAPACK wakes for some of any size."""


def blas_threads() -> int:
    """The number of threads that BLAS may use here and now.

    References
    ----------
    Dongarra, J. et al. (1990). A set of level 3 basic linear algebra subprograms. doi:10.1145/77626.79170

    Examples
    --------
    >>> from gnomon.numerics.blas import blas_threads
    >>> blas_threads() >= 1
    True
    """
    return max((library.num_threads for library in _libraries()), default=1)


def calm_blas(size: int) -> AbstractContextManager[Any]:
    """A context in which BLAS keeps to one thread for square matrices too small to gain from more.

    Woken threads wait for more work by spinning, some tens of milliseconds, and so take a processor from whatever
    follows: fitting in a loop costs half as much again.

    References
    ----------
    Dongarra, J. et al. (1990). A set of level 3 basic linear algebra subprograms. doi:10.1145/77626.79170

    Examples
    --------
    >>> from gnomon.numerics.blas import blas_threads, calm_blas
    >>> with calm_blas(100):
    ...     blas_threads()
    1
    """
    return one_blas_thread() if size < _SMALL else nullcontext()


def one_blas_thread() -> AbstractContextManager[None]:
    """A context in which BLAS keeps to one thread, whichever interrupts come.

    References
    ----------
    Dongarra, J. et al. (1990). A set of level 3 basic linear algebra subprograms. doi:10.1145/77626.79170

    Examples
    --------
    >>> from gnomon.numerics.blas import blas_threads, one_blas_thread
    >>> with one_blas_thread():
    ...     blas_threads()
    1
    """
    return _LIMIT.one_thread()


class _Limit(NamedTuple):
    """One use of a limit: the threads of every library that it found, those that the first use found, and by whom."""

    mine: list[int]
    first: list[int]
    thread: int


class _BlasLimit:
    """BLAS kept to one thread by any number of threads at once.

    Most libraries have one setting for the process. Each thread puts back what it found, which may be the limit of
    another; so the last one to leave puts back what the first one found.

    An interrupt may come between any two steps. So a use is noted before it changes anything, and what it changed is
    put back before the note goes; the end of a use may run twice.
    """

    def __init__(self) -> None:
        self._uses: dict[int, _Limit] = {}
        self._number = count()
        # The end of a use may come while this thread is at the beginning of another, from a collection of garbage.
        self._lock = RLock()

    def forget(self) -> None:
        """Begin anew: in a forked process the other threads that were inside, and may hold the lock, do not exist."""
        gone, self._lock = self._uses, RLock()
        self._uses = {k: use for k, use in gone.items() if use.thread == get_ident()}
        if gone and not self._uses:
            _set_threads(next(iter(gone.values())).first)

    @contextmanager
    def one_thread(self) -> Iterator[None]:
        """A context in which BLAS keeps to one thread."""
        k = next(self._number)
        try:
            self._begin(k)
            yield
        finally:
            try:
                self._end(k)
            finally:
                self._end(k)

    def _begin(self, k: int) -> None:
        with self._lock:
            mine = [library.num_threads for library in _libraries()]
            others = next(iter(self._uses.values()), None)
            self._uses[k] = _Limit(mine, others.first if others else mine, get_ident())
            _set_threads([1] * len(mine))

    def _end(self, k: int) -> None:
        with self._lock:
            if k in self._uses:
                _set_threads(self._uses[k].first if len(self._uses) == 1 else self._uses[k].mine)
                del self._uses[k]


_LIMIT = _BlasLimit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_LIMIT.forget)


@cache
def _libraries() -> list[Any]:
    # Looking BLAS up takes milliseconds; NumPy's and SciPy's are loaded by the time this is asked.
    return ThreadpoolController().select(user_api="blas").lib_controllers


def _set_threads(numbers: Iterable[int]) -> None:
    for library, number in zip(_libraries(), numbers, strict=True):
        library.set_num_threads(number)
