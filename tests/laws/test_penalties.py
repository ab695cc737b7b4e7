"""Laws of penalties: proximal steps, conjugates, projections, strengths, and their priors."""

import numpy as np
import pytest

from gnomon.distributions import Bernoulli, Categorical, Laplace, MultivariateNormal, Normal, StudentT
from gnomon.losses import AbsoluteLoss, LogisticLoss, SoftmaxLoss, SquaredLoss, from_likelihood
from gnomon.penalties import (
    L0,
    L1,
    L2,
    OBJECTIVES,
    ElasticNetPenalty,
    NoPenalty,
    convert_lam,
    from_prior,
    hard_threshold,
    l0_norm,
    objective_form,
    soft_threshold,
    to_prior,
)

PENALTIES = [
    NoPenalty(),
    L1(0.7),
    L2(0.7),
    L2(0.7, half=True),
    ElasticNetPenalty(0.7, 0.3),
    ElasticNetPenalty(0.7, 0.3, half=True),
    ElasticNetPenalty(0.7, 1.0),
    ElasticNetPenalty(0.7, 0.0),
    L0(0.7),
]


@pytest.mark.spec("LIN-020", "LIN-021", "LIN-022", "LIN-023")
@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_prox_minimises_and_is_where_the_gap_is_zero(penalty):
    grid = np.linspace(-6.0, 6.0, 12001)
    for x in (-3.0, -0.4, 0.0, 0.9, 2.5):
        for step in (0.3, 1.0, 2.0):
            u = float(penalty.prox(x, step))
            cost = 0.5 * (grid - x) ** 2 + step * penalty.term(grid)
            assert 0.5 * (u - x) ** 2 + step * penalty.term(np.float64(u)) <= np.min(cost) + 1e-12
            assert penalty.gap(np.float64(u), (u - x) / step) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.spec("LIN-020", "LIN-021", "LIN-023")
@pytest.mark.parametrize("penalty", [p for p in PENALTIES if p.convex], ids=repr)
def test_the_gap_is_zero_only_where_a_proximal_step_stays(penalty):
    for w in (-1.0, 0.0, 0.5):
        for g in np.concatenate([np.linspace(-3.0, 3.0, 61), 0.7 * np.array([-1.05, -0.95, 0.95, 1.05])]):
            stays = abs(float(penalty.prox(w - g, 1.0)) - w) < 1e-9
            assert (float(penalty.gap(np.float64(w), g)) < 1e-9) == stays, (w, g)


@pytest.mark.spec("LIN-020", "LIN-021", "LIN-023")
@pytest.mark.parametrize("penalty", [p for p in PENALTIES if p.convex], ids=repr)
def test_fenchel_young_and_the_domain_of_the_conjugate(penalty):
    rng = np.random.default_rng(0)
    w = rng.normal(size=5)
    v = penalty.slope(w)
    assert penalty.value(w) + penalty.conjugate(v) == pytest.approx(v @ w, abs=1e-12)
    for _ in range(20):
        v = 3.0 * rng.normal(size=5)
        v = penalty.dual_scale(v) * v
        assert penalty.value(w) + penalty.conjugate(v) >= v @ w - 1e-12


@pytest.mark.spec("LIN-020", "LIN-021", "LIN-022")
@pytest.mark.parametrize(
    ("penalty", "size"), [(L2(), lambda w: np.sum(w**2)), (L1(), lambda w: np.sum(np.abs(w))), (L0(), l0_norm)]
)
def test_projection_is_the_nearest_point_of_the_ball(penalty, size):
    rng = np.random.default_rng(0)
    v = rng.normal(size=4)
    found = penalty.project(v, 2)
    assert size(found) <= 2 + 1e-12
    np.testing.assert_array_equal(penalty.project(found, 2), found)
    for _ in range(300):
        other = penalty.project(3.0 * rng.normal(size=4), 2)
        assert np.sum((other - v) ** 2) >= np.sum((found - v) ** 2) - 1e-12
    np.testing.assert_array_equal(penalty.project(0.1 * v, 4), 0.1 * v)
    np.testing.assert_array_equal(np.abs(penalty.project(v, 0)), np.zeros(4))


@pytest.mark.spec("LIN-020", "LIN-021")
def test_dual_norms_bound_inner_products_and_are_reached():
    v = np.array([3.0, -4.0, 1.0])
    assert L1().dual_norm(v) == 4.0
    assert L2().dual_norm(v) == pytest.approx(np.sqrt(26.0))
    assert L1().project(1e9 * v, 1.0) @ v == pytest.approx(4.0)
    assert L2().project(1e9 * v, 1.0) @ v == pytest.approx(np.sqrt(26.0))


