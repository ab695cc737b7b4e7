"""SVC, SVR and OneClassSVM beside scikit-learn's of the same name, on the same rows.

Declared differences, which no row shows: rows in single precision are kept and compared as they are; support vectors of
a callable kernel are kept; a model fitted to dense rows scores sparse ones; C = ∞ is a hard margin; a polynomial with a
negative constant or of degree 0 is no kernel and refused; `verbose` logs; ν = 1 has an offset; steps are counted
otherwise; a sigmoid is warned of, as it need not be positive semi-definite; probabilities are those of other folds;
where balanced classes leave b an interval, ours is its middle, and theirs that or an end of it, as rounding has it.
"""

from itertools import combinations

import numpy as np
import pytest

import gnomon.svm
from gnomon.kernels import NotPSDWarning
from namesakes import DATA, PEERS, walk

X, CLASSES = DATA["three"]


def table(name, *parts):
    """A table as a row of `walk` takes it, with its name for the report."""

    def made():
        return parts

    made.__name__ = name
    return made


def dot(A, B):
    return A @ B.T + 1.0


KERNELS = {
    "kernel": ["linear", "poly", "sigmoid", dot, "nonsense", "precomputed"],
    "degree": [2, 1.5, -1],
    "gamma": ["auto", 0.3, -1.0, "nonsense"],
    "coef0": [0.7, "nonsense"],
    "shrinking": [False, "nonsense"],
    "tol": [1e-10, 0.0, -1.0],
    "cache_size": [1.0, 0, -1],
    "max_iter": [0, 2.5, -2],
}
OPTIONS = {
    "SVC": KERNELS | {
        "C": [0.1, 30.0, 0.0, -1.0],
        "class_weight": ["balanced", {0: 0.3, 1: 2.0}, "nonsense"],
        "decision_function_shape": ["ovo", "nonsense"],
        "break_ties": [True, "nonsense"],
        "random_state": [0, "nonsense"],
        "probability": [False, "nonsense"],
    },
    "SVR": KERNELS | {"C": [0.1, 30.0, 0.0], "epsilon": [0.0, 0.5, 1e9, -1.0]},
    "OneClassSVM": KERNELS | {"nu": [0.05, 0.9, 0.0, 1.5]},
}  # fmt: skip
TABLES = {
    "SVC": (
        "binary", "three", "words", "objects", "booleans", "signs", "class column", "two label columns", "dense",
        "short target", "nan", "no rows", "one class", "binary weighted", "three weighted",
        "zero weights", table("lists", X.tolist(), CLASSES.tolist()),
    ),
    "SVR": (
        "dense", "weighted", "two targets", "column", "constant target",
        "constant column", "one row", "short target", "nan", "nan target", "flat", "no rows", "strings",
    ),
    "OneClassSVM": ("dense", "weighted", "constant column", "nan", "flat", "no rows"),
}  # fmt: skip
# Rows that come twice share a coefficient in any way.
TWINS = {
    "SVC": ("binary csr", "three csr"), "SVR": ("integers", "csr", "csc", "csr weighted"),
    "OneClassSVM": ("integers", "csr", "csr weighted"),
}  # fmt: skip
BASE = {"SVC": "three", "SVR": "dense", "OneClassSVM": "dense"}
TIGHT = {"tol": 1e-9}
ALSO = ("support_vectors_", "n_iter_")
# Their solver keeps rows of the kernel in single precision.
RTOL = 1e-4


def alone(name):
    return [(TIGHT | {word: value}, BASE[name]) for word, values in OPTIONS[name].items() for value in values]


def in_pairs(name):
    """The first value of each option beside the first of each other: these fit."""
    first = {word: values[0] for word, values in OPTIONS[name].items()}
    first |= {"kernel": "poly", "max_iter": -1}
    # Votes of pairs break no ties; see below.
    first.pop("break_ties", None)
    # Their intercept of few balanced errors is an end of its interval; see below.
    pairs = [pair for pair in combinations(first, 2) if pair != ("C", "class_weight")]
    return [(TIGHT | {a: first[a], b: first[b]}, BASE[name]) for a, b in pairs]


def unlike_theirs(name, rows, also=ALSO):
    """What differs, but for the side of a support vector on the border of one class, which rounding decides."""
    found = walk(name, getattr(gnomon.svm, name), rows, rtol=RTOL, also=also)
    found = [line for line in found if not (line.endswith("UserWarning by us alone") and "sigmoid" in line)]
    return [line for line in found if not (name == "OneClassSVM" and ": predict: [" in line)]


pytestmark = [
    pytest.mark.filterwarnings("ignore:Attribute `prob[AB]_`:FutureWarning"),
]


@pytest.mark.spec("KER-076", "KER-077", "KER-078", "KER-067")
@pytest.mark.filterwarnings("ignore::gnomon.kernels.NotPSDWarning")
@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("rows", [alone, in_pairs], ids=["alone", "in pairs"])
def test_every_parameter(name, rows):
    found = unlike_theirs(name, rows(name))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", OPTIONS)
def test_every_table(name):
    found = unlike_theirs(name, [(TIGHT, data) for data in TABLES[name]])
    shares = ("dual_coef_", "n_support_", "support_", *ALSO)
    found += unlike_theirs(name, [(TIGHT, data) for data in TWINS[name]], also=shares)
    assert not found, "\n".join(found)


