"""The pictures of generative models: what is drawn is what was computed."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from gnomon import plot
from gnomon.anomaly import GaussianDetector, anomaly_split, select_threshold
from gnomon.distributions import (
    Bernoulli,
    Beta,
    BetaBernoulli,
    Laplace,
    Normal,
    NormalInverseGammaModel,
    NormalKnownCov,
)
from gnomon.generative import (
    CategoricalNB,
    GaussianClassifier,
    GaussianMixture,
    GaussianMixtureClassifier,
    GaussianNB,
    LinearDiscriminantAnalysis,
    OpenSetClassifier,
    QuadraticDiscriminantAnalysis,
    SemiSupervisedClassifier,
)
from pictures import clouds, labelled, lines

WEATHER = [
    "OCNT+",
    "OHHF+",
    "OHNF+",
    "OMHT+",
    "RCNF+",
    "RCNT-",
    "RMHF+",
    "RMHT-",
    "RMNF+",
    "SCNF+",
    "SHHF-",
    "SHHT-",
    "SMHF-",
    "SMNT+",
]
COLUMNS = ["outlook", "temperature", "humidity", "windy"]


def weather():
    letters = np.array([list(row) for row in WEATHER])
    return letters[:, :4], np.where(letters[:, 4] == "+", "yes", "no")


def inside(ellipse, points):
    """Which points lie in an ellipse drawn by matplotlib."""
    turn = np.radians(ellipse.angle)
    axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    local = (points - np.array(ellipse.center)) @ axes.T
    return np.sum((2.0 * local / [ellipse.width, ellipse.height]) ** 2, axis=1) <= 1.0


@pytest.mark.spec("GEN-P01")
@pytest.mark.parametrize(
    ("means", "variances", "priors", "places"),
    [
        ((-1.0, 1.0), (1.0, 1.0), (0.5, 0.5), [0.0]),
        ((-1.0, 1.0), (1.0, 1.0), (0.2, 0.8), [-0.693147]),
        ((0.0, 0.0), (4.0, 1.0), (0.5, 0.5), [-1.359556, 1.359556]),
    ],
)
def test_class_densities_cross_where_the_class_changes(means, variances, priors, places):
    cov = np.array(variances)[:, None, None]
    model = GaussianClassifier.from_parameters(np.array(means)[:, None], cov, priors)
    panels = plot.class_densities(model, [[-2.0], [2.0]], limits=(-4.0, 4.0))
    labelled(panels["posterior"])
    for ax in panels.values():
        found = [line.get_xdata()[0] for line in ax.lines if line.get_linestyle() == ":"]
        np.testing.assert_allclose(found, places, atol=1e-5)
    x = panels["joint"].lines[0].get_xdata()
    for k in range(2):
        law = Normal(means[k], variances[k])
        np.testing.assert_allclose(panels["joint"].lines[k].get_ydata(), priors[k] * law.density(x))
        proba = model.predict_proba(x[:, None])[:, k]
        np.testing.assert_allclose(panels["posterior"].lines[k].get_ydata(), proba, atol=1e-12)


@pytest.mark.spec("GEN-P02")
def test_gaussian_classifiers_side_by_side():
    rng = np.random.default_rng(0)
    X = np.vstack([
        rng.multivariate_normal([0, 0], [[2, 1.2], [1.2, 1]], 80),
        rng.multivariate_normal([3, 0], [[0.4, -0.3], [-0.3, 1.5]], 60),
    ])  # fmt: skip
    y = np.repeat([0, 1], [80, 60])
    models = {kind: GaussianClassifier(kind).fit(X, y) for kind in ("tied", "full", "diag")}
    panels = plot.gaussian_boundaries(models, X, y, levels=(0.95,))
    assert list(panels) == ["tied", "full", "diag"]
    line = lines(panels["tied"])["boundary"].get_xydata()
    np.testing.assert_allclose(models["tied"].decision_function(line), 0.0, atol=1e-8)
    for kind in ("full", "diag"):
        curve = panels[kind].collections[1].get_paths()[0].vertices
        np.testing.assert_allclose(models[kind].decision_function(curve), 0.0, atol=0.05)
    for kind, ax in panels.items():
        assert ax.get_aspect() == 1.0
        draws = models[kind].laws_[0].sample(4000, rng)
        assert abs(np.mean(inside(ax.patches[0], draws)) - 0.95) < 0.02
    assert panels["tied"].patches[0].angle == panels["tied"].patches[1].angle
    assert panels["diag"].patches[0].angle % 90.0 == 0.0


@pytest.mark.spec("GEN-P02")
def test_the_namesakes_have_the_ellipses_of_the_gaussian_classifiers():
    X, y = clouds([(0, 0), (3, 1)], scale=1.0), np.repeat([0, 1], 40)
    pairs = [
        (QuadraticDiscriminantAnalysis(store_covariance=True), GaussianClassifier("full")),
        (LinearDiscriminantAnalysis(store_covariance=True), GaussianClassifier("tied")),
        (GaussianNB(var_smoothing=0.0), GaussianClassifier("diag")),
    ]
    for pair in pairs:
        models = {name: model.fit(X, y) for name, model in zip(("one", "other"), pair, strict=True)}
        one, other = plot.gaussian_boundaries(models, X, y).values()
        for a, b in zip(one.patches, other.patches, strict=True):
            np.testing.assert_allclose([a.width, a.height, *a.center], [b.width, b.height, *b.center])
    with pytest.raises(ValueError, match="that stores them"):
        plot.gaussian_boundaries({"without": LinearDiscriminantAnalysis().fit(X, y)}, X, y)


@pytest.mark.spec("GEN-P03")
def test_the_overview_counts_the_parameters_of_the_models():
    table = plot.generative_overview(n_features=3, n_classes=2).tables[0]
    shown = {table[i, 0].get_text().get_text(): table[i, 2].get_text().get_text() for i in range(1, 9)}
    X, y = np.random.default_rng(0).standard_normal((40, 3)), np.repeat([0, 1], 20)
    for name, kind in (("tied (LDA)", "tied"), ("full (QDA)", "full")):
        assert shown[f"Gaussian, {name}"] == str(GaussianClassifier(kind).fit(X, y).n_parameters_)
    assert shown["Gaussian naive Bayes"] == str(GaussianClassifier("diag").fit(X, y).n_parameters_)
    mixture = GaussianMixtureClassifier(2, mixture=GaussianMixture(random_state=0)).fit(X, y).n_parameters_
    assert shown["Gaussian mixtures"] == "$2(10k-1)+1$"
    assert mixture == 2 * (10 * 2 - 1) + 1
    own = plot.generative_overview([("mine", "nothing", 7, "none")]).tables[0]
    assert own[1, 2].get_text().get_text() == "7"


@pytest.mark.spec("GEN-P04")
def test_prior_likelihood_posterior_and_predictive():
    model = BetaBernoulli(2.0, 3.0)
    bits = [1] * 7 + [0] * 3
    panels = plot.conjugate_update(model, bits)
    labelled(*panels.values())
    drawn = lines(panels["parameter"])
    theta = drawn["prior"].get_xdata()
    assert (theta[0], theta[-1]) == (0.0, 1.0)
    np.testing.assert_allclose(drawn["prior"].get_ydata(), Beta(2.0, 3.0).density(theta))
    np.testing.assert_allclose(drawn["posterior"].get_ydata(), Beta(9.0, 6.0).density(theta))
    # θ⁷(1 − θ)³ with area one is the density of Beta(8, 4).
    np.testing.assert_allclose(drawn["likelihood (scaled)"].get_ydata(), Beta(8.0, 4.0).density(theta), atol=1e-3)
    heights = [bar.get_height() for bar in panels["predictive"].patches]
    np.testing.assert_allclose(heights, [0.6, 0.4, 0.4, 0.6])
    panels = plot.conjugate_update(NormalKnownCov(0.0, 1.0, 1.0), [1.0, 2.0, 3.0])
    after = lines(panels["predictive"])["after"]
    np.testing.assert_allclose(after.get_ydata(), Normal(1.5, 1.25).density(after.get_xdata()))


@pytest.mark.spec("GEN-P04")
def test_beta_densities():
    laws = {f"Beta({a}, {b})": Beta(a, b) for a, b in ((1, 1), (2, 5), (20, 10))}
    ax = plot.law_densities(laws)
    labelled(ax)
    for name, line in lines(ax).items():
        np.testing.assert_allclose(line.get_ydata(), laws[name].density(line.get_xdata()))
    assert ax.lines[0].get_xdata()[-1] == 1.0
    with pytest.raises(ValueError, match="give continuous laws"):
        plot.law_densities({"bits": Bernoulli(0.5)})
    with pytest.raises(ValueError, match="several parameters"):
        plot.conjugate_update(NormalInverseGammaModel(0.0, 1.0, 1.0, 1.0), [1.0, 2.0])


@pytest.mark.spec("GEN-P05")
def test_laplace_is_above_the_normal_law_at_the_centre_and_in_the_tails():
    ax = plot.law_densities()
    labelled(ax)
    normal, laplace = (lines(ax)[name] for name in ("Gaussian", "Laplace"))
    x = normal.get_xdata()
    np.testing.assert_allclose(normal.get_ydata(), Normal(0.0, 1.0).density(x))
    np.testing.assert_allclose(laplace.get_ydata(), Laplace(0.0, np.sqrt(0.5)).density(x))
    above = laplace.get_ydata() > normal.get_ydata()
    np.testing.assert_array_equal(above[[0, len(x) // 2, -1, np.argmin(np.abs(x - 1.0))]], [True, True, True, False])
    logarithmic = plot.law_densities(log=True, limits=(0.5, 4.0))
    assert logarithmic.get_yscale() == "log"
    slope = np.diff(np.log(lines(logarithmic)["Laplace"].get_ydata()))
    np.testing.assert_allclose(slope, slope[0])


@pytest.mark.spec("GEN-P13")
def test_regions_of_a_mixture_for_each_class():
    X, y = clouds([(0, 0), (3, 3), (0, 3), (3, 0)]), np.repeat([0, 0, 1, 1], 40)
    model = GaussianMixtureClassifier(2, mixture=GaussianMixture(random_state=0)).fit(X, y)
    ax = plot.class_regions(model, X, y, mixtures=model.mixtures_, resolution=80)
    labelled(ax)
    mesh = ax.collections[0]
    np.testing.assert_array_equal(mesh.get_array().ravel(), model.predict(_centres(mesh)))
    centres = np.vstack([mixture.means_ for mixture in model.mixtures_])
    np.testing.assert_allclose([patch.center for patch in ax.patches], centres)
    curve = ax.collections[1].get_paths()[0].vertices
    assert np.quantile(np.abs(model.decision_function(curve)), 0.9) < 0.5


def _centres(mesh):
    """The points of the grid of a shaded region."""
    corners = mesh.get_coordinates()
    return 0.25 * (corners[1:, 1:] + corners[:-1, 1:] + corners[1:, :-1] + corners[:-1, :-1]).reshape(-1, 2)


@pytest.mark.spec("GEN-P13")
def test_regions_of_an_open_set():
    X = clouds([(0, 0), (4, 0), (2, 7)])
    y = np.repeat(["a", "b", "unknown"], 40)
    model = OpenSetClassifier(unknown_label="unknown").fit(X, y)
    ax = plot.class_regions(model, X, y, unknown="unknown", resolution=60)
    labelled(ax)
    index = ax.collections[0].get_array()
    assert set(np.unique(index)) == {0, 1, 2}
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b", "unknown"]
    np.testing.assert_allclose(ax.collections[-1].get_offsets(), X[y == "unknown"])
    assert index[-1, index.shape[1] // 2] == 2  # the top of the picture belongs to none of the classes


@pytest.mark.spec("GEN-P14")
def test_what_unlabelled_rows_do_to_the_boundary():
    X, truth = clouds([(0, 0), (4, 1)], n=100, scale=1.0), np.repeat([0, 1], 100)
    y = np.full(200, -1)
    seen = [0, 1, 100, 101]
    y[seen] = truth[seen]
    before = GaussianClassifier("tied_spherical").fit(X[seen], truth[seen])
    after = SemiSupervisedClassifier(GaussianClassifier("tied")).fit(X, y)
    panels = plot.few_labels(before, after, X, y)
    labelled(panels["labelled rows"])
    for ax, model in zip(panels.values(), (before, after), strict=True):
        bare = next(c for c in ax.collections if c.get_label() == "no label")
        np.testing.assert_allclose(bare.get_offsets(), X[y == -1])
        curve = ax.collections[1].get_paths()[0].vertices
        np.testing.assert_allclose(model.decision_function(curve), 0.0, atol=0.02)
        assert sum(len(c.get_offsets()) for c in ax.collections if c.get_label().startswith("class")) == 4
    assert after.score(X, truth) >= before.score(X, truth)
    gaps = plot.few_labels(before, after, X, np.where(y == -1, np.nan, y))["all rows"]
    drawn = [c.get_label() for c in gaps.collections if not c.get_label().startswith("_")]
    assert drawn == ["no label", "class 0", "class 1"]


def tilted(n=300, seed=0):
    """Strongly correlated good rows, and four odd ones."""
    good = np.random.default_rng(seed).multivariate_normal([0, 0], [[1, 0.95], [0.95, 1]], n)
    return np.vstack([good, [[-1.8, 1.8], [2, -0.5], [1.6, -1.6], [4.5, 4.5]]]), np.repeat([0, 1], [n, 4])


@pytest.mark.spec("GEN-P15")
def test_the_level_of_a_density_and_the_rows_it_flags():
    X, y = tilted()
    good = X[y == 0]
    detectors = {kind: GaussianDetector(kind, level=0.99).fit(good) for kind in ("diag", "full")}
    panels = plot.anomaly_contours(detectors, X, y)
    labelled(panels["diag"])
    flagged = {}
    for kind, ax in panels.items():
        rings = next(c for c in ax.collections if c.get_label() == "flagged").get_offsets()
        out = detectors[kind].predict(X) == -1
        np.testing.assert_allclose(rings, X[out])
        flagged[kind] = out
        level = ax.collections[1].get_paths()[0].vertices
        np.testing.assert_allclose(detectors[kind].decision_function(level), 0.0, atol=0.1)
    legend = [text.get_text() for text in panels["diag"].get_legend().get_texts()]
    assert set(legend) == {"$p(x) = \\varepsilon$", "good", "anomalous", "flagged"}
    assert np.all(flagged["full"][y == 1])
    assert np.sum(flagged["diag"][y == 1]) == 1


@pytest.mark.spec("GEN-P15")
def test_nested_levels():
    X = clouds([(0, 0), (4, 3)])
    model = GaussianMixture(2, random_state=0).fit(X)
    scores = model.score_samples(X)
    levels = {f"{share} %": float(np.quantile(scores, 1 - share / 100)) for share in (50, 80, 95)}
    ax = plot.nested_contours(model, X, levels)
    labelled(ax)
    drawn = ax.collections[1]
    np.testing.assert_allclose(drawn.levels, sorted(levels.values()))
    for level, path in zip(drawn.levels, drawn.get_paths(), strict=True):
        np.testing.assert_allclose(model.score_samples(path.vertices), level, atol=0.1)
    assert {text.get_text() for text in ax.texts} == set(levels)


@pytest.mark.spec("GEN-P16")
def test_the_chosen_threshold_on_three_curves():
    scores = [-2.0, -2.5, -3.0, -3.5, -4.0, -6.0, -5.0, -9.0, -12.0]
    choice = select_threshold(scores, [0, 0, 0, 0, 0, 0, 1, 1, 1])
    panels = plot.threshold_choice(choice)
    labelled(*panels.values())
    chosen = {name: ax.lines[-1].get_xydata()[0] for name, ax in panels.items()}
    np.testing.assert_allclose(chosen["metric"], [-5.0, 6 / 7])
    np.testing.assert_allclose(chosen["precision-recall"], [1.0, 0.75])
    np.testing.assert_allclose(chosen["ROC"], [1 / 6, 1.0])
    drawn = panels["metric"].lines[0]
    np.testing.assert_allclose(drawn.get_xdata(), np.sort(scores))
    np.testing.assert_allclose(drawn.get_ydata(), choice.values[1:])
    assert panels["ROC"].get_title(loc="left") == f"area {choice.curve.roc_auc:.3f}"


@pytest.mark.spec("GEN-P17")
def test_histogram_and_quantiles_before_and_after_a_logarithm():
    x = np.random.default_rng(0).lognormal(0.0, 0.8, 400)
    panels = plot.normality(x, np.log(x), names=("x", "log x"))
    labelled(panels["histogram x"], panels["quantiles x"])
    deviation = {}
    for name, column in (("x", x), ("log x", np.log(x))):
        line, rows = panels[f"quantiles {name}"].lines
        np.testing.assert_allclose(rows.get_ydata(), np.sort((column - column.mean()) / column.std()))
        np.testing.assert_array_equal(line.get_xdata(), line.get_ydata())
        deviation[name] = np.max(np.abs(rows.get_ydata() - rows.get_xdata()))
        area = sum(bar.get_width() * bar.get_height() for bar in panels[f"histogram {name}"].patches)
        assert area == pytest.approx(1.0)
    assert deviation["log x"] < 1.0 < 2.0 < deviation["x"]
    with pytest.raises(ValueError, match="constant or not finite"):
        plot.normality(np.ones(5), np.arange(5.0))


@pytest.mark.spec("GEN-P18")
def test_the_split_with_its_counts():
    y = np.repeat([0, 1], [10_000, 20])
    split = anomaly_split(y, random_state=0)
    for parts in (split, split._asdict()):
        ax = plot.split_diagram(y, parts)
        labelled(ax)
        assert [text.get_text() for text in ax.texts] == ["6 000", "2 000", "2 000", "10", "10"]
        np.testing.assert_allclose([box.get_width() for box in ax.patches], [0.6, 0.2, 0.2, 0.5, 0.5])
        assert [text.get_text() for text in ax.get_legend().get_texts()] == ["train", "validation", "test"]


@pytest.mark.spec("GEN-P19")
@pytest.mark.parametrize("table", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_count_tables_of_the_weather(table):
    X, y = weather()
    X = X if table is np.asarray else table(dict(zip(COLUMNS, X.T, strict=True)))
    panels = plot.count_tables(X, y, names=COLUMNS, alpha=1.0)
    assert list(panels) == COLUMNS
    np.testing.assert_array_equal(panels["outlook"].images[0].get_array(), [[0, 2, 3], [4, 3, 2]])
    np.testing.assert_array_equal(panels["windy"].images[0].get_array(), [[2, 3], [6, 3]])
    assert panels["outlook"].texts[3].get_text() == "4\n0.42"
    assert [tick.get_text() for tick in panels["outlook"].get_xticklabels()] == ["O", "R", "S"]


@pytest.mark.spec("GEN-P19", "GEN-032")
def test_posterior_bars_and_the_waterfall_of_evidence():
    X, y = weather()
    model = CategoricalNB(alpha=1.0).fit(pd.DataFrame(X, columns=COLUMNS), y)
    why = model.explain(pd.DataFrame([["S", "H", "H", "T"]], columns=COLUMNS))
    ax = plot.posterior_bars(why)
    labelled(ax)
    widths = [bar.get_width() for bar in ax.patches]
    np.testing.assert_allclose(widths, [5 / 14, 9 / 14, 0.837254, 0.162746], atol=1e-6)
    ax = plot.evidence_waterfall(why)
    labelled(ax)
    *steps, total = (bar.get_width() for bar in ax.patches)
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert names == ["prior", "outlook", "humidity", "windy", "temperature", "log-odds"]
    np.testing.assert_allclose(steps[:2], np.log([9 / 5, 1 / 2]))
    np.testing.assert_allclose(total, np.log(0.162746 / 0.837254), atol=1e-5)
    np.testing.assert_allclose(sum(steps), total)
    ends = [bar.get_x() + bar.get_width() for bar in ax.patches[:-1]]
    np.testing.assert_allclose([bar.get_x() for bar in ax.patches[1:-1]], ends[:-1])
    short = plot.evidence_waterfall(why, top=2)
    assert [tick.get_text() for tick in short.get_yticklabels()][3:] == ["2 others", "log-odds"]
    assert short.patches[-1].get_width() == pytest.approx(total)
    sure = CategoricalNB(alpha=0.0, force_alpha=True).fit(X, y).explain([["O", "H", "H", "T"]])
    with pytest.raises(ValueError, match="alpha > 0"):
        plot.evidence_waterfall(sure)
