"""Laws of divergences, conditional laws, products, histograms and kernel densities."""

import numpy as np
import pytest
from scipy import sparse
from scipy.integrate import quad

from gnomon.distributions import (
    KDE,
    Bernoulli,
    Beta,
    Categorical,
    Dirichlet,
    Exponential,
    Gamma,
    Histogram,
    Laplace,
    Multinomial,
    MultivariateNormal,
    MultivariateT,
    Normal,
    Poisson,
    Product,
    StudentT,
    Uniform,
    cross_entropy,
    entropy,
    kl_divergence,
)

COV = np.array([[2.0, 0.5, 0.3], [0.5, 1.0, 0.2], [0.3, 0.2, 1.5]])
MEAN = np.array([1.0, 2.0, 3.0])
PAIRS = [
    (np.array([0.2, 0.3, 0.5]), np.array([0.3, 0.3, 0.4])),
    (Bernoulli(0.3), Bernoulli(0.6)),
    (Poisson(2.0), Poisson(3.0)),
    (Normal(0.0, 1.0), Normal(1.0, 4.0)),
    (Normal(0.0, 1.0), Laplace(0.2, 1.0)),
    (Laplace(0.0, 1.0), StudentT(4.0)),
    (Gamma(2.0, 1.0), Exponential(0.7)),
    (Beta(2.0, 3.0), Beta(3.0, 2.0)),
    (Beta(2.0, 3.0), Uniform(0.0, 1.0)),
    (Dirichlet([2.0, 3.0, 4.0]), Dirichlet([1.0, 1.5, 2.0])),
    (MultivariateNormal(MEAN, COV), MultivariateNormal(np.zeros(3), 2.0 * np.eye(3))),
    (MultivariateNormal(MEAN[:2], COV[:2, :2]), MultivariateT(5.0, np.zeros(2), np.eye(2))),
    (MultivariateT(5.0, np.zeros(2), np.eye(2)), MultivariateNormal(MEAN[:2], COV[:2, :2])),
    (KDE([0.0, 1.0, 3.0], 0.5), Normal(1.0, 2.0)),
    (Histogram([0.0, 1.0, 3.0], [0.7, 0.3], "zero"), Exponential(1.0)),
]
NAMES = [f"{type(p).__name__}-{type(q).__name__}" for p, q in PAIRS]


@pytest.mark.spec("GEN-012", "GEN-L07")
@pytest.mark.parametrize(("p", "q"), PAIRS, ids=NAMES)
def test_divergences_are_positive_and_zero_only_between_equals(p, q):
    forth, back = kl_divergence(p, q), kl_divergence(q, p)
    assert forth > 1e-3
    assert back > 1e-3
    assert kl_divergence(p, p) == pytest.approx(0.0, abs=1e-7)
    assert cross_entropy(p, q) == pytest.approx(entropy(p) + forth, rel=1e-6)
    assert cross_entropy(p, q) > entropy(p)
    assert kl_divergence(p, q, base=2) == pytest.approx(forth / np.log(2.0))


@pytest.mark.spec("GEN-012", "GEN-L07")
@pytest.mark.parametrize(("p", "q"), PAIRS, ids=NAMES)
def test_divergences_agree_with_draws(p, q):
    found = kl_divergence(p, q, n_samples=20_000, random_state=0)
    assert abs(found.value - kl_divergence(p, q)) < 4.0 * found.standard_error + 1e-7
    again = kl_divergence(p, q, n_samples=20_000, random_state=0)
    assert again == found


@pytest.mark.spec("GEN-012")
def test_the_closed_form_of_normal_laws():
    p, q = MultivariateNormal(MEAN, COV), MultivariateNormal(np.zeros(3), np.eye(3) + 0.3)
    inverse = np.linalg.inv(q.cov)
    closed = 0.5 * (
        np.trace(inverse @ p.cov)
        + (q.mean - p.mean) @ inverse @ (q.mean - p.mean)
        - 3.0
        + np.log(np.linalg.det(q.cov) / np.linalg.det(p.cov))
    )
    assert kl_divergence(p, q) == pytest.approx(closed)
    diagonal = MultivariateNormal(MEAN, np.diag(COV), "diag")
    full = MultivariateNormal(MEAN, np.diag(np.diag(COV)))
    assert kl_divergence(q, diagonal) == pytest.approx(kl_divergence(q, full))
    assert kl_divergence(diagonal, q) == pytest.approx(kl_divergence(full, q))


