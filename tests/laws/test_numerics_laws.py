"""Laws of the shared numerics: moments, threads, resamples, validation."""

import os
import threading
import time

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_limits

from gnomon.base import validate_rows
from gnomon.losses import HingeLoss, LogisticLoss, SquaredHingeLoss
from gnomon.numerics.centred_rows import rows_about
from gnomon.numerics.design import Design
from gnomon.numerics.monomials import expand
from gnomon.numerics.parallel import blas_threads, calm_blas, map_chunks, map_tiles, split_rows, team
from gnomon.numerics.random import check_rng, resamples, spawn_seeds
from gnomon.numerics.streaming import moments
from gnomon.numerics.validation import (
    assert_finite,
    check_choice,
    check_integer,
    check_interval,
    check_positive,
)
from gnomon.optim import fit_linear
from gnomon.penalties import L1, L2


def by_definition(V, s):
    mean = s @ V / s.sum()
    return mean, (V - mean).T @ (s[:, None] * (V - mean))


@pytest.mark.parametrize("n", [1, 7, 5000])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_moments_are_sums_over_rows(n, dtype, order):
    rng = np.random.default_rng(0)
    X = np.asarray(rng.standard_normal((n, 5)) + 1e3, dtype=dtype, order=order)
    Y = rng.standard_normal((n, 2))
    s = rng.uniform(0.1, 2, n)
    found = moments(X, s, targets=Y, n_jobs=2)
    mean, scatter = by_definition(np.hstack([X.astype(float), Y]), s)
    assert_allclose(found.mean, mean)
    assert_allclose(found.scatter, scatter, atol=1e-9 * n)
    assert_allclose(found.weight, s.sum())
    assert found.scatter.dtype == np.float64


def test_a_large_mean_cancels_nothing():
    rng = np.random.default_rng(0)
    V = rng.standard_normal((10_000, 3))
    expected = moments(V).scatter
    assert_allclose(moments(V + 1e7).scatter, expected, rtol=1e-7, atol=1e-3)


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_near_zero_are_summed_where_they_are(order):
    rng = np.random.default_rng(0)
    V = np.asarray(rng.standard_normal((9000, 30)) + rng.uniform(-2, 2, 30), order=order)
    V[:, 3] = 0.0
    mean, scatter = by_definition(V, np.ones(9000))
    # Columns of every second column have strides that BLAS does not read; weights need a copy.
    for found in (
        moments(V),
        moments(V, n_jobs=2),
        moments(np.repeat(V, 2, axis=1)[:, ::2]),
        moments(V, np.ones(9000)),
    ):
        assert_allclose(found.mean, mean, atol=1e-13)
        assert_allclose(found.scatter, scatter, atol=1e-9)
    assert np.array_equal(moments(V).scatter, moments(V, n_jobs=2).scatter)


def test_a_few_rows_unlike_the_others_mislead_nobody():
    # The rows that show the rough mean, one of 390, are zero; the others are not.
    V = np.random.default_rng(0).standard_normal((100_000, 2)) + 1e7
    V[:: len(V) // 256] = 0.0
    scatter = by_definition(V.astype(np.longdouble), np.ones(len(V)))[1].astype(float)
    assert_allclose(moments(V).scatter, scatter, rtol=1e-14)


def test_single_precision_where_it_is_enough():
    rng = np.random.default_rng(0)
    V = (rng.standard_normal((20_000, 8)) * [1, 2, 3, 4, 5, 6, 7, 0] + 1.0).astype(np.float32)
    V[:, 7] = 0.0
    exact, found = moments(V), moments(V, single=True)
    sizes = np.sqrt(np.outer(np.diag(exact.scatter), np.diag(exact.scatter)))
    assert 0.0 < np.max(np.abs(found.scatter - exact.scatter) / np.maximum(sizes, 1.0)) < 3e-6
    assert_allclose(found.mean, exact.mean, atol=1e-5)
    # Far from zero blocks are shifted first, which is exact; out of range, and with weights, all is done in double.
    far = moments(V + np.float32(4096.0), single=True)
    assert_allclose(far.scatter, moments(V + np.float32(4096.0)).scatter, rtol=1e-5, atol=0.1)
    for scale in (1e-25, 1e25):
        tiny = V * np.float32(scale)
        assert_allclose(moments(tiny, single=True).scatter, moments(tiny).scatter, rtol=1e-15)
    s = rng.uniform(size=20_000)
    assert np.array_equal(moments(V, s, single=True).scatter, moments(V, s).scatter)


@pytest.mark.parametrize("kind", ["far", "near", "csr", "csc", "parts"])
@pytest.mark.parametrize("weighted", [False, True])
def test_products_with_rows_about_their_mean(kind, weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9000, 40)) * (rng.uniform(size=(9000, 40)) < 0.5)
    X[:, 5] = 3.0
    X = X + 1e8 if kind == "far" else X - 3.0 * (np.arange(40) == 5) if kind == "near" else X
    s = rng.uniform(0.5, 2.0, size=9000) if weighted else None
    given = {"csr": sparse.csr_array, "csc": sparse.csc_array, "parts": in_parts}.get(kind, np.asarray)(X)
    rows = rows_about(given, s)
    assert rows.is_far == (kind == "far")
    weights = np.ones(9000) if s is None else s
    mean = by_definition(X, weights)[0]
    assert_allclose(rows.center, mean, atol=1e-14, rtol=1e-12)
    Z = (X - rows.center) * np.sqrt(weights)[:, None]
    V, U = rng.normal(size=(40, 3)), rng.normal(size=(9000, 2))
    assert_allclose(rows.dense(), Z, atol=1e-12)
    assert_allclose(rows.times(V), Z @ V, atol=1e-11)
    assert_allclose(rows.times(V[:, 0]), Z @ V[:, 0], atol=1e-11)
    assert_allclose(rows.transposed_times(U), Z.T @ U, atol=1e-10)
    assert_allclose(rows.scatter_times(V), Z.T @ (Z @ V), rtol=1e-10, atol=1e-9)
    assert_allclose(rows.square(), np.sum(Z**2), rtol=1e-12)


