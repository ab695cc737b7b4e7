"""Deviance losses far out: against decimal arithmetic, as arrays and in kernels, and what that means for fits."""

from decimal import Decimal, localcontext
from functools import cache

import numpy as np
import pytest
from scipy import special

from gnomon._jit import compiled, jit
from gnomon.linear import GLM, SeparationWarning
from gnomon.losses import (
    BinomialFamily,
    CLogLogLink,
    DevianceLoss,
    Family,
    GammaFamily,
    GaussianFamily,
    IdentityLink,
    InverseGaussianFamily,
    InverseLink,
    LogitLink,
    LogLink,
    PoissonFamily,
    ProbitLink,
    TweedieFamily,
    noun,
)
from gnomon.numerics import tails

EPS = np.finfo(float).eps
LARGEST = Decimal("1e300")
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")
MIDDLE = np.array([0.0, 1e-9, 1e-3, 0.1, 0.37, 0.7, 1.0, 1.9, 3.4, 3.6, 5.0, 6.4, 8.1, 12.3, 20.0, 30.0, 36.9])
FAR = np.append(MIDDLE, [38.4, 55.0, 101.7, 250.0, 349.0, 420.1, 699.0])
BOTH = np.unique(np.append(-FAR, FAR))


def exact(function):
    """Run in decimal arithmetic with so many digits that 1 − 10⁻³²⁰ is told from 1."""

    @cache
    def run(*numbers):
        with localcontext() as context:
            context.prec = 360
            return function(*(Decimal(number) for number in numbers))

    return run


def normal_tail(x):
    """1 − Φ(x) for x ≥ 0: ½ less the series of the integral of the density, or Laplace's continued fraction."""
    density = (-x * x / 2).exp() / (2 * PI).sqrt()
    if x > 6:
        fraction = x
        for k in range(300, 0, -1):
            fraction = x + k / fraction
        return density / fraction
    term, total, k = x, x, 1
    while abs(term) > Decimal("1e-60"):
        k += 2
        term *= x * x / k
        total += term
    return Decimal("0.5") - density * total


@exact
def logit(z):
    up, down = z.exp(), (-z).exp()
    return -(1 + down).ln(), -(1 + up).ln(), 1 / (1 + up), 1 / (1 + down)


@exact
def probit(z):
    tail, density = normal_tail(abs(z)), (-z * z / 2).exp() / (2 * PI).sqrt()
    mean, rest = (tail, 1 - tail) if z < 0 else (1 - tail, tail)
    return mean.ln(), rest.ln(), density / mean, density / rest


@exact
def cloglog(z):
    e = z.exp()
    rest = (-e).exp() if e < 2000 else Decimal(0)
    mean = 1 - rest if z > -100 else e - e * e / 2 + e**3 / 6
    return mean.ln(), -e, e * rest / mean, e


@exact
def log(z):
    mean = z.exp()
    return z, (1 - mean).ln(), Decimal(1), mean / (1 - mean)


@exact
def binomial(y, log_mean, log_rest, rise, fall):
    """Each result as the terms that add up to it."""
    own = [(y * y.ln() if y else Decimal(0)), ((1 - y) * (1 - y).ln() if y < 1 else Decimal(0))]
    return [*own, -y * log_mean, (y - 1) * log_rest], [(1 - y) * fall, -y * rise], [rise * fall]


@jit
def fill(loss, y, z, out):
    for i in range(len(z)):
        out[0, i], out[1, i] = loss.value(y[i], z[i]), loss.gradient(y[i], z[i])
        out[2, i] = loss.curvature(y[i], z[i])


def results(loss, y, z):
    """Value, gradient and curvature as arrays, without a floating-point complaint, and in a kernel."""
    y = np.broadcast_to(np.asarray(y, dtype=float), z.shape).copy()
    with np.errstate(all="raise", under="ignore"):
        arrays = np.array([loss.value(y, z), loss.gradient(y, z), loss.curvature(y, z)])
    kernel = np.empty_like(arrays)
    fill(compiled(loss), y, z, kernel)
    return arrays, kernel