@pytest.mark.spec("KER-063")
def test_their_intercept_of_balanced_classes_is_one_of_those_that_ours_lies_amid():
    options = TIGHT | {"C": 0.1, "class_weight": "balanced"}
    ours, theirs = gnomon.svm.SVC(**options).fit(X, CLASSES), PEERS["SVC"](**options).fit(X, CLASSES)
    low, high = ours.intercept_interval_.T
    assert np.any(high - low > 0.1)
    assert np.all((theirs.intercept_ >= low - 1e-6) & (theirs.intercept_ <= high + 1e-6))
    np.testing.assert_allclose(ours.intercept_, 0.5 * (low + high))
    np.testing.assert_allclose(ours.alpha_.sum(axis=0)[ours.support_], np.abs(theirs.dual_coef_).sum(axis=0), rtol=1e-6)


@pytest.mark.parametrize("name", OPTIONS)
def test_precomputed(name):
    gram = table("kernel values", X @ X.T, DATA[BASE[name]][1])
    found = unlike_theirs(name, [(TIGHT | {"kernel": "precomputed"}, gram)])
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", OPTIONS)
def test_signatures(name):
    ours, theirs = getattr(gnomon.svm, name)(), PEERS[name]()
    for word, default in theirs.get_params().items():
        assert ours.get_params()[word] == default, word


@pytest.mark.spec("KER-058", "KER-006")
@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
def test_dual_objective_is_no_larger_at_the_same_tolerance(name, kernel):
    rows, y = DATA[{"SVC": "binary"}.get(name, "dense")][:2]
    theirs = PEERS[name](kernel=kernel).fit(rows, y)
    maker = getattr(gnomon.svm, name)(kernel=kernel)
    if kernel == "sigmoid":
        with pytest.warns(NotPSDWarning):
            ours = maker.fit(rows, y)
    else:
        ours = maker.fit(rows, y)
    against = ours._kernel.against(rows)

    def value(model):
        beta = np.zeros(len(rows))
        beta[model.support_] = model.dual_coef_[0]
        [problem] = ours._problems(y, np.ones(len(rows)))
        return problem.dual.objective(beta, against.matrix() @ beta)

    # Both are within their tolerance of the optimum; a kernel that is none has several stationary points.
    slack = 1e-3 * abs(value(theirs)) if kernel == "sigmoid" else 1e-5 * abs(value(theirs))
    assert value(ours) <= value(theirs) + slack


def test_ties_are_broken_by_scores_of_classes_alone():
    for cls in (PEERS["SVC"], gnomon.svm.SVC):
        model = cls(break_ties=True, decision_function_shape="ovo").fit(X, CLASSES)
        with pytest.raises(ValueError, match="break_ties must be False"):
            model.predict(X)
    theirs, ours = (cls(break_ties=True).fit(X, CLASSES) for cls in (PEERS["SVC"], gnomon.svm.SVC))
    grid = np.random.default_rng(0).normal(size=(500, 3), scale=3.0)
    np.testing.assert_array_equal(ours.predict(grid), theirs.predict(grid))


@pytest.mark.spec("KER-066")
def test_probabilities_are_near_theirs():
    rng = np.random.default_rng(0)
    for k in (2, 3):
        y = rng.integers(0, k, size=300)
        rows = rng.normal(size=(300, 2)) + 1.5 * np.column_stack([np.cos(2 * y), np.sin(2 * y)])
        fits = []
        for cls in (PEERS["SVC"], gnomon.svm.SVC):
            with pytest.warns(FutureWarning):
                fits.append(cls(probability=True, random_state=0).fit(rows, y))
        theirs, ours = (model.predict_proba(rows) for model in fits)
        np.testing.assert_allclose(ours.sum(axis=1), 1.0)
        assert np.mean(np.abs(ours - theirs)) < 0.02
        np.testing.assert_allclose(fits[1].predict_log_proba(rows), np.log(ours))
    assert not hasattr(gnomon.svm.SVC(), "predict_proba")


@pytest.mark.spec("KER-076")
def test_scores_decide_between_classes_with_as_many_votes():
    """Three classes around a triangle where each wins one pair: without `break_ties` the first of them has it."""
    corners = np.array([[0.0, 1.0], [0.9, -0.5], [-0.9, -0.5]])
    rows = (corners[:, None] + 0.3 * np.random.default_rng(0).normal(size=(3, 20, 2))).reshape(-1, 2)
    classes = np.repeat([0, 1, 2], 20)
    grid = np.stack(np.meshgrid(*[np.linspace(-0.5, 0.5, 80)] * 2), axis=-1).reshape(-1, 2)
    options = {"kernel": "linear", "tol": 1e-8}
    theirs, ours = (cls(break_ties=True, **options).fit(rows, classes) for cls in (PEERS["SVC"], gnomon.svm.SVC))
    np.testing.assert_array_equal(ours.predict(grid), theirs.predict(grid))
    first = gnomon.svm.SVC(**options).fit(rows, classes)
    np.testing.assert_array_equal(first.predict(grid), PEERS["SVC"](**options).fit(rows, classes).predict(grid))
    assert np.any(first.predict(grid) != ours.predict(grid))