def in_parts(X, parts=3):
    """X with every entry stored as several that add up to it."""
    n, d = X.shape
    columns, ends = np.repeat(np.tile(np.arange(d), n), parts), np.arange(0, n * d * parts + 1, d * parts)
    return sparse.csr_matrix((np.repeat(X.ravel() / parts, parts), columns, ends), shape=X.shape)


@pytest.mark.parametrize(
    ("solver", "loss", "penalty"),
    [("dcd", HingeLoss(), L2(0.5)), ("dcd", SquaredHingeLoss(), L2(0.5)), ("cd", LogisticLoss(), L1(0.5))],
    ids=["hinge", "squared hinge", "lasso"],
)
def test_entries_stored_in_parts_count_as_their_sum(solver, loss, penalty):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    y, split = np.sign(X[:, 0] + rng.normal(size=30)), in_parts(X)
    found = fit_linear(Design(split, "none"), y, loss, penalty, solver=solver, tol=1e-9)
    expected = fit_linear(Design(X, "none"), y, loss, penalty, solver=solver, tol=1e-9)
    assert found.converged
    assert_allclose(found.w, expected.w, atol=1e-6)
    assert split.nnz == 3 * X.size  # the user's matrix is as it was
    assert_allclose(expand(split, 2).toarray(), expand(X, 2))


def backwards(X):
    """X with the stored entries of every row in reverse."""
    place = np.concatenate([np.arange(*ends)[::-1] for ends in zip(X.indptr[:-1], X.indptr[1:], strict=True)])
    return sparse.csr_matrix((X.data[place], X.indices[place], X.indptr), shape=X.shape)


@pytest.mark.parametrize("store", [sparse.csr_matrix, in_parts], ids=["whole", "in parts"])
@pytest.mark.parametrize("solver", ["dcd", "cd", "lbfgs", "newton"])
def test_the_order_of_stored_entries_does_not_matter(solver, store):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    X[X < -1.0] = 0.0
    y, turned = np.sign(X[:, 0] + rng.normal(size=30)), backwards(store(X))
    design, expected = Design(turned, "penalized"), Design(X, "penalized")
    found, wanted = (
        fit_linear(each, y, SquaredHingeLoss(), L2(0.5), solver=solver, tol=1e-9) for each in (design, expected)
    )
    assert_allclose(found.w, wanted.w, atol=1e-6)
    assert_allclose(design.block(slice(5, 20)).dense(), expected.dense()[5:20])
    assert not turned.has_sorted_indices
    assert (design.X is turned) == (store is sparse.csr_matrix)  # what can be used as it is, is not copied


