"""Parallel work: one thread pool, for kernels and BLAS calls that release the GIL.

    [f(x) for x in items], in the order of `items`, on n_jobs threads                             (1)

Inside the pool BLAS is held to one thread, so that n_jobs threads never become n_jobs × BLAS threads. `n_jobs` means
what it means in joblib: None is one thread (or what ``joblib.parallel_config`` says), −1 all processors.

The caller is one of the threads and the others are kept for the next call, because to start or wake one costs as much
as a small piece of work. Each free thread takes the next item, so a caller whose helpers never start (all busy in an
outer call, or lost in a fork) does the work alone, and nested calls cannot deadlock.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import cache, partial
from itertools import count, takewhile
from queue import SimpleQueue
from threading import Condition, RLock, Thread
from time import thread_time
from typing import Any, TypeVar

import numpy as np
from joblib import cpu_count, effective_n_jobs

from gnomon._jit import DISABLED, atomic_load, jit_no_alloc, pause
from gnomon._typing import Integers
from gnomon.numerics.blas import blas_threads, calm_blas, one_blas_thread

__all__ = ["blas_threads", "calm_blas", "map_chunks", "map_tiles", "map_until_interrupt", "split_rows", "team"]

SPINS = 80_000
"""Iterations of a helper's spin loop before it sleeps: some milliseconds."""

ROUND = 1000
"""Iterations after which a spinning thread lets others run: what it waits for may be due on its own processor."""

WORTH = 2e-3
"""Seconds of work for which helpers are woken: they wait for a processor, and for the interpreter after every call."""

CACHE_LINE = 8
"""Entries of eight bytes in a cache line."""

CLOSED = -1
"""The turn that ends the helpers."""

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_chunks(function: Callable[[Item], Result], items: Iterable[Item], n_jobs: int | None = None) -> list[Result]:
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
    workers = min(effective_n_jobs(n_jobs), len(items))
    if workers <= 1:
        return [function(item) for item in items]
    with team(workers) as run:
        return run.once(function, items)


def map_tiles(function: Callable[[Item], Result], tiles: Iterable[Item], n_jobs: int | None = None) -> list[Result]:
    """`map_chunks` over pieces that cost about as much as each other, BLAS on one thread throughout.

    The caller does the first one alone, and all of them where its time says that the others are not worth waking
    helpers for.

    Parameters
    ----------
    function, tiles, n_jobs
        As in `map_chunks`.

    Returns
    -------
    list

    References
    ----------
    Moler, C. (1986). Matrix computation on distributed memory multiprocessors. SIAM. (Coarse chunks, serial kernels.)

    Examples
    --------
    >>> from gnomon.numerics.parallel import map_tiles
    >>> map_tiles(lambda k: k * k, range(4), n_jobs=2)
    [0, 1, 4, 9]
    """
    pieces = list(tiles)
    workers = effective_n_jobs(n_jobs)
    if workers <= 1 or len(pieces) <= 1:
        return map_chunks(function, pieces, n_jobs)
    with one_blas_thread():
        begin = thread_time()
        found = [function(pieces[0])]
        left = (thread_time() - begin) * (len(pieces) - 1)
        return found + map_chunks(function, pieces[1:], workers if left > WORTH else 1)


@contextmanager
def team(n_jobs: int | None = None) -> Iterator[Team]:
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
    with nullcontext() if workers <= 1 else one_blas_thread():
        together = Team(workers)
        try:
            yield together
        finally:
            try:
                together.close()
            finally:
                together.close()


