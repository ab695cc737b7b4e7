"""Laws of label codes, demonstration data and pointers."""

import importlib
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_circles, make_regression
from sklearn.kernel_ridge import KernelRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelBinarizer, LabelEncoder

from gnomon import datasets, features
from gnomon.features import MaxNormScaler, Nystroem, RandomFourierFeatures, decode_labels, encode_labels
from gnomon.linear import LinearRegression, LinearSVC, LogisticRegression, Ridge
from gnomon.numerics.coding import CODINGS

LABELS = {
    "numbers": [3, 1, 3, 1],
    "strings": ["no", "yes", "no", "no"],
    "booleans": [True, False, False, True],
    "three": ["c", "a", "b", "a"],
    "floats": [0.5, 2.0, 0.5, -1.0],
}


@pytest.mark.spec("LIN-110")
@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("coding", CODINGS)
def test_codes_are_decoded_to_the_labels(name, coding):
    y = np.array(LABELS[name], dtype=object if name == "floats" else None)
    y = y.astype(str) if name == "floats" else y
    if coding in ("zero_one", "sign") and len(np.unique(y)) > 2:
        with pytest.raises(ValueError, match="needs two classes"):
            encode_labels(y, coding)
        return
    codes, classes = encode_labels(y, coding)
    assert_array_equal(decode_labels(codes, classes, coding), y)


@pytest.mark.spec("LIN-110")
def test_codes_are_those_of_the_formulas_and_of_scikit_learn():
    y = np.array(LABELS["strings"])
    c, classes = encode_labels(y)
    assert classes.tolist() == ["no", "yes"]
    assert_array_equal(c, LabelEncoder().fit_transform(y))
    assert_array_equal(encode_labels(y, "sign")[0], 2 * c - 1)
    three = np.array(LABELS["three"])
    one_hot = encode_labels(three, "one_hot")[0]
    assert_array_equal(one_hot, LabelBinarizer().fit_transform(three))
    signed = encode_labels(three, "one_hot_sign")[0]
    assert_array_equal(signed, LabelBinarizer(neg_label=-1).fit_transform(three))
    assert (np.sum(signed == 1, axis=1) == 1).all()
    smooth = encode_labels(three, "posterior", smoothing=0.3)[0]
    assert_allclose(smooth.sum(axis=1), 1)
    assert_allclose(smooth, 0.7 * one_hot + 0.1)


@pytest.mark.spec("LIN-110")
def test_classes_may_be_given_and_strangers_are_named():
    codes, classes = encode_labels(["b", "a"], "sign", classes=["b", "a"])
    assert codes.tolist() == [-1, 1]
    assert classes.tolist() == ["b", "a"]
    assert encode_labels(["b"], "one_hot", classes=["a", "b", "c"])[0].tolist() == [[0, 1, 0]]
    with pytest.raises(ValueError, match=r"labels \['z'\] that are not in classes"):
        encode_labels(["b", "z"], "index", classes=["a", "b"])
    with pytest.raises(ValueError, match="distinct labels"):
        encode_labels(["a"], "index", classes=["a", "a"])
    with pytest.raises(ValueError, match="coding='onehot' is unknown"):
        encode_labels(["a", "b"], "onehot")
    with pytest.raises(ValueError, match="do not fit coding"):
        decode_labels([[0.1, 0.9]], ["a", "b", "c"], "posterior")


@pytest.mark.spec("LIN-110")
def test_ties_are_decoded_to_the_first_class():
    assert decode_labels([0.0], ["a", "b"], "sign")[0] == "a"
    assert decode_labels([0.5], ["a", "b"], "zero_one")[0] == "a"
    assert decode_labels([[0.4, 0.4, 0.2]], ["a", "b", "c"], "posterior")[0] == "a"


PROBLEMS = [
    (datasets.make_center_corner, {}),
    (datasets.make_center_corner, {"shape": "ring"}),
    (datasets.make_linear_outliers, {}),
    (datasets.make_quadratic_boundary, {}),
    (datasets.make_threshold, {}),
    (datasets.make_threshold, {"threshold": -3.0}),
]