def assert_sums(found, terms, slack):
    """`found` is the sum of the terms to `slack` roundings of the largest; a sum that is no double is only large."""
    total, size = sum(terms), max(abs(term) for term in terms)
    if size > LARGEST:
        assert float(total / size) * found > 1e200
    else:
        assert abs(Decimal(float(found)) - total) <= size * Decimal(slack * EPS) + Decimal("1e-300")


CASES = [
    (LogitLink(), logit, BOTH),
    (ProbitLink(), probit, BOTH),
    (CLogLogLink(), cloglog, BOTH),
    (LogLink(), log, -np.append(FAR[1:], [1e-15, 1e-12])),
]


@pytest.mark.spec("LIN-145")
@pytest.mark.parametrize(("link", "parts", "grid"), CASES, ids=lambda case: type(case).__name__)
@pytest.mark.parametrize("y", [0.0, 1e-12, 0.3, 0.5, 1.0])
def test_binomial_deviance_is_exact_in_both_tails(link, parts, grid, y):
    for found in results(DevianceLoss(BinomialFamily(), link), y, grid):
        for j, z in enumerate(grid):
            these = parts(z)
            # A rounding of the exponent E of e^−E, here of the smaller probability, is E roundings of the result.
            slack = 20.0 + 2.0 * min(-float(min(these[:2])), 750.0)
            for row, terms in enumerate(binomial(y, *these)):
                assert_sums(found[row, j], terms, slack)


@exact
def power_family(p, y, z):
    mean = z.exp()
    rest = {
        0: lambda: [y * y / 2, -y * mean, mean * mean / 2],
        1: lambda: [y * y.ln() if y else Decimal(0), -y * z, -y, mean],
        2: lambda: [y / mean, Decimal(-1), -y.ln(), z],
    }
    general = [
        y ** (2 - p) / ((1 - p) * (2 - p)) if p not in rest and y else Decimal(0),
        -y * ((1 - p) * z).exp() / (1 - p) if p != 1 else Decimal(0),
        ((2 - p) * z).exp() / (2 - p) if p != 2 else Decimal(0),
    ]
    value = rest[int(p)]() if p in rest else general
    return value, [((2 - p) * z).exp(), -y * ((1 - p) * z).exp()], [((2 - p) * z).exp()]


POWERS = [
    (GaussianFamily(), 0.0, (-2.0, 0.0, 30.0)),
    (PoissonFamily(), 1.0, (0.0, 1.0, 17.0, 1e6)),
    (TweedieFamily(1.3), 1.3, (0.0, 0.4, 25.0)),
    (TweedieFamily(1.5), 1.5, (0.0, 0.4, 25.0)),
    (GammaFamily(), 2.0, (1e-3, 1.0, 250.0)),
    (InverseGaussianFamily(), 3.0, (1e-3, 1.0, 250.0)),
    (TweedieFamily(3.5), 3.5, (1e-3, 1.0, 250.0)),
]


@pytest.mark.spec("LIN-145")
@pytest.mark.parametrize(("family", "p", "targets"), POWERS, ids=lambda case: type(case).__name__)
def test_power_families_with_the_log_link_are_exact_wherever_they_are_numbers(family, p, targets):
    for y in targets:
        for found in results(DevianceLoss(family, LogLink()), y, BOTH):
            for j, z in enumerate(BOTH):
                for row, terms in enumerate(power_family(p, y, z)):
                    assert_sums(found[row, j], terms, 30.0)


@pytest.mark.spec("LIN-145")
@pytest.mark.parametrize(("link", "parts", "grid"), CASES[:3], ids=lambda case: type(case).__name__)
def test_a_poisson_mean_that_underflows_keeps_its_logarithm(link, parts, grid):
    for found in results(DevianceLoss(PoissonFamily(), link), 3.0, grid):
        for j, z in enumerate(grid):
            log_mean, _, rise, _ = parts(z)
            slack = 20.0 + 2.0 * min(-float(min(parts(z)[:2])), 750.0)
            with localcontext() as context:
                context.prec = 50
                mean = log_mean.exp()
                assert_sums(found[0, j], [3 * Decimal(3).ln(), -3 * log_mean, Decimal(-3), mean], slack)
                assert_sums(found[1, j], [mean * rise, -3 * rise], slack)
                assert_sums(found[2, j], [mean * rise * rise], slack)


