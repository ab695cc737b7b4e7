"""Parallel work: one thread pool, for kernels and BLAS calls that release the GIL.

    [f(x) for x in items], in the order of `items`, on n_jobs threads                             (1)

Inside the pool BLAS is held to one thread, so that n_jobs threads never become n_jobs × BLAS threads. `n_jobs` means
what it means in joblib: None is one thread (or what ``joblib.parallel_config`` says), −1 all processors.

The caller is one of the threads and the others are kept for the next call, because to start or wake one costs as much
as a small piece of work. Whoever is free takes the next item, so a caller whose helpers never come (all busy in an
outer call, or lost in a fork) does the work alone, and nested calls cannot wait for one another.
"""

import os
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from functools import cache
from itertools import count, takewhile
from typing import NamedTuple

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

__all__ = ["blas_threads", "calm_blas", "map_chunks", "map_until_interrupt", "split_rows", "team"]

_SMALL = 256
"""Matrices of fewer rows gain nothing from BLAS's threads, which LAPACK wakes for some of any size."""


def map_chunks(function, items, n_jobs=None):
    """Apply `function` to every item, on threads, and return the results in the order of the items.

    An interrupt or an error in one item cancels the items that have not begun and is raised here.

    Parameters
    ----------
    function : callable
        Called with one item; must release the GIL for the threads to help.
    items : iterable
    n_jobs : int, optional
        Number of threads as in joblib; None is one.

    Returns
    -------
    list

    References
    ----------
    Moler, C. (1986). Matrix computation on distributed memory multiprocessors. SIAM. (Coarse chunks, serial kernels.)

    Examples
    --------
    >>> from gnomon.numerics.parallel import map_chunks
    >>> map_chunks(lambda k: k * k, range(4), n_jobs=2)
    [0, 1, 4, 9]
    """
    items = list(items)
    with team(min(effective_n_jobs(n_jobs), max(1, len(items)))) as run:
        return run(function, items)


@contextmanager
def team(n_jobs=None):
    """Threads that are kept for many small pieces of work: a context whose value is `map_chunks` without `n_jobs`.

    Parameters
    ----------
    n_jobs : int, optional
        Number of threads as in joblib; None is one.

    Yields
    ------
    callable (function, items) → list
        Its `n_jobs` is the number of threads.

    References
    ----------
    Moler, C. (1986). Matrix computation on distributed memory multiprocessors. SIAM. (Coarse chunks, serial kernels.)

    Examples
    --------
    >>> from gnomon.numerics.parallel import team
    >>> with team(2) as run:
    ...     [run(lambda k: k * k, range(turn)) for turn in (1, 3)]
    [[0], [0, 1, 4]]
    """
    workers = effective_n_jobs(n_jobs)
    with nullcontext() if workers <= 1 else _controller().limit(limits=1, user_api="blas"):
        yield Team(workers)


class Team(NamedTuple):
    """What `team` yields: equation (1) on `n_jobs` threads."""

    n_jobs: int

    def __call__(self, function, items):
        return _shared(function, list(items), self.n_jobs)


def _shared(function, items, workers):
    """Equation (1), the caller and `workers` − 1 others taking item by item."""
    results, errors, ticket = [None] * len(items), {}, count()

    def work():
        while not errors and (i := next(ticket)) < len(items):
            try:
                results[i] = function(items[i])
            except BaseException as error:  # an interrupt too is raised again, by the caller
                errors[i] = error

    helpers = [_pool().submit(work) for _ in range(min(workers, len(items)) - 1)]
    try:
        work()
        helpers = [helper for helper in helpers if not helper.cancel()]
        wait(helpers)
    except BaseException as error:  # an interrupt between items; no other is begun
        errors[len(items)] = error
        wait([helper for helper in helpers if not helper.cancel()])
    if errors:
        raise errors[min(errors)]
    return results


def map_until_interrupt(function, items, n_jobs=None):
    """`map_chunks`; at an interrupt the results before the first item that was not done, if there is any.

    Parameters
    ----------
    function, items, n_jobs
        As in `map_chunks`.

    Returns
    -------
    list

    References
    ----------
    Moler, C. (1986). Matrix computation on distributed memory multiprocessors. SIAM. (Coarse chunks, serial kernels.)

    Examples
    --------
    >>> from gnomon.numerics.parallel import map_until_interrupt
    >>> def square(k):
    ...     if k == 3:
    ...         raise KeyboardInterrupt
    ...     return k * k
    >>> map_until_interrupt(square, range(9))
    [0, 1, 4]
    """
    items, done = list(items), {}

    def work(i):
        done[i] = function(items[i])

    try:
        map_chunks(work, range(len(items)), n_jobs)
    except KeyboardInterrupt:
        if 0 not in done:
            raise
    return [done[i] for i in takewhile(done.__contains__, range(len(items)))]


def blas_threads():
    """The number of threads that BLAS may use here and now.

    References
    ----------
    Dongarra, J. et al. (1990). A set of level 3 basic linear algebra subprograms. doi:10.1145/77626.79170

    Examples
    --------
    >>> from gnomon.numerics.parallel import blas_threads
    >>> blas_threads() >= 1
    True
    """
    return max((library.num_threads for library in _controller().select(user_api="blas").lib_controllers), default=1)


def calm_blas(size):
    """A context in which BLAS keeps to one thread for square matrices too small to gain from more.

    Woken threads wait for more work by spinning, some tens of milliseconds, and so take a processor from whatever
    follows: fitting in a loop costs half as much again.

    References
    ----------
    Dongarra, J. et al. (1990). A set of level 3 basic linear algebra subprograms. doi:10.1145/77626.79170

    Examples
    --------
    >>> from gnomon.numerics.parallel import blas_threads, calm_blas
    >>> with calm_blas(100):
    ...     blas_threads()
    1
    """
    return _controller().limit(limits=1, user_api="blas") if size < _SMALL else nullcontext()


def split_rows(n, parts):
    """`n` rows as at most `parts` slices of nearly equal length.

    References
    ----------
    Moler, C. (1986). Matrix computation on distributed memory multiprocessors. SIAM. (Coarse chunks, serial kernels.)

    Examples
    --------
    >>> from gnomon.numerics.parallel import split_rows
    >>> split_rows(5, 2)
    [slice(0, 2, None), slice(2, 5, None)]
    """
    parts = max(1, min(parts, n))
    return [slice(i * n // parts, (i + 1) * n // parts) for i in range(parts)]


@cache
def _pool():
    return ThreadPoolExecutor(max(8, os.cpu_count() or 1), thread_name_prefix="gnomon")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)


@cache
def _controller():
    # Looking the libraries up takes milliseconds; NumPy's and SciPy's are loaded by the time this is asked.
    return ThreadpoolController()
