"""Linear models and scikit-learn's of the same name: parameter by parameter, alone and in pairs, on the same rows.

Declared differences, which no row shows: a truth value is no number; parameters that scikit-learn accepts and that make
no sense (negative or infinite strengths in a list, an empty list, a negative weight) are refused; iterative solvers for
`Ridge` take more words, "lbfgs" also without `positive`; `LinearRegression(positive=True)` takes sparse rows, and warns
of columns that depend on each other.
"""

import functools
import inspect
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import StrOptions, make_constraint

import gnomon.linear
from namesakes import DATA, PEERS, unlike, walk

NAMES = [name for name in gnomon.linear.__all__ if name in PEERS]
NARROW = {"tol": 1e-12}
FEW = {"LogisticRegressionCV": {"Cs": 2, "cv": 2}}

TARGETS = (
    "dense", "float32", "mixed", "integers", "weighted", "scalar weight", "zero weights", "short weights",
    "matrix weights", "nan weights", "csr", "csc", "csr weighted", "csr two targets", "two targets",
    "two targets weighted", "column", "constant target", "short target", "nan", "nan target", "flat", "no rows",
    "strings",
)  # fmt: skip
SINGLE = tuple(data for data in TARGETS if "two targets" not in data and "float32" not in data and data != "mixed")
CLASSES = (
    "binary", "binary weighted", "binary float32", "binary csr", "signs", "booleans", "three", "three weighted",
    "three csr", "three float32", "words", "objects", "one class", "class column", "two label columns", "short target",
    "nan", "dense", "no rows", "one row", "short weights", "matrix weights",
)  # fmt: skip


def rows(options, data, **shared):
    """Every option with every table."""
    return [({**shared, **one}, table) for one in options for table in data]


def centred():
    X, y = DATA["dense"]
    return X - X.mean(axis=0), y


def grams():
    X, C = DATA["dense"][0], centred()[0]
    return [X.T @ X, C.T @ C, 2.0 * (X.T @ X), (X.T @ X).tolist()]


LASSO_OPTIONS = [
    {"fit_intercept": False}, {"positive": True}, {"precompute": True}, {"selection": "random", "random_state": 0},
    {"copy_X": False}, {"alpha": 1e9},
]  # fmt: skip
GRAM_OPTIONS = [{"precompute": gram, "fit_intercept": b} for gram in grams() for b in (True, False)]
SPARSE_DATA = ("dense", "csr", "two targets", "weighted", "csr weighted", "column")
LASSO = [
    *rows([{}], TARGETS, alpha=0.1, **NARROW),
    *rows(LASSO_OPTIONS, SPARSE_DATA, alpha=0.05, **NARROW),
    *rows(GRAM_OPTIONS, ("dense", centred, "csr"), alpha=0.05, **NARROW),
    *rows([{"alpha": 0}], ("dense", "csr"), tol=1e-9),
    *rows([{"alpha": np.inf}, {"alpha": np.nan}, {"alpha": -1.0}, {"max_iter": 0}, {"tol": np.inf}], ("dense",)),
]

LASSO_CV = [
    *rows([{}], SINGLE, alphas=3, cv=3, **NARROW),
    *rows([{}, {"fit_intercept": False}], ("float32",), alphas=3, cv=3, tol=1e-6),
    *rows(
        [{"fit_intercept": False}, {"positive": True}, {"eps": 0.1}, {"alphas": [0.1, 0.01, 1.0]}, {"alphas": (0.1,)},
         {"alphas": [0.1, 0.0]}, {"selection": "random", "random_state": 0}, {"n_jobs": 2}, {"precompute": True}],
        ("dense", "csr", "csr weighted"), alphas=3, cv=3, **NARROW,
    ),
    *rows([{"alphas": a} for a in ([-1.0], [[1.0, 2.0]], 0, [])] + [{"cv": 1}, {"cv": []}, {"eps": 0}], ("dense",)),
    *rows([{"precompute": grams()[0]}], ("dense",), alphas=3, cv=3, **NARROW),
]  # fmt: skip

RIDGE_SOLVERS = [{"solver": s} for s in ("auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga")]
RIDGE_OPTIONS = [{}, {"fit_intercept": False}, {"positive": True}, {"alpha": [0.1, 5.0]}]

SEARCH = {"Cs": 3, "cv": 3, "tol": 1e-9, "max_iter": 2000, "scoring": "accuracy", "l1_ratios": (0.0,)}

