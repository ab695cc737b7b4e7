"""Targets, for every public estimator that takes them: numbers or labels of one kind, none missing, or one sentence."""

import datetime
import functools
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import get_tags

import public_names
from gnomon.base.targets import TargetError, check_target
from gnomon.decision import ScoreCalibrator
from gnomon.evaluation import score_curve
from gnomon.features import GreedySelector
from gnomon.generative import GaussianNB, SemiSupervisedClassifier
from gnomon.linear import LassoCV, LogisticRegressionCV, Ridge, RidgeCV
from gnomon.neighbors import KNeighborsRegressor
from gnomon.testing._tables import example_table, fitted, outputs_of
from many_checks import check_all, over

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

GAPS = (None, float("nan"), pd.NA, pd.NaT)
MADE = {
    "objects": np.array,
    "a list": list,
    "pandas' objects": lambda y: pd.Series(y, dtype=object),
    "a frame": lambda y: pd.DataFrame({"y": pd.Series(y, dtype=object)}),
}
ALONE = {"TunedDetector", "KernelFeatureSelection"}
"""They fit without y too."""


@pytest.fixture(autouse=True)
def _only_targets():
    """A fit may warn of the shape of a frame, or of what it finds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def takes_target(estimator):
    required = get_tags(estimator).target_tags.required or type(estimator).__name__ in ALONE
    return required or is_classifier(estimator) or is_regressor(estimator)


def with_cell(y, cell):
    """The values of y as objects, with another one in row 3."""
    values = np.empty(len(y), dtype=object)
    values[:] = y.tolist()
    values[3] = cell
    return values


def in_words(y):
    return np.array([f"{value:.0f} kg" for value in y])


def gaps_of(y):
    """y with a missing value, in every form."""
    for gap in GAPS:
        yield from ((f"{gap} in {form}", make(with_cell(y, gap))) for form, make in MADE.items())
    floats = with_cell(y, np.nan).astype(float)
    yield from {
        "floats": floats,
        "nullable": pd.Series(floats, dtype="Float64"),
        "polars": pl.Series(floats, nan_to_null=True),
        "words": with_cell(in_words(y), None),
        "pandas' words": pd.Series(with_cell(in_words(y), None), dtype="string"),
        "a category": pd.Series(with_cell(in_words(y), None), dtype="category"),
        "words of polars": pl.Series(list(with_cell(in_words(y), None))),
        "a list of words": list(with_cell(in_words(y), np.nan)),
        "times": with_cell(np.arange(len(y)).astype("datetime64[D]"), None),
    }.items()


def of_no_kind(y):
    """What neither a regressor nor a classifier can fit."""
    column = sparse.csr_array(y.reshape(-1, 1).astype(float))
    yield from {
        "dates": with_cell(np.array([datetime.date(2020, 1, 1)] * len(y)), datetime.date(2021, 1, 1)),
        "times with a zone": pd.Series(pd.date_range("2020", periods=len(y), tz="UTC")),
        "complex": y + 1j,
        "a dict": dict(enumerate(y)),
        "one number": 3.0,
        "one word": "yes",
        "lists": pd.Series([[int(value)] * (1 + i % 2) for i, value in enumerate(y)]),
        "ragged": [[1] * (1 + i % 2) for i in range(len(y))],
        "a cube": np.zeros((len(y), 2, 2)),
        "bytes": np.array([b"u", b"v"] * len(y))[: len(y)],
        "sparse": column,
    }.items()


def no_numbers(y):
    yield from {
        "words": in_words(y),
        "a list of words": list(in_words(y)),
        "pandas' words": pd.Series(in_words(y)),
        "a category": pd.Series(in_words(y), dtype="category"),
        "words of polars": pl.Series(in_words(y)),
        "one word": with_cell(y, "tall"),
        "times": np.arange(len(y)).astype("datetime64[D]"),
        "durations": np.arange(len(y)).astype("timedelta64[s]"),
        "pandas' times": pd.Series(pd.date_range("2020", periods=len(y))),
        "an infinite one": with_cell(y, np.inf),
    }.items()


def of_several_kinds(y):
    words = in_words(y)
    for cell in (1, 2.5, True, datetime.date(2020, 1, 1)):
        yield f"{cell!r} among words", with_cell(words, cell)
        yield f"{cell!r} in a list of words", list(with_cell(words, cell))


# Their columns may be several outputs.
SPARSE = ("KNeighborsClassifier", "KNeighborsRegressor", "MLPClassifier", "NetworkClassifier", "GPSearchCV")


def refused(estimator, X, y):
    with pytest.raises(ValueError, match=r"\by\b|Complex data"):
        clone(estimator).fit(X, y)


@over(filter(takes_target, public_names.estimators()))
def test_a_target_that_no_model_can_take_is_refused_in_a_sentence_that_names_it(estimator):
    X, y = example_table(estimator)
    unlabeled = "unlabeled" in estimator.get_params()
    bad = [*of_no_kind(y)] + ([] if unlabeled else [*gaps_of(y)])
    bad += no_numbers(y) if is_regressor(estimator) else of_several_kinds(y)
    bad += [("numbers as objects", with_cell(y, 1))] if is_classifier(estimator) and not unlabeled else []
    leave_out = {"sparse"} if type(estimator).__name__ in SPARSE else set()
    check_all((name, functools.partial(refused, estimator, X, given)) for name, given in bad if name not in leave_out)


@over(filter(is_regressor, public_names.estimators()))
def test_objects_that_are_all_numbers_are_those_numbers(estimator):
    X, y = example_table(estimator)
    expected = outputs_of(fitted(estimator, X, y), X)
    for method, values in outputs_of(fitted(estimator, X, pd.Series(y, dtype=object)), X).items():
        np.testing.assert_array_equal(values, expected[method])


def test_text_that_is_numbers_is_those_numbers():
    X, y = example_table(Ridge())
    expected = Ridge().fit(X, y).coef_
    for words in (y.astype(str), y.astype(str).astype(object), [str(value) for value in y]):
        np.testing.assert_array_equal(Ridge().fit(X, words).coef_, expected)


def test_labels_keep_their_kind():
    for given in (["b", "a"], np.array(["b", "a"], dtype=object), pd.Series(["b", "a"]), pl.Series(["b", "a"])):
        assert check_target(given).tolist() == ["b", "a"]
    assert check_target(pd.Series([2, 1], dtype="Int64")).dtype.kind == "i"
    pairs = pd.DataFrame({"size": ["b", "a"], "count": [2, 1]})
    assert check_target(pairs).tolist() == [["b", 2], ["a", 1]]


def test_a_sparse_target_is_that_of_its_dense_columns():
    X, y = example_table(KNeighborsRegressor())
    column = sparse.csr_array(y.reshape(-1, 1))
    dense, thin = (KNeighborsRegressor().fit(X, given).predict(X) for given in (column.toarray(), column))
    np.testing.assert_array_equal(thin.ravel(), dense.ravel())


def test_rows_without_a_label_are_no_gaps_but_labels_of_two_kinds_are_refused():
    X, y = example_table(Ridge())
    words = np.where(y > 0, "u", "v").astype(object)
    words[:5] = None
    assert SemiSupervisedClassifier().fit(X, words).classes_.tolist() == ["u", "v"]
    words[7] = 1
    with pytest.raises(TargetError, match=r"y has labels of the kinds \['int', 'str'\]"):
        SemiSupervisedClassifier().fit(X, words)


def test_labels_beside_scores_are_read_alike():
    scores, labels = np.array([0.1, 0.4, 0.3, 0.8]), np.array(["u", "v", None, "v"], dtype=object)
    with pytest.raises(TargetError, match="Input y_true contains NaN: None in row 2"):
        score_curve(labels, scores)
    for rows in (scores, np.column_stack([scores, -scores])):
        with pytest.raises(TargetError, match=r"Input y(_true)? contains NaN: None in row 2"):
            ScoreCalibrator().fit(rows, labels)
    with pytest.raises(ValueError, match="scores has shape"):
        ScoreCalibrator().fit(np.empty((4, 0)), [0, 1, 0, 1])


HUGE, TINY = np.resize([1.7e308, -1.7e308], 60), np.resize([1e-300, 3e-300], 60)
"""Sums of the former overflow; squares of the latter are zero."""
LEAST_SQUARES = (
    "BayesianLinearRegression", "BayesianLogisticRegression", "BestSubset", "ElasticNet", "ElasticNetCV", "Lasso",
    "LassoCV", "LeastSquaresClassifier", "LinearModelRegressor", "LinearRegression", "LpRegression", "Ridge", "RidgeCV",
    "SparseSelector", "ExtremeLearningRegressor", "RBFNetworkRegressor", "DecisionRegressor", "IndicatorRegression",
)  # fmt: skip


def finite_or_refused(estimator, X, y, words):
    """An answer, or a sentence that names what is too large or small."""
    try:
        outputs = outputs_of(fitted(estimator, X, y), X)
    except ValueError as error:
        if not any(word in str(error) for word in words):
            raise
        return
    assert all(np.all(np.isfinite(values)) for values in outputs.values() if values.dtype.kind == "f")


@over(filter(is_regressor, public_names.estimators()))
@pytest.mark.parametrize("y", [HUGE, TINY], ids=["huge", "tiny"])
def test_targets_near_the_ends_of_the_numbers_are_fitted_or_named(estimator, y):
    X, _ = example_table(estimator)
    y = np.abs(y) if get_tags(estimator).target_tags.positive_only else y
    with np.errstate(all="ignore"):
        finite_or_refused(estimator, X, y, ["y has", "targets", " y", "Some value(s) of y"])


@over(estimator for estimator in public_names.estimators() if type(estimator).__name__ in LEAST_SQUARES)
def test_columns_whose_sums_overflow_are_named(estimator):
    X, y = example_table(estimator)
    X[:, 1] = HUGE
    with np.errstate(all="ignore"):
        finite_or_refused(estimator, X, y, ["column 1 of X", "columns of X", "scale the columns"])


def test_one_weight_for_all_rows_serves_scores_too():
    X, y = example_table(LogisticRegressionCV())
    model = LogisticRegressionCV(Cs=2, cv=2, l1_ratios=(0.0,), use_legacy_attributes=False)
    assert_models_agree(clone(model).fit(X, y, sample_weight=2.0), clone(model).fit(X, y, np.full(len(y), 2.0)))
    X, y = example_table(Ridge())
    for model in (RidgeCV(scoring="r2"), RidgeCV(cv=3), LassoCV(alphas=3, cv=3)):
        assert_models_agree(clone(model).fit(X, y, sample_weight=2.0), clone(model).fit(X, y, np.full(len(y), 2.0)))


def assert_models_agree(model, other):
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-12)


def test_a_search_for_columns_of_a_classifier_refuses_numbers():
    X, y = example_table(Ridge())
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        GreedySelector(GaussianNB()).fit(X, y)
