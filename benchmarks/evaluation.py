"""Evaluation and decisions: targets for their speed and first call."""

from bisect import bisect_left
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
from scipy.stats import norm
from sklearn.base import clone

from benchmarks import _data, _real
from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ("gnomon.decision", "gnomon.evaluation")


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


LOG_ODDS = np.linspace(-6.0, 6.0, 100)
PRIOR = 0.01


def detector_trials(n):
    """Scores of a detector, one target in ten."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.1).astype(int)
    return _data.make(rng.standard_normal(n) + 2.0 * y, y)


def speaker_trials(n):
    """Log-likelihood ratios of a speaker verifier for pairs of recordings."""
    with np.load(_real.real_path("scores/fvcaus_plda.npz")) as file:
        scores, y = file["scores"].astype(float), file["targets"].astype(int)
    chosen = np.random.default_rng(0).permutation(len(y))[:n]
    return _data.make((scores[:, 1] - scores[:, 0])[chosen], y[chosen])


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


class Rows(NamedTuple):
    """Rows, targets, and the estimator whose leave-one-out risk is wanted."""

    X: np.ndarray
    y: np.ndarray
    model: object


def regression_rows(n, d):
    """Ridge regression on correlated columns."""
    from gnomon.linear import Ridge

    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d)) @ rng.standard_normal((d, d))
    return Rows(X, X[:, 0] + rng.standard_normal(n), Ridge(1.0))


def class_rows(n, d):
    """Discriminant analysis of three classes."""
    from gnomon.generative import LinearDiscriminantAnalysis

    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    return Rows(rng.standard_normal((n, d)) + 0.5 * np.eye(3, d)[y], y, LinearDiscriminantAnalysis())


def house_prices(n):
    """Ridge regression on all products of two columns, which are nearly collinear."""
    from gnomon.linear import Ridge

    data = _real.california(n, degree=2)
    return Rows(data.X, data.y, Ridge(1.0))


def dear_houses(n):
    """Discriminant analysis of houses above the median price."""
    from gnomon.generative import LinearDiscriminantAnalysis

    data = _real.california(n, degree=1, classes=True)
    return Rows(data.X, data.y, LinearDiscriminantAnalysis())


def shortcut(data):
    """By what the estimator publishes."""
    from gnomon.evaluation import loo_risk

    return loo_risk(data.model, data.X, data.y, method="shortcut").value


def refits(data):
    """By n fits, as scikit-learn's leave-one-out does it."""
    from sklearn.model_selection import LeaveOneOut, cross_val_predict

    found = cross_val_predict(clone(data.model), data.X, data.y, cv=LeaveOneOut())
    return float(np.mean(found != data.y) if data.y.dtype.kind == "i" else np.mean((data.y - found) ** 2))


def exact(risks):
    """The distance to leave-one-out by definition, for the rows that `risks` computes at both sizes."""

    def quality(data, risk):
        return abs(risk - risks(data)) / max(risks(data), 1e-12)

    return quality


_KNOWN = {}


def by_definition(data):
    """The risk by refits, computed once for each table."""
    key = (data.X.shape, type(data.model).__name__)
    if key not in _KNOWN:
        _KNOWN[key] = refits(data)
    return _KNOWN[key]


def leave_one_out(name, make, **columns):
    """One row: closed form against n refits."""
    return Row(
        name=name,
        make=make,
        size={"n": 2000, **columns},
        quick={"n": 60, **columns},
        ours=shortcut,
        peers=(Peer("refits", "cross_val_predict", refits),),
        quality=exact(by_definition),
        targets={"refits": 50.0},
        tolerance=1e-8,
    )


def waves(n, n_datasets, n_trees):
    """What a sampler of noisy waves is asked for; each training set comes from a seed of its own."""
    return SimpleNamespace(n=n, n_datasets=n_datasets, n_trees=n_trees, sparse=False)


def waves_forest(data):
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(data.n_trees, random_state=0)


def wave(X):
    return np.sin(3.0 * X[:, 0]) + X[:, 1] ** 2


def sample_waves(n, rng):
    X = rng.uniform(-1.0, 1.0, (n, 4))
    return X, wave(X) + 0.3 * rng.standard_normal(n)


def bias_and_variance(data):
    from gnomon.evaluation import bias_variance

    found = bias_variance(waves_forest(data), sample_waves, wave, data.n, data.n_datasets, random_state=0, n_jobs=-1)
    return found.bias.value + found.variance.value


def refits_in_a_loop(data):
    rng = np.random.default_rng(0)
    X_test, _ = sample_waves(1000, rng)
    fits = (waves_forest(data).fit(*sample_waves(data.n, rng)) for _ in range(data.n_datasets))
    return float(np.mean([np.mean((fit.predict(X_test) - wave(X_test)) ** 2) for fit in fits]))


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
        name="EER, minimum DCF and Bayes error plot of 100 working points, 10M trials",
        make=detector_trials,
        size={"n": 10_000_000},
        quick={"n": 5_000},
        ours=one_curve,
        peers=(Peer("scikit-learn", "roc_curve once, loop over working points", loop_over_roc),),
        quality=error_by_counting,
        targets={"scikit-learn": 5.0},
        tolerance=1e-9,
    ),
    Row(
        name="EER, minimum DCF and Bayes error plot of 100 working points, speaker verification (real)",
        make=speaker_trials,
        size={"n": 114_072},
        quick={"n": 5_000},
        ours=one_curve,
        peers=(Peer("scikit-learn", "roc_curve once, loop over working points", loop_over_roc),),
        quality=error_by_counting,
        targets={"scikit-learn": 1.0},
        tolerance=1e-9,
    ),
    leave_one_out("leave-one-out, ridge", regression_rows, d=20),
    leave_one_out("leave-one-out, discriminant analysis", class_rows, d=20),
    leave_one_out("leave-one-out, ridge of California, degree 2 (real)", house_prices),
    leave_one_out("leave-one-out, discriminant analysis of California (real)", dear_houses),
    Row(
        name="bias, variance and noise of a forest, 200 training sets, all cores",
        make=waves,
        size={"n": 300, "n_datasets": 200, "n_trees": 20},
        quick={"n": 30, "n_datasets": 6, "n_trees": 2},
        ours=bias_and_variance,
        peers=(Peer("loop", "refits in a loop", refits_in_a_loop),),
        # Averages over one law, but of training sets and test points of their own.
        quality=lambda data, found: found,
        targets={"loop": 1.4},
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
