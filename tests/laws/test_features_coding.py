"""Laws of label codes, demonstration data and pointers."""

import importlib
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_circles
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelBinarizer, LabelEncoder

from gnomon import datasets, features
from gnomon.features import MaxNormScaler, decode_labels, encode_labels
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


@pytest.mark.spec("LIN-162")
def test_the_pointers_of_the_family_lead_to_maps_that_work():
    pointers = re.findall(r"^\S.*?  +`([\w.]+)`", features.__doc__, flags=re.MULTILINE)
    found = {
        name.rpartition(".")[2]: getattr(importlib.import_module(name.rpartition(".")[0]), name.rpartition(".")[2])
        for name in pointers
    }
    assert len(found) >= 9
    X, y = make_circles(200, factor=0.4, noise=0.05, random_state=0)
    for phi in (
        found["Nystroem"](gamma=1.0, n_components=30, random_state=0),
        found["RBFSampler"](gamma=1.0, random_state=0),
        found["RandomTreesEmbedding"](random_state=0),
    ):
        assert make_pipeline(MaxNormScaler(), phi, LogisticRegression(C=100)).fit(X, y).score(X, y) > 0.95
    rows = np.array([[1.0, 2.0], [3.0, 4.0]])
    ratios = found["BasisExpansion"]([lambda X: X[:, 0] / X[:, 1], lambda X: np.log(X[:, 0] + 2)])
    assert_allclose(ratios.fit_transform(rows), [[0.5, np.log(3)], [0.75, np.log(5)]])
    rare = found["resample"](X[:5], n_samples=50, random_state=0)
    assert rare.shape == (50, 2)