@pytest.mark.spec("GEN-012")
@pytest.mark.parametrize(
    ("p", "q"),
    [
        ([0.5, 0.5], [1.0, 0.0]),
        (Normal(0.0, 1.0), Uniform(-1.0, 1.0)),
        (Normal(1.0, 1.0), Exponential(1.0)),
        (Poisson(1.0), Bernoulli(0.5)),
    ],
    ids=["vector", "uniform", "exponential", "bernoulli"],
)
def test_what_the_second_law_excludes_is_infinitely_far(p, q):
    assert kl_divergence(p, q) == np.inf
    assert kl_divergence(p, q, n_samples=10_000, random_state=0) == (np.inf, 0.0)


@pytest.mark.spec("GEN-012")
def test_beyond_the_plane_draws_are_asked_for():
    p, q = MultivariateT(5.0, np.zeros(3), np.eye(3)), MultivariateT(9.0, np.ones(3), np.eye(3))
    with pytest.raises(NotImplementedError, match="give n_samples"):
        kl_divergence(p, q)
    found = kl_divergence(p, q, n_samples=5000, random_state=0)
    assert found.value > 10.0 * found.standard_error > 0.0


@pytest.mark.spec("GEN-L09", "GEN-011", "GEN-005")
def test_a_diagonal_normal_law_is_a_product():
    var, X = np.array([0.5, 2.0, 3.0]), np.random.default_rng(0).normal(size=(20, 3))
    rows = MultivariateNormal(MEAN, var, "diag").log_density(X)
    columns = Normal(MEAN, var)
    parts = Product([(j, Normal(MEAN[j], var[j])) for j in range(3)])
    np.testing.assert_allclose(columns.row_log_density(X), rows)
    np.testing.assert_allclose(parts.log_density(X), rows)
    np.testing.assert_allclose(MultivariateNormal(MEAN, np.diag(var)).log_density(X), rows)
    np.testing.assert_allclose(parts.cov, np.diag(var))


@pytest.mark.spec("GEN-L09", "GEN-005")
@pytest.mark.parametrize("idx", [[0], [2], [1, 2], [2, 0]])
@pytest.mark.parametrize("kind", ["full", "diag", "spherical"])
def test_the_chain_rule(idx, kind):
    cov = {"full": COV, "diag": np.diag(COV), "spherical": 1.7}[kind]
    law, x = MultivariateNormal(MEAN, cov, kind), np.array([0.3, -1.0, 4.0])
    rest = np.setdiff1d(np.arange(3), idx)
    chained = law.marginal(idx).log_density(x[idx]) + law.condition(idx, x[idx]).log_density(x[rest])
    assert law.log_density(x) == pytest.approx(chained)


@pytest.mark.spec("GEN-005")
def test_mahalanobis_is_the_squared_distance():
    law, x = MultivariateNormal(MEAN, COV), np.array([0.3, -1.0, 4.0])
    assert law.mahalanobis(x) == pytest.approx((x - MEAN) @ np.linalg.inv(COV) @ (x - MEAN))
    assert law.mahalanobis(MEAN) == 0.0
    with pytest.raises(ValueError, match="give rows of 3 numbers"):
        law.mahalanobis(x[:2])
    for idx, values in (([0, 0], [1.0, 1.0]), ([0], [1.0, 2.0]), ([0, 1, 2], [1.0, 1.0, 1.0])):
        with pytest.raises(ValueError, match="must pair some of the coordinates"):
            law.condition(idx, values)


