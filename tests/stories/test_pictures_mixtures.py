"""Pictures of mixtures and of EM."""

import itertools

import numpy as np
import pandas as pd
import pytest

from gnomon import plot
from gnomon.generative import (
    GaussianMixture,
    select_components,
)
from gnomon.optim import em_bound
from pictures import clouds, labelled, lines


@pytest.mark.spec("GEN-P06")
def test_level_sets_of_a_mixture_and_its_components():
    X = clouds([(0, 0), (4, 0), (2, 4)])
    model = GaussianMixture(3, random_state=0).fit(X)
    ax = plot.mixture_levels(model, X, shares=(0.9,))
    labelled(ax)
    np.testing.assert_allclose([patch.center for patch in ax.patches], model.means_)
    contours = ax.collections[0]
    for level, path in zip(contours.levels, contours.get_paths(), strict=True):
        # The curve runs straight between cells of the grid.
        np.testing.assert_allclose(model.score_samples(path.vertices), level, atol=0.1)
    np.testing.assert_allclose(np.diff(contours.levels), np.log(2.0))
    assert not plot.mixture_levels(model, X, shares=()).patches
    gappy = X.copy()
    gappy[::3, 0] = np.nan
    assert plot.mixture_levels(model, gappy).get_ylim() == ax.get_ylim()


@pytest.mark.spec("GEN-P06")
def test_a_skewed_sample_and_the_curves_of_its_mixture():
    x = np.random.default_rng(0).gamma(2.0, 2.0, (300, 1))
    model = GaussianMixture(3, random_state=0).fit(x)
    ax = plot.mixture_curves(model, x)
    labelled(ax)
    *parts, whole = ax.lines
    grid = whole.get_xdata()
    np.testing.assert_allclose(whole.get_ydata(), np.exp(model.score_samples(grid[:, None])))
    np.testing.assert_allclose(sum(part.get_ydata() for part in parts), whole.get_ydata())
    assert len(parts) == 3
    with pytest.raises(ValueError, match="give one column"):
        plot.mixture_curves(model, np.ones((3, 2)))


@pytest.mark.spec("GEN-P07")
def test_rows_have_the_mixed_colours_of_their_components():
    X = clouds([(0, 0), (2, 0)], scale=0.8)
    model = GaussianMixture(2, random_state=0).fit(pd.DataFrame(X, columns=["a", "b"]))
    ax = plot.responsibility_colors(model, pd.DataFrame(X, columns=["a", "b"]))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "b")
    assert ax.get_aspect() == 1.0
    gamma = model.predict_proba(pd.DataFrame(X, columns=["a", "b"]))
    pure = [np.array(line.get_color().lstrip("#")) for line in ax.lines[:2]]
    palette = np.array([[int(str(code)[i : i + 2], 16) / 255 for i in (0, 2, 4)] for code in pure])
    np.testing.assert_allclose(ax.collections[0].get_facecolors()[:, :3], gamma @ palette, atol=1e-6)
    with pytest.raises(ValueError, match="give as many"):
        plot.responsibility_colors(gamma[:3], X)


@pytest.mark.spec("GEN-P08")
def test_em_step_by_step_and_growth_by_splitting():
    X = clouds([(0, 0), (4, 0), (2, 4)])
    model = GaussianMixture(3, init_params="random_from_data", start="total", random_state=3)
    panels = plot.em_panels(model, X, iterations=(0, 1, 30))
    assert list(panels) == ["start", "1 step", "30 steps"]
    centres = {name: np.array([patch.center for patch in ax.patches]) for name, ax in panels.items()}
    truth = np.array([(0, 0), (4, 0), (2, 4)])
    away = {name: np.linalg.norm(centres[name][:, None] - truth, axis=2).min(axis=0).max() for name in centres}
    assert away["30 steps"] < 0.3 < away["start"]
    # The seeds are rows, and the start has the covariance of all rows.
    assert min(np.abs(X - centres["start"][0]).sum(axis=1)) < 1e-12
    whole = GaussianMixture(1).fit(X)
    assert panels["start"].patches[0].width == pytest.approx(
        plot.responsibility_colors(whole, X).patches[0].width, rel=1e-4
    )
    grown = GaussianMixture(4, init_params="lbg", lbg_alpha=0.5, tol=1e-6, max_iter=1000).fit(X)
    panels = plot.splitting_panels(grown, X)
    assert [len(ax.patches) for ax in panels.values()] == [1, 2, 4]
    np.testing.assert_allclose(panels["1 component"].patches[0].center, X.mean(axis=0))
    with pytest.raises(ValueError, match="init_params='lbg'"):
        plot.splitting_panels(whole, X)


