"""A clock that stands still, for tests of what is done within a time."""

import pytest


@pytest.fixture
def clock(monkeypatch):
    """The clock of budgets and of fits: a list of one number, the seconds that have passed where a test adds some."""
    from gnomon.report import _budget, _trials

    now = [0.0]

    class Watch:
        def __enter__(self):
            self.start = now[0]
            return self

        def __exit__(self, *_):
            self.seconds = now[0] - self.start

    monkeypatch.setattr(_budget.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(_trials, "stopwatch", Watch)
    return now
