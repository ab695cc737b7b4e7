"""Kernel machines at work: LIBSVM's guide, waves with and without noise, machines and networks on one task."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_circles, make_moons
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from gnomon._registry import Facts, candidates, discover
from gnomon.decomposition import KernelPCA
from gnomon.kernels import RBF, Sigmoid
from gnomon.neighbors import RBFNetworkClassifier
from gnomon.svm import SVC, SVR, KernelPerceptron
from real_data import data_path


def guide(name):
    rows = pd.read_csv(data_path(f"svm/{name}.csv.gz")).to_numpy()
    return rows[:, 1:].astype(float), rows[:, 0]


@pytest.mark.spec("KER-015", "KER-069")
@pytest.mark.filterwarnings("ignore:features on wild scales")
def test_appendix_a3_of_the_guide():
    """Hsu, Chang and Lin's table: accuracies on 41 test rows without scaling, with it, and with C and γ chosen."""
    X, y = guide("svmguide3")
    T, t = guide("svmguide3.t")
    assert SVC(gamma="auto").fit(X, y).score(T, t) == pytest.approx(0.0243902, abs=1e-6)
    scaled = make_pipeline(MinMaxScaler((-1, 1)), SVC(gamma="auto"))
    assert scaled.fit(X, y).score(T, t) == pytest.approx(0.121951, abs=1e-6)
    chosen = scaled.set_params(svc__C=128.0, svc__gamma=0.125)
    assert chosen.fit(X, y).score(T, t) == pytest.approx(0.878049, abs=1e-6)


@pytest.mark.spec("KER-069", "KER-041")
def test_price_and_width_by_cross_validation():
    """Sonar: a search over C and γ inside the folds is better than a linear machine."""
    rows = pd.read_csv(data_path("tabular/sonar.csv.gz"), header=None).to_numpy()
    X, y = rows[:, :-1].astype(float), rows[:, -1]
    scale, folds = StandardScaler(), StratifiedKFold(4, shuffle=True, random_state=0)
    search = GridSearchCV(SVC(), {"C": [1.0, 10.0, 100.0], "gamma": [0.003, 0.01, 0.03]}, cv=3)
    found = {
        name: cross_val_score(make_pipeline(scale, model), X, y, cv=folds).mean()
        for name, model in {"linear": SVC(kernel="linear"), "search": search}.items()
    }
    assert found["search"] > found["linear"] + 0.05


@pytest.mark.spec("KER-L36", "KER-052")
@pytest.mark.filterwarnings("ignore:lbfgs failed to converge")
def test_waves_with_and_without_noise():
    """A net of (50, 50) follows a clean sine more closely than SVR does, and noise too: then SVR is better."""
    inside = np.linspace(0.1, 3.9, 200)[:, None]
    truth = np.sin(2.0 * inside[:, 0])
    errors = {}
    for noise in (0.0, 0.3):
        rng = np.random.default_rng(0)
        x = np.sort(rng.uniform(0.0, 4.0, 80))[:, None]
        y = np.sin(2.0 * x[:, 0]) + noise * rng.normal(size=80)
        options = {"activation": "tanh", "solver": "lbfgs", "alpha": 1e-6, "max_iter": 1500, "tol": 1e-9}
        for layers in ((1,), (50,), (50, 50)):
            net = MLPRegressor(hidden_layer_sizes=layers, **options, max_fun=10**6, random_state=0)
            errors[noise, layers] = np.mean((net.fit(x, y).predict(inside) - truth) ** 2)
        machine = SVR(kernel=RBF(1.0), C=10.0, epsilon=0.1 + noise / 3.0)
        errors[noise, "svr"] = np.mean((machine.fit(x, y).predict(inside) - truth) ** 2)
    assert errors[0.3, "svr"] < 0.5 * errors[0.3, (50, 50)]
    assert errors[0.0, (50, 50)] < 0.5 * errors[0.0, "svr"]
    # One unit is a step: too little for a wave.
    assert errors[0.0, (1,)] > 20.0 * errors[0.0, "svr"]


