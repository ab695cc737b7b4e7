"""A block that ends after so many seconds, and what it leaves as it was."""

import signal
import threading
import time

import pytest

from gnomon.report._deadline import TooLong, within

pytestmark = pytest.mark.skipif("SIGALRM" not in signal.Signals.__members__, reason="this system has no such timer")


def wait(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.005)
    return "waited"


def test_a_block_that_is_too_long_ends_and_leaves_no_timer():
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(TooLong), within(0.02):
        wait(60.0)
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0.0
    assert signal.getsignal(signal.SIGALRM) is before


def test_a_block_that_is_short_goes_on_and_nothing_comes_after_it():
    with within(0.1):
        pass
    assert wait(0.15) == "waited"


def test_errors_of_a_block_are_its_own():
    with pytest.raises(ValueError, match="own"), within(10.0):
        raise ValueError("own")
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0.0


def test_another_thread_takes_its_time():
    said = []

    def work():
        with within(0.01):
            said.append(wait(0.05))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert said == ["waited"]


def test_a_timer_of_somebody_else_stays():
    rang = []
    before = signal.signal(signal.SIGALRM, lambda *_: rang.append(True))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with within(0.01):
            assert wait(0.1) == "waited"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert rang == [True]
