"""The table of kernels that the laws are held to: a kernel, and rows that it compares."""

from typing import NamedTuple

import numpy as np

from gnomon.kernels import (
    RBF,
    Additive,
    AdditiveChi2,
    BSpline,
    CatmullRom,
    Chi2,
    Constant,
    Cosine,
    ExpSineSquared,
    FeatureMapKernel,
    GammaExponential,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    PeriodicSine,
    Polynomial,
    RationalQuadratic,
    Sigmoid,
    Sinc,
    Spherical,
    TensorProduct,
    ThinPlate,
    Truncated,
    Wendland,
    White,
)


class Case(NamedTuple):
    """A kernel of rows with `d` columns; `rows` says which numbers they hold."""

    name: str
    kernel: Kernel
    d: int = 3
    rows: str = "normal"

    def sample(self, n=200, seed=0):
        rng = np.random.default_rng(seed)
        return {
            "normal": lambda: rng.normal(size=(n, self.d)),
            "grid": lambda: rng.permutation(n)[:, None] * np.ones((1, self.d)),
            "positive": lambda: rng.gamma(2.0, size=(n, self.d)),
        }[self.rows]()


def squares(X):
    return np.column_stack([np.ones_like(X[:, 0]), X, X**2])


SINGLE = [
    Case("Linear", Linear(coef0=0.5)),
    Case("Polynomial", Polynomial(3, coef0=0.5, scale=0.3)),
    Case("Cosine", Cosine()),
    Case("Sigmoid", Sigmoid(0.5, coef0=0.2)),
    Case("RBF", RBF(1.3)),
    Case("RBF ARD", RBF([0.7, 1.5, 3.0])),
    Case("RBF gamma", RBF(gamma=0.4)),
    Case("RBF weights", RBF(1.3, metric=[1.0, 2.0, 0.5])),
    Case("RBF metric", RBF(1.3, metric=[[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.3]])),
    Case("Laplacian", Laplacian(1.3)),
    Case("Laplacian ARD", Laplacian([0.7, 1.5, 3.0])),
    Case("Laplacian l2", Laplacian(1.3, norm="l2")),
    Case("Laplacian l2 ARD", Laplacian([0.7, 1.5, 3.0], norm="l2")),
    Case("RBF ARD weights", RBF([0.7, 1.5, 3.0], metric=[1.0, 2.0, 0.5])),
    Case("GammaExponential", GammaExponential(1.3, power=1.4)),
    Case("GammaExponential ARD", GammaExponential([0.7, 1.5, 3.0], power=0.6)),
    Case("Matern 1/2", Matern(1.3, nu=0.5)),
    Case("Matern 3/2", Matern(1.3)),
    Case("Matern 5/2 ARD", Matern([0.7, 1.5, 3.0], nu=2.5)),
    Case("Matern 0.8", Matern(1.3, nu=0.8)),
    Case("Matern 2", Matern(1.3, nu=2.0)),
    Case("Matern 40", Matern(1.3, nu=40.0)),
    Case("Matern inf", Matern(1.3, nu=np.inf)),
    Case("RationalQuadratic", RationalQuadratic(1.3, alpha=0.7)),
    Case("RationalQuadratic ARD", RationalQuadratic([0.7, 1.5, 3.0], alpha=2.0)),
    Case("PeriodicSine", PeriodicSine(1.7, bandwidth=0.8)),
    Case("ExpSineSquared", ExpSineSquared(0.8, periodicity=2.3)),
    Case("Wendland C0", Wendland(2.3, smoothness=0)),
    Case("Wendland C2", Wendland(2.3)),
    Case("Wendland C4 ARD", Wendland([1.9, 2.3, 4.0], smoothness=4)),
    Case("Wendland dim", Wendland(2.3, smoothness=2, dim=5)),
    Case("Wendland C0 ARD", Wendland([1.9, 2.3, 4.0], smoothness=0)),
    Case("Spherical ARD", Spherical([1.9, 2.3, 4.0])),
    Case("Spherical", Spherical(2.3)),
    Case("Truncated", Truncated(RBF(1.3), 1.5)),
    Case("ThinPlate", ThinPlate(1.3), d=2),
    Case("BSpline 0", BSpline(0), d=1, rows="grid"),
    Case("BSpline 1", BSpline(1, step=0.7), d=1),
    Case("BSpline 2", BSpline(2), d=1, rows="grid"),
    Case("BSpline 3", BSpline(3, step=0.7), d=1),
    Case("BSpline 7", BSpline(7, step=0.7), d=1),
    Case("CatmullRom", CatmullRom(), d=1, rows="grid"),
    Case("Sinc", Sinc(0.7), d=1),
    Case("Chi2", Chi2(0.4), rows="positive"),
    Case("AdditiveChi2", AdditiveChi2(), rows="positive"),
    Case("Constant", Constant(2.0)),
    Case("White", White(0.5)),
    Case("FeatureMapKernel", FeatureMapKernel(squares)),
]

COMPOSED = [
    Case("sum", RBF(1.3) + 0.5 * Linear()),
    Case("product", RBF(1.3) * Matern(0.7)),
    Case("power", RBF(1.3) ** 3),
    Case("polynomial", RBF(1.3).polynomial([0.5, 0.0, 2.0])),
    Case("exp", RBF(1.3).exp()),
    Case("on", RBF(1.3).on([0, 2])),
    Case("warp", Linear(0.5).warp(np.tanh)),
    Case("normalized", Polynomial(2, coef0=0.5).normalized()),
    Case("pairwise", RBF([0.5, 2.0]).on([0, 2]) * Linear(0.5).on(1) + White(0.1)),
    Case("TensorProduct", TensorProduct([RBF(1.3), Matern(0.8), Linear(0.5)])),
    Case("Additive", Additive([RBF(1.3), Matern(0.8), Linear(0.5)])),
    Case("Additive 2", Additive([RBF(1.3), Matern(0.8), Linear(0.5)], order=2)),
    Case("Additive 1-3", Additive([RBF(1.3), Matern(0.8), Laplacian(0.5)], orders=[1, 2, 3], weights=[0.5, 2.0, 0.3])),
    Case("compact", 0.5 * Wendland(2.3) + White(0.1) + RBF(1.3) * Spherical(1.9)),
    Case("nested", (RBF(1.3) + Laplacian(0.8)).exp() * (Linear(0.2) + 1.0) ** 2),
]

CASES = SINGLE + COMPOSED
VALID = [case for case in CASES if case.kernel.psd is True or case.rows == "grid"]
COMPACT = [case for case in CASES if np.isfinite(case.kernel.support_radius)]
