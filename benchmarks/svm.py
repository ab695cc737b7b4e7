"""Support vector machines: targets for their speed and memory."""

import gzip
from importlib import import_module

import numpy as np
from scipy import sparse

from benchmarks import _data, _real
from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ()
"""First calls of `gnomon.svm` are measured with the kernel machines."""

LIBSVM, INTELEX = ("scikit-learn", "LIBSVM", "sklearn.svm"), ("scikit-learn-intelex", "oneDAL", "sklearnex.svm")


def clusters(n, d):
    """Two classes of several clusters each, five labels of a hundred wrong."""
    from sklearn.datasets import make_classification

    X, y = make_classification(n, d, n_informative=d // 2, n_redundant=0, flip_y=0.05, random_state=0)
    return _data.make(X, y)


def waves(n, d):
    """A smooth function of three columns, with noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return _data.make(X, np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * rng.standard_normal(n))


def adult(n):
    """The census data, standardised."""
    return _real.one_hot_adult(n, standardize=True)


def usps(n):
    """Handwritten digits, ten classes."""
    return _real.usps(n)


def svmguide1(n):
    """The table of LIBSVM's guide, scaled."""
    from sklearn.datasets import load_svmlight_file
    from sklearn.preprocessing import MinMaxScaler

    with gzip.open(_real.real_path("svm/svmguide1.gz")) as file:
        X, y = load_svmlight_file(file, n_features=4)
    order = np.random.default_rng(0).permutation(len(y))[:n]
    return _data.make(MinMaxScaler((-1, 1)).fit_transform(X.toarray())[order], y[order])


def machine(module, name, **options):
    """Fit."""

    def run(data):
        return getattr(import_module(module), name)(**options).fit(data.X, data.y)

    return run


def scores(module, **options):
    """Scores of the training rows by a machine that is fitted when it is first asked."""

    def run(data):
        fitted = vars(data).setdefault("fitted", {})
        if module not in fitted:
            fitted[module] = import_module(module).SVC(**options).fit(data.X, data.y)
        return np.ravel(fitted[module].decision_function(data.X))

    return run


def dual_objective(machine_name):
    """½βᵀKβ − tᵀβ + ε‖β‖₁ over the number of rows; of several classes the training error."""

    def quality(data, model):
        if len(vars(model).get("classes_", ())) > 2:
            return float(np.mean(model.predict(data.X) != data.y))
        beta, coef = np.zeros(len(data.y)), model.dual_coef_
        beta[model.support_] = np.ravel(coef.toarray() if sparse.issparse(coef) else coef)
        f = np.ravel((model.predict if machine_name == "SVR" else model.decision_function)(data.X)) - model.intercept_
        targets = {"SVC": lambda: np.where(data.y == model.classes_[1], 1.0, -1.0), "SVR": lambda: data.y}
        target = targets.get(machine_name, lambda: 0.0)()
        kink = model.epsilon if machine_name == "SVR" else 0.0
        return float(0.5 * beta @ f - np.sum(target * beta) + kink * np.sum(np.abs(beta))) / len(beta)

    return quality


def score_error(data, found):
    """Largest difference of scores from those of LIBSVM, where it has been asked."""
    theirs = vars(data).get("fitted", {}).get("sklearn.svm")
    if theirs is None:
        return 0.0
    return float(np.max(np.abs(found - np.ravel(theirs.decision_function(data.X)))))


def row(name, make, size, quick, targets, *, machine_name="SVC", **more):
    """A row that fits our machine and those of its namesakes for which there is a target."""
    options = more.pop("options", {})
    peers = tuple(
        Peer(package, label, machine(module, machine_name, **options))
        for package, label, module in (LIBSVM, INTELEX)
        if package in targets
    )
    ours = machine("gnomon.svm", machine_name, **options)
    return Row(name, make, size, quick, ours, peers, dual_objective(machine_name), targets, tolerance=1e-5, **more)


BOTH = {"scikit-learn": 2.0, "scikit-learn-intelex": 1.0}
ROWS = (
    row(
        "SVC, Gaussian, 5k×20", clusters, {"n": 5000, "d": 20}, {"n": 300, "d": 20}, BOTH,
        ladder=tuple({"n": n, "d": 20} for n in (2000, 5000, 10_000, 20_000, 50_000)),
    ),
    row(
        "SVC, Gaussian, 20k×50", clusters, {"n": 20_000, "d": 50}, {"n": 300, "d": 50}, BOTH,
        # The cache of 200 megabytes is 25 times the input; rows, blocks and the interpreter's own come with it.
        memory=({"n": 20_000, "d": 50},), memory_limit=40.0,
    ),
    Row(
        "SVC, Gaussian, 5k×20, scores of 5k rows", clusters, {"n": 5000, "d": 20}, {"n": 300, "d": 20},
        scores("gnomon.svm"),
        tuple(Peer(package, label, scores(module)) for package, label, module in (LIBSVM, INTELEX)),
        score_error, {"scikit-learn": 5.0, "scikit-learn-intelex": 1.0}, tolerance=1e-2,
    ),
    row("SVR, Gaussian, 5k×20", waves, {"n": 5000, "d": 20}, {"n": 300, "d": 20}, BOTH, machine_name="SVR"),
    row(
        "OneClassSVM, Gaussian, 10k×20", waves, {"n": 10_000, "d": 20}, {"n": 300, "d": 20}, {"scikit-learn": 2.0},
        machine_name="OneClassSVM", options={"nu": 0.1},
    ),
    row(
        "SVC, linear, 5k×20", clusters, {"n": 5000, "d": 20}, {"n": 300, "d": 20}, BOTH, options={"kernel": "linear"},
    ),
    row(
        "SVC, linear, sparse text, 5k×20k", _data.text, {"n": 5000, "d": 20_000}, {"n": 300, "d": 2000}, BOTH,
        options={"kernel": "linear"},
    ),
    row("SVC, Gaussian, sparse text, 3k×20k", _data.text, {"n": 3000, "d": 20_000}, {"n": 300, "d": 2000}, BOTH),
    row("SVC, Gaussian, adult, 8k", adult, {"n": 8000}, {"n": 300}, BOTH),
    row("SVC, Gaussian, svmguide1", svmguide1, {"n": 3089}, {"n": 300}, BOTH, options={"C": 2.0, "gamma": 2.0}),
    row("SVC, Gaussian, ten digits, 3k", usps, {"n": 3000}, {"n": 300}, BOTH),
)  # fmt: skip
