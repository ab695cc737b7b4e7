"""Laws of autoencoders, variational autoencoders, adversarial networks and pre-training."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from gnomon.decomposition import PCA
from gnomon.neural import (
    Autoencoder,
    GenerativeAdversarialNetwork,
    MLPClassifier,
    MLPRegressor,
    NetworkClassifier,
    NeuralNetwork,
    VariationalAutoencoder,
    adversarial_value,
    optimal_discriminator,
    pretrain,
)
from gnomon.neural._elbo import BernoulliDecoder, ElboProblem, GaussianDecoder
from gnomon.neural.layers import Dense, GaussianNoise, Transposed

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 4)) @ rng.normal(size=(4, 4)) + 3.0
s2 = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
LINEAR = {"activation": "identity"}
TRAINED = {**LINEAR, "solver": "lbfgs", "tol": 1e-8, "max_iter": 5000, "random_state": 0}


def product(model):
    return model.encoder_.network.views(model.encoder_.theta)["encoder_1"][0] @ decoding(model)


def decoding(model):
    return model.decoder_.network.views(model.decoder_.theta)["decoder_1"][0]


@pytest.mark.spec("NEU-130", "NEU-131", "NEU-L28", "UNS-082", "UNS-L31")
def test_linear_autoencoders_are_principal_components():
    for k in (1, 2, 3):
        V = PCA(k).fit(X).components_
        exact = Autoencoder(k, solver="svd", **LINEAR).fit(X)
        trained = Autoencoder(k, **TRAINED).fit(X)
        for model in (exact, trained):
            assert model.reconstruction_error(X) == pytest.approx(s2[k:].sum(), rel=1e-6)
            assert 2 * 30 * model.objective_ == pytest.approx(s2[k:].sum(), rel=1e-6)
            assert np.allclose(product(model), V.T @ V, atol=1e-5)
            assert np.allclose(
                model.reconstruct(X), PCA(k).fit(X).inverse_transform(PCA(k).fit_transform(X)), atol=1e-4
            )
        first = trained.encoder_.network.views(trained.encoder_.theta)["encoder_1"][0]
        assert not np.allclose(decoding(trained), first.T, atol=0.01)
    full = Autoencoder(4, solver="svd", **LINEAR).fit(X)
    assert full.reconstruction_error(X) == pytest.approx(0, abs=1e-18)
    plain = Autoencoder(1, solver="svd", bias=False, **LINEAR).fit(X)
    raw = np.linalg.svd(X, compute_uv=False) ** 2
    assert plain.reconstruction_error(X) == pytest.approx(raw[1:].sum())
    assert Autoencoder(1, bias=False, **TRAINED).fit(X).reconstruction_error(X) == pytest.approx(
        raw[1:].sum(), rel=1e-6
    )


@pytest.mark.spec("NEU-132", "NEU-L28")
def test_tied_weights_have_orthonormal_columns():
    model = Autoencoder(2, tied=True, **TRAINED).fit(X - X.mean(axis=0))
    W = decoding(model).T
    assert np.array_equal(W, model.encoder_.network.views(model.encoder_.theta)["encoder_1"][0])
    assert np.allclose(W.T @ W, np.eye(2), atol=1e-5)
    assert model.network_.n_parameters == 4 * 2 + 2 + 4
    assert model.reconstruction_error(X - X.mean(axis=0)) == pytest.approx(s2[2:].sum(), rel=1e-6)
    exact = Autoencoder(2, tied=True, solver="svd", **LINEAR).fit(X)
    assert exact.reconstruction_error(X) == pytest.approx(s2[2:].sum())


def test_weights_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="'decoder' uses the weights of 'code' and needs them of shape 4×2"):
        NeuralNetwork([Dense(2, name="code"), Transposed(4, "code", name="decoder")], 3)


@pytest.mark.spec("NEU-130", "NEU-L01")
def test_an_autoencoder_of_bent_rows():
    t = np.linspace(-1, 1, 40)
    bow = np.c_[t, 2 * t**2]
    options = {"solver": "lbfgs", "tol": 1e-3, "max_iter": 2000}
    best = min(Autoencoder(1, (8,), random_state=seed, **options).fit(bow).reconstruction_error(bow) for seed in (2, 5))
    line = Autoencoder(1, solver="svd", **LINEAR).fit(bow)
    assert best < 0.05 * line.reconstruction_error(bow)
    model = Autoencoder(2, (5, 3), random_state=0, max_iter=20, tol=1.0).fit(bow)
    codes = model.transform(bow)
    assert np.all(np.abs(codes) <= 1)
    assert np.allclose(model.network_.output(model.theta_, bow), model.inverse_transform(codes), atol=1e-12)
    errors = model.reconstruction_error(bow, reduction="none")
    assert np.allclose(errors, np.sum((bow - model.reconstruct(bow)) ** 2, axis=1))
    assert model.score(bow) == pytest.approx(-errors.mean())
    assert [layer.units for layer in model.network_.layers] == [5, 3, 2, 3, 5, 2]


@pytest.mark.spec("NEU-133")
def test_other_losses():
    bits = (rng.random((40, 6)) < 0.5).astype(float)
    model = Autoencoder(3, loss="binary_crossentropy", max_iter=9, n_iter_no_change=3, tol=10.0, random_state=0).fit(
        bits
    )
    assert np.all((model.reconstruct(bits) > 0) & (model.reconstruct(bits) < 1))
    with pytest.raises(ValueError, match=r"needs rows in \[0, 1\]"):
        Autoencoder(loss="binary_crossentropy").fit(X)
    outlier = np.r_[X - X.mean(axis=0), [[300.0, 0, 0, 0]]]
    epochs = {"learning_rate_init": 0.05, "tol": 1e9, "n_iter_no_change": 300, "max_iter": 400, "random_state": 0}
    robust = Autoencoder(1, loss="absolute_error", **epochs, **LINEAR).fit(outlier)
    plain = Autoencoder(1, solver="svd", **LINEAR).fit(outlier)
    assert robust.reconstruction_error(outlier[:-1]) < plain.reconstruction_error(outlier[:-1])
    with pytest.raises(ValueError, match="solver='svd' is the exact optimum of the linear case only"):
        Autoencoder(1, solver="svd").fit(X)


def test_noise_is_of_training_only():
    network = NeuralNetwork([GaussianNoise(2.0), Dense(2)], 4)
    theta = network.init(rng)
    plain = NeuralNetwork([Dense(2)], 4)
    assert np.array_equal(network.output(theta, X), plain.output(theta, X))
    space = network.workspace(float, np.random.default_rng(0))
    space.forward(theta, [np.zeros((4000, 4))], training=True)
    assert space.values[1].std() == pytest.approx(2.0, rel=0.03)
    # Σ‖x + ε − …‖² punishes large gains: with noise as strong as the rows, half of each component is kept, not all.
    centred = (X - X.mean(axis=0)) / X.std(axis=0)
    options = {"learning_rate_init": 0.02, "max_iter": 300, "n_iter_no_change": 250, "tol": 10.0, "random_state": 0}
    gains = [np.trace(product(Autoencoder(2, noise=noise, **options, **LINEAR).fit(centred))) for noise in (0.0, 1.0)]
    assert gains[0] == pytest.approx(2, abs=0.02)
    assert gains[1] < 1.8


@pytest.mark.spec("NEU-134")
def test_codes_of_all_rows_help_with_few_labels():

    centre = 4.0 * np.eye(10)[:3]
    y = np.arange(150) % 3
    rows = centre[y] + rng.normal(size=(150, 10))
    coder = FrozenEstimator(Autoencoder(2, solver="svd", **LINEAR).fit(rows))
    few = np.arange(6)
    by_code = make_pipeline(coder, KNeighborsClassifier(1)).fit(rows[few], y[few])
    by_row = KNeighborsClassifier(1).fit(rows[few], y[few])
    assert by_code.score(rows[6:], y[6:]) > by_row.score(rows[6:], y[6:])


@pytest.mark.spec("NEU-135")
def test_pretraining_starts_nearer():
    random = np.random.default_rng(0)
    rows = np.tanh(random.normal(size=(200, 2)) @ random.normal(size=(2, 10)) + 0.2 * random.normal(size=(200, 10)))
    network = NeuralNetwork([Dense(2, "sigmoid"), Dense(2, "sigmoid"), Dense(1)], 10)

    def lost(theta, table, layer):
        code = np.c_[network.forward(theta, table)[1][layer], np.ones(200)]
        return np.sum((table - code @ np.linalg.lstsq(code, table)[0]) ** 2)

    # The same draws of first weights, before and after: the code of an autoencoder keeps more of the rows.
    first = [network.init(np.random.default_rng(seed)) for seed in range(4)]
    options = {"max_iter": 300, "learning_rate_init": 0.02}
    learned = [pretrain(network, rows, random_state=seed, **options) for seed in range(4)]
    before, after = (np.mean([lost(theta, rows, "dense_1") for theta in thetas]) for thetas in (first, learned))
    assert after < 0.8 * before
    # Units of a Boltzmann machine take sides between two patterns of bits.
    side = np.arange(200) % 2
    bits = (side[:, None] ^ (np.arange(10) % 2) ^ (random.random((200, 10)) < 0.1)).astype(float)
    learned = [pretrain(network, bits, "rbm", max_iter=60, learning_rate_init=0.1, random_state=k) for k in range(4)]

    def contrast(theta):
        A = network.forward(theta, bits)[1]["dense_1"]
        return np.abs(A[side == 1].mean(axis=0) - A[side == 0].mean(axis=0)).max()

    assert min(map(contrast, learned)) > 0.9 > max(map(contrast, first))
    with pytest.raises(ValueError, match=r"pretraining by 'rbm' needs rows in \[0, 1\]"):
        pretrain(network, rows * 5, "rbm")
    with pytest.raises(ValueError, match="needs sigmoid layers"):
        pretrain(NeuralNetwork([Dense(5, "relu"), Dense(1)], 8), rows, "rbm")


def quiet(model, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*args, **kwargs)


@pytest.mark.spec("NEU-135")
def test_estimators_learn_first_weights_from_rows_without_targets():
    random = np.random.default_rng(1)
    codes = random.normal(size=(400, 2))
    rows = np.tanh(codes @ random.normal(size=(2, 12))) + 0.1 * random.normal(size=(400, 12))
    y = codes[:, 0] * codes[:, 1] > 0
    options = {"activation": "tanh", "pretrain": "autoencoder", "standardize": False, "random_state": 0}
    # Without a step worth the name, what was fitted is what all rows said before.
    still = {**options, "solver": "sgd", "learning_rate_init": 1e-12, "momentum": 0.0, "max_iter": 1}
    model = quiet(MLPClassifier((6, 3), **still), rows[:40], y[:40], X_unlabelled=rows[40:])
    expected = pretrain(model.network_, rows, learning_rate_init=1e-12, random_state=0)
    np.testing.assert_allclose(model.theta_, expected, atol=1e-8)
    alone = pretrain(model.network_, rows[:40], learning_rate_init=1e-12, random_state=0)
    np.testing.assert_allclose(quiet(MLPClassifier((6, 3), **still), rows[:40], y[:40]).theta_, alone, atol=1e-8)
    # Fine-tuning goes on from there, and every start learns its own.
    options |= {"learning_rate_init": 0.01, "max_iter": 150}
    tuned = quiet(MLPRegressor(hidden_layer_sizes=(6,), n_restarts=2, **options), rows, codes)
    assert tuned.score(rows, codes) > 0.9
    assert tuned.restarts_[0] != tuned.restarts_[1]
    bits = (rows > 0).astype(np.float32)
    layers = [Dense(6, "sigmoid")]
    machine = quiet(NetworkClassifier(layers, pretrain="rbm", standardize=False, random_state=0), bits, y)
    assert machine.theta_.dtype == np.float32
    # What cannot be used is refused.
    with pytest.raises(ValueError, match="X_unlabelled is for pretrain="):
        MLPClassifier(standardize=False).fit(rows, y, X_unlabelled=rows)
    with pytest.raises(ValueError, match="X has 3 features"):
        MLPClassifier((6,), **options).fit(rows, y, X_unlabelled=rows[:, :3])
    with pytest.raises(ValueError, match="needs dense rows and X is sparse"):
        MLPClassifier((6,), **options).fit(sparse.csr_matrix(rows), y)
    with pytest.raises(ValueError, match="is not a Dense layer on the one before it"):
        MLPClassifier((6,), keep_hidden=0.5, **options).fit(rows, y)
    with pytest.raises(ValueError, match="pretrain='guess' is unknown"):
        MLPClassifier((6,), **{**options, "pretrain": "guess"}).fit(rows, y)


@pytest.mark.spec("NEU-136")
@pytest.mark.parametrize(("law", "rows"), [(GaussianDecoder(), X[:7]), (BernoulliDecoder(), rng.random((7, 4)))])
def test_gradient_of_the_bound(law, rows):
    encoder = NeuralNetwork([Dense(5, "tanh"), Dense(4)], 4)
    decoder = NeuralNetwork([Dense(5, "tanh"), Dense(4)], 2)
    problem = ElboProblem(encoder, decoder, law, rows, rng.random(7), learn_noise=True, rng=rng)
    theta = 0.3 * rng.normal(size=problem.size)
    gradient = problem.value_and_gradient(theta)[1]
    for i in range(problem.size):
        e = np.zeros(problem.size)
        e[i] = 1e-5
        slope = (problem.value_and_gradient(theta + e)[0] - problem.value_and_gradient(theta - e)[0]) / 2e-5
        assert gradient[i] == pytest.approx(slope, abs=2e-6 * max(1, abs(slope)))


@pytest.mark.spec("NEU-136", "NEU-L39", "GEN-082")
def test_linear_variational_autoencoders_are_probabilistic_components():
    random = np.random.default_rng(0)
    rows = random.normal(size=(200, 2)) @ random.normal(size=(2, 4)) + 0.4 * random.normal(size=(200, 4))
    pca = PCA(2, ddof=0).fit(rows)
    model = VariationalAutoencoder(
        2, (), learning_rate_init=0.02, batch_size=200, max_iter=800, tol=1e9, n_iter_no_change=800, random_state=0
    )
    with pytest.warns(UserWarning, match="not converged"):
        model.fit(rows)
    likelihood = pca.score(rows)
    assert model.score(rows) <= likelihood + 1e-3
    assert model.score(rows) == pytest.approx(likelihood, abs=0.02)
    bound = model.elbo(rows, n_draws=2000)
    assert np.mean(bound) == pytest.approx(likelihood, abs=0.04)
    assert np.mean(bound) <= model.score(rows)
    assert model.noise_variance_ == pytest.approx(pca.noise_variance_, rel=0.05)
    drawn = model.sample(20_000, random_state=0)
    assert np.allclose(np.cov(drawn.T), pca.get_covariance(), atol=0.25)


@pytest.mark.spec("NEU-136")
def test_variational_autoencoders_of_bits():
    bits = (rng.random((60, 5)) < np.where(np.arange(60)[:, None] % 2, 0.9, 0.1)).astype(float)
    model = VariationalAutoencoder(
        1, (8,), decoder="bernoulli", learning_rate_init=0.02, max_iter=200, n_iter_no_change=30, random_state=0
    ).fit(bits)
    assert set(np.unique(model.sample(50, random_state=0))) <= {0.0, 1.0}
    codes = model.transform(bits)[:, 0]
    assert abs(codes[::2].mean() - codes[1::2].mean()) > codes.std()
    assert np.all((model.inverse_transform(codes[:, None]) > 0) & (model.inverse_transform(codes[:, None]) < 1))
    assert model.elbo(bits).mean() <= model.score(bits) <= 0
    assert np.isnan(model.noise_variance_)
    with pytest.raises(ValueError, match=r"needs rows in \[0, 1\]"):
        VariationalAutoencoder(decoder="bernoulli").fit(bits - 1)
    with pytest.raises(ValueError, match="has no meaning for bits"):
        VariationalAutoencoder(decoder="bernoulli", noise_variance=1.0).fit(bits)


@pytest.mark.spec("NEU-137", "NEU-L39")
def test_adversarial_networks():
    p = rng.random(50)
    assert np.array_equal(optimal_discriminator(p, p), np.full(50, 0.5))
    assert adversarial_value(np.full(9, 0.5), np.full(9, 0.5)) == pytest.approx(-np.log(4))
    x = np.linspace(-8, 9, 20_001)
    a, b = np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi), np.exp(-0.5 * (x - 1) ** 2) / np.sqrt(2 * np.pi)
    step = x[1] - x[0]

    def value(D):
        return step * np.sum(a * np.log(D) + b * np.log1p(-D))

    best = value(optimal_discriminator(a, b))
    assert best > -np.log(4)
    assert best > value(np.full_like(x, 0.5))
    assert best > value(np.clip(optimal_discriminator(a, b) + 0.01, 0, 0.999))


@pytest.mark.spec("NEU-137", "GEN-082")
@pytest.mark.parametrize("loss", ["non_saturating", "minimax"])
def test_a_generator_learns_two_moons(loss):
    rows = make_moons(400, noise=0.05, random_state=0)[0]
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    model = GenerativeAdversarialNetwork(2, (32,), generator_loss=loss, max_iter=60, random_state=0).fit(rows)
    before = GenerativeAdversarialNetwork(2, (32,), max_iter=1, random_state=0).fit(rows)

    def energy(drawn):
        return 2 * cdist(drawn, rows).mean() - cdist(drawn, drawn).mean() - cdist(rows, rows).mean()

    assert energy(model.sample(300, random_state=1)) < 0.4 * energy(before.sample(300, random_state=1))
    assert set(model.history_) == {"iteration", "generator_loss", "discriminator_loss", "value"}
    assert np.allclose(model.history_["value"], -model.history_["discriminator_loss"])
    D = model.discriminate(rows)
    assert np.all((D > 0) & (D < 1))
    again = GenerativeAdversarialNetwork(2, (32,), generator_loss=loss, max_iter=60, random_state=0).fit(rows)
    assert np.array_equal(again.sample(5, random_state=2), model.sample(5, random_state=2))
