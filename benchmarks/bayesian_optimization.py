"""Bayesian optimisation: what a hundred questions cost beside what is minimised, or the model that is tuned."""

import math

import numpy as np

from benchmarks import _data
from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ("gnomon.gp",)

FIRST = 10
PER_TRIAL = 0.05
"""Seconds that a trial of a search may take beside its fits."""


def valley(trials, n_candidates):
    """A function of six numbers with one minimum, of zero, and some noise; and how often it may be evaluated."""
    rng = np.random.default_rng(0)
    scales = np.array([4.0, 2.0, 1.0, 1.0, 0.5, 0.2])
    noise = 0.01 * rng.standard_normal(trials)
    return _data.make(scales[None, :], noise, n_candidates=n_candidates)


def value(data, x, trial):
    return float(np.sum(data.X[0] * (x - 0.3) ** 2) + data.y[trial])


def ours(data):
    from gnomon.gp import BayesianOptimizer, Real

    space = {name: Real(0.0, 1.0) for name in "abcdef"}
    optimizer = BayesianOptimizer(space, n_initial_points=FIRST, n_candidates=data.n_candidates, random_state=0)
    for trial in range(len(data.y)):
        point = optimizer.ask()
        optimizer.tell(point, value(data, np.array(list(point.values())), trial))
    return np.array(list(optimizer.best_point_.values()))


def peer(data):
    """The same by the parts that scikit-learn and SciPy have: fit, compare candidates, ascend from the best."""
    from scipy import optimize, stats
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

    points = stats.qmc.Sobol(6, seed=np.random.default_rng(0)).random_base2(math.ceil(math.log2(data.n_candidates)))
    X, y = list(points[:FIRST]), [value(data, x, trial) for trial, x in enumerate(points[:FIRST])]
    kernel = ConstantKernel() * Matern(np.ones(6), (0.05, 20.0), nu=2.5) + WhiteKernel(1e-3, (1e-8, 1.0))
    for trial in range(FIRST, len(data.y)):
        model = GaussianProcessRegressor(kernel, normalize_y=True).fit(np.array(X), y)
        kernel, best = model.kernel_, min(y)

        def loss(x, model=model, best=best):
            mean, std = model.predict(np.atleast_2d(x), return_std=True)
            z = (best - mean) / std
            return -std * (z * stats.norm.cdf(z) + stats.norm.pdf(z))

        start = points[np.argmin(loss(points[: data.n_candidates]))]
        end = optimize.minimize(lambda x: float(loss(x)[0]), start, method="L-BFGS-B", bounds=[(0.0, 1.0)] * 6)
        X.append(end.x)
        y.append(value(data, end.x, trial))
    return X[int(np.argmin(y))]


def excess(data, x):
    """How far above the minimum the point that was found is."""
    return float(np.sum(data.X[0] * (x - 0.3) ** 2))


def flowers(trials, n_candidates):
    """Three classes of iris, standardised; and how many models may be tried."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    return _data.make((X - X.mean(axis=0)) / X.std(axis=0), y, trials=trials, n_candidates=n_candidates)


def tuned(data):
    """A support vector machine with numbers, a choice, and a parameter of one kernel alone."""
    from sklearn.svm import SVC

    from gnomon.gp import GPSearchCV, Integer, Real

    space = {
        "kernel": ["rbf", "poly"],
        "C": Real(1e-2, 1e2, log=True),
        "gamma": Real(1e-4, 1.0, log=True),
        "degree": Integer(2, 3, when={"kernel": "poly"}),
    }
    search = GPSearchCV(SVC(), space, n_iter=data.trials, n_candidates=data.n_candidates, cv=3, random_state=0)
    return search.fit(data.X, data.y).best_score_


def drawn(data):
    """As many models by chance: the fits and what scikit-learn does around them."""
    from scipy import stats
    from sklearn.model_selection import RandomizedSearchCV
    from sklearn.svm import SVC

    laws = {
        "kernel": ["rbf", "poly"],
        "C": stats.loguniform(1e-2, 1e2),
        "gamma": stats.loguniform(1e-4, 1.0),
        "degree": [2, 3],
    }
    return RandomizedSearchCV(SVC(), laws, n_iter=data.trials, cv=3, random_state=0).fit(data.X, data.y).best_score_


def missed(data, score):
    """Share of flowers that are not recognised."""
    return 1.0 - score


ROWS = (
    Row(
        name="Bayesian optimisation, 100 trials, 6 parameters",
        make=valley,
        size={"trials": 100, "n_candidates": 100_000},
        quick={"trials": 14, "n_candidates": 500},
        ours=ours,
        peers=(Peer("scikit-learn", "scikit-learn", peer),),
        quality=excess,
        targets={"scikit-learn": 2.0},
        tolerance=0.05,
        axis="trials",
    ),
    Row(
        name="GPSearchCV, 100 trials of a support vector machine, its fits included",
        make=flowers,
        size={"trials": 100, "n_candidates": 100_000},
        quick={"trials": 14, "n_candidates": 500},
        ours=tuned,
        peers=(Peer("scikit-learn", "RandomizedSearchCV", drawn),),
        quality=missed,
        targets={"scikit-learn": math.nan},
        tolerance=0.02,
        axis="trials",
        limit=100 * PER_TRIAL,
    ),
)
