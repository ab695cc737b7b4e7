"""Bad input, for every public estimator: an error that says what to do, or a finite result; never a silent nan."""

import functools
import warnings

import numpy as np
import pytest
from scipy.linalg import LinAlgWarning
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

import public_names
from gnomon.testing._tables import example_table, fitted, outputs_of
from many_checks import check_all, over

pd = pytest.importorskip("pandas")

CASES = []
"""Each check of an estimator, with a table of its further arguments and where it applies."""


def case(*table, where=lambda estimator: True):
    def add(check):
        CASES.append((check, table or [()], where))
        return check

    return add


@functools.cache
def fitted_to_example(estimator):
    return fitted(estimator, *example_table(estimator))


def answers(estimator):
    """Samplers give nothing for new rows."""
    return getattr(estimator, "fit_resample", None) is None


def takes_no_nan(estimator):
    return not get_tags(estimator).input_tags.allow_nan


@pytest.fixture(autouse=True)
def _only_advice():
    """Warnings that advise the user are allowed here; NumPy's, of overflow or of nan, are errors."""
    with warnings.catch_warnings():
        for category in (UserWarning, LinAlgWarning, np.exceptions.RankWarning):
            warnings.simplefilter("ignore", category)
        yield


# Neighbours are counted when they are asked for.
ASKED_LATER = ("KNeighborsClassifier", "KNeighborsRegressor")


def assert_finite_or_explained(estimator, X, y, words, **options):
    """Finite outputs, or an error of the fit with one of the words in it; of `ASKED_LATER`, also of the prediction."""
    outputs = {}
    try:
        model = fitted(estimator, X, y, **options)
        if type(estimator).__name__ in ASKED_LATER:
            outputs = outputs_of(model, X)
    except (ValueError, RuntimeError) as error:
        if not any(word in str(error) for word in words):
            raise
        return
    for method, values in (outputs or outputs_of(model, X)).items():
        assert values.dtype.kind != "f" or np.all(np.isfinite(values)), f"{method} is not finite"


@case((np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "inf"), where=takes_no_nan)
def what_is_no_number_is_refused_with_its_column(estimator, bad, word):
    X, y = example_table(estimator)
    model = fitted_to_example(estimator)
    X[3, 2] = bad
    frame = pd.DataFrame(X, columns=["age", "height", "mass", "pulse"])
    with pytest.raises(ValueError, match=f"{word}.*column 2"):
        clone(estimator).fit(X, y)
    with pytest.raises(ValueError, match=f"{word}.*column 'mass'"):
        clone(estimator).fit(frame, y)
    with pytest.raises(ValueError, match=f"(?i){word}"):
        outputs_of(model, X)


@case((np.nan,), (np.inf,), where=is_regressor)
def a_target_that_is_no_number_is_refused(estimator, bad):
    X, y = example_table(estimator)
    y[5] = bad
    with pytest.raises(ValueError, match=r"y contains|Input y"):
        clone(estimator).fit(X, y)


@case(((0, 4), "0 sample"), ((20, 0), "0 feature"))
def emptiness_is_refused(estimator, shape, words):
    y = example_table(estimator)[1][: shape[0]]
    with pytest.raises(ValueError, match=words):
        clone(estimator).fit(np.empty(shape), y)


@case()
def one_row(estimator):
    X, y = example_table(estimator)
    assert_finite_or_explained(estimator, X[:1], y[:1], ("row", "sample", "class"))


@case(where=is_classifier)
def one_class_is_refused_or_certain(estimator):
    """A model of rows knows nothing else of them; a boundary needs two classes."""
    X, y = example_table(estimator)
    try:
        model = fitted(estimator, X, np.zeros_like(y))
    except ValueError as error:
        if "class" not in str(error):
            raise
        return
    assert not type(estimator).__module__.startswith("gnomon.linear"), "a linear boundary has two sides"
    np.testing.assert_array_equal(model.predict(X), 0)
    np.testing.assert_array_equal(outputs_of(model, X).get("predict_proba", 1.0), 1.0)


@case(where=answers)
def other_columns_than_those_of_fit_are_refused(estimator):
    X, _ = example_table(estimator)
    with pytest.raises(ValueError, match=r"3 features.*4 features"):
        outputs_of(fitted_to_example(estimator), X[:, :3])


@case((0.0,), (7.0,))
def constant_columns(estimator, constant):
    X, y = example_table(estimator)
    X[:, 1] = constant
    assert_finite_or_explained(estimator, X, y, ("constant",))


@case()
def duplicated_rows_and_columns(estimator):
    X, y = example_table(estimator)
    X, y = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    assert_finite_or_explained(estimator, np.hstack([X, X[:, :1]]), y, ("column", "independent"))


@case((1e150,), (1e-150,))
def huge_and_tiny_scales(estimator, scale):
    X, y = example_table(estimator)
    words = ("scale", "overflow", "large", "small", "tiny")
    assert_finite_or_explained(estimator, X * scale, y, words)
    if is_regressor(estimator):
        assert_finite_or_explained(estimator, X, y * scale, words)


