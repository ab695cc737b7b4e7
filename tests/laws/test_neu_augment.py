"""Transformations that keep labels, training with them, and what they teach."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from gnomon.losses import SoftmaxLoss
from gnomon.neural import NeuralNetwork, invariance_report
from gnomon.neural.layers import Conv2D, Dense, MaxPool2D
from gnomon.numerics.augment import resample
from gnomon.optim import train
from gnomon.transfer import AddNoise, Intensity, Morph, Pitch, Rotate, Scale, Shift

IMAGE = np.random.default_rng(0).normal(size=(1, 2, 7, 7))


class Fixed:
    """A generator that always gives the upper end of a uniform law."""

    def uniform(self, low, high, size=None):
        return np.full(size, high)

    def integers(self, low, high, size=None):
        return np.full(size, high - 1)


@pytest.mark.spec("NEU-111")
def test_transformations_by_definition():
    assert np.allclose(Rotate(90)(IMAGE, None, Fixed())[0], np.rot90(IMAGE, axes=(2, 3)), atol=1e-12)
    assert np.allclose(Rotate(90)(np.array([[1.0, 0.0]]), None, Fixed())[0], [[0, 1]], atol=1e-15)
    moved = Shift(2)(IMAGE, None, Fixed())[0]
    assert np.array_equal(moved[:, :, 2:, 2:], IMAGE[:, :, :-2, :-2])
    assert not moved[:, :, :2].any()
    half = Shift(0.5, whole=False)(IMAGE, None, Fixed())[0]
    mean = (IMAGE[:, :, 1:, 1:] + IMAGE[:, :, 1:, :-1] + IMAGE[:, :, :-1, 1:] + IMAGE[:, :, :-1, :-1]) / 4
    assert np.allclose(half[:, :, 1:, 1:], mean)
    larger = Scale(2)(IMAGE, None, Fixed())[0]
    assert np.allclose(larger[:, :, 1::2, 1::2], IMAGE[:, :, 2:5, 2:5])
    assert np.allclose(Scale(3)(np.ones((1, 2)), None, Fixed())[0], 3)
    assert np.allclose(Intensity(0.5, 0.25)(IMAGE, None, Fixed())[0], 1.5 * IMAGE + 0.25)
    signal = np.sin(np.arange(40) / 5)[None]
    octave = Pitch(12)(signal, None, Fixed())[0]
    assert np.allclose(octave[0, :20], signal[0, ::2])
    assert not octave[0, 20:].any()
    noise = AddNoise(0.3)(np.zeros((500, 4)), None, np.random.default_rng(0))[0]
    assert noise.std() == pytest.approx(0.3, rel=0.05)


@pytest.mark.spec("NEU-111")
def test_elastic_fields():
    rows = np.repeat(np.linspace(0, 1, 28)[:, None], 28, axis=1)[None]
    assert np.allclose(Morph(0.0)(rows, None, np.random.default_rng(0))[0], rows)
    # Smoothing by σ leaves Var u · Σ G² = (1/3)/(4πσ²) of the noise, and α multiplies its root.
    alpha, sigma, many = 30.0, 4.0, np.repeat(rows, 60, axis=0)
    changed = Morph(alpha, sigma)(many, None, np.random.default_rng(0))[0]
    moves = (changed - many)[:, 12:16, 12:16] * 27
    assert moves.std() == pytest.approx(alpha / np.sqrt(12 * np.pi) / sigma, rel=0.15)
    assert np.abs(np.diff(moves, axis=1)).mean() < 0.3 * np.abs(moves).mean()


@pytest.mark.spec("NEU-111")
@pytest.mark.parametrize(
    "step", [AddNoise(0.1), Intensity(0.2, 0.1), Rotate(20), Shift(2), Scale(1.2), Morph(8.0), Pitch(2)], ids=repr
)
def test_rows_keep_labels_shape_and_precision(step):
    y = np.array([3, 1])
    for dtype in (np.float32, np.float64):
        X = np.random.default_rng(0).normal(size=(2, 1, 6, 6)).astype(dtype)
        before = X.copy()
        changed, labels = step(X, y, np.random.default_rng(1))
        assert changed.dtype == dtype
        assert changed.shape == X.shape
        assert labels is y
        assert np.array_equal(X, before)
        assert not np.array_equal(changed, X)
        assert np.array_equal(changed, step(X, y, np.random.default_rng(1))[0])


@pytest.mark.spec("NEU-111")
def test_flat_rows_and_refusals():
    flat = IMAGE[:, :1].reshape(1, 49)
    images = Rotate(30)(IMAGE[:, :1], None, Fixed())[0]
    assert np.array_equal(Rotate(30, image_shape=(7, 7))(flat, None, Fixed())[0], images.reshape(1, 49))
    with pytest.raises(ValueError, match="give image_shape="):
        Shift(1)(flat, None, Fixed())
    with pytest.raises(ValueError, match=r"image_shape=\(6, 7\) does not divide"):
        Shift(1, image_shape=(6, 7))(flat, None, Fixed())
    for wrong in ({"degrees": -1}, {"degrees": np.nan}):
        with pytest.raises(ValueError, match="degrees="):
            Rotate(**wrong)
    with pytest.raises(ValueError, match="ratio="):
        Scale(0.5)
    assert np.array_equal(resample(IMAGE, np.indices((7, 7), float)[None]), IMAGE)


@pytest.mark.spec("NEU-110")
def test_batches_are_changed_and_objectives_are_not():
    X, y = np.random.default_rng(0).normal(size=(8, 3)), np.arange(8) % 2
    net = NeuralNetwork([Dense(2)], 3)
    theta, seen = net.init(np.random.default_rng(1)), []

    def twice(rows, labels, rng):
        seen.append((rows.copy(), labels.copy(), rng.random()))
        return 2 * rows, labels

    def squared(rows, labels, rng):
        rows **= 2
        return rows, labels

    problem = net.problem(X, y, loss=SoftmaxLoss(), rng=np.random.default_rng(5), augment=[twice, squared])
    plain, gradient = net.problem(X, y, loss=SoftmaxLoss()), np.empty_like(theta)
    assert problem.value_and_gradient(theta)[0] == plain.value_and_gradient(theta)[0]
    assert not seen
    value = problem.batch_value_and_gradient(theta, np.array([1, 4]), gradient)
    expected = net.value_and_gradient(theta, (2 * X[[1, 4]]) ** 2, y[[1, 4]], loss=SoftmaxLoss())
    assert value == pytest.approx(expected[0], rel=1e-15)
    assert np.array_equal(gradient, expected[1])
    rows, labels, draw = seen[0]
    assert np.array_equal(rows, X[[1, 4]])
    assert labels.tolist() == [1, 0]
    assert draw == np.random.default_rng(5).random()
    with pytest.raises(ValueError, match="must keep the shape"):
        net.problem(X, y, loss=SoftmaxLoss(), rng=np.random.default_rng(0), augment=lambda X, y, rng: (X[:1], y)
        ).batch_value_and_gradient(theta, slice(None), gradient)  # fmt: skip
    for other in (lambda X, y, rng: (X, 1 - y), lambda X, y, rng: (X, np.sort(y)), _written_over):
        wrong = net.problem(X, y, loss=SoftmaxLoss(), rng=np.random.default_rng(0), augment=[twice, other])
        with pytest.raises(ValueError, match="returned other labels than it was given; it must return y as it was"):
            wrong.batch_value_and_gradient(theta, slice(None), gradient)
    assert np.array_equal(y, np.arange(8) % 2)
    with pytest.raises(ValueError, match="augment='shift' must be"):
        net.problem(X, y, loss=SoftmaxLoss(), rng=np.random.default_rng(0), augment="shift")
    with pytest.raises(ValueError, match="give rng="):
        net.problem(X, y, loss=SoftmaxLoss(), augment=AddNoise(0.1))


def _written_over(X, y, rng):
    y[:] = 1 - y
    return X, y


class Scores:
    """A network as a classifier."""

    def __init__(self, net, theta):
        self.net, self.theta = net, theta

    def predict_proba(self, X):
        Z = self.net.output(self.theta, X)
        e = np.exp(Z - Z.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def predict(self, X):
        return np.argmax(self.net.output(self.theta, X), axis=1)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    X = np.pad(X.reshape(-1, 8, 8) / 16, ((0, 0), (2, 2), (2, 2))).reshape(-1, 1, 12, 12)
    return X[:1000], y[:1000], X[1000:], y[1000:]


def fitted(layers, X, y, augment=None, epochs=25):
    net = NeuralNetwork([*layers, Dense(10)], (1, 12, 12))
    draws = np.random.default_rng(0)
    problem = net.problem(X, y, loss=SoftmaxLoss(), rng=draws, augment=augment)
    theta = train(problem, net.init(draws), schedule=3e-3, batch_size=50, tol=None, max_iter=epochs, random_state=1).w
    return Scores(net, theta)


@pytest.mark.spec("NEU-L38", "NEU-110", "NEU-112")
def test_augmentation_teaches_invariance(digits):
    X, y, X_test, y_test = digits
    plain = fitted([Dense(128, "relu")], X, y, epochs=30)
    for step, strengths, gain in ((Shift(1), [0, 1], 0.4), (Rotate(30), [0, 15, 30], 0.08)):
        taught = fitted([Dense(128, "relu")], X, y, step, epochs=60)
        changed = step(X_test, None, np.random.default_rng(7))[0]
        assert np.mean(taught.predict(changed) == y_test) > np.mean(plain.predict(changed) == y_test) + gain
        assert np.mean(taught.predict(X_test) == y_test) > np.mean(plain.predict(X_test) == y_test) - 0.03
        a, b = (invariance_report(model, X_test, type(step), strengths) for model in (plain, taught))
        assert a.unchanged[0] == b.unchanged[0] == 1
        assert a.score_change[0] == b.score_change[0] == 0
        assert np.all(b.unchanged[1:] > a.unchanged[1:])
        assert np.all(b.score_change[1:] < a.score_change[1:])
        assert np.all(np.diff(a.unchanged) < 0)


@pytest.mark.spec("NEU-L38")
def test_augmentation_does_not_need_a_convolution(digits):
    X, y, X_test, y_test = digits
    shifted = Shift(1)(X_test, None, np.random.default_rng(7))[0]
    conv = [Conv2D(8, 3, padding="same", activation="relu"), MaxPool2D(), Conv2D(16, 3, padding="same"), MaxPool2D(3)]
    dense, own, taught = (
        np.mean(model.predict(shifted) == y_test)
        for model in (
            fitted([Dense(128, "relu")], X, y, epochs=30), fitted(conv, X, y, epochs=12),
            fitted([Dense(128, "relu")], X, y, Shift(1), epochs=60),
        )
    )  # fmt: skip
    assert dense < own
    assert taught > own - 0.02
