"""Who is answered when: so many requests at work, others wait for a place; their answers are made one after another.

One thread makes the answers. Where the time of a request is over, the thread is told so by an exception between two
steps of Python; if it does not end soon, in a long step of compiled code, another thread takes its place.
"""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from threading import Lock, get_ident
from typing import Any

from gnomon.serve.limits import RefusedError

__all__ = ["OverdueError", "Turns"]

MOST_WAITING = 1000
"""Requests that wait for a place; each has a connection, and none of its body is read."""
TIMES_TO_STOP, SECONDS_TO_STOP = 5, 0.1
"""How often work is told to stop, since Python drops an exception in a callback, and how long each time it may take."""
MOST_LOST = 4
"""Threads whose work did not stop in time, which are left to themselves."""


class OverdueError(BaseException):
    """The time of the request is over; a solver, which keeps its best result at other interrupts, passes it on."""


class Turns:
    """The places and the thread of answers.

    Parameters
    ----------
    places : int
        Requests at work at the same time.
    """

    def __init__(self, places: int):
        self._n_places, self._places, self._order = places, asyncio.Semaphore(places), asyncio.Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="gnomon-answers")
        self._waiting = 0
        self._begun: list[asyncio.Future[Any]] = []

    @property
    def busy(self) -> bool:
        """Whether an answer is being made, perhaps for nobody."""
        return any(not work.done() for work in self._begun)

    @asynccontextmanager
    async def place(self, end: float) -> AsyncIterator[None]:
        """A place for a request, in the order of their coming, by this time of the event loop."""
        if self._waiting >= MOST_WAITING:
            raise RefusedError(503, f"{self._waiting} requests are waiting, which is the most; try again soon")
        self._waiting += 1
        try:
            async with asyncio.timeout_at(end):
                await self._places.acquire()
        except TimeoutError:
            raise RefusedError(
                503, f"{self._n_places} requests are at work, which is the most; try again soon"
            ) from None
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._places.release()

    async def result(self, job: Callable[[], Any], end: float) -> Any:
        """What `job()` returns, made when the jobs before it are done; a TimeoutError if that is not by `end`."""
        async with asyncio.timeout_at(end):
            await self._order.acquire()
        try:
            self._begun = [work for work in self._begun if not work.done()]
            if len(self._begun) >= MOST_LOST:
                raise RefusedError(503, "requests that ran into their time limit are still at work; try again later")
            return await self._made(_Work(job), end)
        finally:
            self._order.release()

    async def _made(self, work: _Work, end: float) -> Any:
        loop = asyncio.get_running_loop()
        made = loop.run_in_executor(self._thread, work)
        made.add_done_callback(lambda made: made.cancelled() or made.exception())
        self._begun.append(made)
        try:
            await asyncio.wait([made], timeout=max(end - loop.time(), 0.0))
        except asyncio.CancelledError:
            work.stop()
            raise
        if made.done():
            return made.result()
        for _ in range(TIMES_TO_STOP):
            work.stop()
            if (await asyncio.wait([made], timeout=SECONDS_TO_STOP))[0]:
                raise TimeoutError
        self._thread.shutdown(wait=False)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="gnomon-answers")
        raise TimeoutError


class _Work:
    """A job that can be stopped from another thread while it is being done, and at no other time."""

    def __init__(self, job: Callable[[], Any]):
        self._job, self._lock, self._thread = job, Lock(), 0

    def __call__(self) -> Any:
        try:
            try:
                self._enter(get_ident())
                return self._job()
            finally:
                self._enter(0)
        except OverdueError:
            raise TimeoutError from None

    def _enter(self, thread: int) -> None:
        with self._lock:
            self._thread = thread

    def stop(self) -> None:
        """Raise an exception in the job."""
        with self._lock:
            if self._thread:
                raised = ctypes.pythonapi.PyThreadState_SetAsyncExc
                raised(ctypes.c_ulong(self._thread), ctypes.py_object(OverdueError))
