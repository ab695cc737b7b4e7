"""Kernel ridge regression and scikit-learn's class of the same name: parameters alone and in pairs, on many tables.

Declared differences, which no row shows: where scikit-learn finds a singular matrix it warns and solves by least
squares, and so does ours for a matrix that is positive semi-definite, while one with a negative eigenvalue that the
penalty does not lift is refused; a negative `coef0` or a broken degree of a polynomial is no kernel and is refused, and
so are more strengths than targets; rows of integers are stored as floats, and the coefficients of rows in single
precision stay so whatever the type of y.
"""

import inspect
import itertools

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_ridge import KernelRidge as Peer

import gnomon.svm
from namesakes import DATA, differences, walk

OURS = gnomon.svm.KernelRidge


def overlap(a, b, power=1.0):
    """A function of two rows."""
    return np.exp(-np.sum(np.abs(a - b))) ** power


def positive():
    X, y, *_ = DATA["dense"]
    return np.abs(X) + 0.1, y


def precomputed():
    X, y, *_ = DATA["dense"]
    return np.exp(-np.abs(X[:, :1] - X[:, 0])), y


def not_square():
    return DATA["dense"][0][:, :2], DATA["dense"][1]


OPTIONS = {
    "alpha": (0.0, 1e-3, 1, 50.0),
    "kernel": ("linear", "poly", "polynomial", "rbf", "laplacian", "sigmoid", "cosine", "chi2",
               "additive_chi2", overlap, RBF(0.7)),
    "gamma": (None, 0.3, 2.0),
    "degree": (1, 2, 3),
    "coef0": (0, 1, 2.5),
    "kernel_params": (None, {"power": 2.0}),
}  # fmt: skip
TABLES = (
    "dense", "float32", "weighted", "scalar weight", "zero weights", "short weights", "matrix weights", "nan weights",
    "csr", "csc", "csr weighted", "csr two targets", "two targets", "two targets weighted", "column", "wide",
    "constant target", "constant column", "one row", "short target", "nan", "nan target", "flat", "no rows",
)  # fmt: skip
ALONE = [{name: value} for name, values in OPTIONS.items() for value in values]


def sensible(options):
    """Rows that both can solve: singular matrices, and those that are no kernels, are compared below."""
    kernel = options.get("kernel", "linear")
    singular = options.get("alpha") == 0.0 and kernel not in ("rbf", "laplacian", overlap)
    ignored = options.get("kernel_params") and kernel is not overlap
    # Their function of two rows takes no γ, and "chi2" needs one.
    return (
        not singular
        and not ignored
        and kernel not in ("sigmoid", "additive_chi2")
        and (kernel != "chi2" or options.get("gamma"))
    )


@pytest.mark.spec("KER-045")
def test_every_option_alone_and_in_pairs():
    pairs = [a | b for a, b in itertools.combinations(ALONE, 2) if not set(a) & set(b)]
    rows = [(options, positive) for options in [{}, *ALONE, *pairs] if sensible(options)]
    assert len(rows) > 100
    found = walk("KernelRidge", OURS, rows, rtol=1e-6)
    assert not found, "\n".join(found)


@pytest.mark.spec("KER-045", "KER-003")
def test_every_table():
    options = [{}, {"kernel": "rbf", "gamma": 0.5}, {"kernel": "poly", "degree": 2}]
    rows = [(one, table) for one in options for table in TABLES]
    rows += [({"alpha": [0.5, 2.0]}, table) for table in ("two targets", "two targets weighted", "csr two targets")]
    rows += [({"kernel": "precomputed"}, precomputed), ({"kernel": "precomputed"}, not_square)]
    found = walk("KernelRidge", OURS, rows, rtol=1e-6)
    assert not found, "\n".join(found)


@pytest.mark.spec("KER-045")
@pytest.mark.parametrize(
    "options",
    [
        {"alpha": -1.0}, {"alpha": "much"}, {"alpha": None}, {"kernel": "no kernel"}, {"kernel": 3}, {"gamma": -0.5},
        {"gamma": "scale"}, {"degree": -1}, {"degree": "two"}, {"coef0": "none"}, {"coef0": None}, {"kernel_params": 3},
    ],
    ids=repr,
)  # fmt: skip
def test_what_they_refuse_we_refuse(options):
    if options == {"alpha": -1.0}:  # their check of a list of strengths lets a single negative one pass
        options = {"alpha": -1.0, "kernel": "rbf"}
    found = differences("KernelRidge", OURS, (options, "dense"))
    assert not found, "\n".join(found)


@pytest.mark.spec("KER-045")
def test_a_singular_matrix_is_solved_by_least_squares_with_a_warning():
    X, y, *_ = DATA["dense"]
    twice, different = np.r_[X, X], np.r_[y, y + 1.0]
    with pytest.warns(UserWarning, match="singular"):
        mine = OURS(0.0).fit(twice, different)
    with pytest.warns(UserWarning, match="Singular"):
        theirs = Peer(alpha=0.0).fit(twice, different)
    np.testing.assert_allclose(mine.predict(X), theirs.predict(X), atol=1e-8)
    with pytest.warns(UserWarning, match="has rank 40 of 80"):
        mine = OURS(0.0, kernel="rbf").fit(twice, different)
    np.testing.assert_allclose(mine.predict(X), y + 0.5, atol=1e-8)


@pytest.mark.spec("KER-045")
def test_same_parameters_and_defaults_and_their_words_for_kernels():
    ours, theirs = (inspect.signature(cls).parameters for cls in (OURS, Peer))
    assert list(ours)[: len(theirs)] == list(theirs)
    assert all(ours[name].default == theirs[name].default and ours[name].kind == theirs[name].kind for name in theirs)
    X, y, *_ = DATA["dense"]
    for kernel in ("sigmoid", "additive_chi2"):
        rows = np.abs(X)
        np.testing.assert_allclose(
            OURS(100.0, kernel=kernel).fit(rows, y).predict(rows),
            Peer(100.0, kernel=kernel).fit(rows, y).predict(rows),
            atol=1e-8,
        )
