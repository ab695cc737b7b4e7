"""What the tests of pictures share: small tables, and questions to axes."""

import numpy as np

from gnomon.losses import LogisticLoss
from gnomon.numerics.design import Design
from gnomon.optim import Problem
from gnomon.penalties import L2

__all__ = ["TWO", "A", "B", "clouds", "labelled", "lines", "logistic_problem", "wave"]

A = np.array([[1.0, 0], [1, 1], [1, 2]]), np.array([0.0, 1, 1])
B = np.array([[1.0, 0], [1, 1], [0, 1], [1, -1]]), np.array([2.0, 2, 0, 3])
TWO = np.array([[0.0, 0], [1, 0], [0, 2], [1, 2]]), np.array([-1, -1, 1, 1])


def clouds(centres, n=40, scale=0.6, seed=0):
    rng = np.random.default_rng(seed)
    return np.vstack([rng.normal(centre, scale, (n, 2)) for centre in centres])


def lines(ax):
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def labelled(*axes):
    assert all(ax.get_xlabel() and ax.get_ylabel() for ax in axes)


def wave(n=15, seed=0):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(0, 1, n))
    return x[:, None], np.sin(2 * np.pi * x) + 0.2 * rng.standard_normal(n)


def logistic_problem(intercept="penalized"):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 5)) * np.geomspace(1, 0.1, 5)
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(80) > 0, 1.0, -1.0)
    return Problem(Design(X, intercept=intercept), y, LogisticLoss(), L2(1.0, half=True), np.ones(80))
