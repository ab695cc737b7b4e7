"""Where the error comes from: bias, variance, noise; model, estimation, optimisation; and what complexity costs."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import BaggingRegressor, ExtraTreesRegressor, RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression as Peer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from gnomon.evaluation import (
    FiniteClass,
    LinearBall,
    bias_variance,
    bias_variance_bootstrap,
    effective_dof,
    error_sources,
    growth_function,
    instability,
    is_shattered,
    n_dichotomies,
    network_complexity,
    optimism,
    rademacher_bound,
    rademacher_complexity,
    split_predictions,
    sv_bound,
    vc_bound,
    vc_dimension,
)
from gnomon.linear import LinearRegression, Ridge
from gnomon.losses import AbsoluteLoss
from gnomon.trees import RandomForestRegressor as OurForest

W = np.array([1.0, -2.0, 0.5])


def linear(n, rng):
    X = rng.standard_normal((n, 3))
    return X, X @ W + 0.7 * rng.standard_normal(n)


def truth(X):
    return X @ W


def shrunken(n, rng):
    """Rows that mislead: of a bias that is not zero the error is of first order."""
    X, y = linear(n, rng)
    return X, 0.5 * y if n == 15 else y


def wave(n, rng):
    X = rng.uniform(-1.0, 1.0, (n, 2))
    return X, wave_truth(X) + 0.3 * rng.standard_normal(n)


def wave_truth(X):
    return np.sin(3.0 * X[:, 0]) + X[:, 1] ** 2


def classes(n, rng):
    X = rng.standard_normal((n, 2))
    flip = rng.random(n) < 0.1
    return X, np.where(flip, 1 - best_class(X), best_class(X))


def best_class(X):
    return (X[:, 0] + X[:, 1] ** 2 > 0.5).astype(int)


@pytest.mark.spec("EVA-L09", "EVA-024")
def test_plain_terms_are_an_identity_and_add_up_to_the_test_error():
    rng = np.random.default_rng(0)
    P, h = rng.normal(size=(7, 30)), rng.normal(size=30)
    plain = split_predictions(P, h, corrected=False)
    np.testing.assert_allclose(plain.bias_at + plain.variance_at, np.mean((P - h) ** 2, axis=0), rtol=1e-12)
    assert plain.total.value == pytest.approx(np.mean((P - h) ** 2), rel=1e-12)
    assert plain.noise.value == 0.0
    found = bias_variance(LinearRegression(), linear, truth, 12, 200, random_state=0)
    X, y = linear(20_000, np.random.default_rng(5))
    errors = [
        np.mean((y - LinearRegression().fit(*linear(12, np.random.default_rng(k))).predict(X)) ** 2) for k in range(300)
    ]
    error = np.std(errors) / np.sqrt(300)
    assert abs(np.mean(errors) - found.total.value) < 4.0 * np.hypot(error, found.total.standard_error)


@pytest.mark.spec("EVA-024")
def test_corrected_terms_have_no_bias_of_their_own():
    rng = np.random.default_rng(0)
    draws = [split_predictions(rng.normal(1.0, 2.0, (3, 1)), [0.0]) for _ in range(4000)]
    bias, variance = (np.array([getattr(d, term).value for d in draws]) for term in ("bias", "variance"))
    assert abs(np.mean(bias) - 1.0) < 4.0 * np.std(bias) / np.sqrt(4000)
    assert abs(np.mean(variance) - 4.0) < 4.0 * np.std(variance) / np.sqrt(4000)
    assert np.min(bias) < 0.0


@pytest.mark.spec("EVA-024")
def test_standard_errors_are_those_of_repetitions():
    runs = [
        bias_variance(Peer().set_params(fit_intercept=False), shrunken, truth, 15, 20, n_test=40, random_state=k)
        for k in range(40)
    ]
    for term in ("bias", "variance", "noise", "total"):
        values = np.array([getattr(run, term).value for run in runs])
        said = np.mean([getattr(run, term).standard_error for run in runs])
        assert said == pytest.approx(np.std(values), rel=0.5), term


@pytest.mark.spec("EVA-L10", "EVA-024")
def test_ridge_trades_variance_for_bias():
    curve = bias_variance(
        Ridge(fit_intercept=False), linear, truth, 8, 150, ("alpha", [1e-9, 0.3, 1.0, 3.0, 30.0]), random_state=0
    )
    assert curve.values == [1e-9, 0.3, 1.0, 3.0, 30.0]
    assert np.all(np.diff(curve.of("bias")) > 0.0)
    assert np.all(np.diff(curve.of("variance")) < 0.0)
    assert len(set(curve.of("noise").tolist())) == 1
    first = curve.parts[0].bias
    assert abs(first.value) < 4.0 * first.standard_error + 1e-3
    assert np.min(curve.of("total")) < curve.of("total")[0]
    # Least squares has the least variance of linear unbiased estimators; here one leaves out rows.
    half = bias_variance(_Half(), linear, truth, 8, 150, random_state=0)
    assert half.variance.value > curve.parts[0].variance.value
    assert abs(half.bias.value) < 4.0 * half.bias.standard_error + 0.05


class _Half(Peer):
    def fit(self, X, y):
        self.set_params(fit_intercept=False)
        return super().fit(X[:5], y[:5])


@pytest.mark.spec("EVA-L11", "EVA-024")
def test_averages_of_trees_have_less_variance():
    options = {"n_test": 150, "random_state": 0}
    tree = bias_variance(DecisionTreeRegressor(random_state=0), wave, wave_truth, 60, 15, **options)
    bag = bias_variance(BaggingRegressor(n_estimators=10, random_state=0), wave, wave_truth, 60, 15, **options)
    assert bag.variance.value < 0.7 * tree.variance.value
    forest, extra = (
        bias_variance(kind(20, min_samples_leaf=3, random_state=0, **more), wave, wave_truth, 60, 15, **options)
        for kind, more in ((RandomForestRegressor, {}), (ExtraTreesRegressor, {"max_features": 1}))
    )
    assert extra.variance.value < 0.7 * forest.variance.value
    assert extra.bias.value > 1.5 * forest.bias.value


@pytest.mark.spec("EVA-026")
def test_zero_one_terms_are_those_of_domingos():
    found = bias_variance(
        DecisionTreeClassifier(random_state=0), classes, best_class, 40, 60, loss="zero_one", random_state=0
    )
    assert set(found.bias_at) <= {0.0, 1.0}
    rng = np.random.default_rng(0)
    for K in (2, 3):
        P, h = rng.integers(0, K, (25, 40)), rng.integers(0, K, 40)
        plain = split_predictions(P, h, loss="zero_one")
        # Against the best class the terms are an identity, at every point.
        assert plain.total.value == pytest.approx(np.mean(h != P))
        assert plain.bias.value + plain.net_variance == pytest.approx(np.mean(h != P))
    assert abs(found.noise.value - 0.1) < 4.0 * found.noise.standard_error
    # With noise that does not depend on x: E = (1 − 2·noise)·P(ĥ ≠ h*) + noise.
    against_best = found.bias.value + found.net_variance
    q = found.noise.value
    assert found.total.value == pytest.approx((1.0 - 2.0 * q) * against_best + q, abs=0.03)
    names = np.array(["no", "yes"])
    words = split_predictions(names[P % 2], names[h % 2], loss="zero_one")
    numbers = split_predictions(P % 2, h % 2, loss="zero_one")
    assert words.bias == numbers.bias


@pytest.mark.spec("EVA-024")
def test_all_cores_give_the_same():
    # Functions of a function travel to other processes by value.
    def best(X):
        return X @ np.array([1.0, -2.0])

    def drawn(n, rng):
        X = rng.standard_normal((n, 2))
        return X, best(X) + rng.standard_normal(n)

    one, two = (
        bias_variance(Peer(), drawn, best, 12, 20, n_test=30, random_state=3, n_jobs=n_jobs) for n_jobs in (None, 2)
    )
    assert one.total == two.total
    np.testing.assert_array_equal(one.bias_at, two.bias_at)


@pytest.mark.spec("EVA-025")
def test_on_real_rows_bias_and_noise_are_one_number():
    X, y = linear(150, np.random.default_rng(0))
    found = bias_variance_bootstrap(LinearRegression(), X, y, n_resamples=60, random_state=0)
    assert np.isnan(found.noise.value)
    assert found.bias.value == pytest.approx(0.49, abs=0.15)
    # Least squares: σ² p/n, with p = 4 and a bootstrap of n rows.
    assert found.variance.value == pytest.approx(0.49 * 4 / 150, rel=0.6)
    assert found.total.value == pytest.approx(found.bias.value + found.variance.value)
    test = linear(400, np.random.default_rng(1))
    fixed = bias_variance_bootstrap(LinearRegression(), X, y, test=test, n_resamples=60, random_state=0)
    assert fixed.bias_at.shape == (400,)
    assert fixed.variance.value == pytest.approx(found.variance.value, rel=0.4)
    tree = bias_variance_bootstrap(DecisionTreeRegressor(random_state=0), X, y, n_resamples=30, random_state=0)
    assert tree.variance.value > 10.0 * found.variance.value


@pytest.mark.spec("EVA-025")
def test_out_of_bag_rows_are_predicted_by_models_that_did_not_see_them():
    X, y = classes(80, np.random.default_rng(0))
    memory = bias_variance_bootstrap(KNeighborsClassifier(1), X, y, loss="zero_one", n_resamples=40, random_state=0)
    seen = bias_variance_bootstrap(
        KNeighborsClassifier(1), X, y, loss="zero_one", test=(X, y), n_resamples=40, random_state=0
    )
    assert memory.total.value > 0.1
    assert seen.bias.value < 0.5 * memory.bias.value


@pytest.mark.spec("EVA-025", "EVA-027")
def test_weights_reach_fits_and_averages():
    X, y = linear(60, np.random.default_rng(0))
    w = np.r_[np.ones(40), np.zeros(20)]
    spoilt = np.where(w > 0, y, 1e6)
    found = bias_variance_bootstrap(LinearRegression(), X, spoilt, sample_weight=w, n_resamples=40, random_state=0)
    assert found.total.value < 2.0
    assert instability(LinearRegression(), X, spoilt, sample_weight=w, n_resamples=20, random_state=0).value < 1.0
    assert instability(LinearRegression(), X, spoilt, n_resamples=20, random_state=0).value > 1e6


@pytest.mark.spec("EVA-027")
def test_instability():
    X, y = classes(100, np.random.default_rng(0))
    assert instability(DummyClassifier(), X, np.r_[np.zeros(80), np.ones(20)], random_state=0).value == 0.0
    tree = instability(DecisionTreeClassifier(random_state=0), X, y, n_resamples=30, random_state=0)
    stump = instability(LogisticRegression(), X, y, n_resamples=30, random_state=0)
    assert tree.value > stump.value > 0.0
    again = instability(DecisionTreeClassifier(random_state=0), X, y, X, n_resamples=30, random_state=0)
    assert again == tree
    mean = instability(DummyRegressor(), X, X[:, 0], n_resamples=400, random_state=0)
    assert mean.value == pytest.approx(np.var(X[:, 0]) / 100, rel=0.25)
    frame = pd.DataFrame(X, columns=["a", "b"])
    words = instability(
        DecisionTreeClassifier(random_state=0), frame, np.array(["n", "y"])[y], n_resamples=30, random_state=0
    )
    assert words.value == pytest.approx(tree.value)


@pytest.mark.spec("EVA-L12", "EVA-028")
def test_sources_fall_with_rows_and_iterations():
    options = {"n_large": 20_000, "n_test": 20_000, "random_state": 0}
    sizes = np.array([20, 40, 80, 160, 320])
    found = [error_sources(LinearRegression(), wave, wave_truth, n, budget={}, n_datasets=40, **options) for n in sizes]
    for sources in found:
        assert sources.model > 0.0
        assert sources.estimation > -4.0 * sources.standard_errors[1]
        assert sources.optimization == 0.0
        assert sources.excess == sources.model + sources.estimation + sources.optimization
    slope = np.polyfit(np.log(sizes), np.log([sources.estimation for sources in found]), 1)[0]
    assert -1.35 < slope < -0.5
    steps = [
        error_sources(_Descent(), linear, truth, 50, budget={"n_steps": k}, n_datasets=3, **options).optimization
        for k in (1, 3, 10, 100)
    ]
    assert np.all(np.diff(np.abs(steps)) < 0.0)
    assert abs(steps[-1]) < 1e-6
    absolute = error_sources(LinearRegression(), linear, truth, 50, budget={}, loss=AbsoluteLoss(), **options)
    assert absolute.least_risk == pytest.approx(0.7 * np.sqrt(2.0 / np.pi), abs=0.02)
    assert abs(absolute.model) < 0.01


class _Descent(Peer):
    """Gradient descent on the squared error."""

    def __init__(self, n_steps=2000):
        super().__init__()
        self.n_steps = n_steps

    def fit(self, X, y):
        self.coef_, self.intercept_ = np.zeros(X.shape[1]), 0.0
        for _ in range(self.n_steps):
            self.coef_ = self.coef_ - 0.4 * X.T @ (X @ self.coef_ - y) / len(y)
        return self


@pytest.mark.spec("EVA-L13", "EVA-029", "EVA-030")
@pytest.mark.parametrize("D", [1, 2, 3])
def test_affine_functions_shatter_one_point_more_than_dimensions(D):
    rng = np.random.default_rng(D)
    assert is_shattered(rng.normal(size=(D + 1, D)))
    assert not is_shattered(rng.normal(size=(D + 2, D)))
    assert vc_dimension(D) == vc_dimension(rng.normal(size=(9, D))) == D + 1
    assert vc_dimension(D, fit_intercept=False) == vc_dimension(rng.normal(size=(9, D)), fit_intercept=False) == D
    N = D + 3
    X = rng.normal(size=(N, D))
    assert n_dichotomies(X).number == growth_function(N, n_features=D)
    through = n_dichotomies(X, fit_intercept=False)
    assert through.number == growth_function(N, n_features=D, fit_intercept=False)
    assert growth_function(N, n_features=D) <= growth_function(N, h=D + 1)


@pytest.mark.spec("EVA-030")
def test_points_in_a_subspace():
    rng = np.random.default_rng(0)
    flat = rng.normal(size=(6, 2)) @ rng.normal(size=(2, 5)) + 3.0
    assert vc_dimension(flat) == 3
    assert vc_dimension(flat, fit_intercept=False) == 3
    assert vc_dimension(flat - 3.0, fit_intercept=False) == 2
    assert n_dichotomies(flat[:5]).number == growth_function(5, n_features=2)
    for scale in (1e-150, 1e150):
        assert vc_dimension(flat * scale) == 3
        assert n_dichotomies(flat[:4] * scale).number == 14


@pytest.mark.spec("EVA-029")
def test_labellings_by_fits_are_those_by_programmes():
    X = np.random.default_rng(0).normal(size=(4, 2))
    by_fits = n_dichotomies(X, SVC(kernel="linear", C=1e6))
    np.testing.assert_array_equal(by_fits.labellings, n_dichotomies(X).labellings)
    assert n_dichotomies(X, KNeighborsClassifier(1)).shattered
    stumps = n_dichotomies(np.arange(4.0)[:, None], DecisionTreeClassifier(max_depth=1))
    assert stumps.number == 8
    assert stumps.first_failure.tolist() == [-1, -1, 1, -1]
    copies = n_dichotomies([[0.0], [0.0], [1.0]])
    assert copies.number == 4


@pytest.mark.spec("EVA-L14", "EVA-032")
def test_rademacher_complexity_is_between_nothing_and_shattering():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(7, 2))
    achieved = n_dichotomies(X)
    assert rademacher_complexity(KNeighborsClassifier(1), X, random_state=0).value == 1.0
    lines = rademacher_complexity(achieved, X, n_draws="all").value
    assert 0.0 < lines < 1.0
    triangle = X[:3]
    assert rademacher_complexity(n_dichotomies(triangle), triangle, n_draws="all").value == 1.0
    smaller = rademacher_complexity(n_dichotomies(X, fit_intercept=False), X, n_draws="all").value
    assert smaller <= lines
    fitted = rademacher_complexity(LogisticRegression(C=1e3), X, 60, random_state=0)
    assert fitted.value <= lines + 4.0 * fitted.standard_error
    some = rademacher_complexity(achieved, X, 2000, random_state=0)
    assert abs(some.value - lines) < 4.0 * some.standard_error
    for radius in (1.0, 5.0):
        ball = rademacher_complexity(LinearBall(radius), X, n_draws="all").value
        assert ball <= radius * np.sqrt(np.sum(X**2)) / len(X)
    assert rademacher_complexity(LinearBall(norm="l1"), X, n_draws="all").value <= ball
    assert rademacher_complexity(FiniteClass(1), X).value == 0.0
    assert lines <= rademacher_complexity(FiniteClass(achieved.number), X).value


@pytest.mark.spec("EVA-L15", "EVA-033", "EVA-031")
def test_the_bounds_hold():
    rng = np.random.default_rng(0)
    exceeded = {"rademacher": 0, "vc": 0}
    X_all, y_all = classes(20_000, rng)
    for _ in range(40):
        X, y = classes(60, rng)
        model = DecisionTreeClassifier(max_depth=1).fit(X, y)
        train, test = np.mean(model.predict(X) != y), np.mean(model.predict(X_all) != y_all)
        noise = rademacher_complexity(DecisionTreeClassifier(max_depth=1), X, 10, random_state=rng).value
        exceeded["rademacher"] += test > rademacher_bound(train, noise, 60, delta=0.2)
        exceeded["vc"] += test > vc_bound(train, 60, 3, delta=0.2)
    assert max(exceeded.values()) <= 0.2 * 40
    assert (
        rademacher_bound(0.1, 0.2, 100, 0.01)
        > rademacher_bound(0.1, 0.2, 100, 0.1)
        > rademacher_bound(0.1, 0.2, 999, 0.1)
    )


@pytest.mark.spec("EVA-L15", "EVA-034")
def test_dropout_lowers_the_bound_of_deep_networks_more():
    rng = np.random.default_rng(0)
    layers = [rng.normal(size=(4, 5)), rng.normal(size=(5, 3)), rng.normal(size=(3, 1))]
    plain = network_complexity(layers)
    assert plain == pytest.approx(np.prod([np.max(np.sum(np.abs(B), axis=0)) for B in layers]))
    ratios = [network_complexity(layers[:L], keep=0.8) / network_complexity(layers[:L]) for L in (1, 2, 3)]
    np.testing.assert_allclose(ratios, 0.8 ** (np.arange(1, 4) / 2))
    assert network_complexity(layers, keep=[0.8, 1.0, 1.0]) == pytest.approx(np.sqrt(0.8) * plain)
    X, y = classes(60, rng)
    network = MLPClassifier((4, 3), solver="lbfgs", max_iter=30, random_state=0, tol=1.0).fit(X, y)
    assert network_complexity(network) == pytest.approx(network_complexity(network.coefs_))
    with pytest.raises(ValueError, match="has no coefs_"):
        network_complexity(LogisticRegression())
    with pytest.raises(ValueError, match="keep"):
        network_complexity(layers, keep=0.0)


@pytest.mark.spec("EVA-L16", "EVA-036")
def test_support_vectors_bound_the_leave_one_out_errors():
    separable = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        y = np.arange(24) % 2
        X = rng.normal(np.column_stack([4.0 * y, np.zeros(24)]), 1.0)
        model = SVC(kernel="linear", C=1e6).fit(X, y)
        found = sv_bound(model, X, y)
        wrong = np.sum(cross_val_predict(SVC(kernel="linear", C=1e6), X, y, cv=LeaveOneOut()) != y)
        assert found.train == np.mean(model.predict(X) != y)
        assert found.n_support == np.sum(model.n_support_)
        assert found.loo_bound == found.n_support / 24
        if found.train == 0.0:
            separable += 1
            assert wrong <= found.n_support
        assert found.bound == found.train + found.n_support / 23
        assert sv_bound(model, X, y, c=2.0).bound > found.bound
    assert separable > 2
    with pytest.raises(ValueError, match="n_support_"):
        sv_bound(LogisticRegression().fit(X, y), X, y)


@pytest.mark.spec("EVA-035")
def test_effective_parameters_are_read_from_models():
    X, y = linear(30, np.random.default_rng(0))
    ridge = Ridge(alpha=2.0).fit(X, y)
    centred = X - X.mean(axis=0)
    trace = 1.0 + np.trace(centred @ np.linalg.solve(centred.T @ centred + 2.0 * np.eye(3), centred.T))
    assert effective_dof(ridge) == pytest.approx(trace)
    assert effective_dof(LinearRegression().fit(X, y)) == 4.0
    assert effective_dof(Peer(fit_intercept=False).fit(X, y)) == 3.0
    assert effective_dof(KNeighborsRegressor(6).fit(X, y)) == 5.0
    assert effective_dof(make_pipeline(StandardScaler(), KNeighborsRegressor(6)).fit(X, y)) == 5.0
    machine = SVC().fit(X, y > 0)
    assert effective_dof(machine) == len(machine.support_)
    with pytest.raises(ValueError, match="has none of"):
        effective_dof(DummyRegressor().fit(X, y))
    with pytest.raises(NotFittedError):
        effective_dof(Ridge())


@pytest.mark.spec("EVA-L03", "EVA-035")
@pytest.mark.parametrize("model", [LinearRegression(), Ridge(alpha=3.0), KNeighborsRegressor(4)], ids=repr)
def test_optimism_is_what_training_errors_lack(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    gaps, said = [], []
    for _ in range(300):
        y, new = truth(X) + 0.7 * rng.standard_normal((2, 40))
        fit = model.fit(X, y)
        found = optimism(fit, X, y, sigma2=0.49)
        gaps.append(np.mean((new - fit.predict(X)) ** 2) - found.train)
        said.append(found.optimism)
    assert np.ptp(said) < 1e-12
    assert abs(np.mean(gaps) - said[0]) < 4.0 * np.std(gaps) / np.sqrt(300)


@pytest.mark.spec("EVA-035")
def test_optimism_counts_weights_as_rows():
    X, y = linear(20, np.random.default_rng(0))
    twice = np.r_[np.arange(20), np.arange(10)]
    w = np.r_[2.0 * np.ones(10), np.ones(10)]
    weighted = optimism(LinearRegression().fit(X, y, w), X, y, sample_weight=w)
    repeated = optimism(LinearRegression().fit(X[twice], y[twice]), X[twice], y[twice])
    np.testing.assert_allclose(weighted, repeated)
    assert weighted.cp == weighted.train + weighted.optimism
    assert weighted.sigma2 == pytest.approx(30.0 * weighted.train / 26.0)
    line = LinearRegression().fit(X[:4], y[:4])
    with pytest.raises(ValueError, match="give sigma2"):
        optimism(line, X[:4], y[:4])


def test_refusals():
    with pytest.raises(ValueError, match="must be \\(n_models, n_points\\)"):
        split_predictions([1.0, 2.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="two models"):
        split_predictions([[1.0]], [1.0])
    with pytest.raises(ValueError, match="loss='hinge' is unknown"):
        split_predictions([[1.0], [2.0]], [1.0], loss="hinge")
    for weights, words in (([0.0, 0.0], "zero for every row"), ([-1.0, 3.0], "negative")):
        with pytest.raises(ValueError, match=words):
            split_predictions([[1.0, 2.0], [2.0, 3.0]], [1.0, 2.0], sample_weight=weights)
    with pytest.raises(ValueError, match="at most 12"):
        n_dichotomies(np.zeros((13, 2)))
    with pytest.raises(ValueError, match="set it on the estimator"):
        n_dichotomies(np.zeros((3, 2)), SVC(), fit_intercept=False)
    with pytest.raises(ValueError, match="NaN"):
        n_dichotomies([[np.nan], [1.0]])
    with pytest.raises(ValueError, match="give one of them"):
        growth_function(5, n_features=2, h=3)
    with pytest.raises(ValueError, match="delta=0"):
        vc_bound(0.0, 10, 3, delta=0.0)
    with pytest.raises(ValueError, match="says nothing"):
        vc_bound(0.0, 10, 30)
    with pytest.raises(ValueError, match="n_draws a number"):
        rademacher_complexity(LinearBall(), np.zeros((17, 1)), n_draws="all")
    with pytest.raises(ValueError, match="n_datasets=1"):
        bias_variance(LinearRegression(), linear, truth, 10, 1)
    with pytest.raises(ValueError, match="out of bag twice"):
        bias_variance_bootstrap(DecisionTreeRegressor(), np.zeros((1, 1)), [1.0], n_resamples=3)
    with pytest.raises(ValueError, match="inconsistent"):
        instability(LinearRegression(), np.zeros((3, 1)), [1.0, 2.0])


@pytest.mark.spec("TRE-069", "EVA-024")
def test_more_trees_lower_the_variance_and_do_not_raise_the_bias():
    def curved(n, rng):
        X = rng.uniform(-1.0, 1.0, (n, 2))
        return X, np.sin(3.0 * X[:, 0]) + 0.3 * rng.normal(size=n)

    def best(X):
        return np.sin(3.0 * X[:, 0])

    forest = OurForest(random_state=0, min_samples_leaf=3, max_features=1)
    trees = bias_variance(forest, curved, best, 40, 40, ("n_estimators", [1, 5, 25]), n_test=200, random_state=0)
    assert np.all(np.diff(trees.of("variance")) < 0.0)
    assert trees.of("variance")[-1] < 0.4 * trees.of("variance")[0]
    slack = 4.0 * max(part.bias.standard_error for part in trees.parts)
    assert np.all(np.diff(trees.of("bias")) < slack)
    forest.set_params(n_estimators=10)
    drawn = bias_variance(forest, curved, best, 40, 40, ("max_features", [1, 2]), n_test=200, random_state=0)
    # A column that says nothing costs bias where it is often the only one to be tried.
    assert drawn.of("bias")[0] > drawn.of("bias")[1]
