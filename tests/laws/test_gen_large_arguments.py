"""Log-densities keep their digits where k log k cancels to a few nats, against decimals of 130 places.

log Γ(z) = (z − ½) log z − z + ½ log 2π + Σⱼ B₂ⱼ / (2j(2j − 1) z^{2j−1}),    z ≥ 60                (1)
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import comb, factorial

import numpy as np
import pytest
from scipy import sparse

from gnomon.distributions import (
    Beta,
    BetaBernoulli,
    Binomial,
    Dirichlet,
    DirichletCategorical,
    Exponential,
    Gamma,
    InverseGamma,
    Laplace,
    Multinomial,
    Poisson,
    StudentT,
)
from gnomon.distributions.discrete import Counts, Trials
from gnomon.generative import MultinomialNB
from gnomon.numerics.saddle_point import log_gamma_ratio
from many_checks import check_all

PLACES = 130
SIZES = (3.0, 40.0, 1e3, 1e8, 1e15, 1e30, 1e100)
TOL = 1e-13


@cache
def bernoulli_number(m: int) -> Fraction:
    return Fraction(1) if m == 0 else -sum(comb(m + 1, j) * bernoulli_number(j) for j in range(m)) / Fraction(m + 1)


@cache
def half_log_two_pi() -> Decimal:
    # log Γ(1) = 0 determines the constant of (1).
    return -stirling(Decimal(60)) + Decimal(factorial(59)).ln()


def stirling(z: Decimal) -> Decimal:
    out, power = (z - Decimal("0.5")) * z.ln() - z, 1 / z
    for j in range(1, 13):
        b = bernoulli_number(2 * j) / (2 * j * (2 * j - 1))
        out += Decimal(b.numerator) / Decimal(b.denominator) * power
        power /= z * z
    return out


def log_gamma(z: Decimal) -> Decimal:
    product = Decimal(1)
    while z < 60:
        product, z = product * z, z + 1
    return stirling(z) + half_log_two_pi() - product.ln()


def poisson(k: Decimal, rate: Decimal) -> Decimal:
    return k * rate.ln() - rate - log_gamma(k + 1)


def multinomial(k: list[Decimal], p: list[Decimal]) -> Decimal:
    return log_gamma(sum(k) + 1) + sum(a * b.ln() - log_gamma(a + 1) for a, b in zip(k, p, strict=True))


def gamma(x: Decimal, a: Decimal, b: Decimal) -> Decimal:
    return a * b.ln() - log_gamma(a) + (a - 1) * x.ln() - b * x


def inverse_gamma(x: Decimal, a: Decimal, b: Decimal) -> Decimal:
    return gamma(1 / x, a, b) - 2 * x.ln()


def dirichlet(x: list[Decimal], a: list[Decimal]) -> Decimal:
    return log_gamma(sum(a)) + sum((b - 1) * y.ln() - log_gamma(b) for y, b in zip(x, a, strict=True))


def evidence(counts: list[Decimal], a: list[Decimal]) -> Decimal:
    """The probability of the counts, their probabilities integrated out."""
    orders = log_gamma(sum(counts) + 1) - sum(log_gamma(n + 1) for n in counts)
    both = [n + b for n, b in zip(counts, a, strict=True)]
    return orders + log_gamma(sum(a)) - log_gamma(sum(both)) + sum(map(log_gamma, both)) - sum(map(log_gamma, a))


def student(x: Decimal, df: Decimal) -> Decimal:
    ratio = log_gamma((df + 1) / 2) - log_gamma(df / 2)
    half_log_pi = half_log_two_pi() - Decimal(2).ln() / 2
    return ratio - df.ln() / 2 - half_log_pi - (df + 1) / 2 * (1 + x * x / df).ln()


def near(size: float) -> list[float]:
    """The size itself, and numbers a few standard deviations (or one rounding) beside it."""
    root = max(round(size**0.5), 1)
    return sorted({max(float(round(size) + j * root), 1.0) for j in (-3, 0, 1)} | {np.nextafter(size, np.inf)})


def whole(values: list[float]) -> list[float]:
    return [v for v in values if v == int(v)]


def exact(*values: float) -> list[Decimal]:
    return [Decimal(float(v)) for v in values]


def agree(found: float, expected: Decimal) -> None:
    assert float(found) == pytest.approx(float(expected), rel=TOL, abs=TOL)


def check_poisson(size: float) -> None:
    for k in whole(near(size)):
        agree(Poisson(size).log_density(k), poisson(*exact(k, size)))


def check_binomial(size: float) -> None:
    for p in (0.5, 0.3, 1e-12, 1.0 - 2.0**-40):
        m = float(int(size / p))
        for k in whole(near(m * p)):
            k = min(k, m)
            both = [Decimal(k), Decimal(m) - Decimal(k)]
            agree(Binomial(m, p).log_density(k), multinomial(both, [Decimal(p), 1 - Decimal(p)]))


def check_multinomial(size: float) -> None:
    p, unit = [0.25, 0.5, 0.25], 2.0 ** np.floor(np.log2(size))
    step = 2.0 ** np.floor(np.log2(unit) / 2)
    for move in (0.0, 3.0 * step, unit / 8):
        k = np.array([unit - move, 2.0 * unit, unit + move])
        k = np.array([unit, 2.0 * unit, unit]) if np.any(k != np.floor(k)) or np.sum(k) != 4.0 * unit else k
        for rows in (k[None], sparse.csr_array(k[None])):
            agree(Multinomial(np.array(p)).log_density(rows)[0], multinomial(exact(*k), exact(*p)))
    only = np.array([0.0, 4.0 * unit, 0.0])
    agree(Multinomial(np.array(p)).log_density(only), Decimal(4.0 * unit) * Decimal("0.5").ln())


def check_gamma(size: float) -> None:
    for a in (size, size + 0.5, 1.0 / size):
        for b in (1.0, 0.3):
            for x in (a / b, 1.1 * a / b, a / b * (1.0 + a**-0.5)):
                agree(Gamma(a, b).log_density(x), gamma(*exact(x, a, b)))
                agree(InverseGamma(a, b).log_density(1.0 / x), inverse_gamma(*exact(1.0 / x, a, b)))


def check_beta(size: float) -> None:
    for a, b in ((size, size), (size, 0.4 * size), (size, 2.0), (0.5, size)):
        for x in (a / (a + b), 0.9 * a / (a + b)):
            if 0.0 < x < 1.0:
                agree(Beta(a, b).log_density(x), dirichlet([Decimal(x), 1 - Decimal(x)], exact(a, b)))


def check_dirichlet(size: float) -> None:
    a, x = [size, 2.0 * size, size], [0.25, 0.5, 0.25]
    agree(Dirichlet(a).log_density(x), dirichlet(exact(*x), exact(*a)))
    y = [0.25 + 0.125, 0.5 - 0.125, 0.25]
    agree(Dirichlet(a).log_density(y), dirichlet(exact(*y), exact(*a)))


def check_evidence(size: float) -> None:
    n = [float(int(size)), float(int(size)) * 3.0]
    for a in ([1.0, 1.0], [0.5, 7.0], [size, 2.0 * size], [size, 3.0 * size]):
        expected = evidence(exact(*n), exact(*a))
        trials = Trials(1.0, n[0], n[0] + n[1])
        agree(BetaBernoulli(*a).log_evidence_of(trials, ordered=False), expected)
        counts = Counts(sum(n), np.array(n))
        agree(DirichletCategorical(a).log_evidence_of(counts, ordered=False), expected)
    bits = BetaBernoulli(size, 3.0 * size).log_evidence_of(Trials(1.0, 2.0, 3.0))
    agree(bits, evidence(exact(2.0, 1.0), exact(size, 3.0 * size)) - Decimal(3).ln())


def check_student(size: float) -> None:
    for x in (0.0, 1.5, 30.0):
        agree(StudentT(size).log_density(x), student(*exact(x, size)))


def check_gamma_ratio(size: float) -> None:
    for x in (0.0, 1.0, 2.5, size):
        expected = log_gamma(Decimal(size) + Decimal(x)) - log_gamma(Decimal(size))
        agree(log_gamma_ratio(size, x), expected)


def check_predictive_words(size: float) -> None:
    """Scores of a document of three words under a Dirichlet law of counts as large as the size."""
    size = float(int(size))
    model = MultinomialNB(estimate="predictive", parameter_prior=Dirichlet([1.0, 1.0])).fit(
        [[size, size], [size, 3.0 * size]], [0, 1]
    )
    a = [[size + 1.0, size + 1.0], [size + 1.0, 3.0 * size + 1.0]]
    rows = [exact(*row) for row in a]
    half = Decimal("0.5").ln()
    for found, row in zip(model.predict_joint_log_proba([[2.0, 1.0]])[0], rows, strict=True):
        words = row[0].ln() + (row[0] + 1).ln() + row[1].ln()
        total = row[0] + row[1]
        agree(found, half + words - total.ln() - (total + 1).ln() - (total + 2).ln())


LAWS = [
    check_poisson,
    check_binomial,
    check_multinomial,
    check_gamma,
    check_beta,
    check_dirichlet,
    check_evidence,
    check_student,
    check_gamma_ratio,
    check_predictive_words,
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__.removeprefix("check_"))
def test_log_densities_of_large_arguments(law):
    with localcontext(prec=PLACES):
        check_all([(f"{size:g}", lambda size=size: law(size)) for size in SIZES])


SMALL = (5e-324, 1e-308, 1e-300, 1e-100, 0.5, 3.0)


@pytest.mark.parametrize("a", SMALL[1:])
def test_log_densities_of_arguments_whose_products_and_quotients_underflow(a):
    def check(b: float, x: float) -> None:
        agree(Gamma(a, b).log_density(x), gamma(*exact(x, a, b)))
        agree(InverseGamma(a, b).log_density(x), inverse_gamma(*exact(x, a, b)))
        if x < 1.0:
            whole = dirichlet([Decimal(x), 1 - Decimal(x)], exact(a, b))
            agree(Beta(a, b).log_density(x), whole)
            agree(Dirichlet([a, b]).log_density([x, 1.0 - x]), whole)
            agree(Exponential(b).log_density(x), Decimal(b).ln() - Decimal(b) * Decimal(x))
        agree(Laplace(0.0, b).log_density(x), -(2 * Decimal(b)).ln() - Decimal(x) / Decimal(b))

    cases = [(b, x) for b in (*SMALL[1:], 1e100) for x in (*SMALL, 1e100, 1e300)]
    # 1e100 + 1e-308 has 409 places.
    with localcontext(prec=450):
        check_all([(f"{b:g} {x:g}", lambda b=b, x=x: check(b, x)) for b, x in cases])


def test_a_poisson_law_at_its_mean_has_the_density_of_a_normal_one():
    rates = np.array([1e15, 1e50, 1e100, 1e300])
    assert Poisson(rates).log_density(rates) == pytest.approx(
        -0.5 * np.log(2.0 * np.pi) - 0.5 * np.log(rates), abs=1e-12
    )


def test_impossible_counts_and_ends_of_the_support():
    assert Poisson(0.0).log_density([0, 1]).tolist() == [0.0, -np.inf]
    assert Binomial(3, 0.0).log_density([0, 3, 4]).tolist() == [0.0, -np.inf, -np.inf]
    assert Binomial(3, 1.0).log_density([0, 3]).tolist() == [-np.inf, 0.0]
    assert Binomial(0, 0.3).log_density(0) == 0.0
    assert Gamma([0.5, 1.0, 2.0], 3.0).log_density(0.0).tolist() == [np.inf, np.log(3.0), -np.inf]
    assert Beta([0.5, 1.0, 2.0], 1.0).log_density(0.0).tolist() == [np.inf, 0.0, -np.inf]
    assert Multinomial(np.array([0.5, 0.5, 0.0])).log_density([[0, 0, 0], [1, 0, 1]]).tolist() == [0.0, -np.inf]
