"""Compiled functions: a kernel has its own flags, whoever calls it first; instructions do what their Python says."""

import gc
import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from gnomon._jit import (
    DISABLED,
    jit,
    jit_no_alloc,
    noun,
    outermost_jit,
    subroutine,
    subroutine_fma,
    subroutine_reassoc,
    verb,
)
from gnomon._vectors import add_four, add_to_all, add_two


@jit_no_alloc
def _rounded(x):
    return (x + 6755399441055744.0) - 6755399441055744.0


@subroutine_reassoc
def _sum_of_rounded(x):
    total = 0.0
    for i in range(len(x)):
        total += _rounded(x[i])
    return total


@jit_no_alloc
def _whole_sum_of_rounded(x):
    return _sum_of_rounded(x)


@jit
def _counted(n):
    return np.ones(n).sum()


@jit_no_alloc
def _calls_one_that_makes_arrays(n):
    return _counted(n)


def test_a_strict_kernel_stays_strict_below_one_that_reorders():
    assert _whole_sum_of_rounded(np.array([0.25, 0.25, 1.75])) == 2.0


def test_a_kernel_that_makes_arrays_may_be_called_by_one_that_does_not():
    assert _calls_one_that_makes_arrays(3) == 3.0


@subroutine
def _root(x):
    if x < 0.0:
        raise ValueError("x is negative")
    return x**0.5


@subroutine_reassoc
def _sum_of_roots(x):
    total = 0.0
    for i in range(len(x)):
        total += _root(x[i])
    return total


@jit_no_alloc
def _mean_of_roots(x):
    return _sum_of_roots(x) / len(x)


def test_parts_are_compiled_within_their_callers_alone():
    assert _mean_of_roots(np.array([1.0, 4.0, 9.0])) == 2.0
    with pytest.raises(ValueError, match="x is negative"):
        _mean_of_roots(np.array([-1.0]))
    if not DISABLED:
        # Its caller may have come from the disk, which takes no part.
        _mean_of_roots.recompile()
        (part,) = _root.overloads.values()
        assert part.library.get_pointer_to_function(part.fndesc.llvm_func_name) == 0


@pytest.mark.parametrize("door", [jit, jit_no_alloc, outermost_jit, subroutine, subroutine_fma, subroutine_reassoc])
def test_every_flag_that_numba_hands_down_is_said(door):
    options = getattr(door(lambda x: x), "targetoptions", {"fastmath": False, "_nrt": True, "error_model": "numpy"})
    assert {"fastmath", "_nrt", "error_model"} <= set(options)


OUTERMOST = """
import sys
import numpy as np
from gnomon._jit import DISABLED, MARK

@MARK
def total(x):
    found = 0.0
    for value in x:
        found += value
    return found

print(total(np.arange(4.0)), 0 if DISABLED else total.stats.cache_misses.total())
"""


def test_of_a_kernel_for_python_alone_the_machine_code_is_kept(tmp_path):
    sizes = []
    for mark in ("jit_no_alloc", "outermost_jit"):
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / mark)}
        (tmp_path / f"{mark}.py").write_text(OUTERMOST.replace("MARK", mark))
        command = [sys.executable, "-c", f"import {mark}"]
        said = [
            subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout
            for _ in range(2)
        ]
        assert said == ["6.0 0\n"] * 2 if DISABLED else ["6.0 1\n", "6.0 0\n"]
        sizes += [path.stat().st_size for path in (tmp_path / mark).rglob("*.kernel")]
    assert DISABLED or sizes[1] < 0.8 * sizes[0]


@outermost_jit
def _outermost(n):
    return n + 1


@jit_no_alloc
def _calls_what_is_outermost(n):
    return _outermost(n)


@pytest.mark.skipif(DISABLED, reason="Python calls whatever it likes")
def test_a_kernel_for_python_alone_is_refused_to_others():
    assert _outermost(1) == 2
    with pytest.raises(TypingError, match="_outermost is called by Python alone"):
        _calls_what_is_outermost(1)


PARTITIONS = """
import numpy as np
from gnomon._jit import jit
from gnomon.search._partition import partition_by_flags

divided = jit(lambda flags, rows, spare: partition_by_flags(flags, rows, spare))
rng = np.random.default_rng(0)
for n in [*range(40), 1000]:
    for share in (0.0, 0.1, 0.5, 1.0):
        flags, rows = (rng.random(n) < share).astype(np.uint8), rng.permutation(n).astype(np.int32)
        expected = np.concatenate([rows[flags == 1], rows[flags == 0]])
        whole = np.concatenate([rows, [-7, -7]]).astype(np.int32)
        assert divided(flags, whole[:n], np.empty(n, dtype=np.int32)) == flags.sum()
        assert np.array_equal(whole, [*expected, -7, -7])
"""