@pytest.mark.spec("GEN-011")
def test_a_product_of_any_families():
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [rng.integers(3, size=200), rng.normal(size=(200, 2)), rng.poisson(3.0, 200), rng.normal(size=200)]
    )
    weights = rng.integers(1, 4, size=200)
    models = [
        ([1, 2], MultivariateNormal),
        (0, Categorical.family(n_values=4, alpha=1.0)),
        ([3], Poisson),
        (4, KDE.family(bandwidth="scott")),
    ]
    law = Product.fit(X, weights, models=models)
    expected = (
        MultivariateNormal.fit(X[:, [1, 2]], weights).log_density(X[:, [1, 2]])
        + Categorical.fit(X[:, 0], weights, n_values=4, alpha=1.0).log_density(X[:, 0])
        + Poisson.fit(X[:, 3], weights).log_density(X[:, 3])
        + KDE.fit(X[:, 4], weights, bandwidth="scott").log_density(X[:, 4])
    )
    np.testing.assert_allclose(law.log_density(X), expected)
    assert law.log_density(X[0]) == pytest.approx(expected[0])
    assert law.n_parameters == 5 + 3 + 1 + 201
    draws = law.sample(5000, rng)
    np.testing.assert_allclose(draws.mean(axis=0), law.mean, atol=0.15)
    np.testing.assert_allclose(np.cov(draws.T), law.cov, atol=0.4)
    each = Product.fit(X[:, 1:3], models=Laplace)
    np.testing.assert_allclose(each.mean, np.median(X[:, 1:3], axis=0))
    with pytest.raises(ValueError, match="give rows of 5 numbers"):
        law.log_density(X[:, :4])
    with pytest.raises(ValueError, match="give rows of 2 numbers"):
        Product.fit(X, models=[(0, Normal), (1, Normal)])


@pytest.mark.spec("GEN-011")
def test_one_law_serves_several_columns():
    law = Product([([0, 1], Normal(1.0, 2.0)), (2, Bernoulli(0.5))])
    x = np.array([0.0, 3.0, 1.0])
    single = Normal(1.0, 2.0)
    assert law.log_density(x) == pytest.approx(single.log_density(0.0) + single.log_density(3.0) + np.log(0.5))
    draws = law.sample(4000, np.random.default_rng(0))
    assert abs(np.corrcoef(draws[:, 0], draws[:, 1])[0, 1]) < 0.06
    assert law.entropy() == pytest.approx(2.0 * single.entropy() + np.log(2.0))


@pytest.mark.spec("GEN-006")
def test_sparse_counts_are_dense_counts():
    X = np.random.default_rng(0).poisson(0.4, size=(30, 6))
    S, w = sparse.csr_matrix(X), np.arange(30.0)
    dense, rare = Multinomial.fit(X, w), Multinomial([0.5, 0.0, 0.2, 0.1, 0.1, 0.1])
    np.testing.assert_allclose(Multinomial.fit(S, w).probabilities, dense.probabilities)
    p = dense.probabilities
    for law in (dense, rare, Multinomial(p, n_trials=2), Multinomial(p, coefficient=False)):
        np.testing.assert_allclose(law.log_density(S), law.log_density(X))
    with pytest.raises(ValueError, match=r"X holds 0\.5"):
        Multinomial.fit(0.5 * S)


# Histograms and kernel densities.


@pytest.mark.spec("GEN-010")
def test_bins_of_a_histogram():
    x = np.random.default_rng(0).normal(size=1000)
    rule = Histogram.fit(x)
    iqr = np.quantile(x, 0.75) - np.quantile(x, 0.25)
    assert np.diff(rule.edges)[0] == pytest.approx(2.0 * iqr * 1000.0 ** (-1.0 / 3.0), rel=0.05)
    assert (rule.edges[0], rule.edges[-1]) == (np.min(x), np.max(x))
    assert Histogram.fit(x, bins=7).n_parameters == 6
    counts, edges = np.histogram(x, 7)
    np.testing.assert_allclose(Histogram.fit(x, bins=7).probabilities, counts / 1000)
    np.testing.assert_allclose(Histogram.fit(x, bins=7).edges, edges)
    for odd in ([5.0], [5.0, 5.0, 5.0], [0.0, 0.0, 0.0, 0.0, 1e6]):
        law = Histogram.fit(odd)
        assert np.isfinite(law.log_density(odd[0]))
        assert np.sum(law.probabilities) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="bins='sturges' is unknown"):
        Histogram.fit(x, bins="sturges")
    a, b = (Histogram.statistics(x, bins=edges) for edges in ([0.0, 1.0], [0.0, 2.0]))
    with pytest.raises(ValueError, match="different edges do not add"):
        a + b


