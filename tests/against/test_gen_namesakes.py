"""Namesakes, parameter by parameter, alone and in pairs, against scikit-learn in the same process.

Attributes, their shapes and types, predictions, and the kinds of errors and warnings are theirs. Where ours are
meant to differ, a table here says why.
"""

import itertools
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import discriminant_analysis, mixture, naive_bayes
from sklearn.covariance import OAS
from sklearn.exceptions import ConvergenceWarning

import gnomon.generative as ours
from many_checks import check_all

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1, 2], 15)
X = RNG.normal(size=(45, 4)) + 1.5 * Y[:, None]
COUNTS = RNG.integers(0, 4, (45, 4))
BITS = (COUNTS > 1).astype(int)
WEIGHTS = RNG.uniform(0.2, 2.0, 45)
PLANE = np.r_[RNG.normal(size=(40, 2)), RNG.normal(size=(40, 2)) + 4.0]
VERBS = ("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba", "decision_function", "transform")

UP_TO_SIGN = ("scalings_", "rotations_", "transform")
"""Axes have no sign; ours are fixed so that the largest entry is positive."""

PRIORS = [[0.2, 0.3, 0.5], [0.5, 0.5], [0.2, 0.3, 0.6]]
COUNTING = {
    "alpha": [0.5, 0.0, [0.1, 0.2, 0.3, 0.4], [1.0, 2.0], -1.0, "a", 1e-12],
    "force_alpha": [False, True, "x"],
    "fit_prior": [False, True, "x"],
    "class_prior": [[0.2, 0.3, 0.5], [0.5, 0.5], None],
}
GAUSSIAN_NB = {"priors": [*PRIORS, [-0.1, 0.6, 0.5]], "var_smoothing": [0.0, 1e-3, -1.0, "a"]}
SHRUNK = {"shrinkage": [None, "auto", 0.3, 0, 1, -1.0, "x"], "covariance_estimator": [None, OAS(), 3]}
LDA = SHRUNK | {
    "solver": ["svd", "lsqr", "eigen", "x"],
    "priors": PRIORS,
    "n_components": [1, 2, 3, 0, "a"],
    "store_covariance": [True, "x"],
    "tol": [1e-2, 0.0, -1.0],
}
QDA = SHRUNK | {
    "solver": ["svd", "eigen", "x"],
    "priors": PRIORS[:2],
    "reg_param": [0.1, 1.0, 0, -1.0, 2],
    "store_covariance": [True, "x"],
    "tol": [1e-2, 0.0, -1.0, 10.0],
}


def rows_of(Z, *, weighted=True):
    """Rows, labels and weights of every kind that a classifier may be given."""
    bad = np.where(np.arange(len(Z))[:, None] == 0, np.inf, Z.astype(float))
    kinds = {
        "plain": (Z, Y, None),
        "strings": (Z, np.array(["a", "b", "c"])[Y], None),
        "sparse": (sparse.csr_array(Z), Y, None),
        "two": (Z[:30], Y[:30], None),
        "infinite": (bad, Y, None),
        "one dimension": (Z[:, 0], Y, None),
        "short": (Z, Y[:-1], None),
        "empty": (Z[:0], Y[:0], None),
        "numbers": (Z, Y + 0.5, None),
        "whole": ((10 * Z).astype(int), Y, None),
    }
    return kinds | ({"weights": (Z, Y, WEIGHTS)} if weighted else {})


# name: (scikit-learn's module, options, kinds of rows, whether it has partial_fit)
WALKS = {
    "GaussianNB": (naive_bayes, GAUSSIAN_NB, rows_of(X), True),
    "MultinomialNB": (naive_bayes, COUNTING, rows_of(COUNTS), True),
    "BernoulliNB": (naive_bayes, COUNTING | {"binarize": [1.0, -1.0, "a", 0.5, None]}, rows_of(BITS), True),
    "CategoricalNB": (
        naive_bayes,
        COUNTING | {"min_categories": [6, [5, 6, 7, 8], [5, 6], 2, 0, 2.5, "a"]},
        rows_of(COUNTS) | {"negative": (COUNTS - 1, Y, None)},
        True,
    ),
    "LinearDiscriminantAnalysis": (discriminant_analysis, LDA, rows_of(X, weighted=False), False),
    "QuadraticDiscriminantAnalysis": (discriminant_analysis, QDA, rows_of(X, weighted=False), False),
}


