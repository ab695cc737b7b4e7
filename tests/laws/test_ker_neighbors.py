"""Laws of k-NN: what k = 1 and k = n do, ties, weights, kernels as distances, error curves from one search."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold, LeaveOneOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gnomon.io import load, save
from gnomon.kernels import RBF, CallableKernel, Linear, Polynomial
from gnomon.neighbors import KNeighborsClassifier, KNeighborsRegressor

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 4))
CLASSES = np.digitize(X[:, 0] + 0.5 * rng.normal(size=90), [-0.5, 0.5])
TARGET = np.sin(X[:, 0]) + 0.3 * rng.normal(size=90)
QUERIES = rng.normal(size=(25, 4))
MODELS = [(KNeighborsClassifier, np.array(["a", "b", "c"])[CLASSES]), (KNeighborsRegressor, TARGET)]


@pytest.mark.spec("KER-L37", "KER-082")
def test_one_neighbour_reproduces_the_data_and_all_neighbours_are_constant():
    for cls, y in MODELS:
        np.testing.assert_array_equal(cls(1).fit(X, y).predict(X), y)
    assert len(set(KNeighborsClassifier(90).fit(X, CLASSES).predict(QUERIES))) == 1
    np.testing.assert_allclose(KNeighborsRegressor(90).fit(X, TARGET).predict(QUERIES), TARGET.mean(), rtol=1e-11)
    shares = KNeighborsClassifier(90).fit(X, CLASSES).predict_proba(QUERIES)
    np.testing.assert_allclose(shares, np.tile(np.bincount(CLASSES) / 90, (25, 1)))


@pytest.mark.spec("KER-L37", "KER-083")
def test_training_error_rises_and_test_error_is_u_shaped():
    inside, outside = np.zeros(60), np.zeros(60)
    for seed in range(12):
        draw = np.random.default_rng(seed)
        x, x_new = draw.uniform(0, 6, size=(60, 1)), draw.uniform(0, 6, size=(400, 1))
        y, y_new = (np.sin(v[:, 0]) + 0.6 * draw.normal(size=len(v)) for v in (x, x_new))
        model = KNeighborsRegressor().fit(x, y)
        inside += model.error_curve(x, y, range(1, 61)).errors
        outside += model.error_curve(x_new, y_new, range(1, 61)).errors
    assert inside[0] == 0.0
    assert np.all(np.diff(inside[::6]) > 0.0)
    best = int(np.argmin(outside))
    assert 2 < best < 30
    assert outside[0] > 1.3 * outside[best]
    assert outside[-1] > 1.3 * outside[best]


@pytest.mark.spec("KER-L38")
@pytest.mark.parametrize("k", [1, 4, 20])
def test_k_nn_is_nadaraya_watson_with_a_box_of_the_kth_distance(k):
    D = np.linalg.norm(QUERIES[:, None] - X, axis=-1)
    box = (np.sort(D, axis=1)[:, [k - 1]] >= D).astype(float)
    smoothed = box @ TARGET / box.sum(axis=1)
    np.testing.assert_allclose(KNeighborsRegressor(k).fit(X, TARGET).predict(QUERIES), smoothed, rtol=1e-12)


@pytest.mark.spec("KER-L29")
def test_the_unit_of_a_column_matters_unless_columns_are_standardised():
    stretched = [rows * np.array([1.0, 1000.0, 1.0, 1.0]) for rows in (X, QUERIES)]
    for cls, y in MODELS:
        plain, scaled = cls(3), make_pipeline(StandardScaler(), cls(3))
        with pytest.warns(UserWarning, match="features on wild scales: column 1 ") as caught:
            changed = clone(plain).fit(stretched[0], y)
        assert caught[0].filename == __file__
        assert np.any(plain.fit(X, y).predict(QUERIES) != changed.predict(stretched[1]))
        np.testing.assert_array_equal(
            scaled.fit(X, y).predict(QUERIES), clone(scaled).fit(stretched[0], y).predict(stretched[1])
        )


@pytest.mark.spec("KER-015", "KER-080")
@pytest.mark.parametrize(
    "options",
    [
        {"metric": "seuclidean", "metric_params": {"V": [1.0, 1e6, 1.0, 1.0]}, "algorithm": "brute"},
        {"metric_params": {"w": [1.0, 1e-6, 1.0, 1.0]}},
        {"kernel": RBF([1.0, 1e3, 1.0, 1.0])},
        {"metric": "cosine"},
    ],
    ids=["seuclidean", "weights", "kernel", "cosine"],
)
def test_a_metric_with_units_of_its_own_is_not_warned_of_scales(options):
    KNeighborsClassifier(3, **options).fit(X * [1.0, 1e3, 1.0, 1.0], CLASSES)


@pytest.mark.spec("KER-080")
def test_votes_that_tie():
    x, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array(["z", "b", "b", "z"])
    nearest_is_z = [[-0.2]]
    predicted = {
        tie: KNeighborsClassifier(4, tie=tie).fit(x, y).predict(nearest_is_z)[0] for tie in ("lowest", "nearest")
    }
    assert predicted == {"lowest": "b", "nearest": "z"}
    drawn = [
        KNeighborsClassifier(4, tie="random", random_state=s).fit(x, y).predict(nearest_is_z)[0] for s in range(40)
    ]
    assert 10 < drawn.count("z") < 30
    again = KNeighborsClassifier(4, tie="random", random_state=3).fit(x, y)
    assert again.predict(nearest_is_z)[0] == drawn[3]
    # Without a tie the rule does not matter.
    for tie in ("lowest", "nearest", "random"):
        assert KNeighborsClassifier(3, tie=tie).fit(x, y).predict([[1.2]])[0] == "b"


@pytest.mark.spec("KER-080")
def test_rows_at_equal_distance_count_by_their_index():
    x, y = np.array([[1.0], [-1.0], [1.0], [-1.0]]), np.array([0, 1, 2, 3])
    for algorithm in ("brute", "kd_tree", "ball_tree"):
        model = KNeighborsClassifier(2, algorithm=algorithm).fit(x, y)
        np.testing.assert_array_equal(model.kneighbors([[0.0]], return_distance=False), [[0, 1]])
        assert KNeighborsRegressor(3, algorithm=algorithm).fit(x, y).predict([[0.0]])[0] == 1.0


@pytest.mark.spec("KER-080", "KER-013")
def test_nearest_in_the_feature_space_of_a_kernel():
    # A linear kernel has the distance of the rows; a Gaussian one orders rows as it does.
    plain = KNeighborsClassifier(5).fit(X, CLASSES)
    distances, rows = plain.kneighbors(QUERIES)
    for kernel, to_distance in [(Linear(), lambda d: d), (RBF(2.0), lambda d: np.sqrt(2 - 2 * np.exp(-(d**2) / 8)))]:
        found = KNeighborsClassifier(5, kernel=kernel).fit(X, CLASSES).kneighbors(QUERIES)
        np.testing.assert_array_equal(found[1], rows)
        np.testing.assert_allclose(found[0], to_distance(distances), rtol=1e-9)
    k = Polynomial(2)
    D = np.sqrt(k.diag(QUERIES)[:, None] + k.diag(X) - 2 * k.gram(QUERIES, X))
    found = KNeighborsRegressor(4, kernel=k, weights="distance").fit(X, TARGET).predict(QUERIES)
    nearest = np.argsort(D, axis=1)[:, :4]
    w = 1 / np.take_along_axis(D, nearest, axis=1)
    np.testing.assert_allclose(found, (w * TARGET[nearest]).sum(axis=1) / w.sum(axis=1), rtol=1e-9)
    # A row is at distance zero from itself, rounding or not.
    assert KNeighborsRegressor(4, kernel=RBF(0.7), weights="distance").fit(X, TARGET).predict(X) == pytest.approx(
        TARGET
    )


@pytest.mark.spec("KER-080")
def test_objects_that_are_no_numbers():
    common = CallableKernel(lambda a, b: len(set(a) & set(b)), pairwise=True)
    model = KNeighborsClassifier(1, kernel=common).fit(["tea", "sun", "toast"], ["drink", "star", "food"])
    np.testing.assert_array_equal(model.predict(["eat", "sung"]), ["drink", "star"])
    assert model.error_curve(loo=True, ks=[1]).errors[0] == 1.0


@pytest.mark.spec("KER-081")
def test_weights_by_a_kernel_or_a_function_of_distances():
    kernel = RBF(0.8)
    distances, rows = KNeighborsRegressor(6).fit(X, TARGET).kneighbors(QUERIES)
    w = np.exp(-(distances**2) / (2 * 0.64))
    expected = (w * TARGET[rows]).sum(axis=1) / w.sum(axis=1)
    for weights in (kernel, lambda d: np.exp(-(d**2) / (2 * 0.64))):
        np.testing.assert_allclose(KNeighborsRegressor(6, weights=weights).fit(X, TARGET).predict(QUERIES), expected)
    both = np.column_stack([TARGET, -TARGET])
    np.testing.assert_allclose(
        KNeighborsRegressor(6, weights=kernel).fit(X, both).predict(QUERIES), np.column_stack([expected, -expected])
    )
    shares = KNeighborsClassifier(6, weights=kernel).fit(X, CLASSES).predict_proba(QUERIES)
    np.testing.assert_allclose(shares[:, 1], (w * (CLASSES[rows] == 1)).sum(axis=1) / w.sum(axis=1))
    with pytest.raises(ValueError, match="zero weights"):
        KNeighborsClassifier(6, weights=lambda d: 0 * d).fit(X, CLASSES).predict(QUERIES)


@pytest.mark.spec("KER-081")
def test_an_exact_match_takes_the_mean_of_the_matches():
    x, y = np.array([[0.0], [0.0], [1.0]]), np.array([1.0, 3.0, 9.0])
    assert KNeighborsRegressor(3, weights="distance").fit(x, y).predict([[0.0]])[0] == 2.0


@pytest.mark.spec("KER-083")
@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: 1 / (1 + d + d[:, -1:])])
@pytest.mark.parametrize(("cls", "y"), MODELS)
def test_error_curves_are_those_of_one_model_for_each_k(cls, y, weights):
    ks = [1, 2, 5, 17]
    model = cls(weights=weights).fit(X, y)
    y_new = y[:25]
    folds = KFold(4, shuffle=True, random_state=1)
    for curve, predictions in [
        (model.error_curve(QUERIES, y_new, ks), lambda m: (m.fit(X, y).predict(QUERIES), y_new)),
        (model.error_curve(X, y, ks), lambda m: (m.fit(X, y).predict(X), y)),
        (model.error_curve(ks=ks, loo=True), lambda m: (cross_val_predict(m, X, y, cv=LeaveOneOut()), y)),
        (model.error_curve(ks=ks, cv=folds), lambda m: (cross_val_predict(m, X, y, cv=folds), y)),
    ]:
        for k, error in zip(ks, curve.errors, strict=True):
            predicted, true = predictions(cls(k, weights=weights))
            loss = np.mean(predicted != true) if y.dtype.kind == "U" else np.mean((predicted - true) ** 2)
            assert error == pytest.approx(loss, rel=1e-12), k
        assert curve.best_k == ks[int(np.argmin(curve.errors))]
        np.testing.assert_array_equal(curve.effective_dof, 90 / np.array(ks))
    assert cls(7).fit(X, y).effective_dof_ == 90 / 7


def test_curves_say_what_they_need():
    model = KNeighborsRegressor().fit(X, TARGET)
    for given in ({}, {"X": X}, {"X": X, "y": TARGET, "loo": True}, {"loo": True, "cv": 3}):
        with pytest.raises(ValueError, match="give X and y, or loo=True, or cv"):
            model.error_curve(**given)
    for ks in ([0], [91], [1.5], [], [[1]]):
        with pytest.raises(ValueError, match="must be whole numbers from 1 to 90"):
            model.error_curve(X, TARGET, ks)
    with pytest.raises(ValueError, match="to 89"):
        model.error_curve(ks=[90], loo=True)


def test_what_a_kernel_cannot_use_is_refused():
    for options in ({"metric": "manhattan"}, {"p": 1}, {"algorithm": "kd_tree"}, {"metric_params": {"w": [1.0]}}):
        (name,) = options
        with pytest.raises(ValueError, match=f"leave out {name}="):
            KNeighborsClassifier(kernel="rbf", **options).fit(X, CLASSES)
    with pytest.raises(ValueError, match="metric='precomputed'"):
        KNeighborsClassifier(kernel="precomputed").fit(X @ X.T, CLASSES)
    D = np.linalg.norm(X[:, None] - X, axis=-1)
    with pytest.raises(ValueError, match="needs rows"):
        KNeighborsRegressor(metric="precomputed", weights=RBF()).fit(D, TARGET).predict(D)


def test_models_are_saved_without_their_index(tmp_path):
    for number, options in enumerate([{}, {"kernel": RBF(2.0)}, {"metric": "canberra"}, {"algorithm": "brute"}]):
        model = KNeighborsClassifier(3, **options).fit(X, CLASSES)
        path = tmp_path / f"{number}.skops"
        save(model, path)
        np.testing.assert_array_equal(load(path).predict(QUERIES), model.predict(QUERIES))


def test_cross_validation_slices_distances_on_both_sides():
    D = np.linalg.norm(X[:, None] - X, axis=-1)
    folds = KFold(3)
    given, rows = KNeighborsClassifier(3, metric="precomputed"), KNeighborsClassifier(3)
    np.testing.assert_array_equal(
        cross_val_predict(given, D, CLASSES, cv=folds), cross_val_predict(rows, X, CLASSES, cv=folds)
    )
    curves = [model.fit(data, CLASSES).error_curve(cv=folds).errors for model, data in ((given, D), (rows, X))]
    np.testing.assert_array_equal(*curves)
