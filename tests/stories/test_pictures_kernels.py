"""The pictures of kernels: what is drawn is what was computed."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from gnomon import plot
from gnomon.kernels import RBF, BSpline, Sigmoid, Wendland
from pictures import labelled, lines


@pytest.mark.spec("KER-P01")
def test_kernel_shapes_are_the_kernels_over_the_distance():
    panels = plot.kernel_shapes()
    labelled(*panels.values())
    assert {"Gaussian", "Matérn", "on a grid"} <= set(panels)
    drawn = lines(panels["on a grid"])
    r = drawn["$B_3$"].get_xdata()
    np.testing.assert_allclose(drawn["$B_3$"].get_ydata(), BSpline(3).value(r), atol=1e-12)
    np.testing.assert_allclose(lines(panels["Gaussian"])["$\\ell$ = 2"].get_ydata(), np.exp(-(r**2) / 8), atol=1e-12)
    assert {"Catmull–Rom", "sinc"} <= set(drawn)


@pytest.mark.spec("KER-P01")
def test_the_sparsity_of_a_gram_matrix():
    X = np.sort(np.random.default_rng(0).uniform(0.0, 10.0, size=60))[:, None]
    ax = plot.gram_sparsity(Wendland(1.0), X)
    labelled(ax)
    K = Wendland(1.0).gram(X)
    assert len(ax.lines[0].get_xdata()) == np.count_nonzero(K)
    with pytest.raises(ValueError, match="sparse=True"):
        plot.gram_sparsity(RBF(), X)


@pytest.mark.spec("KER-P02")
def test_gram_matrix_and_spectrum():
    X = np.linspace(-2.0, 2.0, 25)[:, None]
    panels = plot.gram_and_spectrum(RBF(0.7), X)
    labelled(*panels.values())
    np.testing.assert_array_equal(panels["gram"].images[0].get_array(), RBF(0.7).gram(X))
    shown = lines(panels["spectrum"])
    assert set(shown) == {"positive", "rounding"}
    values = shown["positive"].get_ydata()
    np.testing.assert_allclose(values, np.linalg.eigvalsh(RBF(0.7).gram(X))[::-1][: len(values)])
    figure, axes = plt.subplots(1, 2)
    bad = plot.gram_and_spectrum(Sigmoid(1.0, 0.5), X, ax=axes)
    assert bad["gram"].figure is figure
    assert np.max(lines(bad["spectrum"])["negative: −λ"].get_ydata()) > 0.01