@pytest.mark.spec("LIN-145")
def test_gamma_with_the_inverse_link_next_to_zero():
    z = 10.0 ** np.arange(-100.0, 101.0, 5.0)
    for found in results(DevianceLoss(GammaFamily(), InverseLink()), 2.5, z):
        np.testing.assert_allclose(found[0], 2.5 * z - 1.0 - np.log(2.5 * z), rtol=1e-14)
        np.testing.assert_allclose(found[1], 2.5 - 1.0 / z, rtol=1e-14)
        np.testing.assert_allclose(found[2], z**-2.0, rtol=1e-14)
    for found in results(DevianceLoss(GammaFamily(), InverseLink()), 2.5, np.array([0.0, -1e-200, -3.0])):
        assert np.all(found[0] == np.inf)
        assert np.all(np.isfinite(found[1:]))


PROBABILITIES = [LogitLink(), ProbitLink(), CLogLogLink()]
PAIRS = [(family, link) for family in (BinomialFamily(), GaussianFamily(), PoissonFamily()) for link in PROBABILITIES]
PAIRS += [(family, link) for family, _, _ in POWERS for link in (LogLink(), IdentityLink(), InverseLink())]
PAIRS += [(BinomialFamily(), link) for link in (LogLink(), IdentityLink(), InverseLink())]


@pytest.mark.spec("LIN-145", "LIN-L04")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("family", "link"), PAIRS, ids=repr)
def test_no_pair_complains_at_any_score(family, link, dtype):
    loss, y = DevianceLoss(family, link), dtype(0.4)
    z = np.array([-1e30, -1e4, -700.0, -80.0, -1.0, 0.0, 0.5, 1.0, 80.0, 700.0, 1e4, 1e30], dtype=dtype)
    with np.errstate(all="raise", under="ignore"):
        found = [loss.value(y, z), loss.gradient(y, z), loss.curvature(y, z)]
    assert not np.any(np.isnan(found))
    assert np.all(np.isfinite(found[1:]))
    assert np.all(found[2] >= 0.0)
    assert all(result.dtype == dtype for result in found)
    positive = {IdentityLink(): z > 0.0, InverseLink(): z > 0.0}.get(link, True)
    below_one = {IdentityLink(): z < 1.0, InverseLink(): (z < 0.0) | (z > 1.0), LogLink(): z < 0.0}.get(link, True)
    inside = {GaussianFamily(): True, BinomialFamily(): positive & below_one}.get(family, positive)
    np.testing.assert_array_equal(np.isfinite(found[0]), np.broadcast_to(inside, z.shape))


@jit
def tail_functions(x, out):
    for i in range(len(x)):
        out[0, i], out[1, i] = tails.erfcx(x[i]), tails.normal_cdf(x[i])
        out[2, i], out[3, i] = tails.log_normal_cdf(x[i]), tails.log_one_minus_exp(-abs(x[i]))


def test_tails_in_kernels_are_those_of_scipy():
    x = np.concatenate([np.linspace(-25.0, 30.0, 5000), 10.0 ** np.linspace(1.5, 150.0, 100)])
    found = np.empty((4, len(x)))
    tail_functions(x, found)
    np.testing.assert_allclose(found[0], special.erfcx(x), rtol=2e-15)
    np.testing.assert_allclose(found[1], special.ndtr(x), rtol=2e-13)
    np.testing.assert_allclose(found[2], special.log_ndtr(x), rtol=4e-13)
    # Arrays and kernels may have different exponentials.
    np.testing.assert_allclose(found[3], tails.log_one_minus_exp(-np.abs(x)), rtol=4 * EPS)
    assert tails.log_one_minus_exp(0.0) == tails.log_one_minus_exp(2.0) == -np.inf