@pytest.mark.spec("KER-052")
def test_one_task_for_all():
    """Moons: machine, network of bumps, perceptron of many layers, kernel principal components and a machine."""
    X, y = make_moons(300, noise=0.2, random_state=0)
    models = {
        "machine": SVC(kernel=RBF(0.5)),
        "bumps": RBFNetworkClassifier(n_centers=20, random_state=0),
        "net": MLPClassifier((20,), solver="lbfgs", max_iter=2000, alpha=0.1, random_state=0),
        "components, then a machine": make_pipeline(KernelPCA(8, kernel=RBF(0.5)), SVC(kernel="linear")),
        "line": SVC(kernel="linear"),
    }
    scores = {name: cross_val_score(model, X, y, cv=3).mean() for name, model in models.items()}
    curved = [score for name, score in scores.items() if name != "line"]
    assert min(curved) > scores["line"] + 0.03, scores
    assert max(curved) - min(curved) < 0.04, scores


@pytest.mark.spec("KER-052")
@pytest.mark.filterwarnings("ignore::gnomon.kernels.NotPSDWarning")
def test_a_layer_of_tanh_and_a_sigmoid_kernel():
    """The same kind of function: f = Σ βᵢ tanh(s xᵢᵀx + c) is a net whose hidden units are the support vectors."""
    X, y = make_moons(120, noise=0.15, random_state=0)
    machine = SVC(kernel=Sigmoid(1.0, -0.5), C=1.0).fit(X, y)
    hidden = np.tanh(X @ machine.support_vectors_.T - 0.5)
    np.testing.assert_allclose(hidden @ machine.dual_coef_[0] + machine.intercept_, machine.decision_function(X))
    net = MLPClassifier((10,), activation="tanh", solver="lbfgs", max_iter=2000, alpha=0.1, random_state=0).fit(X, y)
    assert net.score(X, y) >= machine.score(X, y)


@pytest.mark.spec("KER-L35")
def test_machines_are_convex_and_nets_are_not():
    """Rows in another order give the same machine; another seed gives another net."""
    X, y = make_moons(80, noise=0.3, random_state=1)
    order = np.random.default_rng(0).permutation(80)
    first, second = SVC(tol=1e-8).fit(X, y), SVC(tol=1e-8).fit(X[order], y[order])
    np.testing.assert_allclose(first.decision_function(X), second.decision_function(X), atol=1e-5)
    nets = [MLPClassifier((8,), solver="lbfgs", max_iter=3000, random_state=seed).fit(X, y) for seed in (0, 1)]
    assert np.max(np.abs(nets[0].predict_proba(X) - nets[1].predict_proba(X))) > 0.01


@pytest.mark.spec("KER-L41")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rings_noise_and_margins():
    X, y = make_circles(150, noise=0.05, factor=0.4, random_state=0)
    assert SVC(kernel=RBF(0.5)).fit(X, y).score(X, y) == 1.0
    assert KernelPerceptron(kernel=RBF(0.5)).fit(X, y).score(X, y) == 1.0
    ours, theirs = [], []
    for seed in range(6):
        A, a = make_moons(260, noise=0.35, random_state=seed)
        ours.append(SVC(kernel=RBF(0.7)).fit(A[:60], a[:60]).score(A[60:], a[60:]))
        perceptron = KernelPerceptron(kernel=RBF(0.7), max_iter=30)
        theirs.append(perceptron.fit(A[:60], a[:60]).score(A[60:], a[60:]))
    assert np.mean(ours) > np.mean(theirs)


def test_the_command_line_compares_machines_of_tables_of_moderate_size():
    """`gnomon learn` offers them up to 5000 rows; C is searched where fits are cheap, and scores are calibrated."""
    discover()
    X, y = make_moons(200, noise=0.25, random_state=0)
    small, large = (Facts("classification", n_rows=n, n_features=2, n_classes=2) for n in (200, 5001))
    offered = {candidate.name: candidate for candidate in candidates(small)}
    assert "support vector machine" not in {candidate.name for candidate in candidates(large)}
    machine = offered["support vector machine"]
    assert not machine.probabilities
    assert machine.make(small, 0).fit(X, y).score(X, y) > 0.9
    numbers = Facts("regression", n_rows=2000, n_features=2)
    regression = {candidate.name: candidate for candidate in candidates(numbers)}["support vector regression"]
    target = 1e6 * np.sin(X[:, 0])
    assert regression.make(numbers, 0).fit(X, target).score(X, target) > 0.9