@pytest.mark.spec("LIN-021", "LIN-022")
def test_thresholds_and_their_ties():
    v = np.array([2.0, -2.0, 2.1, -0.5])
    np.testing.assert_array_equal(hard_threshold(v, 2.0), [0.0, -0.0, 2.1, -0.0])
    np.testing.assert_allclose(soft_threshold(v, 2.0), [0.0, 0.0, 0.1, 0.0], atol=1e-15)
    np.testing.assert_array_equal(L0().project(np.array([1.0, -1.0, 1.0]), 2), [1.0, -1.0, 0.0])
    assert l0_norm(np.array([0.0, -0.0, 1e-320])) == 1
    assert not L0().convex


@pytest.mark.spec("LIN-023")
def test_elastic_net_lies_between_lasso_and_ridge():
    w, g = np.array([1.0, -2.0, 0.0]), np.array([0.3, 0.2, 0.9])
    for half in (False, True):
        for end, same in ((1.0, L1(0.7)), (0.0, L2(0.7, half=half))):
            net = ElasticNetPenalty(0.7, end, half=half)
            assert net.value(w) == pytest.approx(same.value(w))
            np.testing.assert_allclose(net.prox(w, 0.4), same.prox(w, 0.4))
            np.testing.assert_allclose(net.gap(w, g), same.gap(w, g))


@pytest.mark.parametrize("make", [L0, L1, L2, ElasticNetPenalty])
@pytest.mark.parametrize("strength", [-1.0, np.nan, np.inf])
def test_a_strength_must_be_a_non_negative_number(make, strength):
    with pytest.raises(ValueError, match=r"strength=.* must be ≥ 0"):
        make(strength)


def test_an_l1_ratio_must_be_a_share():
    with pytest.raises(ValueError, match=r"l1_ratio=1\.5 must be in \[0, 1\]"):
        ElasticNetPenalty(1.0, 1.5)


@pytest.mark.spec("LIN-024")
@pytest.mark.parametrize("prior", [Normal(0.0, 2.5), Laplace(0.0, 0.7)], ids=repr)
def test_a_penalty_is_the_negative_log_prior(prior):
    w = np.array([-2.0, 0.3, 1.1])
    penalty = from_prior(prior)
    assert penalty.value(w) == pytest.approx(np.sum(prior.log_density(0.0) - prior.log_density(w)))
    assert to_prior(penalty, type(prior)) == prior
    assert to_prior(from_prior(prior, loss_scale=0.3), type(prior), loss_scale=0.3) == prior
    isotropic = from_prior(MultivariateNormal(np.zeros(3), 2.5 * np.eye(3)))
    assert isotropic == from_prior(Normal(0.0, 2.5))


@pytest.mark.spec("LIN-024")
def test_strengths_of_the_textbook():
    beta2, b, sigma2 = 4.0, 3.0, 0.5
    scale = from_likelihood(Normal(0.0, sigma2)).scale
    assert from_prior(Normal(0.0, beta2), loss_scale=scale).strength == pytest.approx(sigma2 / beta2)
    assert from_prior(Laplace(0.0, b), loss_scale=scale).strength == pytest.approx(2.0 * sigma2 / b)
    logistic = from_likelihood(Bernoulli(0.5)).scale
    assert from_prior(Normal(0.0, beta2), loss_scale=logistic).strength == pytest.approx(1.0 / (2.0 * beta2))
    assert from_prior(Laplace(0.0, b), loss_scale=logistic).strength == pytest.approx(1.0 / b)


@pytest.mark.spec("LIN-024")
def test_losses_of_likelihoods():
    r = np.linspace(-2.0, 2.0, 9)
    for law, loss in ((Normal(0.0, 0.5), SquaredLoss()), (Laplace(0.0, 2.0), AbsoluteLoss())):
        found = from_likelihood(law)
        assert found.loss == loss
        np.testing.assert_allclose(found.scale * found.loss.value(r, 0.0), law.log_density(0.0) - law.log_density(r))
    assert from_likelihood(Bernoulli(0.3)).loss == LogisticLoss()
    assert from_likelihood(Categorical([0.5, 0.5])).loss == SoftmaxLoss()
    p = 1.0 / (1.0 + np.exp(-0.7))
    assert LogisticLoss().value(1.0, 0.7) == pytest.approx(-Bernoulli(p).log_density(1))