class Team:
    """What `team` yields: equation (1) on `n_jobs` threads, the caller and helpers that stay until `close`.

    A helper spins on the number of the turn for some milliseconds, then sleeps on a condition: to wake a thread takes
    longer than the small pieces of work of a loop.
    """

    def __init__(self, n_jobs: int) -> None:
        self.n_jobs = n_jobs
        self._spins = SPINS if n_jobs <= _processors() and not DISABLED else 0
        # An interrupt can come between a condition and its lock, but not between a lock and what it guards.
        self._lock = RLock()
        self._changed = Condition(self._lock)
        # The number of the turn, then a busy flag per helper, each in its cache line against false sharing.
        self._state = np.zeros(CACHE_LINE * max(1, n_jobs), dtype=np.int64)
        self._work: Callable[[], None] | None = None
        self._helpers = 0
        self._busy_in_background = False

    def __call__(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """Equation (1), whoever is free taking the next item."""
        return self._run(function, items, lambda: None)

    def once(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """The same for the last time: helpers that find nothing more to do need not wait for the caller."""
        return self._run(function, items, self.close)

    def _run(
        self, function: Callable[[Item], Result], items: Iterable[Item], after: Callable[[], None]
    ) -> list[Result]:
        items = list(items)
        helpers = min(self.n_jobs, len(items)) - 1
        if helpers < 1:
            return [function(item) for item in items]
        results: list[Any] = [None] * len(items)
        errors: dict[int, BaseException] = {}
        ticket = count()

        def work() -> None:
            while not errors and (i := next(ticket)) < len(items):
                try:
                    results[i] = function(items[i])
                except BaseException as error:  # an interrupt too is raised again, by the caller
                    errors[i] = error

        try:
            if not self._busy_in_background:
                self._wake(work, helpers)
            work()
            after()
            self._wait()
        except BaseException as error:  # an interrupt between items; no other is begun
            errors[len(items)] = error
            self._wait()
        if errors:
            raise errors[min(errors)]
        return results

    @contextmanager
    def in_background(self, function: Callable[[], object], stop: Callable[[], object]) -> Iterator[None]:
        """Let every helper call `function` while the body runs on the caller's thread alone.

        At the end of the body `stop` is called, which must make `function` return, even where it is called later.
        """
        errors: list[BaseException] = []

        def work() -> None:
            try:
                function()
            except BaseException as error:  # raised again by the caller
                errors.append(error)

        try:
            self._wake(work, self.n_jobs - 1)
            self._busy_in_background = True
            yield
        finally:
            self._busy_in_background = False
            stop()
            self._wait()
        if errors:
            raise errors[0]

    def close(self) -> None:
        """Let the helpers return to the pool."""
        if self._helpers:
            self._announce(CLOSED)

    def _wake(self, work: Callable[[], None], helpers: int) -> None:
        """Let so many helpers do `work`; those asleep are woken, and threads are taken from the pool at first use."""
        self._work = work
        self._announce(self._state[0] + 1)
        while self._helpers < helpers:
            self._helpers += 1
            _pool().submit(partial(self._help, CACHE_LINE * self._helpers))

    def _announce(self, turn: int) -> None:
        with self._lock:
            self._state[0] = turn
            self._changed.notify_all()

    def _help(self, place: int) -> None:
        seen = 0
        while (seen := self._next(seen)) != CLOSED:
            self._state[place] = 1
            work = self._work
            # None: the work was finished before this helper began.
            if work is not None:
                work()
            with self._lock:
                self._state[place] = 0
                self._changed.notify_all()

    def _next(self, seen: int) -> int:
        """The next turn, once there is one."""
        if not _in_rounds(lambda spins: spin_until_changed(self._state, seen, spins), self._spins):
            with self._lock:
                self._changed.wait_for(lambda: self._state[0] != seen)
        return self._state[0]

    def _wait(self) -> None:
        """Wait for helpers that have begun the work; those that have not will skip it."""
        if self._busy_in_background:
            return
        self._work = None
        if self._helpers and not _in_rounds(lambda spins: spin_until_idle(self._state, spins), self._spins):
            with self._lock:
                self._changed.wait_for(lambda: not np.any(self._state[CACHE_LINE:]))


def _in_rounds(spin: Callable[[int], bool], spins: int) -> bool:
    """Whether a spin loop ends within so many iterations; other threads may run between its rounds."""
    for _ in range(0, spins, ROUND):
        if spin(ROUND):
            return True
        _give_way()
    return False


_give_way: Callable[[], None] = getattr(os, "sched_yield", lambda: None)


@jit_no_alloc
def spin_until_changed(state: Integers, seen: int, spins: int) -> bool:
    """Spin until the turn is another than `seen`; False if it still is after `spins` iterations."""
    for _ in range(spins):
        if atomic_load(state, 0) != seen:
            return True
        pause()
    return False


@jit_no_alloc
def spin_until_idle(state: Integers, spins: int) -> bool:
    """Spin until no helper is busy; False if one still is after `spins` iterations."""
    place = CACHE_LINE
    for _ in range(spins + len(state)):
        if place >= len(state):
            return True
        if atomic_load(state, place) == 0:
            place += CACHE_LINE
        else:
            pause()
    return False


def map_until_interrupt(
    function: Callable[[Item], Result], items: Iterable[Item], n_jobs: int | None = None
) -> list[Result]:
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
    items = list(items)
    done: dict[int, Result] = {}

    def work(i: int) -> None:
        done[i] = function(items[i])

    try:
        map_chunks(work, range(len(items)), n_jobs)
    except KeyboardInterrupt:
        if 0 not in done:
            raise
    return [done[i] for i in takewhile(done.__contains__, range(len(items)))]


def split_rows(n: int, parts: int) -> list[slice]:
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


class _Pool:
    """Threads that stay, and do what is submitted in the order of its coming.

    Unlike with those of concurrent.futures, no lock stays where an interrupt comes between two steps, and a process
    does not wait for them at its end.
    """

    def __init__(self, most: int) -> None:
        self._most, self._threads, self._lock = most, list[Thread](), RLock()
        self._jobs = SimpleQueue[Callable[[], object]]()
        # An entry for each thread that waits for a job; who submits one takes it, so that no two count on one thread.
        self._free = list[None]()

    def submit(self, job: Callable[[], object]) -> None:
        """Let a free thread do the job, or a new one, or whichever is free first; none if no thread can be had."""
        self._jobs.put(job)
        try:
            self._free.pop()
        except IndexError:
            with self._lock, suppress(RuntimeError):
                self._threads = [thread for thread in self._threads if thread.is_alive()]
                if len(self._threads) < self._most:
                    self._threads.append(Thread(target=self._work, name="gnomon", daemon=True))
                    self._threads[-1].start()

    def _work(self) -> None:
        while True:
            self._jobs.get()()
            if self._jobs.empty():
                self._free.append(None)


@cache
def _pool() -> _Pool:
    return _Pool(max(8, os.cpu_count() or 1))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)


_processors = cache(cpu_count)