def test_moments_of_rare_marks_and_constants():
    """Columns that are the same in the few rows that are looked at first."""
    V = np.random.default_rng(3).normal(size=(9000, 4))
    V[:, 1] = np.where(np.arange(9000) % 1009 == 7, 25.0, -0.04)
    V[:, 2] = 1e6 / 3.0
    V[:, 3] = np.where(np.arange(9000) == 7, 1e6, 1e6 / 3.0)
    for columns in ([0, 1], [0, 1, 2], [0, 1, 3]):
        rows = V[:, columns]
        found, off = moments(rows), rows - rows.mean(axis=0)
        assert_allclose(found.mean, rows.mean(axis=0), rtol=1e-12, atol=1e-12)
        assert_allclose(found.scatter, off.T @ off, rtol=1e-9, atol=1e-6 if 3 in columns else 1e-9)


def test_moments_of_sparse_rows():
    X = sparse.random_array((200, 6), density=0.2, rng=np.random.default_rng(0), format="csr")
    Y = np.random.default_rng(1).standard_normal((200, 1))
    s = np.random.default_rng(2).uniform(0, 1, 200)
    dense, found = moments(X.toarray(), s, targets=Y), moments(X, s, targets=Y)
    assert_allclose(found.scatter, dense.scatter, atol=1e-12)
    assert_allclose(found.mean, dense.mean, atol=1e-14)


def test_merging_is_pooling():
    rng = np.random.default_rng(0)
    X, s = rng.normal([0, 10, -5, 1e4], size=(300, 4)), rng.uniform(0, 1, 300)
    parts = [moments(X[rows], s[rows]) for rows in split_rows(300, 5)]
    merged = parts[0]
    for part in parts[1:]:
        merged = merged + part
    assert_allclose(merged.scatter, moments(X, s).scatter, rtol=1e-9)
    assert_allclose(merged.mean, moments(X, s).mean)


def test_moments_report_bad_numbers_and_bad_weights():
    X = np.ones((10, 2))
    X[3, 1] = np.nan
    assert np.isnan(moments(X).mean[1])
    with pytest.raises(ValueError, match="weights sum to 0"):
        moments(np.ones((3, 1)), np.zeros(3))
    with pytest.raises(ValueError, match="leaves nothing to divide by"):
        moments(np.ones((1, 1))).covariance(ddof=1)


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 4])
def test_threads_keep_the_order_and_limit_blas(n_jobs):
    assert map_chunks(lambda k: k * k, range(20), n_jobs) == [k * k for k in range(20)]
    seen = map_chunks(lambda _: blas_threads(), range(4), n_jobs)
    if n_jobs in (2, 4):
        assert set(seen) == {1}
    before = blas_threads()
    with pytest.raises(ZeroDivisionError):
        map_chunks(lambda k: 1 / k, [1, 0, 2], n_jobs)
    assert blas_threads() == before


def test_helpers_are_woken_for_tiles_that_are_worth_it():
    def spin(seconds):
        end = time.thread_time() + seconds
        while time.thread_time() < end:
            time.sleep(0.0)
        return threading.get_ident(), blas_threads()

    before = blas_threads()
    small = map_tiles(spin, [0.0] * 20, 2)
    large = map_tiles(spin, [0.01] * 20, 2)
    assert {who for who, _ in small} == {threading.get_ident()}
    assert len({who for who, _ in large}) == 2
    assert {threads for _, threads in small + large} == {1}
    assert blas_threads() == before
    assert map_tiles(lambda k: k * k, range(20), 2) == [k * k for k in range(20)]
    assert map_tiles(abs, [], 2) == []


def test_contexts_that_overlap_leave_blas_as_it_was():
    # As two threads enter and leave them; the second would put back what it found, the limit of the first.
    with threadpool_limits(2, user_api="blas"):
        first, second = calm_blas(1), calm_blas(1)
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        second.__exit__(None, None, None)
        assert blas_threads() == 2


def test_an_error_cancels_what_has_not_begun():
    begun = []

    def work(k):
        begun.append(k)
        if k == 0:
            raise KeyboardInterrupt
        return k

    with pytest.raises(KeyboardInterrupt):
        map_chunks(work, range(10_000), 2)
    assert len(begun) < 10_000


def test_calls_within_calls_end():
    # More inner calls than the pool has threads: whoever waits must do the work itself.
    def outer(k):
        return sum(map_chunks(lambda i: k * i, range(3), 4))

    assert map_chunks(outer, range(100), 64) == [3 * k for k in range(100)]


def test_several_threads_are_at_work_and_kept():
    meeting = threading.Barrier(3, timeout=60)

    def work(_):
        meeting.wait()
        return threading.current_thread()

    first = set(map_chunks(work, range(3), 3))
    assert len(first) == 3
    assert threading.current_thread() in first
    everyone = set().union(*(map_chunks(work, range(3), 3) for _ in range(30)))
    assert len(everyone) <= 1 + max(8, os.cpu_count() or 1)  # 61 if each call had its own