@pytest.mark.spec("LIN-024")
def test_what_has_no_penalty_says_so():
    with pytest.raises(ValueError, match="not the energy of a named loss or penalty"):
        from_prior(StudentT(3.0))
    with pytest.raises(ValueError, match="not the energy of a named loss or penalty"):
        from_likelihood(StudentT(3.0))
    with pytest.raises(ValueError, match="not centred at 0"):
        from_prior(Normal(1.0, 1.0))
    with pytest.raises(ValueError, match="not a multiple of the identity"):
        from_prior(MultivariateNormal(np.zeros(2), np.diag([1.0, 2.0])))
    with pytest.raises(ValueError, match="no named penalty"):
        from_prior(Bernoulli(0.5))
    with pytest.raises(ValueError, match="prior is flat"):
        to_prior(L2(0.0), Normal)
    with pytest.raises(ValueError, match="not a square"):
        to_prior(L1(1.0), Normal)
    with pytest.raises(NotImplementedError, match="not the energy of a named prior"):
        to_prior(ElasticNetPenalty(), Normal)


@pytest.mark.spec("LIN-047")
@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_lambda_translates_there_and_back_with_one_ratio(penalty):
    n, words = 7.0, [*OBJECTIVES, "alpha_ridge", "alpha_lasso"]
    for a in words:
        for b in words:
            there = convert_lam(0.3, a, b, n=n, penalty=penalty)
            assert convert_lam(there, b, a, n=n, penalty=penalty) == pytest.approx(0.3)
    # ρ of the table of conventions
    rho = {"sum": 0.3, "mean": 0.3 * n, "C": 1.0 / 0.3, "loss_mean": n / 0.3, "sum_half": 0.3, "mean_half": 0.3 * n}
    halved = () if penalty == "l1" else ("sum_half", "mean_half", "C", "loss_mean")
    for word, ratio in rho.items():
        expected = ratio * (0.5 if word in halved else 1.0)
        assert convert_lam(0.3, word, "sum", n=n, penalty=penalty) == pytest.approx(expected)
    # scikit-learn's ElasticNet halves the loss, and the square too
    alpha = 0.3 / (2.0 * n) if penalty == "l1" else 0.3 / n
    assert convert_lam(0.3, "sum", "alpha_lasso", n=n, penalty=penalty) == pytest.approx(alpha)
    assert convert_lam(0.0, "sum", "C", n=n, penalty=penalty) == np.inf
    assert convert_lam(np.inf, "C", "sum", n=n, penalty=penalty) == 0.0


@pytest.mark.spec("LIN-047")
def test_every_scaling_has_one_minimiser():
    rng = np.random.default_rng(0)
    X, y, n = rng.normal(size=(9, 2)), rng.normal(size=9), 9
    expected = np.linalg.solve(X.T @ X + 2.0 * np.eye(2), X.T @ y)
    for word in OBJECTIVES:
        form = objective_form(word, convert_lam(2.0, "sum", word, n=n), n)
        rho = form.strength * (0.5 if form.half else 1.0) / form.loss_scale
        np.testing.assert_allclose(np.linalg.solve(X.T @ X + rho * np.eye(2), X.T @ y), expected)
    with pytest.raises(ValueError, match="penalty='l3' is unknown"):
        convert_lam(1.0, "sum", "mean", n=3, penalty="l3")
    with pytest.raises(ValueError, match="objective='nope' is unknown"):
        convert_lam(1.0, "nope", "mean", n=3)


@pytest.mark.parametrize("penalty", [L0(), L1(), L2()], ids=str)
def test_a_projection_keeps_its_digits_in_every_unit_and_refuses_an_empty_ball(penalty):
    v, radius = np.array([3.0, -0.2, -2.0, 1.0]), 2.0
    near = penalty.project(v, radius)
    assert penalty.value(near) <= radius * (1 + 1e-12) < penalty.value(v)
    for unit in (1e-200, 1e200, 1e307):
        grown = {"L0": 1.0, "L1": unit, "L2": unit * unit if unit < 1e150 else np.inf}[type(penalty).__name__]
        if 0.0 < grown * radius < np.inf:
            np.testing.assert_allclose(penalty.project(unit * v, grown * radius) / unit, near, rtol=1e-14)
    np.testing.assert_allclose(L2().project(1e200 * v, 1.0), v / np.linalg.norm(v))
    assert not np.any(penalty.project(v, 0))
    np.testing.assert_array_equal(penalty.project(v, np.inf), v)
    np.testing.assert_array_equal(
        penalty.project([3, 0, -2, 1], 1), penalty.project(np.array([3.0, 0.0, -2.0, 1.0]), 1)
    )
    for bad in (-1, -1e-300, np.nan):
        with pytest.raises(ValueError, match=f"radius={bad} must be ≥ 0"):
            penalty.project(v, bad)
    for hole in (np.nan, np.inf):
        with pytest.raises(ValueError, match="NaN or infinity"):
            penalty.project(np.append(v, hole), radius)