@pytest.mark.spec("GEN-010")
def test_the_tails_of_a_histogram():
    x, edges = [0.1, 0.2, 0.4, 0.9], [0.0, 0.25, 0.5, 1.0]
    clip, zero = (Histogram.fit(x, bins=edges, tails=tails) for tails in ("clip", "zero"))
    np.testing.assert_allclose(clip.density([-3.0, 0.0, 1.0, 9.0]), [2.0, 2.0, 0.5, 0.5])
    np.testing.assert_allclose(zero.density([-3.0, 0.0, 1.0, 9.0]), [0.0, 2.0, 0.5, 0.0])
    outside = Histogram.fit([-5.0, 0.1, 7.0], bins=edges)
    np.testing.assert_allclose(outside.probabilities, [2 / 3, 0.0, 1 / 3])
    gap = Histogram([0.0, 1.0, 2.0, 3.0], [0.5, 0.0, 0.5])
    np.testing.assert_allclose(gap.quantile([0.0, 0.25, 0.75, 1.0]), [0.0, 0.5, 2.5, 3.0])


@pytest.mark.spec("GEN-010")
def test_bandwidths():
    x = np.random.default_rng(0).exponential(size=500)
    sd, iqr = np.std(x), np.quantile(x, 0.75) - np.quantile(x, 0.25)
    assert KDE.fit(x).bandwidth == pytest.approx(0.9 * min(sd, iqr / 1.34) * 500**-0.2, rel=0.01)
    assert KDE.fit(x, bandwidth="scott").bandwidth == pytest.approx(sd * 500**-0.2)
    assert KDE.fit(x, bandwidth="flexible_bayes").bandwidth == pytest.approx(500**-0.5)
    assert KDE.fit([2.0], bandwidth="flexible_bayes").density(2.0) == pytest.approx(Normal(2.0, 1.0).density(2.0))
    X = np.column_stack([x, 10.0 * x])
    h = KDE.fit(X, bandwidth="scott").bandwidth
    np.testing.assert_allclose(h, [sd * 500 ** (-1 / 6), 10.0 * sd * 500 ** (-1 / 6)])


@pytest.mark.spec("GEN-010")
@pytest.mark.parametrize("n", [1, 5, 3000])
@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("h", [1e-3, 0.2, 30.0])
def test_a_kernel_density_is_a_mean_of_normal_densities(n, d, h):
    """To rounding, far out in the tails too, whatever terms the sum leaves out."""
    rng = np.random.default_rng(0)
    C, w = rng.normal(size=(n, d)) ** 3, rng.random(n) ** 4 + 1e-12
    Q = np.concatenate([C[:5] + 0.1 * h, rng.normal(size=(20, d)), 50.0 * rng.normal(size=(10, d))])
    terms = -0.5 * np.sum(((Q[:, None] - C) / h) ** 2, axis=2) + np.log(w / np.sum(w))
    top = np.max(terms, axis=1)
    direct = top + np.log(np.sum(np.exp(terms - top[:, None]), axis=1)) - d * np.log(h * np.sqrt(2.0 * np.pi))
    np.testing.assert_allclose(KDE(C, h, w).log_density(Q), direct, rtol=1e-11, atol=1e-11)
    if d == 1:
        np.testing.assert_allclose(KDE(C[:, 0], h, w).log_density(Q[:, 0]), direct, rtol=1e-11, atol=1e-11)


@pytest.mark.spec("GEN-010")
def test_kernel_densities_take_points_rows_and_columns():
    law = KDE([0.0, 1.0], 0.5)
    assert law.log_density(0.3).shape == ()
    assert law.log_density(np.zeros((4, 1))).shape == (4, 1)
    assert law.row_log_density(np.zeros((4, 1))).shape == (4,)
    rows = KDE([[0.0, 1.0], [2.0, 3.0]], 0.5)
    assert rows.log_density([0.0, 1.0]).shape == ()
    assert rows.log_density(np.zeros((4, 2))).shape == (4,)
    with pytest.raises(ValueError, match="goes with"):
        rows.log_density(np.zeros((4, 3)))
    single = KDE([[0.0], [1.0]], 0.5)
    assert single.log_density(np.zeros((4, 1))).shape == (4,)
    assert KDE([0.0, 1.0], 0.5, [1.0, 0.0]).mean == 0.0
    mode = KDE([0.0, 0.1, 5.0], 0.5).mode
    assert mode == pytest.approx(0.05, abs=1e-6)
    value = quad(lambda x: -law.density(x) * law.log_density(x), -6.0, 7.0)[0]
    assert law.entropy() == pytest.approx(value, rel=1e-6)