@pytest.mark.slow
@pytest.mark.parametrize("processor", ["", "generic"])
def test_rows_are_partitioned_in_order_on_any_processor(processor, tmp_path):
    features = {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""} if processor else {}
    environment = {**os.environ, **features, "NUMBA_CACHE_DIR": str(tmp_path)}
    (tmp_path / "partitions.py").write_text(PARTITIONS)
    subprocess.run([sys.executable, "partitions.py"], cwd=tmp_path, env=environment, check=True)


@jit_no_alloc
def _add_two(to, at, terms, i):
    add_two(to, np.uint64(at), terms, np.uint64(i))


@jit_no_alloc
def _add_four(to, at, terms, i):
    add_four(to, np.uint64(at), terms, np.uint64(i))


@jit_no_alloc
def _add_to_all(to, at, terms, i):
    add_to_all(to, np.uint64(at), np.uint64(at + 5), np.uint64(at + 10), np.uint64(at + 16), terms, np.uint64(i))


def _add_to_all_plainly(to, at, terms, i):
    add_to_all(to, at, at + 5, at + 10, at + 16, terms, i)


@pytest.mark.parametrize("at", [0, 1, 3])
@pytest.mark.parametrize(
    ("kernel", "plain"), [(_add_two, add_two), (_add_four, add_four), (_add_to_all, _add_to_all_plainly)]
)
def test_numbers_are_added_by_vectors_as_they_are_one_by_one(kernel, plain, at):
    terms, to = np.random.default_rng(0).normal(size=(2, 24))
    expected = to.copy()
    kernel(to, at, terms, 2)
    plain(expected, at, terms, 2)
    assert np.array_equal(to, expected)
    assert np.sum(expected != np.random.default_rng(0).normal(size=(2, 24))[1]) in (2, 4, 16)


def test_pairs_of_a_table_are_counted_through():
    terms, to = np.arange(8.0).reshape(4, 2), np.zeros((3, 2))
    _add_two(to, 2, terms, 6)
    assert np.array_equal(to, [[0.0, 0.0], [6.0, 7.0], [0.0, 0.0]])


@subroutine
def _successor(n):
    return n + 1


@jit_no_alloc
def _two_successors(n):
    return _successor(1) + _successor(n) + _successor(7)


@pytest.mark.skipif(DISABLED, reason="nothing is compiled")
def test_parts_are_compiled_once_for_all_constants():
    assert _two_successors(3) == 14
    # It may have come from the disk.
    _two_successors.recompile()
    assert len(_successor.signatures) == 1


@pytest.mark.skipif(DISABLED, reason="nothing is compiled")
@pytest.mark.parametrize("collecting", [True, False])
def test_the_collector_is_as_it_was_after_a_compilation(collecting):
    doubled = jit(lambda x: x + x)
    (gc.enable if collecting else gc.disable)()
    try:
        assert doubled(2.0) == 4.0
        with pytest.raises(TypingError):
            doubled(object())
        assert gc.isenabled() == collecting
    finally:
        gc.enable()


class _Measured:
    @verb
    def pane_extent(self):
        return 0.0


class _Pane(NamedTuple):
    pane_extent: float


@jit_no_alloc
def _doubled(pane):
    return 2.0 * pane.pane_extent


@pytest.mark.skipif(DISABLED, reason="Python knows fields from methods")
def test_a_tuple_with_a_field_named_like_a_verb_is_refused():
    """To Numba the verb would hide the field; the kernel would fail with a message about types."""
    with pytest.raises(TypeError, match=r"_Pane has a field pane_extent, and pane_extent\(\) is a verb"):
        _doubled(_Pane(1.0))


def test_a_noun_with_a_field_named_like_a_verb_is_refused_whichever_comes_first():
    with pytest.raises(TypeError, match=r"Short has a field pane_extent, .* give one of them another name"):

        @noun
        class Short:
            pane_extent: float

    @noun
    class Long:
        a_field_of_its_own: float

    with pytest.raises(TypeError, match=r"Long has a field a_field_of_its_own"):

        class Other:
            @verb
            def a_field_of_its_own(self):
                return 0.0