ROWS = {
    "LinearRegression": [
        *rows([{}], [data for data in TARGETS if data != "constant target"]),
        *rows([{"fit_intercept": False}], ("dense", "csr", "two targets", "float32", "weighted")),
        *rows([{"positive": True}], ("dense", "two targets", "weighted", "float32", "column")),
    ],
    "Ridge": [
        *rows([{}], [*TARGETS, "wide", "constant column"]),
        *rows(
            [a | b for a in RIDGE_SOLVERS for b in RIDGE_OPTIONS],
            ("dense", "csr", "two targets", "csr weighted"), tol=1e-10,
        ),
        *rows([{"solver": "lbfgs"}], ("dense", "csr", "two targets", "float32"), positive=True, tol=1e-10),
        *rows([{"alpha": a} for a in ([1.0, 2.0, 3.0], [[1.0, 2.0]], np.inf, (1.0, 2.0), 0)], ("dense", "two targets")),
    ],
    "Lasso": LASSO,
    "ElasticNet": [*LASSO, *rows([{"l1_ratio": r} for r in (0, 0.3, 1.0)], SPARSE_DATA, alpha=0.1, **NARROW)],
    "LassoCV": LASSO_CV,
    "ElasticNetCV": [
        *LASSO_CV,
        *rows(
            [{"l1_ratio": r} for r in ([0.2, 0.8], 0.2, [0.5], 0, (1.0, 0.1))], ("dense", "csr"),
            alphas=3, cv=3, **NARROW,
        ),
    ],
    "RidgeCV": [
        *rows([{}], [*TARGETS, "wide"]),
        *rows(
            [{"fit_intercept": False}, {"alphas": [1e-3, 1.0]}, {"alphas": 2.0}, {"alphas": [0.0]}, {"scoring": "r2"},
             {"cv": 3}, {"cv": 3, "store_cv_results": True}, {"cv": 3, "alpha_per_target": True}, {"gcv_mode": "svd"},
             {"gcv_mode": "eigen"}, {"store_cv_results": True, "scoring": "r2"}, {"alpha_per_target": True},
             {"alpha_per_target": True, "store_cv_results": True}, {"cv": []}],
            ("dense", "csr", "two targets", "csr two targets", "float32", "column"),
        ),
    ],
    "LogisticRegression": [
        *rows([{}], CLASSES, tol=1e-9, max_iter=2000),
        *rows(
            [{"solver": s} | b
             for s in ("lbfgs", "liblinear", "newton-cholesky", "sag", "saga")
             for b in ({}, {"fit_intercept": False}, {"C": np.inf}, {"l1_ratio": 1.0}, {"l1_ratio": 0.5},
                       {"dual": True}, {"l1_ratio": 1, "dual": True})],
            ("binary", "three"), tol=1e-9, max_iter=20000,
        ),
        *rows(
            [{"class_weight": "balanced"}, {"class_weight": {0: 1.0, 1: 3.0}}, {"intercept_scaling": 3.0}],
            ("binary", "binary weighted", "binary csr"), solver="liblinear", tol=1e-9, max_iter=20000,
        ),
        *rows([{}, {"fit_intercept": False}], ("binary float32",), solver="liblinear", tol=1e-6),
        *rows(
            [{"n_jobs": 2}, {"l1_ratio": None}, {"class_weight": {0: 1.0}}, {"class_weight": {7: 2.0}}],
            ("binary",), tol=1e-9,
        ),
        *rows(
            [{"penalty": p} | b
             for p in ("l1", "l2", "elasticnet", None) for b in ({}, {"l1_ratio": 0.5}, {"C": np.inf})],
            ("binary",), solver="saga", tol=1e-9, max_iter=20000,
        ),
    ],
    "LogisticRegressionCV": [
        *rows([{"use_legacy_attributes": True}], ("binary", "three weighted", "words"), **SEARCH),
        *rows(
            [{"use_legacy_attributes": False}],
            ("binary csr", "binary float32", "booleans", "objects", "one class", "class column", "dense", "nan"),
            **SEARCH,
        ),
        *rows(
            [{"fit_intercept": False}, {"refit": False}, {"Cs": [1.0, 0.1]}, {"class_weight": "balanced"},
             {"class_weight": {7: 1.0}}, {"solver": "liblinear"}, {"l1_ratios": [0.5]}, {"l1_ratios": []},
             {"solver": "liblinear", "fit_intercept": False},
             {"l1_ratios": [2.0]}, {"dual": True}],
            ("binary", "three weighted"), **SEARCH | {"use_legacy_attributes": False, "scoring": "neg_log_loss"},
        ),
    ],
    "LinearSVC": [
        *rows([{}], CLASSES, tol=1e-8, max_iter=100000),
        *rows(
            [{"loss": "hinge"}, {"penalty": "l1"}, {"penalty": "l1", "loss": "hinge"}, {"dual": True}, {"dual": False},
             {"loss": "hinge", "dual": False}, {"penalty": "l1", "dual": True}, {"fit_intercept": False},
             {"intercept_scaling": 5.0}, {"class_weight": "balanced"}, {"class_weight": {0: 2.0}}, {"tol": 0},
             {"multi_class": "crammer_singer"}],
            ("binary", "binary csr", "binary float32"), tol=1e-8, max_iter=100000,
        ),
        *rows(
            [{"class_weight": "balanced"}, {"class_weight": {0: 2.0}}, {"fit_intercept": False},
             {"multi_class": "crammer_singer", "class_weight": {0: 2.0}}],
            ("three", "three weighted"), tol=1e-8, max_iter=100000,
        ),
    ],
    "Perceptron": [
        *rows([{}], CLASSES),
        *rows(
            [{"penalty": "l2"}, {"penalty": "l1", "alpha": 0.01}, {"penalty": "elasticnet", "l1_ratio": 0.3},
             {"fit_intercept": False}, {"shuffle": False}, {"eta0": 0.1}, {"random_state": 3},
             {"early_stopping": True}, {"early_stopping": True, "validation_fraction": 0.001}, {"n_iter_no_change": 2},
             {"class_weight": "balanced"}, {"class_weight": {0: 2.0}}, {"max_iter": 2}, {"max_iter": 5, "tol": None}],
            ("binary", "three weighted", "binary csr", "binary float32"),
        ),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_fits_errors_and_warnings_are_those_of_scikit_learn(name):
    found = walk(name, getattr(gnomon.linear, name), ROWS[name])
    assert not found, "\n".join(found)


VALUES = (
    None, -1, 0, 3, np.int64(3), 2.5, -0.5, np.float32(0.5), np.nan, np.inf, -np.inf, "nonsense", "", [], {}, object(),
    np.array(["a"]), len,
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_values_of_the_wrong_kind_are_refused(name):
    """What the table of scikit-learn refuses is refused; words may be of NumPy's type."""
    ours, theirs = functools.partial(getattr(gnomon.linear, name), **FEW.get(name, {})), PEERS[name]
    X, y = DATA["binary" if issubclass(theirs, ClassifierMixin) else "dense"]
    for parameter in inspect.signature(theirs).parameters:
        kinds = [make_constraint(kind) for kind in theirs._parameter_constraints[parameter]]
        for value in VALUES:
            if not any(kind.is_satisfied_by(value) for kind in kinds):
                with pytest.raises((ValueError, TypeError), match=parameter):
                    ours(**{parameter: value}).fit(X, y)
        for word in (word for kind in kinds if isinstance(kind, StrOptions) for word in kind.options):
            if parameter != "scoring":
                assert is_refused(ours, parameter, np.str_(word), X, y) == is_refused(ours, parameter, word, X, y), word


def is_refused(cls, parameter, value, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            cls(**{parameter: value}).fit(X, y)
        except (ValueError, TypeError):
            return True
    return False


@pytest.mark.parametrize("name", ["LogisticRegression", "LogisticRegressionCV", "LinearSVC", "Perceptron"])
@pytest.mark.parametrize("data", ["binary", "three csr"])
def test_sparse_coefficients_predict_as_dense_ones(name, data):
    X, y = DATA[data]
    few = FEW.get(name, {})
    dense = getattr(gnomon.linear, name)(**few).fit(X, y)
    scores, coef = dense.decision_function(X), dense.coef_
    thin = dense.sparsify()
    assert type(thin.coef_) is sparse.csr_matrix
    assert not unlike(scores, thin.decision_function(X), 1e-12)
    assert np.array_equal(thin.densify().coef_, coef)


@pytest.mark.parametrize("name", ["Lasso", "ElasticNet"])
def test_a_warm_start_goes_on_from_the_last_fit(name):
    X, y = DATA["two targets"]
    model = getattr(gnomon.linear, name)(alpha=0.01, warm_start=True, tol=1e-12, max_iter=5000).fit(X, y)
    n_iter, coef = np.max(model.n_iter_), model.coef_
    again = model.fit(X, y)
    assert np.max(again.n_iter_) <= n_iter
    # A gap of tol leaves coefficients within its square root.
    np.testing.assert_allclose(again.coef_, coef, rtol=1e-6)
    np.testing.assert_allclose(model.set_params(fit_intercept=False).fit(X, y).intercept_, 0.0)
    fresh = getattr(gnomon.linear, name)(alpha=0.01, tol=1e-12, max_iter=5000).fit(X, y)
    np.testing.assert_allclose(model.set_params(fit_intercept=True).fit(X, y).coef_, fresh.coef_, rtol=1e-6)


def test_a_search_reports_its_progress(capsys):
    X, y = DATA["dense"]
    gnomon.linear.LassoCV(alphas=3, cv=3, verbose=2).fit(X, y)
    assert capsys.readouterr().err.splitlines() == [f"path {k} of 3" for k in (1, 2, 3)]


def test_paths_that_stop_short_are_said_to():
    X, y = DATA["wide"]
    with pytest.warns(ConvergenceWarning):
        gnomon.linear.LassoCV(alphas=[1e-4], cv=3, max_iter=1, tol=1e-12).fit(X, y)


def test_a_vanishing_penalty_leads_to_the_shortest_of_all_solutions():
    """Centring leaves a square table a direction without rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 20))
    y = X @ rng.normal(size=20)
    expected = np.linalg.lstsq(X - X.mean(axis=0), y - y.mean(), rcond=None)[0]
    for mode in ("eigen", "svd", "auto"):
        np.testing.assert_allclose(
            gnomon.linear.RidgeCV(alphas=[1e-16], gcv_mode=mode).fit(X, y).coef_, expected, rtol=1e-7, atol=1e-8
        )


@pytest.mark.filterwarnings("ignore:R.2 score is not well-defined")
def test_scores_that_are_no_numbers_are_no_errors():
    X, y = DATA["dense"]
    assert np.isnan(gnomon.linear.RidgeCV([0.1, 1.0], cv=len(y), scoring="r2").fit(X, y).best_score_)


PATHS = (
    {}, {"alphas": 5}, {"alphas": [0.1, 0.01, 1.0]}, {"alphas": [0.3]}, {"eps": 0.1, "alphas": 4}, {"positive": True},
    {"return_n_iter": True}, {"precompute": True}, {"precompute": grams()[0]}, {"coef_init": np.ones(3)},
    {"selection": "random", "random_state": 0}, {"copy_X": False, "check_input": True},
    {"l1_ratio": 0.7}, {"l1_ratio": 2.0}, {"selection": "bogus"}, {"unknown": 1},
)  # fmt: skip


@pytest.mark.parametrize("name", ["Lasso", "ElasticNet", "LassoCV", "ElasticNetCV"])
@pytest.mark.parametrize("data", ["dense", "csr", "float32"])
def test_paths_are_those_of_scikit_learn(name, data):
    X, y = DATA[data][:2]
    tol = 1e-6 if data == "float32" else 1e-12
    for options in PATHS:
        if "coef_init" in options:
            options = {"coef_init": np.ones(X.shape[1])}
        if data == "csr" and "precompute" in options:
            continue
        ours, theirs = (
            outcome(cls.path, X, y, tol=tol, **options) for cls in (getattr(gnomon.linear, name), PEERS[name])
        )
        if isinstance(theirs, Exception):
            assert isinstance(ours, Exception), (options, theirs)
            continue
        assert len(ours) == len(theirs), options
        for mine, peer in zip(ours[:3], theirs[:3], strict=True):
            np.testing.assert_allclose(
                mine, peer, rtol=1e-6, atol=1e-3 if data == "float32" else 1e-6, err_msg=str(options)
            )
        assert ours[1].dtype == theirs[1].dtype


def outcome(function, *args, **options):
    """What a call returns, or the error that it raises."""
    try:
        return function(*args, **options)
    except Exception as error:
        return error


@pytest.mark.parametrize("n", [12, 200])
def test_the_first_strength_of_a_grid_leaves_no_coefficient(n):
    rng = np.random.default_rng(n)
    for _ in range(20):
        X, y = rng.normal(size=(n, 5)), rng.normal(size=n)
        for model in (gnomon.linear.LassoCV(alphas=1), gnomon.linear.ElasticNetCV(alphas=1)):
            assert not np.any(model.fit(X, y).coef_)
        assert not np.any(gnomon.linear.LassoCV.path(X, y, alphas=3)[1][:, 0])
