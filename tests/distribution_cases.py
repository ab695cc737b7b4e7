"""Every law of the library with parameters, for theorems that hold of all: `CASES`."""

from dataclasses import dataclass, field, fields

import numpy as np

from gnomon.distributions import (
    KDE,
    Bernoulli,
    Beta,
    Binomial,
    Categorical,
    Dirichlet,
    Exponential,
    Gamma,
    Histogram,
    InverseGamma,
    InverseWishart,
    Laplace,
    Multinomial,
    MultivariateNormal,
    MultivariateT,
    Normal,
    NormalInverseGamma,
    NormalInverseWishart,
    Poisson,
    Product,
    StudentT,
    Uniform,
    Wishart,
)

COV = np.array([[2.0, 0.5], [0.5, 1.0]])
MEAN = np.array([1.0, -1.0])
SOME = np.array([0.3, 0.1, 0.6, 0.4, 1.9, 0.35])


@dataclass
class Case:
    """A law; the options with which its class is fitted; points outside its support; its free parameters."""

    law: object
    kind: str
    n_parameters: int
    options: dict = field(default_factory=dict)
    outside: tuple = ()
    estimated: bool = True


CASES = {
    "Normal": Case(Normal(1.0, 4.0), "line", 2),
    "Laplace": Case(Laplace(-1.0, 0.7), "line", 2),
    "StudentT": Case(StudentT(5.0, 1.0, 2.0), "line", 3, {"df": 5.0}),
    "Exponential": Case(Exponential(0.7), "line", 1, outside=(-0.1, -1e9)),
    "Gamma": Case(Gamma(2.5, 1.5), "line", 2, outside=(-0.1,)),
    "InverseGamma": Case(InverseGamma(5.0, 2.0), "line", 2, outside=(0.0, -1.0)),
    "Beta": Case(Beta(2.0, 3.5), "line", 2, outside=(-0.1, 1.1)),
    "Uniform": Case(Uniform(-1.0, 2.5), "line", 2, outside=(-1.1, 2.6)),
    "Histogram": Case(
        Histogram([0.0, 1.0, 2.0, 4.0], [0.5, 0.2, 0.3], "zero"),
        "line",
        2,
        {"bins": [0.0, 1.0, 2.0, 4.0], "tails": "zero"},
        outside=(-0.1, 4.1),
    ),
    "KDE": Case(KDE(SOME, 0.3, np.arange(1.0, 7.0)), "line", 7, {"bandwidth": 0.3}),
    "Bernoulli": Case(Bernoulli(0.3), "whole", 1, outside=(-1, 2, 0.5)),
    "Binomial": Case(Binomial(6, 0.3), "whole", 1, {"n_trials": 6}, outside=(-1, 7, 0.5)),
    "Categorical": Case(Categorical([0.2, 0.5, 0.3]), "whole", 2, {"n_values": 3}, outside=(-1, 3, 0.5)),
    "Poisson": Case(Poisson(2.3), "whole", 1, outside=(-1, 0.5)),
    "MultivariateNormal": Case(MultivariateNormal(MEAN, COV), "plane", 5),
    "MultivariateNormal diag": Case(
        MultivariateNormal(MEAN, np.array([2.0, 0.5]), "diag"), "plane", 4, {"covariance_type": "diag"}
    ),
    "MultivariateNormal spherical": Case(
        MultivariateNormal(MEAN, 1.5, "spherical"), "plane", 3, {"covariance_type": "spherical"}
    ),
    "MultivariateT": Case(MultivariateT(7.0, MEAN, COV), "plane", 6, {"df": 7.0}),
    "KDE of rows": Case(KDE(SOME.reshape(3, 2), np.array([0.6, 0.5])), "plane", 8, {"bandwidth": np.array([0.6, 0.5])}),
    "Product": Case(
        Product([(1, Laplace(0.5, 1.0)), ([0], Normal(np.array([1.0]), np.array([2.0])))]),
        "plane",
        4,
        {"models": [(1, Laplace), ([0], Normal)]},
    ),
    "Dirichlet": Case(Dirichlet([2.0, 3.0, 4.0]), "simplex", 3, outside=([0.5, 0.6, -0.1], [0.2, 0.2, 0.2])),
    "Multinomial": Case(
        Multinomial([0.2, 0.5, 0.3], n_trials=5), "counts", 2, {"n_trials": 5}, outside=([1, 1, 1], [6, -1, 0])
    ),
    "Wishart": Case(Wishart(COV, 6.0), "matrix", 4, outside=(-np.eye(2), [[1.0, 0.5], [0.0, 1.0]])),
    "InverseWishart": Case(InverseWishart(COV, 9.0), "matrix", 4, outside=(-np.eye(2),)),
    "NormalInverseGamma": Case(
        NormalInverseGamma(1.0, 2.0, 5.0, 3.0), "pair", 4, outside=((0.0, -1.0),), estimated=False
    ),
    "NormalInverseWishart": Case(
        NormalInverseWishart(MEAN, 2.0, COV, 9.0), "pair", 7, outside=((MEAN, -np.eye(2)),), estimated=False
    ),
}
ESTIMATED = [name for name, case in CASES.items() if case.estimated]
ONE_VARIABLE = [name for name, case in CASES.items() if case.kind in ("line", "whole")]


def draws_of(name, n=400, seed=0):
    return CASES[name].law.sample(n, np.random.default_rng(seed))


def fitted(name, X, sample_weight=None):
    case = CASES[name]
    return type(case.law).fit(X, sample_weight, **case.options)


def numbers(law):
    """All the parameters of a law, side by side."""
    values = [getattr(law, part.name) for part in fields(law)]
    parts = [[numbers(part) for _, part in value] if isinstance(law, Product) else value for value in values]
    kept = [np.ravel(np.asarray(part, dtype=float)) for part in parts if part is not None and not isinstance(part, str)]
    return np.concatenate(kept)
