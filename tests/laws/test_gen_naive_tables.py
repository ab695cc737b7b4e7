"""Naive Bayes: smoothing, domains, gaps, priors of parameters and of classes, joint tables, dependence."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse, stats

from gnomon.datasets import load_weather_play
from gnomon.distributions import (
    KDE,
    Beta,
    BetaBernoulli,
    Dirichlet,
    DirichletCategorical,
    MultivariateNormal,
    Normal,
    NormalInverseGammaModel,
)
from gnomon.generative import (
    BernoulliNB,
    CategoricalNB,
    GaussianMixture,
    GaussianNB,
    JointTableClassifier,
    MultinomialNB,
    NaiveBayes,
    dependence_report,
)

WEATHER = load_weather_play()
FRAME = load_weather_play(as_frame=True).data
RNG = np.random.default_rng(7)
X = RNG.normal(size=(60, 3)) * [1.0, 5.0, 0.1] + [0.0, 100.0, 3.0]
Y = RNG.integers(0, 2, 60)


def fit_weather(**options):
    return CategoricalNB(**options).fit(WEATHER.data, WEATHER.target)


@pytest.mark.spec("GEN-L22", "GEN-044")
@pytest.mark.parametrize("alpha", [0.0, 1e-8, 0.3, 1.0, 1e9])
def test_tables_sum_to_one_and_go_from_frequencies_to_uniform(alpha):
    more = [[*values, "other"] for values in WEATHER.categories]
    model = fit_weather(alpha=alpha, categories=more)
    for j, logs in enumerate(model.feature_log_prob_):
        p, n = np.exp(logs), model.category_count_[j]
        np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-14)
        V, N = n.shape[1], n.sum(axis=1, keepdims=True)
        mixed = N / (N + alpha * V) * (n / N) + alpha * V / (N + alpha * V) / V
        np.testing.assert_allclose(p, mixed, rtol=1e-12)
        if alpha == 1e-8:
            np.testing.assert_allclose(p, n / N, atol=1e-7)
        if alpha == 1e9:
            np.testing.assert_allclose(p, 1.0 / V, rtol=1e-6)
    if alpha > 0.0:
        assert np.all(model.predict_proba(WEATHER.data) > 0.0)


@pytest.mark.spec("GEN-044", "GEN-036", "GEN-L04")
def test_smoothing_is_a_posterior_mean_and_a_mode_one_further():
    sizes = [3, 3, 2, 2]
    smoothed = fit_weather(alpha=0.7)
    mean = fit_weather(estimate="predictive", parameter_prior=[DirichletCategorical(np.full(V, 0.7)) for V in sizes])
    mode = fit_weather(estimate="map", parameter_prior=[Dirichlet(np.full(V, 1.7)) for V in sizes])
    for a, b, c in zip(smoothed.feature_log_prob_, mean.feature_log_prob_, mode.feature_log_prob_, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-13)
        np.testing.assert_allclose(c, a, rtol=1e-13)
    flat = fit_weather(estimate="map", parameter_prior=[Dirichlet(np.ones(V)) for V in sizes])
    for a, b in zip(fit_weather(alpha=0.0).feature_log_prob_, flat.feature_log_prob_, strict=True):
        np.testing.assert_array_equal(a, b)
    day = [["foggy", "hot", "high", "true"]]
    with pytest.warns(UserWarning, match="none of its categories"):
        expected = smoothed.predict_proba(day)
    for model in (mean, mode):
        with pytest.warns(UserWarning, match="none of its categories"):
            np.testing.assert_allclose(model.predict_proba(day), expected, rtol=1e-12)


@pytest.mark.spec("GEN-044")
def test_pseudo_counts_of_columns_and_of_values():
    by_column = fit_weather(alpha=[0.0, 1.0, 2.0, 0.5])
    alone = [fit_weather(alpha=a).feature_log_prob_[j] for j, a in enumerate([0.0, 1.0, 2.0, 0.5])]
    for found, expected in zip(by_column.feature_log_prob_, alone, strict=True):
        np.testing.assert_array_equal(found, expected)
    by_value = fit_weather(alpha=[[1.0, 2.0, 3.0], 1.0, [0.0, 4.0], 1.0])
    raised = by_value.category_count_[0] + np.array([1.0, 2.0, 3.0])
    expected = raised / raised.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.exp(by_value.feature_log_prob_[0]), expected, rtol=1e-13)
    words = MultinomialNB(alpha=[1.0, 0.0, 2.0]).fit([[3, 0, 1], [0, 2, 2]], [0, 1])
    np.testing.assert_allclose(np.exp(words.feature_log_prob_), [[4 / 7, 0, 3 / 7], [1 / 7, 2 / 7, 4 / 7]], rtol=1e-14)
    with pytest.raises(ValueError, match="alpha has 3 entries for 4 columns"):
        fit_weather(alpha=[1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="must be ≥ 0"):
        fit_weather(alpha=-1.0)
    with pytest.warns(UserWarning, match="alpha too small"):
        fit_weather(alpha=0.0, force_alpha=False)


@pytest.mark.spec("GEN-036", "GEN-048")
def test_bits_under_a_beta_prior():
    bits = (X.mean(axis=0) < X).astype(int)
    mode = BernoulliNB(estimate="map", parameter_prior=Beta(3.0, 2.0)).fit(bits, Y)
    mean = BernoulliNB(estimate="predictive", parameter_prior=BetaBernoulli(3.0, 2.0)).fit(bits, Y)
    n, N = mode.feature_count_, mode.class_count_[:, None]
    np.testing.assert_allclose(np.exp(mode.feature_log_prob_), (n + 2.0) / (N + 3.0), rtol=1e-13)
    np.testing.assert_allclose(np.exp(mean.feature_log_prob_), (n + 3.0) / (N + 5.0), rtol=1e-13)


@pytest.mark.spec("GEN-036", "GEN-047")
def test_the_predictive_law_of_counts_is_dirichlet_multinomial():
    counts = RNG.poisson(2.0, (40, 3))
    y, a0 = np.arange(40) % 2, np.array([0.5, 1.0, 2.0])
    model = MultinomialNB(estimate="predictive", parameter_prior=DirichletCategorical(a0)).fit(counts, y)
    x = np.array([4, 0, 3])
    for k in (0, 1):
        expected = stats.dirichlet_multinomial(a0 + counts[y == k].sum(axis=0), 7).logpmf(x)
        assert model.class_log_likelihood([x])[0, k] == pytest.approx(expected, rel=1e-12)
    sparse_too = model.class_log_likelihood(sparse.csr_array(counts))
    np.testing.assert_allclose(sparse_too, model.class_log_likelihood(counts), rtol=1e-12)


@pytest.mark.spec("GEN-036", "GEN-049")
def test_numbers_under_a_normal_inverse_gamma_prior():
    prior = NormalInverseGammaModel(0.0, 2.0, 3.0, 4.0)
    mode = GaussianNB(estimate="map", parameter_prior=prior).fit(X, Y)
    full = GaussianNB(estimate="predictive", parameter_prior=prior).fit(X, Y)
    for k in (0, 1):
        for j in range(3):
            column = X[k == Y, j]
            law = Normal.fit(column, prior=prior)
            assert (mode.theta_[k, j], mode.var_[k, j]) == pytest.approx((law.mean, law.var), rel=1e-12)
        expected = sum(prior.update(X[k == Y, j]).predictive().log_density(X[:5, j]) for j in range(3))
        np.testing.assert_allclose(full.class_log_likelihood(X[:5])[:, k], expected, rtol=1e-11)
    one_row = GaussianNB(estimate="predictive", parameter_prior=prior).fit(X[:3], ["a", "b", "b"])
    assert np.all(np.isfinite(one_row.predict_log_proba(X)))
    general = NaiveBayes([(j, prior) for j in range(3)]).fit(X, Y)
    np.testing.assert_allclose(general.predict_log_proba(X), full.predict_log_proba(X), rtol=1e-9)


@pytest.mark.spec("GEN-036")
@pytest.mark.parametrize(
    ("model", "prior"),
    [
        (GaussianNB, NormalInverseGammaModel()),
        (MultinomialNB, Dirichlet([1.0, 1.0, 1.0])),
        (BernoulliNB, Beta(1.0, 1.0)),
        (CategoricalNB, Dirichlet([1.0, 1.0, 1.0])),
    ],
)
def test_a_prior_that_is_not_used_and_one_that_is_missing_are_refused(model, prior):
    data = np.abs(X).astype(int)
    with pytest.raises(ValueError, match="need a parameter_prior"):
        model(estimate="map").fit(data, Y)
    with pytest.raises(ValueError, match="'mle' takes none"):
        model(parameter_prior=prior).fit(data, Y)


@pytest.mark.spec("GEN-045", "GEN-041")
def test_declared_values_count_whether_met_or_not():
    declared = fit_weather(categories=[["overcast", "rainy", "sunny", "foggy"], None, None, None])
    assert declared.n_categories_.tolist() == [4, 3, 2, 2]
    np.testing.assert_allclose(np.exp(declared.feature_log_prob_[0])[:, 3], [1 / 9, 1 / 13], rtol=1e-13)
    by_name = CategoricalNB(categories={"outlook": ["overcast", "rainy", "sunny", "foggy"]})
    by_name.fit(pd.DataFrame(WEATHER.data, columns=WEATHER.feature_names), WEATHER.target)
    np.testing.assert_array_equal(by_name.feature_log_prob_[0], declared.feature_log_prob_[0])
    # A categorical column declares its values itself, also those that no row has.
    frame = FRAME.assign(outlook=FRAME["outlook"].cat.add_categories("foggy"))
    enum = pl.from_pandas(FRAME).with_columns(
        outlook=pl.Series(WEATHER.data[:, 0].tolist(), dtype=pl.Enum(["overcast", "rainy", "sunny", "foggy"]))
    )
    for table in (frame, enum):
        model = CategoricalNB().fit(table, WEATHER.target)
        assert model.categories_[0].tolist() == ["overcast", "rainy", "sunny", "foggy"]
        np.testing.assert_array_equal(model.feature_log_prob_[0], declared.feature_log_prob_[0])
    with pytest.raises(ValueError, match="'overcast' in row 0, which is not among its categories"):
        fit_weather(categories=[["rainy", "sunny"], None, None, None])
    with pytest.raises(ValueError, match="which X does not have"):
        CategoricalNB(categories={"colour": ["red"]}).fit(FRAME, WEATHER.target)


@pytest.mark.spec("GEN-045", "GEN-L02")
def test_domains_of_chunks_join():
    y = np.array([0, 1, 0, 1])
    first, second = [["b"], ["a"], ["b"], ["a"]], [["c"], ["b"], ["c"], ["d"]]
    for options in ({}, {"min_categories": 3}, {"min_categories": 9}):
        whole = CategoricalNB(**options).fit(first + second, np.tile(y, 2))
        chunked = CategoricalNB(**options).partial_fit(first, y, classes=[0, 1]).partial_fit(second, y)
        assert chunked.categories_[0].tolist() == ["a", "b", "c", "d"]
        np.testing.assert_array_equal(chunked.category_count_[0], whole.category_count_[0])
        np.testing.assert_array_equal(chunked.feature_log_prob_[0], whole.feature_log_prob_[0])
    frames = [pd.DataFrame(cells, columns=["v"]).astype("category") for cells in (first, second)]
    typed = CategoricalNB().partial_fit(frames[0], y, classes=[0, 1]).partial_fit(frames[1], y)
    np.testing.assert_array_equal(typed.category_count_[0], chunked.category_count_[0][:, :4])
    # A chunk in which a column is missing throughout tells nothing of its values.
    gaps = CategoricalNB().partial_fit([[None], [None]], [0, 1], classes=[0, 1])
    with pytest.raises(ValueError, match="has no cells"):
        gaps.predict([["a"]])
    np.testing.assert_array_equal(gaps.partial_fit(first, y).category_count_[0], [[0, 2], [2, 0]])
    with pytest.raises(ValueError, match="held numbers in one chunk and other values in another"):
        gaps.partial_fit([[1], [2]], [0, 1])


@pytest.mark.spec("GEN-045")
@pytest.mark.parametrize("make", [CategoricalNB, NaiveBayes, JointTableClassifier])
def test_unknown_values_are_floored_ignored_or_refused(make):
    fog, gap = [["foggy", "hot", "high", "true"]], [[None, "hot", "high", "true"]]
    models = {how: make(alpha=1.0, handle_unknown=how).fit(WEATHER.data, WEATHER.target) for how in ("floor", "ignore")}
    with pytest.warns(UserWarning, match=r"'foggy', which is none of its categories \(1 such cells in all\)"):
        floored = models["floor"].predict_proba(fog)
    ignored = models["ignore"].predict_proba(fog)
    np.testing.assert_allclose(ignored, models["floor"].predict_proba(gap), rtol=1e-13)
    assert not np.allclose(floored, ignored)
    with pytest.raises(ValueError, match="correct it, or choose handle_unknown"):
        make(handle_unknown="error").fit(WEATHER.data, WEATHER.target).predict(fog)
    with pytest.raises(ValueError, match="handle_unknown='drop' is unknown"):
        make(handle_unknown="drop").fit(WEATHER.data, WEATHER.target)


@pytest.mark.spec("GEN-046")
def test_rows_that_every_class_excludes():
    model = MultinomialNB(alpha=0).fit([[1, 0, 1], [0, 1, 1]], [0, 1])
    with pytest.warns(UserWarning, match="1 of 2 rows have density zero under every class"):
        found = model.predict_proba([[1, 1, 0], [1, 0, 0]])
    np.testing.assert_array_equal(found, [[0.5, 0.5], [1.0, 0.0]])
    assert model.score_samples([[1, 1, 0]])[0] == -np.inf
    with pytest.raises(ValueError, match="first row 0; smooth the densities"):
        MultinomialNB(alpha=0, zero_policy="raise").fit([[1, 0, 1], [0, 1, 1]], [0, 1]).predict([[1, 1, 0]])
    bits = BernoulliNB(alpha=0).fit([[1, 0], [1, 1], [0, 1], [0, 1]], [0, 0, 1, 1])
    np.testing.assert_array_equal(bits.predict_proba([[1, 0], [0, 1]]), [[1.0, 0.0], [0.0, 1.0]])
    with pytest.warns(UserWarning, match="density zero"):
        np.testing.assert_array_equal(bits.predict_proba([[0, 0]]), [[0.5, 0.5]])
    empty = MultinomialNB(alpha=0).fit([[0, 0], [1, 2]], [0, 1])  # a class without words: the limit is uniform
    np.testing.assert_allclose(np.exp(empty.feature_log_prob_[0]), 0.5)


@pytest.mark.spec("GEN-034")
def test_numbers_are_counted_where_they_are_and_left_out_where_not():
    gappy = X.copy()
    gappy[::4, 1] = np.nan
    gappy[1::5, 2] = np.nan
    model = GaussianNB(var_smoothing=0).fit(gappy, Y)
    for k in (0, 1):
        here = gappy[k == Y]
        np.testing.assert_allclose(model.theta_[k], np.nanmean(here, axis=0), rtol=1e-13)
        np.testing.assert_allclose(model.var_[k], np.nanvar(here, axis=0), rtol=1e-11)
    np.testing.assert_array_equal(model.class_count_, np.bincount(Y))
    seen = [0, 2]
    part = GaussianNB(var_smoothing=0).fit(gappy[:, seen], Y)
    row = np.array([[0.3, np.nan, 3.0]])
    np.testing.assert_allclose(model.llr(row), part.llr(row[:, seen]), rtol=1e-12)
    assert GaussianNB().fit(gappy, Y).epsilon_ == pytest.approx(1e-9 * np.max(np.nanvar(gappy, axis=0)), rel=1e-10)
    with pytest.raises(ValueError, match="X contains NaN in column 1"):
        GaussianNB(missing="error").fit(gappy, Y)
    with pytest.raises(ValueError, match="X contains NaN"):
        GaussianNB(missing="error").fit(X, Y).predict(gappy)


@pytest.mark.spec("GEN-034")
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_bits_are_counted_where_they_are(make):
    bits = np.array([[1, 0, np.nan], [1, 1, 0], [np.nan, 1, 1], [0, 0, 1], [0, np.nan, 1]])
    y = [1, 1, 0, 0, 0]
    model = BernoulliNB().fit(make(bits), y)
    expected = [[1 / 4, 2 / 4, 4 / 5], [3 / 4, 2 / 4, 1 / 3]]
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), expected, rtol=1e-14)
    row = np.array([[1.0, np.nan, 0.0]])
    part = BernoulliNB().fit(bits[:, [0, 2]], y)
    np.testing.assert_allclose(model.predict_proba(make(row)), part.predict_proba(row[:, [0, 2]]), rtol=1e-13)
    with pytest.raises(ValueError, match=r"X contains NaN in column 0 \(1 row\), column 1"):
        BernoulliNB(missing="error").fit(make(bits), y)
    huge = np.where(np.arange(3) == 2, np.where(bits == 1, np.inf, bits), bits)
    with pytest.raises(ValueError, match=r"infinity .* in column 2 \(3 rows\)"):
        BernoulliNB().fit(make(huge), y)


@pytest.mark.spec("GEN-034", "GEN-041")
def test_a_gap_may_be_a_value_of_its_own():
    data = WEATHER.data.copy()
    data[[0, 2, 5], 0] = None
    model = CategoricalNB(missing="state").fit(data, WEATHER.target)
    assert model.categories_[0].tolist() == ["overcast", "rainy", "sunny", None]
    assert model.n_categories_.tolist() == [4, 3, 2, 2]
    named = data.copy()
    named[[0, 2, 5], 0] = "unknown"
    spelled = CategoricalNB().fit(named, WEATHER.target)
    np.testing.assert_allclose(model.predict_proba(data), spelled.predict_proba(named), rtol=1e-13)
    # In a column that had no gap one is left out.
    without = CategoricalNB(missing="state").fit(np.delete(data, 1, axis=1), WEATHER.target)
    expected = without.predict_proba([["sunny", "high", "true"]])
    np.testing.assert_allclose(model.predict_proba([["sunny", None, "high", "true"]]), expected, rtol=1e-12)
    with pytest.raises(ValueError, match="missing='error'"):
        CategoricalNB(missing="error").fit(data, WEATHER.target)


@pytest.mark.spec("GEN-034", "GEN-042")
def test_that_a_number_is_missing_may_tell():
    x = np.array([1.0, 2.0, 3.0, 1.5, np.nan, np.nan, 3.5, 2.5])[:, None]
    y = np.repeat(["here", "gone"], 4)
    state = NaiveBayes(missing="state").fit(x, y)
    assert state.predict([[None]])[0] == "gone"
    np.testing.assert_allclose(NaiveBayes().fit(x, y).predict_proba([[None]]), [[0.5, 0.5]])
    gone = np.exp(state.llr([[None]], "gone", "here"))
    np.testing.assert_allclose(gone, [(3 / 6) / (1 / 6)], rtol=1e-12)


@pytest.mark.spec("GEN-034", "GEN-042")
def test_blocks_with_gaps():
    rng = np.random.default_rng(3)
    block = rng.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], 200) + (np.arange(200) % 2)[:, None]
    y = np.arange(200) % 2
    gappy = np.where(rng.random(block.shape) < 0.1, np.nan, block)
    normal = NaiveBayes([([0, 1], MultivariateNormal)]).fit(gappy, y)
    mixture = NaiveBayes([([0, 1], GaussianMixture(1, reg_covar=0.0, tol=1e-9, max_iter=500))]).fit(gappy, y)
    np.testing.assert_allclose(normal.predict_proba(gappy), mixture.predict_proba(gappy), atol=1e-3)
    row = [[0.5, np.nan]]
    laws = normal.laws_[0].laws
    expected = [law.marginal([0]).log_density([[0.5]])[0] for law in laws]
    np.testing.assert_allclose(normal.class_log_likelihood(row)[0], expected, rtol=1e-12)
    with pytest.raises(ValueError, match="give each column a group of its own"):
        NaiveBayes([([0, 1], KDE)]).fit(gappy, y)
    with pytest.raises(ValueError, match="has no marginals"):
        NaiveBayes([([0, 1], KDE)]).fit(block, y).predict(gappy)


@pytest.mark.spec("GEN-053")
def test_a_report_finds_the_pair_that_depends():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 3000)
    a, b = rng.integers(0, 3, 3000), rng.normal(size=3000)
    copy = np.where(rng.random(3000) < 0.7, a, rng.integers(0, 3, 3000))
    frame = pd.DataFrame({"a": a, "b": b + y, "copy": [f"v{c}" for c in copy]})
    report = dependence_report(frame, y)
    first, *rest = report.pairs()
    assert set(first[:2]) == {"a", "copy"}
    assert first[3] < 1e-12
    assert all(p > 1e-4 for *_, p in rest)
    assert np.argmax(report.relevance) == 1
    assert report.relevance_p_values[1] < 1e-12
    np.testing.assert_array_equal(report.information, report.information.T)
    # A weight is so many rows, and missing cells are left out pair by pair.
    weights = rng.integers(0, 3, 3000)
    again = np.repeat(np.arange(3000), weights)
    bits = frame[["a", "copy"]]
    np.testing.assert_allclose(
        dependence_report(bits, y, sample_weight=weights).information,
        dependence_report(bits.iloc[again], y[again]).information,
        atol=1e-12,
    )
    gappy = bits.assign(copy=bits["copy"].where(np.arange(3000) >= 500))
    part = dependence_report(bits.iloc[500:], y[500:])
    assert dependence_report(gappy, y).information[0, 1] == pytest.approx(part.information[0, 1], rel=1e-12)
    # G is the likelihood-ratio statistic of SciPy, class by class.
    G = sum(
        stats.chi2_contingency(pd.crosstab(a[y == c], copy[y == c]), lambda_="log-likelihood", correction=False)[0]
        for c in (0, 1)
    )
    assert 2.0 * 3000 * report.information[0, 2] == pytest.approx(G, rel=1e-10)


@pytest.mark.spec("GEN-052")
def test_the_joint_table_sums_over_gaps_and_shares_rows_that_have_some():
    codes = RNG.integers(0, 3, (400, 2))
    codes[:, 1] = (codes[:, 0] + (RNG.random(400) < 0.3)) % 3
    y = RNG.integers(0, 2, 400)
    table = JointTableClassifier(alpha=0.5, categories=[[0, 1, 2]] * 2).fit(codes, y)
    whole = np.array([[table.class_log_likelihood([[a, b]])[0] for b in range(3)] for a in range(3)])
    np.testing.assert_allclose(np.exp(whole).sum(axis=(0, 1)), 1.0, rtol=1e-12)
    np.testing.assert_allclose(
        np.exp(table.class_log_likelihood([[1, None]])[0]), np.exp(whole[1]).sum(axis=0), rtol=1e-12
    )
    # The same table under EM is a fixed point: no other table has a greater likelihood for the gappy rows.
    gappy = codes.astype(float)
    gappy[::3, 1] = np.nan
    found = JointTableClassifier().fit(gappy, y)
    best = found.log_likelihood(gappy, y)
    for seed in range(20):
        other = JointTableClassifier().fit(gappy, y)
        noise = np.random.default_rng(seed).uniform(0.9, 1.1, other._counts.shape)
        shaken = other._counts * noise
        other._counts = shaken / shaken.sum(axis=0) * other._counts.sum(axis=0)
        assert other.log_likelihood(gappy, y) <= best + 1e-6
    states = JointTableClassifier(alpha=1.0, missing="state").fit(gappy, y)
    assert states.n_cells_ == 12
    large = JointTableClassifier(categories=[list(range(1024)), list(range(1024)), list(range(10))])
    with pytest.raises(ValueError, match=r"1.05e\+07 cells, more than 10⁷"):
        large.fit(np.zeros((4, 3), dtype=int), [0, 1, 0, 1])


@pytest.mark.spec("GEN-026")
def test_class_priors_of_counts_and_by_hand():
    counts = np.abs(X).astype(int)
    shares = np.bincount(Y) / 60
    np.testing.assert_allclose(MultinomialNB().fit(counts, Y).class_prior_, shares)
    np.testing.assert_allclose(MultinomialNB(fit_prior=False).fit(counts, Y).class_prior_, [0.5, 0.5])
    np.testing.assert_allclose(
        CategoricalNB(class_prior=[0.3, 0.7]).fit(counts, Y).class_log_prior_, np.log([0.3, 0.7])
    )
    np.testing.assert_allclose(BernoulliNB(class_prior={1: 0.7, 0: 0.3}).fit(counts, Y).class_prior_, [0.3, 0.7])
    np.testing.assert_allclose(NaiveBayes(priors="uniform").fit(X, Y).class_prior_, [0.5, 0.5])
    raised = (np.bincount(Y) + 2.0) / 64.0
    np.testing.assert_allclose(MultinomialNB(prior_alpha=2.0).fit(counts, Y).class_prior_, raised)
    for model in (MultinomialNB(class_prior=[0.5, 0.6]), GaussianNB(priors=[0.5, 0.6])):
        with pytest.raises(ValueError, match="sum to 1"):
            model.fit(counts, Y)
