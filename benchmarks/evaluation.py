"""Evaluation and decisions: targets for their speed."""

from bisect import bisect_left

import numpy as np

from benchmarks import _data
from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ("gnomon.decision",)

LOG_ODDS = np.linspace(-6.0, 6.0, 100)
PRIOR = 0.01


def trials(n):
    """Scores of a detector, one target in ten."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.1).astype(int)
    return _data.make(rng.standard_normal(n) + 2.0 * y, y)


def crossing(fpr, fnr):
    """The equal error rate on the polyline through (FPR, FNR)."""
    above = int(np.searchsorted(fpr - fnr, 0.0))
    a, b = fnr[above - 1] - fpr[above - 1], fpr[above] - fnr[above]
    return (b * fpr[above - 1] + a * fpr[above]) / (a + b)


def one_curve(data):
    """EER, minimum DCF and Bayes error plot from one curve."""
    from gnomon.base.trials import read_trials
    from gnomon.decision import Application
    from gnomon.decision._bayes_error_curve import error_at, least_error
    from gnomon.decision._min_dcf import threshold_costs

    curve = read_trials(data.y, data.X).curve()
    hull = curve.hull()
    side = bisect_left(range(len(curve)), True, key=lambda i: bool(curve[[i]].fpr[0] >= 1.0 - curve[[i]].tpr[0]))
    near = curve[side - 1 : side + 1]
    return {
        "eer": crossing(near.fpr, 1.0 - near.tpr),
        "minimum": float(np.min(threshold_costs(hull, Application(PRIOR), normalize=True))),
        "least": least_error(hull, LOG_ODDS),
        "actual": error_at(curve.at(-LOG_ODDS, strict=True), LOG_ODDS),
    }


def loop_over_roc(data):
    """The same with scikit-learn's `roc_curve`, called once, and a loop over the working points."""
    from sklearn.metrics import roc_curve

    fpr, tpr, thresholds = roc_curve(data.y, data.X, drop_intermediate=False)
    fnr = 1.0 - tpr

    def costs(o, rows=slice(None)):
        return np.exp(max(o, 0.0)) * fnr[rows] + np.exp(max(-o, 0.0)) * fpr[rows]

    # Points are ordered by falling thresholds; "score > t" is the last point whose threshold is above t.
    places = [np.searchsorted(-thresholds, o, side="left") - 1 for o in LOG_ODDS]
    return {
        "eer": crossing(fpr, fnr),
        "minimum": np.min(costs(np.log(PRIOR / (1.0 - PRIOR)))),
        "least": np.array([np.min(costs(o)) for o in LOG_ODDS]),
        "actual": np.array([costs(o, place) for o, place in zip(LOG_ODDS, places, strict=True)]),
    }


def error_by_counting(data, found):
    """The largest error of the actual costs at some working points, and of bounds that hold for the others."""
    target, other = data.X[data.y == 1], data.X[data.y == 0]
    errors = []
    for place in (0, 30, 50, 70, 99):
        o = LOG_ODDS[place]
        counted = np.exp(max(o, 0)) * np.mean(target <= -o) + np.exp(max(-o, 0)) * np.mean(other > -o)
        errors.append(abs(found["actual"][place] - counted))
    return float(max(*errors, np.max(found["least"] - np.minimum(found["actual"], 1.0)), 0.0))


ROWS = (
    Row(
        name="EER, minimum DCF and Bayes error plot of 100 working points, 10M trials",
        make=trials,
        size={"n": 10_000_000},
        quick={"n": 5_000},
        ours=one_curve,
        peers=(Peer("scikit-learn", "roc_curve once, loop over working points", loop_over_roc),),
        quality=error_by_counting,
        targets={"scikit-learn": 5.0},
        tolerance=1e-9,
    ),
)