@pytest.mark.spec("GEN-P09")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_likelihood_climbs_and_the_bound_touches_it_from_below():
    x = np.array([-1.0, 0.0, 1.0, 2.0])[:, None]
    options = {"covariance_type": "tied", "reg_covar": 0.0, "tol": 0.0, "start": "total"}
    starts = {"near": [[0.0], [1.0]], "far": [[-1.0], [2.0]]}
    runs = {name: GaussianMixture(2, means_init=m, max_iter=9, **options).fit(x) for name, m in starts.items()}
    stages = [GaussianMixture(2, means_init=starts["near"], max_iter=t, **options).fit(x) for t in range(9)]
    joint = [np.log(m.weights_) + plot_log_densities(m, x) for m in stages]
    bounds = [em_bound(before, after) for before, after in itertools.pairwise(joint)]
    ax = plot.em_course({name: run.history_ for name, run in runs.items()}, bounds=bounds)
    labelled(ax)
    drawn = {name: line.get_ydata() for name, line in lines(ax).items()}
    assert set(drawn) == {"near", "far", "$Q + H$ (bound)", "$Q$"}
    for name in runs:
        np.testing.assert_allclose(drawn[name], runs[name].history_["objective"])
        assert np.all(np.diff(drawn[name]) >= -1e-12)
    likelihood = drawn["near"][: len(bounds) + 1]
    assert np.all(drawn["$Q + H$ (bound)"] <= likelihood[1:] + 1e-12)
    assert np.all(drawn["$Q + H$ (bound)"] >= likelihood[:-1] - 1e-12)
    assert np.all(drawn["$Q$"] <= drawn["$Q + H$ (bound)"])


def plot_log_densities(model, x):
    """log N(xᵢ; μⱼ, σ²) of a tied mixture of one feature."""
    var = float(np.ravel(model.covariances_)[0])
    return -0.5 * ((x - model.means_.ravel()) ** 2 / var + np.log(2 * np.pi * var))


@pytest.mark.spec("GEN-P10")
def test_hard_em_cuts_one_normal_law_and_soft_em_finds_it():
    X = np.random.default_rng(0).standard_normal((1000, 2))
    panels = plot.soft_against_hard(X, [[-1.0, 0.0], [1.0, 0.0]])
    labelled(panels["soft"])
    gain = {}
    for word, ax in panels.items():
        first, second, single = ax.patches
        np.testing.assert_allclose(single.center, X.mean(axis=0), atol=1e-9)
        assert single.get_linestyle() == "--"
        assert first.get_linestyle() != "--" != second.get_linestyle()
        gain[word] = float(ax.get_title(loc="left").rsplit(" ", 1)[1])
    assert 0.0 <= gain["soft"] <= 6.0
    assert gain["hard"] <= -40.0
    a, b = (np.array(patch.center) for patch in panels["hard"].patches[:2])
    assert np.linalg.norm(a - b) >= 1.6
    colors = {word: len(np.unique(ax.collections[0].get_facecolors(), axis=0)) for word, ax in panels.items()}
    assert colors["hard"] == 2 < colors["soft"]


@pytest.mark.spec("GEN-P11")
def test_likelihoods_and_bic_over_the_number_of_components():
    X = clouds([(0, 0), (4, 0), (2, 4)])
    chosen = select_components(X, range(1, 6))
    panels = plot.component_selection(chosen.table)
    labelled(*panels.values())
    left, right = panels["likelihood"], panels["bic"]
    np.testing.assert_allclose(lines(left)["rows fitted"].get_ydata(), chosen.table["train"])
    np.testing.assert_allclose(left.lines[1].get_ydata(), chosen.table["cv"])
    np.testing.assert_allclose(right.lines[0].get_ydata(), chosen.table["bic"])
    assert left.lines[-1].get_xdata()[0] == chosen.best == 3
    assert right.lines[-1].get_xdata()[0] == 3
    assert right.get_title(loc="left") == "best $k = 3$"


@pytest.mark.spec("GEN-P12")
def test_spikes_of_an_overfitted_mixture_and_the_floor():
    x = np.array([-2.0, -1.1, -1.0, -0.4, 0.1, 0.3, 0.9, 5.0])[:, None]
    models = {
        "no floor": GaussianMixture(2, random_state=0).fit(x),
        "floor": GaussianMixture(2, cov_floor=0.25, random_state=0).fit(x),
    }
    ax = plot.density_spikes(models, x)
    labelled(ax)
    assert ax.get_yscale() == "log"
    spike = lines(ax)["no floor"]
    assert spike.get_xdata()[np.argmax(spike.get_ydata())] == pytest.approx(5.0, abs=1e-3)
    # The peak of a component of one row in eight is its weight over σ√(2π), however narrow it is.
    assert spike.get_ydata().max() == pytest.approx(0.125 / np.sqrt(2e-6 * np.pi), rel=1e-3)
    assert lines(ax)["floor"].get_ydata().max() < 0.8 / np.sqrt(2 * 0.25 * np.pi) + 0.1
    np.testing.assert_allclose(lines(ax)["rows"].get_xdata(), x[:, 0])
