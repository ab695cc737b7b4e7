"""Which cases of a table run in `make test`, and which only in `make test-all`."""

import pytest


def daily(cases, *kept):
    """The cases for ``pytest.mark.parametrize``, with `slow` on all but `kept`.

    Kernels are compiled anew for each case of such a table; those that are kept take every way through the code.
    """
    cases = list(cases)
    lacking = [case for case in kept if case not in cases]
    assert not lacking, f"no such cases: {lacking}"
    return [case if case in kept else _slow(case) for case in cases]


def _slow(case):
    return pytest.param(*case if isinstance(case, tuple) else (case,), marks=pytest.mark.slow)