def declared(name, options, kind, chunks):
    """Why ours is meant to differ here; None where it is not."""
    alpha = options.get("alpha")
    smooths = options.get("var_smoothing", 1e-9) != 0.0
    if name == "GaussianNB" and smooths and (chunks or kind == "weights"):
        return "ε is of the weighted variance of all rows, theirs of the last chunk without weights"
    if name in ("BernoulliNB", "CategoricalNB") and alpha == COUNTING["alpha"][2]:
        return "one pseudo-count for each column, which theirs do not take"
    if name == "BernoulliNB" and "binarize" in options and options["binarize"] is None and kind == "whole":
        return "entries that are not bits are refused"
    if name == "BernoulliNB" and alpha == 0.0 and options.get("binarize") in (1.0, -1.0):
        return "0 · log 0 is 0; theirs is not a number"
    return None


def grid(options):
    """Every value alone, and the first three of every two options together; nothing first."""
    alone = [{name: value} for name, values in options.items() for value in values]
    pairs = [
        {a: u, b: v} for a, b in itertools.combinations(options, 2) for u in options[a][:3] for v in options[b][:3]
    ]
    return [{}, *alone], pairs


def described(model, Z, verbs):
    """Attributes and predictions by name."""
    found = {name: value for name, value in vars(model).items() if name.endswith("_") and not name.startswith("_")}
    return found | {verb: getattr(model, verb)(Z) for verb in verbs}


def fit_and_predict(model, rows, verbs, chunks):
    Z, y, weights = rows
    given = [{} if weights is None else {"sample_weight": weights[part]} for part in (slice(0, 20), slice(20, None))]
    if chunks:
        model.partial_fit(Z[:20], y[:20], classes=np.unique(y), **given[0])
        model.partial_fit(Z[20:], y[20:], **given[1])
    else:
        model.fit(Z, y, **({} if weights is None else {"sample_weight": weights}))
    return described(model, Z, verbs)