@noun
class Quasi(Family):
    """V(μ) = μ, written by a user through the mean alone."""

    def variance(self, mean):
        return mean

    def deviance(self, y, mean):
        return 2.0 * (y * np.log(y / mean) - (y - mean))


@pytest.mark.spec("LIN-145")
def test_a_family_of_the_users_own_goes_through_the_mean():
    y, z = 2.0, np.linspace(-3.0, 3.0, 7)
    for link in (LogLink(), LogitLink()):
        for a, b in zip(
            results(DevianceLoss(Quasi(), link), y, z), results(DevianceLoss(PoissonFamily(), link), y, z), strict=True
        ):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-15)
    assert DevianceLoss(Quasi(), IdentityLink()).value(2.0, -1.0) == np.inf


def table(scale=1.0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    eta = X @ [1.0, -1.0]
    return scale * X, (rng.random(200) < special.expit(eta)).astype(float), eta


@pytest.mark.spec("LIN-145")
@pytest.mark.parametrize("link", ["logit", "probit", "cloglog"])
@pytest.mark.parametrize("scale", [1e6, 1e-6, (1e4, 1e-4)])
def test_the_scale_of_the_columns_changes_the_coefficients_alone(link, scale):
    X, y, _ = table()
    plain = GLM("binomial", link, tol=1e-9).fit(X, y)
    scaled = GLM("binomial", link, tol=1e-10).fit(X * scale, y)
    assert scaled.converged_
    np.testing.assert_allclose(scaled.coef_ * scale, plain.coef_, rtol=1e-4)
    assert scaled.deviance_ == pytest.approx(plain.deviance_, rel=1e-9)


@pytest.mark.spec("LIN-145")
@pytest.mark.parametrize("link", ["probit", "cloglog"])
def test_one_row_far_on_the_wrong_side_bends_the_fit_as_it_must(link):
    """The score equations hold although the row's mean would be 0 or 1 at the coefficients of the others."""
    X, y, _ = table()
    X[0], y[0] = [300.0, -300.0], 0.0
    model = GLM("binomial", link).fit(X, y)
    assert model.converged_
    g = model._loss().gradient(y, X @ model.coef_ + model.intercept_)
    np.testing.assert_allclose(np.append(X.T @ g, g.sum()) / 200, 0.0, atol=1e-8)


@pytest.mark.spec("LIN-145")
@pytest.mark.parametrize("solver", ["irls", "newton", "lbfgs"])
@pytest.mark.parametrize("link", ["logit", "probit", "cloglog"])
def test_shares_and_separation(link, solver):
    X, _, eta = table()
    shares = GLM("binomial", link, solver=solver).fit(X, special.expit(3.0 * eta))
    assert shares.converged_
    assert shares.gradient_norm_ <= 1e-8
    assert shares.deviance_ >= 0.0
    for scale in (1.0, 1e4):
        with pytest.warns(SeparationWarning, match="no maximum"):
            model = GLM("binomial", link, solver=solver).fit(scale * X, (eta > 0.0).astype(float))
        assert not model.converged_
        assert np.isfinite(model.deviance_)
    with pytest.warns(SeparationWarning, match="no maximum"):
        GLM("binomial", link, solver=solver).fit(np.array([[0.0], [1.0], [1.0], [2.0]]), [0.0, 0.0, 1.0, 1.0])
    ridge = GLM("binomial", link, solver=solver, alpha=1e-4).fit(10.0 * X, (eta > 0.0).astype(float))
    assert ridge.converged_
    assert np.max(np.abs(10.0 * X @ ridge.coef_)) > 40.0


@pytest.mark.spec("LIN-145")
def test_powers_without_a_law_are_refused():
    for power in (0.5, 1.0, 2.0):
        with pytest.raises(ValueError, match="must be ≤ 0 or > 1, and not 2"):
            TweedieFamily(power)
    with pytest.raises(ValueError, match="needs numbers > 0"):
        GLM(TweedieFamily(2.5)).fit(np.ones((3, 1)), np.array([0.0, 1.0, 2.0]))