@case()
def layout_in_memory_does_not_matter(estimator):
    X, y = example_table(estimator)
    expected = outputs_of(fitted_to_example(estimator), X)
    wide = np.empty((2 * len(X), 2 * X.shape[1]))
    wide[::2, ::2] = X
    targets = np.repeat(y, 3)[::3]
    wide.flags.writeable = targets.flags.writeable = False
    for rows in (wide[::2, ::2], np.asfortranarray(X), X[::-1].copy()[::-1]):
        for method, values in outputs_of(fitted(estimator, rows, targets), rows).items():
            np.testing.assert_allclose(values, expected[method], rtol=1e-6, atol=1e-8)


def takes_words(estimator):
    tags = get_tags(estimator).input_tags
    return tags.string or tags.categorical


@case(where=lambda estimator: not takes_words(estimator))
def words_are_refused(estimator):
    X, y = example_table(estimator)
    words = X.astype(object)
    words[4, 1] = "tall"
    with pytest.raises(ValueError, match=r"tall|string"):
        clone(estimator).fit(words, y)


@case(where=lambda estimator: is_classifier(estimator) and takes_words(estimator))
def words_are_taken_where_the_tags_say_so(estimator):
    X, y = example_table(estimator)
    words = X.astype(object)
    words[:, 1] = np.where(X[:, 1] > np.median(X[:, 1]), "tall", "short")
    frame = pd.DataFrame(words, columns=["age", "height", "mass", "pulse"]).infer_objects()
    # The density of some may be one of numbers.
    assert_finite_or_explained(estimator, frame, y, ("no number",))


@case((-1.0, 60), (0.0, 60), (1.0, 59), (np.nan, 60), where=lambda e: has_fit_parameter(e, "sample_weight"))
def weights_that_are_none_are_refused(estimator, weight, count):
    X, y = example_table(estimator)
    with pytest.raises(ValueError, match="sample_weight"):
        clone(estimator).fit(X, y, sample_weight=np.full(count, weight))


# The default solver is direct; a fixed number of passes, or of rounds, is the method.
WITHOUT_AN_END = (
    "Ridge", "AveragedPerceptron", "VotedPerceptron", "HistGradientBoostingClassifier", "HistGradientBoostingRegressor",
    "KernelPCA", "GenerativeAdversarialNetwork",
)  # fmt: skip


def iterates_to_an_end(estimator):
    return "max_iter" in estimator.get_params() and type(estimator).__name__ not in WITHOUT_AN_END


@case(where=iterates_to_an_end)
def nothing_stops_silently_short(estimator):
    """A fit that did not converge warns, and says what to do."""
    X, y = example_table(estimator)
    X = X @ np.diag([1.0, 30.0, 0.01, 1.0]) + 3.0
    hurry = {"max_iter": 1, "tol": 1e-13}
    hurried = clone(estimator).set_params(**{name: hurry[name] for name in hurry if name in estimator.get_params()})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = fitted(hurried, X, y)
    advice = [str(w.message) for w in caught if issubclass(w.category, ConvergenceWarning)]
    # The folds of a search may warn although the final fit converged.
    assert advice or np.all(model.converged_)
    assert all("max_iter" in sentence for sentence in advice)


# Read by a basis that is not the default.
UNREAD = ("domain",)
POSITIVE = ("alpha", "lam", "C", "tol", "max_iter", "sigma2", "l1_ratio", "n_init")


@case()
def an_unknown_word_is_answered_with_the_known_ones(estimator):
    def refused(name):
        # The parameters of a part are named as the part names them.
        own = name.rpartition("__")[2]
        with pytest.raises(ValueError, match=rf"{own}=.nonsense.|'{own}' parameter.*nonsense"):
            clone(estimator).set_params(**{name: "nonsense"}).fit(*example_table(estimator))

    words = [name for name, value in estimator.get_params().items() if isinstance(value, str) and name not in UNREAD]
    check_all((name, functools.partial(refused, name)) for name in words)


@case()
def a_negative_number_is_refused(estimator):
    def refused(name):
        with pytest.raises(ValueError, match=f"{name}=-1.*must"):
            clone(estimator).set_params(**{name: -1}).fit(*example_table(estimator))

    # Where −1 is the default it is a word: no limit.
    given = estimator.get_params()
    numbers = [name for name in POSITIVE if isinstance(given.get(name), int | float) and given[name] != -1]
    check_all((name, functools.partial(refused, name)) for name in numbers)


def has_precompute(estimator):
    return "precompute" in estimator.get_params()


@case((np.True_,), (False,), (np.eye(4),), where=has_precompute)
def the_gram_matrix_may_be_given_or_not(estimator, value):
    X, y = example_table(estimator)
    assert fitted(clone(estimator).set_params(precompute=value), X, y).converged_


@case(
    ("nonsense", "must be|choose from"),
    (1, "choose from"),
    (np.eye(4).tolist(), "is a list; give XᵀX as an array"),
    (np.eye(3), r"\(4, 4\)"),
    where=has_precompute,
)
def what_is_no_gram_matrix_is_refused(estimator, value, words):
    X, y = example_table(estimator)
    # Of centred rows a given matrix is computed anew, with a warning, as in scikit-learn.
    with pytest.raises(ValueError, match=f"precompute.*({words})"):
        clone(estimator).set_params(precompute=value, fit_intercept=False).fit(X, y)


@over(public_names.estimators())
def test_bad_input(estimator):
    check_all(
        (f"{check.__name__}{arguments}", functools.partial(check, estimator, *arguments))
        for check, table, where in CASES
        if where(estimator)
        for arguments in table
    )