@pytest.mark.spec("LIN-186")
@pytest.mark.parametrize(("maker", "options"), PROBLEMS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_each_problem_is_solved_by_its_map_and_not_without(maker, options, seed):
    X, y, phi = maker(300, random_state=seed, return_map=True, **options)
    linear = LogisticRegression(C=1e4, max_iter=10_000)
    assert linear.fit(X, y).score(X, y) < 0.99
    assert make_pipeline(phi, linear).fit(X, y).score(X, y) == 1.0


MAKERS = [
    "make_center_corner",
    "make_heart_attack",
    "make_informative_pair",
    "make_linear_outliers",
    "make_quadratic_boundary",
    "make_threshold",
]


@pytest.mark.spec("LIN-186")
@pytest.mark.parametrize("name", MAKERS)
def test_makers_repeat_with_a_seed(name):
    maker = getattr(datasets, name)
    first, second, other = maker(31, random_state=5), maker(31, random_state=5), maker(31, random_state=6)
    assert_array_equal(first[0], second[0])
    assert_array_equal(first[1], second[1])
    assert first[0].shape[0] == len(first[1]) == 31
    assert (first[0] != other[0]).any()
    with pytest.raises((ValueError, TypeError), match="n_samples"):
        maker(0)


@pytest.mark.spec("LIN-186")
def test_probability_of_a_heart_attack_is_known():
    X, y, p = datasets.make_heart_attack(20_000, random_state=0, return_probability=True)
    for low in np.arange(0, 1, 0.1):
        here = (p >= low) & (p < low + 0.1)
        if here.sum() > 100:
            assert abs(y[here].mean() - p[here].mean()) < 4 * np.sqrt(0.25 / here.sum())
    score = -1.5 + 0.08 * (X[:, 0] - 55) + 0.9 * X[:, 1] - 0.25 * (X[:, 2] - 5)
    assert_allclose(p, 1 / (1 + np.exp(-score)))


def pointer(name):
    """The object that the table of the package points to under its last name."""
    pointers = re.findall(r"^\S.*?  +`([\w.]+)`", features.__doc__, flags=re.MULTILINE)
    module = {full.rpartition(".")[2]: full.rpartition(".")[0] for full in pointers}[name]
    return getattr(importlib.import_module(module), name)


@pytest.mark.spec("LIN-162")
@pytest.mark.parametrize("alpha", [0.1, 10.0])
def test_ridge_on_all_landmarks_is_kernel_ridge(alpha):
    X, y = make_regression(60, 3, noise=10.0, random_state=0)
    landmarks = Nystroem(gamma=0.3, n_components=60, random_state=0)
    model = make_pipeline(landmarks, Ridge(alpha, fit_intercept=False)).fit(X, y)
    exact = KernelRidge(alpha=alpha, kernel="rbf", gamma=0.3).fit(X, y)
    new = np.random.default_rng(0).normal(size=(20, 3))
    assert_allclose(model.predict(new), exact.predict(new), rtol=1e-6)
    few = make_pipeline(landmarks.set_params(n_components=20), Ridge(alpha, fit_intercept=False)).fit(X, y)
    assert few[:-1].transform(new).shape == (20, 20)


@pytest.mark.spec("LIN-162")
def test_random_features_lead_to_the_kernel_model_as_they_grow():
    X, y = make_regression(60, 3, noise=10.0, random_state=0)
    exact = KernelRidge(alpha=1.0, kernel="rbf", gamma=0.3).fit(X, y).predict(X)
    errors = []
    for size in (50, 500, 5000):
        phi = RandomFourierFeatures("rbf", size, gamma=0.3, paired=False, random_state=0)
        found = make_pipeline(phi, Ridge(1.0, fit_intercept=False)).fit(X, y).predict(X)
        errors.append(np.linalg.norm(found - exact) / np.linalg.norm(exact))
    assert errors[0] > 2 * errors[1] > 4 * errors[2]


@pytest.mark.spec("LIN-162")
def test_a_linear_model_of_leaves_adds_a_constant_per_leaf():
    X, y = make_circles(200, factor=0.4, noise=0.05, random_state=0)
    trees = pointer("RandomTreesEmbedding")(20, random_state=0)
    model = make_pipeline(MaxNormScaler(), trees, LogisticRegression(C=100.0)).fit(X, y)
    leaves = model[:-1].transform(X)
    assert sparse.issparse(leaves)
    assert (leaves.sum(axis=1) == 20).all()
    scores = [model[-1].coef_[0, row.indices].sum() + model[-1].intercept_[0] for row in leaves]
    assert_allclose(model.decision_function(X), scores)
    dense = LogisticRegression(C=100.0).fit(leaves.toarray(), y)
    assert_allclose(dense.predict_proba(leaves.toarray()), model.predict_proba(X), atol=1e-6)
    assert LogisticRegression(C=100.0).fit(X, y).score(X, y) < 0.7 < 0.95 < model.score(X, y)


@pytest.mark.spec("LIN-162")
def test_ratios_and_logarithms_find_the_law_that_made_the_data():
    X = np.random.default_rng(0).uniform(1.0, 5.0, size=(80, 3))
    y = 2.0 + 3.0 * X[:, 0] / X[:, 1] - 1.5 * np.log(X[:, 2] + 2.0)
    expand = pointer("BasisExpansion")([lambda X: X[:, 0] / X[:, 1], (2, lambda x: np.log(x + 2.0))])
    model = make_pipeline(expand, LinearRegression()).fit(X, y)
    assert_allclose([model[-1].intercept_, *model[-1].coef_], [2.0, 3.0, -1.5], rtol=1e-10)
    assert LinearRegression().fit(X, y).score(X, y) < 0.99 < model.score(X, y)


@pytest.mark.spec("LIN-162")
@pytest.mark.parametrize("model", [LogisticRegression(tol=1e-9, max_iter=1000), LinearSVC(tol=1e-9, max_iter=10_000)])
def test_resampling_for_balance_is_what_weights_do_exactly(model):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0.0, 1.0, (400, 2)), rng.normal(1.0, 1.0, (40, 2))])
    y = np.repeat(["common", "rare"], [400, 40])
    rare = y == "rare"
    tenfold = np.concatenate([np.flatnonzero(~rare), np.tile(np.flatnonzero(rare), 10)])
    repeated = clone(model).fit(X[tenfold], y[tenfold])
    weighted = clone(model).set_params(class_weight={"common": 1.0, "rare": 10.0}).fit(X, y)
    assert_allclose(weighted.coef_, repeated.coef_, atol=1e-5)
    drawn = clone(model).fit(*features.RandomOverSampler(method="bootstrap", random_state=0).fit_resample(X, y))
    plain = clone(model).fit(X, y)
    found, balanced, before = ((m.predict(X)[rare] == "rare").mean() for m in (drawn, repeated, plain))
    assert before < 0.5 < 0.6 < found
    assert abs(found - balanced) < 0.1
