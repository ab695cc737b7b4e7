"""Evaluation and decisions: targets for their speed and first call."""

from types import SimpleNamespace

import numpy as np
from scipy.stats import norm

from benchmarks import _data
from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ("gnomon.decision", "gnomon.evaluation")

GRID = np.linspace(0.05, 0.95, 50)
RESAMPLES = 100


def friedman(n, m=1000):
    """Friedman's first function with noise: n rows to fit, m to predict."""
    from sklearn.datasets import make_friedman1

    X, y = make_friedman1(n + m, 10, noise=1.0, random_state=0)
    return _data.make(X[:n], y[:n], X_test=X[n:], y_test=y[n:])


def out_of_bag_intervals(data):
    """Jackknife+ from the out-of-bag rows of one forest."""
    from gnomon.decision import ConformalRegressor
    from gnomon.trees import RandomForestRegressor

    forest = RandomForestRegressor(100, random_state=0, n_jobs=2)
    model = ConformalRegressor(forest, method="bootstrap", n_jobs=2).fit(data.X, data.y)
    return model.predict_interval(data.X_test)


def resampled_intervals(base, resampling):
    """Jackknife+ after bootstrap by MAPIE, around `base`, a regressor of scikit-learn."""

    def run(data):
        from mapie.regression import JackknifeAfterBootstrapRegressor

        model = JackknifeAfterBootstrapRegressor(base(), 0.9, resampling=resampling, random_state=0)
        ends = model.fit_conformalize(data.X, data.y).predict_interval(data.X_test)[1]
        return ends[:, 0, 0], ends[:, 1, 0]

    return run


def forest():
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(100, random_state=0, n_jobs=2)


def tree():
    from sklearn.tree import DecisionTreeRegressor

    return DecisionTreeRegressor(random_state=0)


def interval_loss(data, ends):
    """Mean interval score at coverage 0.9, over that of the interval of all y's quantiles."""

    def loss(low, high):
        missed = np.maximum(np.maximum(low - data.y_test, data.y_test - high), 0.0)
        return float(np.mean(high - low + 20.0 * missed))

    return loss(*ends) / loss(*np.quantile(data.y, [0.05, 0.95]))


def trials(n):
    """Normal scores of two classes, one in four positive."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.25).astype(int)
    return SimpleNamespace(y=y, scores=rng.normal(1.5 * y))


def bands(data):
    from gnomon.evaluation import curve_band

    options = {"method": "bootstrap", "grid": GRID, "n_resamples": RESAMPLES, "random_state": 0}
    roc, pr = (curve_band(data.y, data.scores, space=space, **options) for space in ("roc", "pr"))
    return np.array([[roc.low, roc.high], [pr.low, pr.high]])


def looped_bands(data):
    from sklearn.metrics import precision_recall_curve, roc_curve

    rng = np.random.default_rng(0)
    found = []
    for _ in range(RESAMPLES):
        rows = rng.integers(0, len(data.y), len(data.y))
        y, scores = data.y[rows], data.scores[rows]
        fpr, tpr, _ = roc_curve(y, scores)
        precision, recall, _ = precision_recall_curve(y, scores)
        found.append([np.interp(GRID, fpr, tpr), np.interp(GRID, recall[::-1], precision[::-1])])
    return np.quantile(found, [0.025, 0.975], axis=0).transpose(1, 0, 2)


def off_centre(data, found):
    """How far the middles of the bands are from the true curves."""
    tpr = norm.sf(norm.isf(GRID) - 1.5)
    fpr = norm.sf(norm.isf(GRID) + 1.5)
    precision = 0.25 * GRID / (0.25 * GRID + 0.75 * fpr)
    return float(np.mean(np.abs(np.mean(found, axis=1) - [tpr, precision])))


def areas(data):
    from gnomon.evaluation import score_curve

    curve = score_curve(data.y, data.scores)
    return np.array([curve.roc_auc, curve.average_precision, curve.eer])


def scikit_learn_areas(data):
    from sklearn.metrics import average_precision_score, det_curve, roc_auc_score

    fpr, fnr, _ = det_curve(data.y, data.scores)
    equal = fpr[np.argmin(np.abs(fpr - fnr))]
    return np.array([roc_auc_score(data.y, data.scores), average_precision_score(data.y, data.scores), equal])


def missed(data, found):
    """How far the areas and the equal error rate are from those of the laws."""
    return float(np.max(np.abs(found[[0, 2]] - [norm.cdf(1.5 / np.sqrt(2)), norm.cdf(-0.75)])))


ROWS = [
    Row(
        name="jackknife+ of a forest, 100 trees",
        make=friedman,
        size={"n": 2000},
        quick={"n": 200, "m": 50},
        ours=out_of_bag_intervals,
        peers=(Peer("MAPIE", "MAPIE (30 forests)", resampled_intervals(forest, 30)),),
        quality=interval_loss,
        targets={"MAPIE": 20.0},
        tolerance=0.05,
    ),
    Row(
        name="jackknife+ of bagged trees, 100 trees",
        make=friedman,
        size={"n": 2000},
        quick={"n": 200, "m": 50},
        ours=out_of_bag_intervals,
        peers=(Peer("MAPIE", "MAPIE (100 trees)", resampled_intervals(tree, 100)),),
        quality=interval_loss,
        targets={"MAPIE": 2.0},
        tolerance=0.05,
    ),
    Row(
        name="ROC and precision-recall with bands",
        make=trials,
        size={"n": 100_000},
        quick={"n": 2_000},
        ours=bands,
        peers=(Peer("scikit-learn", "a loop of resamples", looped_bands),),
        quality=off_centre,
        targets={"scikit-learn": 5.0},
        tolerance=0.01,
    ),
    Row(
        name="AUC, average precision and EER",
        make=trials,
        size={"n": 10_000_000},
        quick={"n": 20_000},
        ours=areas,
        peers=(Peer("scikit-learn", "scikit-learn", scikit_learn_areas),),
        quality=missed,
        targets={"scikit-learn": 1.5},
        tolerance=1e-3,
        ladder=({"n": 300_000}, {"n": 1_000_000}, {"n": 3_000_000}),
    ),
]
