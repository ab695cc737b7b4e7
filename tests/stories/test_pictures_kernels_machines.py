"""The pictures of kernel machines: what is drawn is what was computed."""

import numpy as np
import pytest
from sklearn.base import clone

from gnomon import plot
from gnomon.kernels import RBF, Additive
from gnomon.svm import KernelPerceptron, KernelRidge
from pictures import labelled, lines, wave

X, Y = wave(12)


@pytest.mark.spec("KER-P03", "KER-043")
def test_a_function_is_the_sum_of_its_bumps():
    machine = KernelRidge(0.01, parametric="constant")
    models = {f"h = {h}": clone(machine).set_params(kernel=RBF(bandwidth=h)).fit(X, Y) for h in (0.3, 0.1)}
    panels = plot.bump_sums(models)
    labelled(*panels.values())
    for title, ax in panels.items():
        total = lines(ax)["their sum $f$"]
        x = total.get_xdata()
        np.testing.assert_allclose(total.get_ydata(), models[title].predict(x[:, None]), atol=1e-12)
        bumps = [line.get_ydata() for line in ax.lines if line is not total]
        assert len(bumps) == 12
        np.testing.assert_allclose(np.sum(bumps, axis=0) + models[title].intercept_, total.get_ydata(), atol=1e-12)


@pytest.mark.spec("KER-P03", "KER-L13")
def test_every_update_of_a_perceptron_adds_a_bump():
    signs = np.where(Y > 0, 1, -1)
    model = KernelPerceptron(RBF(0.1)).fit(X, signs)
    panels = plot.perceptron_bumps(RBF(0.1), X, signs, updates=range(1, model.n_updates_ + 1))
    labelled(*panels.values())
    last = lines(panels[model.n_updates_])["after"]
    np.testing.assert_allclose(last.get_ydata(), model.decision_function(last.get_xdata()[:, None]), atol=1e-12)
    for number in range(1, model.n_updates_):
        after = lines(panels[number])["after"].get_ydata()
        np.testing.assert_allclose(after, lines(panels[number + 1])["before"].get_ydata(), atol=1e-12)
    with pytest.raises(ValueError, match="ask for no later ones"):
        plot.perceptron_bumps(RBF(0.1), X, signs, updates=(10_000,))


@pytest.mark.spec("KER-P09")
def test_kernel_ridge_fits_with_their_errors():
    X_test, y_test = wave(30, seed=1)
    panels = plot.kernel_ridge_fits(X, Y, X_test, y_test)
    labelled(*panels.values())
    assert list(panels) == ["linear", "polynomial", "Gaussian", "Laplacian", "semi-parametric", "periodic"]
    model = KernelRidge(0.1, kernel=RBF(bandwidth=0.8)).fit(X, Y)
    drawn = lines(panels["Gaussian"])["fit"]
    np.testing.assert_allclose(drawn.get_ydata(), model.predict(drawn.get_xdata()[:, None]), atol=1e-12)
    error = np.mean((model.predict(X_test) - y_test) ** 2)
    assert panels["Gaussian"].get_title(loc="left").endswith(f"test {error:.2g}")


@pytest.mark.spec("KER-P10", "KER-038")
def test_additive_components_over_their_columns():
    rng = np.random.default_rng(0)
    A = rng.uniform(-2, 2, (80, 3))
    model = KernelRidge(0.05, kernel=Additive([RBF()] * 3)).fit(A, np.sin(2 * A[:, 0]) + A[:, 1] ** 2)
    panels = plot.additive_components(model, A, names=["a", "b", "c"])
    labelled(*panels.values())
    line = panels["b"].lines[0]
    assert np.corrcoef(line.get_ydata(), line.get_xdata() ** 2)[0, 1] > 0.99
    assert np.ptp(panels["c"].lines[0].get_ydata()) < 0.3
    with pytest.raises(ValueError, match="order=1"):
        plot.additive_components(KernelRidge().fit(A, A[:, 0]), A)
