"""Evaluation and decisions: targets for their speed."""

from types import SimpleNamespace

import numpy as np
from scipy.stats import norm

from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ("gnomon.evaluation",)

GRID = np.linspace(0.05, 0.95, 50)
RESAMPLES = 100


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
