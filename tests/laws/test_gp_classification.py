"""Laws of Gaussian process classification."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning

from gnomon.gp import GaussianProcessClassifier
from gnomon.gp._class_fit import ClassProblem, SignedLabels, SoftmaxLabels, evidence_of
from gnomon.infer import CLASS_LINKS, laplace_classes, laplace_softmax
from gnomon.kernels import RBF, Constant, Linear, Matern


def table(n=30, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, 2))
    score = X[:, 0] + 0.5 * rng.standard_normal(n)
    return X, np.digitize(score, np.linspace(-1.0, 1.0, classes + 1)[1:-1])


NEW = np.random.default_rng(5).uniform(-2.5, 2.5, (8, 2))


@pytest.mark.spec("GP-039", "GP-042")
@pytest.mark.parametrize("link", CLASS_LINKS.values(), ids=CLASS_LINKS)
@pytest.mark.parametrize("y", [-1.0, 1.0])
def test_derivatives_of_links(link, y):
    z, h = np.linspace(-30.0, 6.0, 50), 1e-4
    ys = np.full(50, y)
    at, below, above = (link.derivatives(ys, z + s) for s in (0.0, -h, h))
    assert_allclose(at.slope, (above.value - below.value) / (2.0 * h), rtol=1e-5, atol=1e-7)
    assert_allclose(-at.curvature, (above.slope - below.slope) / (2.0 * h), rtol=1e-5, atol=1e-7)
    assert_allclose(at.third, -(above.curvature - below.curvature) / (2.0 * h), rtol=1e-3, atol=1e-6)
    assert np.all(at.curvature >= 0.0)


@pytest.mark.spec("GP-L17", "GP-039")
@pytest.mark.parametrize("link", CLASS_LINKS.values(), ids=CLASS_LINKS)
def test_the_mode_is_unique_and_stationary(link):
    X, index = table()
    K, y = 4.0 * RBF(0.8).gram(X), np.where(index == 1, 1.0, -1.0)
    found = laplace_classes(K, y, link)
    a, z = np.random.default_rng(0).standard_normal((2, len(y)))
    other = laplace_classes(K, y, link, start=found._replace(coef=a, mode=z))
    assert_allclose(other.mode, found.mode, atol=1e-7)
    assert_allclose(found.coef, found.slope, atol=1e-7)
    assert np.all(np.diff(found.history) >= 0.0)


@pytest.mark.spec("GP-039")
def test_near_the_mode_for_another_covariance_few_steps_are_left():
    X, index = table()
    y, K = np.where(index == 1, 1.0, -1.0), 4.0 * RBF(0.8).gram(X)
    for approximate in (
        lambda K, start=None: laplace_classes(K, y, CLASS_LINKS["logit"], start=start),
        lambda K, start=None: laplace_softmax(K, index, index.max() + 1, start=start),
    ):
        # a of this posterior, with the larger covariance, is further from the mode than zero.
        new, again = approximate(2.0 * K), approximate(2.0 * K, approximate(K))
        assert again.n_iter <= new.n_iter - 3
        assert_allclose(again.mode, new.mode, rtol=1e-7, atol=1e-7)


@pytest.mark.spec("GP-039")
def test_a_step_that_would_lower_the_posterior_is_halved():
    X, index = table()
    y = np.where(index == 1, 1.0, -1.0)
    K, almost = 1e4 * RBF(0.05).gram(X), y.copy()
    almost[0] *= -1.0
    start = laplace_classes(K, almost, CLASS_LINKS["logit"])
    a = start.coef
    psi = lambda a: -np.sum(np.logaddexp(0.0, -y * (K @ a))) - 0.5 * a @ K @ a  # noqa: E731
    assert psi(a) > psi(np.zeros(len(y)))
    # One score is far on the wrong side, where the curvature is next to nothing: Newton's full step goes too far.
    z = K @ a
    p = 1.0 / (1.0 + np.exp(-z))
    W = p * (1.0 - p)
    full = np.linalg.solve(np.eye(len(y)) + W[:, None] * K, W * z + (y + 1.0) / 2.0 - p)
    assert psi(full) < psi(a)
    found = laplace_classes(K, y, CLASS_LINKS["logit"], start=start)
    assert found.history[0] > psi(a)
    assert np.all(np.diff(found.history) >= -1e-12)
    assert_allclose(found.mode, laplace_classes(K, y, CLASS_LINKS["logit"]).mode, rtol=1e-6)


@pytest.mark.spec("GP-L17", "GP-041", "GP-042")
def test_averages_over_scores():
    X, y = table()
    kernel = Constant(4.0) * RBF(0.8)
    model = GaussianProcessClassifier(kernel, optimizer=None, integration="quadrature").fit(X, y)
    p = model.predict_proba(NEW)[:, 1]
    mode = GaussianProcessClassifier(kernel, optimizer=None, integration="mode").fit(X, y).predict_proba(NEW)[:, 1]
    assert np.all(np.abs(p - 0.5) <= np.abs(mode - 0.5))
    probit = GaussianProcessClassifier(kernel, optimizer=None, link="probit").fit(X, y)
    mean, variance = probit.predict_latent(NEW)
    x, w = np.polynomial.hermite_e.hermegauss(200)
    exact = [
        np.sum(w * norm.cdf(m + np.sqrt(v) * x)) / np.sqrt(2.0 * np.pi) for m, v in zip(mean, variance, strict=True)
    ]
    assert_allclose(probit.predict_proba(NEW)[:, 1], exact, atol=1e-10)


@pytest.mark.spec("GP-L08", "GP-044")
@pytest.mark.parametrize(
    "kernel", [Constant(2.0) * RBF(0.8), RBF(np.array([0.5, 1.5])), Matern(0.7, nu=1.5) + Constant(0.5)], ids=repr
)
@pytest.mark.parametrize("labels", ["logit", "probit", "softmax"])
def test_gradients_of_the_evidence(kernel, labels):
    X, index = table(14, 3 if labels == "softmax" else 2)
    w = np.linspace(0.5, 1.5, 14)
    if labels == "softmax":
        problem = ClassProblem(X, SoftmaxLabels(index, 3, w, 100))
    else:
        problem = ClassProblem(X, SignedLabels(np.where(index == 1, 1.0, -1.0), CLASS_LINKS[labels], w, 100))
    theta, h = kernel.theta, 1e-5
    value = lambda t: evidence_of(kernel.with_theta(t), problem)[0]  # noqa: E731
    steps = h * np.eye(len(theta))
    differences = [(value(theta + e) - value(theta - e)) / (2.0 * h) for e in steps]
    assert_allclose(evidence_of(kernel, problem)[1], differences, rtol=1e-6, atol=1e-7)


@pytest.mark.spec("GP-L18")
def test_a_linear_kernel_is_bayesian_logistic_regression():
    X, index = table()
    K = Linear().gram(X)
    found = laplace_classes(K, np.where(index == 1, 1.0, -1.0), CLASS_LINKS["logit"])
    w = np.linalg.lstsq(X, found.mode, rcond=None)[0]
    p = 1.0 / (1.0 + np.exp(-X @ w))
    # The maximum of log p(y | w) − ½‖w‖²: its gradient vanishes.
    assert_allclose(X.T @ ((index == 1) - p) - w, 0.0, atol=1e-7)
    k = Linear().gram(X, NEW)
    H = X.T @ (X * (p * (1.0 - p))[:, None]) + np.eye(2)
    assert_allclose(found.mean(k), NEW @ w, rtol=1e-6)
    assert_allclose(
        np.sum(NEW**2, axis=1) - found.explained(k), np.einsum("ij,jk,ik->i", NEW, np.linalg.inv(H), NEW), rtol=1e-6
    )


@pytest.mark.spec("GP-L18", "GP-046")
def test_two_classes_of_a_softmax_are_one_process_of_twice_the_kernel():
    X, index = table()
    K = RBF(0.8).gram(X)
    both = laplace_softmax(K, index, 2)
    one = laplace_classes(2.0 * K, np.where(index == 1, 1.0, -1.0), CLASS_LINKS["logit"])
    assert_allclose(both.mode[1] - both.mode[0], one.mode, atol=1e-8)
    assert_allclose(both.log_evidence, one.log_evidence, rtol=1e-9)
    model = GaussianProcessClassifier(
        RBF(0.8), optimizer=None, multi_class="softmax", n_draws=4000, random_state=0
    ).fit(X, index)
    exact = GaussianProcessClassifier(Constant(2.0) * RBF(0.8), optimizer=None, integration="quadrature").fit(X, index)
    assert_allclose(model.predict_proba(NEW), exact.predict_proba(NEW), atol=5e-3)
    same = GaussianProcessClassifier(RBF(0.8), optimizer=None, multi_class="softmax", integration="quadrature")
    assert_allclose(same.fit(X, index).predict_proba(NEW), exact.predict_proba(NEW), atol=1e-9)


@pytest.mark.spec("GP-046")
@pytest.mark.parametrize("classes", [3, 4])
def test_quadrature_of_a_softmax_is_where_draws_tend_to(classes):
    X, y = table(40, classes)
    fits = {}
    for integration in ("quadrature", "erf", "mode"):
        model = GaussianProcessClassifier(
            Constant(2.0) * RBF(0.8), optimizer=None, multi_class="softmax", integration=integration, n_draws=40_000
        )
        fits[integration] = model.fit(X, y).predict_proba(NEW)
    assert_allclose(fits["quadrature"].sum(axis=1), 1.0)
    assert_allclose(fits["quadrature"], fits["erf"], atol=2e-3)
    assert np.max(np.abs(fits["quadrature"] - fits["mode"])) > 0.02
    with pytest.raises(ValueError, match="is for 4 classes at most"):
        GaussianProcessClassifier(multi_class="softmax", integration="quadrature").fit(*table(40, 5)).predict_proba(NEW)


@pytest.mark.spec("GP-046")
@pytest.mark.parametrize("multi_class", ["one_vs_rest", "one_vs_one", "softmax"])
def test_several_classes(multi_class):
    X, y = table(60, 3)
    model = GaussianProcessClassifier(Constant(5.0) * RBF(1.0), multi_class=multi_class, optimizer=None, n_jobs=2).fit(
        X, y
    )
    assert model.score(X, y) > 0.75
    if multi_class == "one_vs_one":
        with pytest.raises(ValueError, match="multi_class='one_vs_one' does not give probabilities"):
            model.predict_proba(NEW)
    else:
        p = model.predict_proba(NEW)
        assert_allclose(p.sum(axis=1), 1.0)
        assert np.array_equal(model.predict(NEW), np.argmax(p, axis=1))


@pytest.mark.spec("GP-044", "GP-046")
def test_a_weight_is_a_number_of_rows():
    X, y = table(20, 3)
    w = np.random.default_rng(0).integers(0, 3, 20)
    w[np.unique(y, return_index=True)[1]] = 1
    for multi_class in ("one_vs_rest", "softmax"):
        make = lambda: GaussianProcessClassifier(RBF(0.8), optimizer=None, multi_class=multi_class, n_draws=50)  # noqa: B023, E731
        a, b = make().fit(X, y, sample_weight=w), make().fit(np.repeat(X, w, axis=0), np.repeat(y, w))
        assert_allclose(a.predict_proba(NEW), b.predict_proba(NEW), atol=1e-6)
        assert_allclose(a.log_marginal_likelihood_value_, b.log_marginal_likelihood_value_, rtol=1e-6)


@pytest.mark.spec("GP-039")
@pytest.mark.parametrize("multi_class", ["one_vs_rest", "softmax"])
def test_a_warm_start_begins_where_the_last_fit_ended(multi_class):
    X, y = table(40, 3)
    counts = {}
    for warm in (False, True):
        model = GaussianProcessClassifier(4.0 * RBF(0.8), optimizer=None, warm_start=warm, multi_class=multi_class)
        counts[warm] = [model.fit(X, y).n_iter_ for _ in range(2)]
    assert counts[False][0] == counts[False][1] == counts[True][0] > counts[True][1]


@pytest.mark.spec("GP-039", "GP-044")
@pytest.mark.parametrize("multi_class", ["one_vs_rest", "softmax"])
def test_a_fit_says_how_it_ended(multi_class):
    X, y = table(40, 3)
    kernel = Constant(2.0) * RBF(1.0, length_scale_bounds=(0.1, 10.0))
    model = GaussianProcessClassifier(kernel, multi_class=multi_class, n_restarts_optimizer=2, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    single = multi_class == "softmax"
    restarts = [model.restarts_] if single else model.restarts_
    assert [len(values) for values in restarts] == ([3] if single else [3, 3, 3])
    assert_allclose(np.mean([max(values) for values in restarts]), model.log_marginal_likelihood_value_)
    assert model.converged_ == (model.stop_reason_ == "tol")
    theta = np.concatenate([k.theta for k in ([model.kernel_] if single else model.kernel_)])
    if single:
        value, slopes = model.log_marginal_likelihood(theta, eval_gradient=True)
        assert_allclose(value, model.objective_)
        inside = (theta > kernel.bounds[:, 0] + 1e-6) & (theta < kernel.bounds[:, 1] - 1e-6)
        assert_allclose(np.max(np.abs(slopes[inside]), initial=0.0), model.gradient_norm_, atol=1e-6)
    for path in [model.history_] if single else model.history_:
        assert len(path["iteration"]) == len(path["objective"])
        assert np.all(np.diff(path["objective"]) >= -1e-10)
    with pytest.warns(ConvergenceWarning, match="raise max_iter_predict"):
        short = GaussianProcessClassifier(multi_class=multi_class, max_iter_predict=1).fit(X, y)
    assert (short.converged_, short.stop_reason_) == (False, "max_iter")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"link": "cloglog"}, "link="),
        ({"link": "probit", "multi_class": "softmax"}, "link='probit' is for two classes"),
        ({"integration": "exact"}, "integration="),
        ({"integration": "mackay", "link": "probit"}, "'mackay' is of a single logistic score"),
        ({"integration": "mackay", "multi_class": "softmax"}, "'mackay' is of a single logistic score"),
    ],
)
def test_options_that_cannot_be_used(options, text):
    with pytest.raises(ValueError, match=text):
        GaussianProcessClassifier(**options).fit(*table())


@pytest.mark.spec("GP-043")
@pytest.mark.parametrize("labels", [("a", "b"), ("b", "a")])
def test_a_score_of_zero_is_the_first_class(labels):
    """Far from all rows no sign decides."""
    model = GaussianProcessClassifier(optimizer=None).fit([[-1.0], [1.0]], labels)
    assert model.predict_latent([[1e3]])[0][0] == 0.0
    assert model.predict([[1e3]]).tolist() == ["a"]
    assert model.predict([[-1e-6], [1e-6]]).tolist() == list(labels)