def attempt(work):
    """What came of it: a result or an error, and the kinds of warnings that matter."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            result = work()
        except Exception as error:
            return error, set()
    # Divisions by zero that they hear of themselves are no message to the user.
    return result, {w.category for w in heard if w.category is not RuntimeWarning}


def compare(name, mine, theirs):
    if isinstance(theirs, (list, tuple)):
        assert isinstance(mine, (list, tuple))
        assert len(mine) == len(theirs), name
        for a, b in zip(mine, theirs, strict=True):
            compare(name, a, b)
        return
    a, b = np.asarray(mine), np.asarray(theirs)
    assert a.shape == b.shape, name
    assert a.dtype.kind == b.dtype.kind, name
    if a.dtype.kind != "f":
        np.testing.assert_array_equal(a, b, err_msg=name)
        return
    assert a.dtype == b.dtype, name
    a, b = (np.abs(a), np.abs(b)) if name in UP_TO_SIGN else (a, b)
    np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-8, err_msg=name)


def agree(make_mine, make_theirs, work):
    theirs, heard_theirs = attempt(lambda: work(make_theirs()))
    mine, heard_mine = attempt(lambda: work(make_mine()))
    if isinstance(theirs, Exception):
        # Their errors about parameters are ValueError and TypeError at once; an accident (IndexError) is no custom.
        kinds = (ValueError, TypeError) if isinstance(theirs, (ValueError, IndexError)) else type(theirs)
        assert isinstance(mine, kinds), f"{mine!r} instead of {theirs!r}"
        return
    if isinstance(mine, Exception):
        raise mine
    assert heard_mine == heard_theirs
    same_classes(mine, theirs)
    # Beyond the rank of the class means the axes of a generalised eigenproblem are any basis of the rest.
    k = len(theirs.get("explained_variance_ratio_", ()))
    for name, value in theirs.items():
        cut = (slice(None), slice(None, k)) if name == "scalings_" and k else ...
        compare(name, mine[name], value) if cut is ... else compare(name, mine[name][cut], value[cut])


def same_classes(mine, theirs):
    """Predictions, but for rows whose two best classes differ by less than rounding."""
    if "predict" not in theirs:
        return
    a, b = mine.pop("predict"), theirs.pop("predict")
    best = np.sort(theirs["predict_proba"], axis=1)[:, -2:]
    clear = best[:, 1] - best[:, 0] > 1e-12
    compare("predict", a[clear], b[clear])


def cases(name):
    module, options, rows, adds = WALKS[name]
    own, peer = getattr(ours, name), getattr(module, name)
    verbs = [verb for verb in VERBS if callable(getattr(peer, verb, None))]
    alone, pairs = grid(options)
    walk = [(given, kind) for given in alone for kind in rows] + [(given, "plain") for given in pairs]
    for given, kind in walk:
        for chunks in (False, True) if adds and len(given) < 2 and kind != "two" else (False,):
            if declared(name, given, kind, chunks) is None:
                # Without axes, `transform` of "lsqr" is an error of both, which would hide the rest.
                kept = [verb for verb in verbs if not (given.get("solver") == "lsqr" and verb == "transform")]

                def work(model, kind=kind, chunks=chunks, kept=kept):
                    return fit_and_predict(model, rows[kind], kept, chunks)

                label = f"{given} {kind}{' in chunks' if chunks else ''}"
                yield label, lambda g=given, w=work: agree(lambda: own(**g), lambda: peer(**g), w)


@pytest.mark.spec("GEN-059")
@pytest.mark.parametrize("name", WALKS)
def test_classifiers_parameter_by_parameter(name):
    check_all(cases(name))


PRECISIONS = {"full": [np.eye(2)] * 2, "tied": np.eye(2), "diag": np.ones((2, 2)), "spherical": np.ones(2)}
FROM_START = [
    {},
    {"tol": 1e-8},
    {"reg_covar": 0.1},
    {"reg_covar": 0.0},
    {"max_iter": 3},
    {"n_init": 3},
    {"init_params": "random"},
    {"init_params": "k-means++", "tol": 1e-5},
    {"init_params": "random_from_data", "reg_covar": 1e-2},
]
REFUSED = [
    {"n_components": 0},
    {"n_components": 1.5},
    {"n_components": 200},
    {"covariance_type": "x"},
    {"tol": -1},
    {"reg_covar": -1},
    {"max_iter": -1},
    {"n_init": 0},
    {"init_params": "x"},
    {"weights_init": [1.0]},
    {"weights_init": [0.5, 0.6]},
    {"weights_init": [-0.5, 1.5]},
    {"means_init": [[1.0]]},
    {"precisions_init": [np.eye(3)] * 2},
    {"precisions_init": [-np.eye(2)] * 2},
    {"warm_start": "x"},
    {"verbose": -1},
    {"verbose_interval": 0},
    {"random_state": "x"},
]


def mixture_work(model):
    model.fit(PLANE)
    found = described(model, PLANE, ["predict", "predict_proba", "score_samples", "score", "bic", "aic"])
    drawn, labels = model.sample(5)
    return found | {"drawn": np.zeros_like(drawn), "labels": np.zeros_like(labels)}


def warm_work(model):
    for _ in range(3):
        model.set_params(warm_start=True, max_iter=1).fit(PLANE)
    return described(model, PLANE, ["predict_proba"])


def mixture_cases():
    for kind, precisions in PRECISIONS.items():
        start = {"weights_init": [0.5, 0.5], "means_init": [[0.0, 0.0], [3.0, 3.0]], "precisions_init": precisions}
        for more in FROM_START:
            given = {"n_components": 2, "covariance_type": kind, "random_state": 0} | start | more
            yield f"{kind} {more}", given, mixture_work
        yield f"{kind} warm", {"n_components": 2, "covariance_type": kind} | start, warm_work
    for given in REFUSED:
        yield str(given), {"n_components": 2} | given, mixture_work


def test_mixtures_parameter_by_parameter():
    def case(given, work):
        agree(lambda: ours.GaussianMixture(**given), lambda: mixture.GaussianMixture(**given), work)

    check_all((label, lambda g=given, w=work: case(g, w)) for label, given, work in mixture_cases())


@pytest.mark.parametrize("kind", ["infinite", "one dimension", "sparse", "one row"])
def test_mixtures_refuse_the_rows_that_they_refuse(kind):
    rows = {
        "infinite": np.where(PLANE > 4.0, np.inf, PLANE),
        "one dimension": PLANE[:, 0],
        "sparse": sparse.csr_array(PLANE),
        "one row": PLANE[:1],
    }[kind]
    agree(ours.GaussianMixture, mixture.GaussianMixture, lambda model: described(model.fit(rows), rows, []))


def test_a_mixture_that_has_not_converged_says_so_as_theirs_does():
    for module in (ours, mixture):
        with pytest.warns(ConvergenceWarning):
            module.GaussianMixture(2, tol=1e-12, max_iter=2, random_state=0).fit(PLANE)