def test_helpers_that_fell_asleep_come_again():
    meeting = threading.Barrier(2, timeout=60)
    with team(2) as run:
        for rest in (0.0, 0.1, 0.0, 0.1):
            assert sorted(run(lambda _: meeting.wait(), range(2))) == [0, 1]
            time.sleep(rest)


def test_helpers_in_the_background_are_not_there_for_others():
    here, there = threading.Event(), threading.Event()

    def aside():
        here.set()
        there.wait(60)

    with team(2) as run:
        with run.in_background(aside, there.set):
            assert here.wait(60)
            assert set(run(lambda _: threading.current_thread(), range(20))) == {threading.current_thread()}
        meeting = threading.Barrier(2, timeout=60)
        assert sorted(run(lambda _: meeting.wait(), range(2))) == [0, 1]


def test_what_goes_wrong_beside_is_told():
    failed = threading.Event()

    def aside():
        failed.set()
        raise ArithmeticError("aside")

    def body(run):
        with run.in_background(aside, failed.set):
            assert failed.wait(60)

    with team(2) as run, pytest.raises(ArithmeticError, match="aside"):
        body(run)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_works_alone():
    map_chunks(abs, range(4), 2)
    child = os.fork()
    if child == 0:
        os._exit(0 if map_chunks(abs, range(4), 2) == [0, 1, 2, 3] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_rows_are_split_into_all():
    assert [len(range(*part.indices(10))) for part in split_rows(10, 3)] == [3, 3, 4]
    assert split_rows(2, 5) == [slice(0, 1), slice(1, 2)]


def test_resamples_leave_out_the_rest():
    for sample in resamples(50, 20, random_state=0):
        assert len(sample.rows) == 50
        assert not set(sample.rows) & set(sample.out_of_bag)
        assert set(sample.rows) | set(sample.out_of_bag) == set(range(50))
    for sample in resamples(50, 3, size=20, replace=False, random_state=0):
        assert len(set(sample.rows)) == 20
        assert len(sample.out_of_bag) == 30
    with pytest.raises(ValueError, match="size=9"):
        next(resamples(5, 1, size=9, replace=False))


@pytest.mark.parametrize("seed", [None, 3, np.random.RandomState(0), np.random.default_rng(0)])
def test_any_seed_makes_a_generator(seed):
    assert isinstance(check_rng(seed), np.random.Generator)
    assert len(set(spawn_seeds(seed, 10))) == 10
    with pytest.raises(ValueError, match="random_state='x' cannot seed"):
        check_rng("x")


def test_checks_return_or_explain():
    with pytest.raises(ValueError, match="tol=inf must be > 0 and finite"):
        check_positive("tol", np.inf)
    assert check_interval("q", 1, 0, 1) == 1
    assert check_integer("k", np.int64(3), 1) == 3
    with pytest.raises(ValueError, match=r"q=1 must be in \[0, 1\); give another value"):
        check_interval("q", 1, 0, 1, closed="left")
    with pytest.raises(ValueError, match="alpha=nan must be > 0"):
        check_positive("alpha", float("nan"))
    with pytest.raises(TypeError, match="alpha='1' must be a number > 0"):
        check_positive("alpha", "1")
    with pytest.raises(TypeError, match="k=True must be a whole number"):
        check_integer("k", True)
    with pytest.raises(ValueError, match="choose from"):
        check_choice("rule", np.array([1, 2]), ("a", "b"))


def test_bad_values_are_located():
    frame = pd.DataFrame({"age": [1.0, np.nan, np.nan], "height": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match=r"NaN in column 'age' \(2 rows\); impute"):
        validate_rows(BaseEstimator(), frame)
    with pytest.raises(ValueError, match=r"infinity .* in column 0 \(1 row\); clip"):
        assert_finite(np.array([[np.inf, 1.0]]))
    with pytest.raises(ValueError, match=r"NaN in column 2 \(1 row\)"):
        assert_finite(sparse.csr_array(np.array([[0.0, 1.0, np.nan]])))
    with pytest.raises(ValueError, match="and 3 more columns"):
        assert_finite(np.full((2, 8), np.nan))
    with pytest.raises(ValueError, match=r"y contains NaN \(1 row\)"):
        assert_finite(np.array([np.nan, 1.0]), "y")
    assert_finite(np.full((2, 2), 1e308))
    X, y = validate_rows(BaseEstimator(), np.ones((3, 2), dtype=np.float32), np.ones(3))
    assert X.dtype == np.float32
    assert len(y) == 3
