"""The pictures of risk estimation: what is drawn is what was computed."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from sklearn.model_selection import learning_curve
from sklearn.pipeline import make_pipeline

from gnomon import plot
from gnomon.evaluation import diagnose_fit, learning_curve_rate
from gnomon.features import PolynomialMap
from gnomon.linear import LinearRegression
from pictures import labelled, lines


def sine(n=40):
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (n, 1))
    return x, np.sin(4 * x[:, 0]) + 0.2 * rng.standard_normal(n)


def polynomial(degree=1):
    return make_pipeline(PolynomialMap(degree, include_bias=False), LinearRegression())


@pytest.mark.spec("EVA-P01", "EVA-021")
def test_zones_of_under_and_over_fitting():
    degrees = [1, 2, 3, 4, 5, 7, 9, 12, 15]
    found = diagnose_fit(polynomial(), *sine(), "polynomialmap__degree", degrees)
    chosen = degrees[found.one_se]
    ax = plot.complexity_curve(
        degrees, found.train, found.validation, standard_error=found.standard_error, regimes=found.regimes,
        chosen=chosen, norm=found.norms,
    )  # fmt: skip
    labelled(ax)
    np.testing.assert_allclose(lines(ax)["validation error"].get_ydata(), found.validation)
    words = [text.get_text() for text in ax.texts]
    assert words[0] == "under"
    assert words[-1] == "over"
    assert f"one standard error: {chosen:g}" in lines(ax)
    level = found.validation[found.best] + found.standard_error[found.best]
    assert any(np.allclose(line.get_ydata(), level) for line in ax.lines)
    flat = plot.complexity_curve([10.0, 1.0, 0.1], [3, 2, 1], [3, 2, 4], regimes=["under", "good", "over"], log=True)
    assert [text.get_text() for text in flat.texts] == ["over", "good", "under"]


@pytest.mark.spec("EVA-P02")
def test_three_complexities_on_one_scatter():
    x, y = sine()
    models = {f"degree {d}": polynomial(d).fit(x, y) for d in (1, 4, 15)}
    panels = plot.fit_panels(models, x, y)
    assert list(panels) == list(models)
    together = plot.fits(models, x, y)
    for name, model in models.items():
        line = lines(together)[name]
        np.testing.assert_allclose(line.get_ydata(), model.predict(line.get_xdata()[:, None]))


@pytest.mark.spec("EVA-P04", "EVA-022")
def test_learning_curves_with_their_rate():
    x, y = sine(400)
    sizes, train, test = learning_curve(
        polynomial(5), x, y, train_sizes=[20, 40, 80, 160, 320], scoring="neg_mean_squared_error", shuffle=True,
        random_state=0,
    )  # fmt: skip
    rate = learning_curve_rate(sizes, -test, reference=0.035)
    for log in (False, True):
        ax = plot.learning_curves(sizes, -train, -test, rate=rate, log=log)
        labelled(ax)
        drawn = lines(ax)["validation error"].get_ydata() + (rate.reference if log else 0.0)
        np.testing.assert_allclose(drawn, -test.mean(axis=1))
        (line,) = [line for name, line in lines(ax).items() if name.startswith("rate: slope −")]
        fitted = line.get_ydata() + (rate.reference if log else 0.0)
        np.testing.assert_allclose(fitted, rate.predict(line.get_xdata()))
        tops = [
            np.max(band.get_paths()[0].vertices[:, 1]) + (rate.reference if log else 0.0) for band in ax.collections
        ]
        widest = np.max(test.std(axis=1) - test.mean(axis=1))
        assert np.any(np.isclose(tops, widest))


@pytest.mark.spec("EVA-P05")
def test_who_is_fitted_and_who_is_judged():
    panels = plot.split_panels(n=12)
    assert len(panels) == 6
    for ax in panels.values():
        assert len(ax.patches) % 12 == 0
    folds = panels["4-fold"].patches
    colors = np.array([to_hex(cell.get_facecolor()) for cell in folds]).reshape(4, 12)
    judged = colors == colors[0, 0]
    np.testing.assert_array_equal(judged.sum(axis=0), 1)
    np.testing.assert_array_equal(judged.sum(axis=1), 3)
    bag = panels["bootstrap"]
    first = [cell for cell in bag.patches if cell.get_y() == 3.0]
    drawn = sum(to_hex(cell.get_facecolor()) == to_hex("#0072B2") for cell in first)
    copies = [int(text.get_text()[:-1]) for text in bag.texts if text.get_position()[1] > 3.0]
    assert drawn + sum(copies) - len(copies) == 12
