"""Kernels against those of scikit-learn's Gaussian processes, with their gradients."""

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as theirs

from gnomon import kernels as ours

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(20, 3)), RNG.normal(size=(7, 3))
SCALES = [0.7, 1.5, 3.0]

PAIRS = [
    (ours.RBF(1.3), theirs.RBF(1.3)),
    (ours.RBF(SCALES), theirs.RBF(SCALES)),
    *((ours.Matern(1.3, nu), theirs.Matern(1.3, nu=nu)) for nu in (0.5, 1.5, 2.5, np.inf)),
    (ours.Matern(SCALES, 1.5), theirs.Matern(SCALES, nu=1.5)),
    (ours.Matern(1.3, 2.2), theirs.Matern(1.3, nu=2.2)),
    (ours.White(0.4), theirs.WhiteKernel(0.4)),
    (ours.Constant(0.4), theirs.ConstantKernel(0.4)),
    (2.0 * ours.RBF(1.3) + ours.White(0.4), 2.0 * theirs.RBF(1.3) + theirs.WhiteKernel(0.4)),
    (ours.RBF(1.3) * ours.Matern(SCALES), theirs.RBF(1.3) * theirs.Matern(SCALES)),
    (ours.RBF(1.3) ** 3, theirs.RBF(1.3) ** 3),
]


@pytest.mark.spec("KER-001", "KER-018", "KER-021", "KER-032", "KER-034")
@pytest.mark.parametrize(("mine", "other"), PAIRS, ids=lambda kernel: repr(kernel))
def test_values_diagonals_and_gradients(mine, other):
    np.testing.assert_allclose(mine.gram(A, B), other(A, B), rtol=1e-9, atol=1e-12)
    K, gradient = other(A, eval_gradient=True)
    np.testing.assert_allclose(mine.gram(A), K, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(mine.diag(A), other.diag(A), rtol=1e-12)
    np.testing.assert_allclose(mine.theta, other.theta, rtol=1e-12)
    np.testing.assert_allclose(mine.bounds, other.bounds)
    # Theirs of a general ν is a difference.
    loose = 1e-4 if "2.2" in repr(mine) else 1e-9
    np.testing.assert_allclose(mine.gradients(A), gradient, rtol=loose, atol=loose)


@pytest.mark.spec("KER-022", "KER-024")
def test_kernels_with_a_shape():
    shape, theirs_shape = ours.RationalQuadratic(1.3, 0.7), theirs.RationalQuadratic(1.3, 0.7)
    x = A[:, :1]
    wave, theirs_wave = ours.ExpSineSquared(1.3, 2.1), theirs.ExpSineSquared(1.3, 2.1)
    for mine, other, rows in ((shape, theirs_shape, A), (wave, theirs_wave, x)):
        K, gradient = other(rows, eval_gradient=True)
        np.testing.assert_allclose(mine.gram(rows), K, rtol=1e-10)
        found = {h.name: mine.gradients(rows)[:, :, i] for i, h in enumerate(mine.hyperparameters)}
        for i, h in enumerate(other.hyperparameters):
            np.testing.assert_allclose(found[h.name], gradient[:, :, i], rtol=1e-8, atol=1e-12)
    dot = theirs.DotProduct(1.7)
    np.testing.assert_allclose(ours.Linear(coef0=1.7**2).gram(A, B), dot(A, B))
