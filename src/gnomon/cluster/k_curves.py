"""Curves over the number of clusters, and what each says.

    elbow, penalty, gap, BIC: from the cost J_k;    stability, prediction strength, capacity: from two halves       (1)

Half-splits: Lange, Roth, Braun & Buhmann (2004), doi:10.1162/089976604773717621; Tibshirani & Walther (2005),
doi:10.1198/106186005X59243; Buhmann (2010), doi:10.1109/ISIT.2010.5513616. Reference boxes: Tibshirani, Walther &
Hastie (2001), doi:10.1111/1467-9868.00293. Splits by a test of normality: Hamerly & Elkan (2003), NIPS.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import linalg
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn import metrics
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import cross_val_score

from gnomon._typing import Bools, Floats, Integers
from gnomon.cluster._silhouettes import silhouettes
from gnomon.cluster.k_rules import (
    anderson_darling,
    capacity_at,
    elbow,
    gap_choice,
    penalty_path,
    prediction_strength,
    sphere_bic,
)
from gnomon.cluster.k_selection import KSelection, KTrial, label_cost
from gnomon.numerics.validation import check_choice, check_integer, check_interval, check_non_negative

__all__: list[str] = []

CRITICAL = {0.1: 0.631, 0.05: 0.752, 0.025: 0.873, 0.01: 1.035, 0.005: 1.159, 0.001: 1.4, 1e-4: 1.8692}
"""Of the corrected Anderson–Darling statistic, by its level; the last is that of Hamerly & Elkan."""

FEWEST = 8
"""Rows below which a test of normality says nothing."""

BETAS = np.logspace(-3.0, 3.0, 61)
"""Inverse temperatures of the capacity, in units of 1/variance."""


def by_elbow(trial: KTrial, *, min_strength: float = 1.0, n_references: int = 0) -> KSelection:
    """The sharpest bend of log J over log k, if it is sharp enough."""
    ks, costs = np.array(trial.ks), trial.costs()
    found = elbow(ks, costs, check_non_negative("min_strength", min_strength))
    table: dict[str, Any] = {"k": ks, "cost": costs, "slope": np.r_[np.nan, found.slopes]}
    table["strength"] = np.r_[np.nan, found.strengths, np.nan][: len(ks)]
    strongest = float(np.max(found.strengths, initial=-np.inf)) if len(found.strengths) else -np.inf
    note = ""
    if check_integer("n_references", n_references, low=0):
        boxes = np.array([_strongest(trial, box) for box in _boxes(trial, n_references, "pca")])
        z = (strongest - boxes.mean()) / max(float(boxes.std()), np.finfo(float).tiny)
        p = float((1 + np.sum(boxes >= strongest)) / (1 + n_references))
        table |= {"reference": boxes, "z": z, "p": p}
        note = f"; z = {z:.2f}, p = {p:.2f} against {n_references} boxes without structure"
    if found.k is None:
        said = f"the strongest bend is {strongest:.2f}, below {min_strength:g}{note}"
        return KSelection(None, table, "no elbow", said)
    return KSelection(found.k, table, _clusters(found.k), f"the bend is {strongest:.2f} there{note}")


def by_penalty(trial: KTrial, *, penalty: float | None = None) -> KSelection:
    """argmin J + λ k."""
    if penalty is None:
        raise ValueError("penalty is None; method='penalty' needs the price λ of a cluster, in squared units of X")
    lam = check_non_negative("penalty", penalty)
    ks, costs = np.array(trial.ks), trial.costs()
    k = penalty_path(ks, costs).at(lam)
    table = {"k": ks, "cost": costs, "total": costs + lam * ks}
    return KSelection(k, table, _clusters(k), f"J + {lam:g} k is least there")


def by_bic(trial: KTrial) -> KSelection:
    """The least BIC of a hard mixture of spheres."""
    models = [trial.fit(k) for k in trial.ks]
    d = trial.X.shape[1]
    values = np.array([sphere_bic(np.bincount(m.labels_), label_cost(trial.X, m.labels_), d) for m in models])
    return _best(trial, {"bic": values}, values, "BIC", least=True)


def by_silhouette(trial: KTrial) -> KSelection:
    """The largest mean silhouette."""
    return _index(trial, "silhouette", lambda X, labels: float(np.mean(silhouettes(X, labels))))


def by_calinski_harabasz(trial: KTrial) -> KSelection:
    """The largest ratio of spread between and within clusters."""
    return _index(trial, "calinski_harabasz", metrics.calinski_harabasz_score)


def by_davies_bouldin(trial: KTrial) -> KSelection:
    """The least similarity of the most similar clusters."""
    return _index(trial, "davies_bouldin", metrics.davies_bouldin_score, least=True)


def by_gap(
    trial: KTrial,
    *,
    n_references: int = 20,
    reference: Literal["pca", "box"] = "pca",
    rule: Literal["first_se", "max"] = "first_se",
) -> KSelection:
    """How much less J is than in boxes without structure."""
    check_choice("reference", reference, ("pca", "box"))
    check_choice("rule", rule, ("first_se", "max"))
    B = check_integer("n_references", n_references, low=1)
    ks, costs = np.array(trial.ks), trial.costs()
    logs = np.log(np.array([trial.costs(box) for box in _boxes(trial, B, reference)]))
    gaps = logs.mean(axis=0) - np.log(np.maximum(costs, np.finfo(float).tiny))
    errors = logs.std(axis=0) * np.sqrt(1.0 + 1.0 / B)
    both = {name: gap_choice(ks, gaps, errors, name) for name in ("first_se", "max")}
    table = {"k": ks, "cost": costs, "gap": gaps, "error": errors}
    said = (
        f"the gap statistic stops there by the rule {rule!r}; 'first_se' says {both['first_se']}, 'max' {both['max']}"
    )
    k = both[rule]
    return KSelection(k, table, "no clusters" if k == 1 else _clusters(k), said)


def by_stability(trial: KTrial, *, n_splits: int = 20) -> KSelection:
    """How often two halves disagree on where rows belong, compared with random labels."""
    ks = [k for k in trial.ks if k > 1]
    if not ks:
        raise ValueError("ks has no number above 1, and one cluster is always stable; try 2 and more")
    values = np.array([_instabilities(trial, k, check_integer("n_splits", n_splits, low=1)) for k in ks])
    means = values.mean(axis=1)
    table = {"k": np.array(ks), "instability": means, "error": values.std(axis=1) / np.sqrt(n_splits)}
    k = ks[int(np.argmin(means))]
    if float(means.min()) >= 0.5:
        said = f"halves disagree at least {means.min():.2f} times as much as random labels do"
        return KSelection(None, table, "no stable number", said)
    said = f"halves disagree least, {means.min():.2f} of random labels; one cluster cannot be judged so"
    return KSelection(k, table, _clusters(k), said)


def by_prediction_strength(trial: KTrial, *, n_splits: int = 20, threshold: float = 0.8) -> KSelection:
    """The largest k whose clusters one half predicts in the other."""
    level = check_interval("threshold", threshold, 0.0, 1.0, closed="both")
    rounds = check_integer("n_splits", n_splits, low=1)
    values = np.array([[_strength(trial, k) for _ in range(rounds)] for k in trial.ks])
    means = values.mean(axis=1)
    table = {"k": np.array(trial.ks), "strength": means, "error": values.std(axis=1) / np.sqrt(rounds)}
    enough = [k for k, mean in zip(trial.ks, means, strict=True) if mean >= level]
    if not enough:
        return KSelection(None, table, "no number", f"no k is predicted with strength {level:g}")
    k = max(enough)
    verdict = "no clusters" if k == 1 else _clusters(k)
    return KSelection(k, table, verdict, f"the largest k that one half predicts in the other with strength {level:g}")


def by_capacity(trial: KTrial, *, n_splits: int = 20) -> KSelection:
    """How many bits of the partition survive the noise between two halves."""
    rounds = check_integer("n_splits", n_splits, low=1)
    values = np.array([[_capacity(trial, k) for _ in range(rounds)] for k in trial.ks])
    means = values.mean(axis=1)
    found = _best(trial, {"capacity": means, "error": values.std(axis=1) / np.sqrt(rounds)}, means, "capacity")
    # Clusters that part a group blindly lose as much by their doubt as they gain in entropy; where both halves part a
    # wide group in the same place they lose less. Nothing counts against k.
    said = "it leans to larger numbers: compare 'stability' and 'prediction_strength'"
    return found._replace(reason=f"{found.reason}; {said}")


def by_held_out_cost(trial: KTrial, *, n_splits: int = 5) -> KSelection:
    """J of rows that were held out: a curve, and no answer, since it falls with every further cluster."""
    rounds = check_integer("n_splits", n_splits, low=1)
    train, test = np.zeros((rounds, len(trial.ks))), np.zeros((rounds, len(trial.ks)))
    for r in range(rounds):
        a, b = trial.halves()
        for c, k in enumerate(trial.ks):
            model = trial.placing(k, trial.X[a])
            centers = _means(trial.X[a], model.labels_)
            train[r, c] = _nearest_squares(trial.X[a], centers).mean()
            test[r, c] = _nearest_squares(trial.X[b], centers).mean()
    table = {"k": np.array(trial.ks), "train": train.mean(axis=0), "heldout": test.mean(axis=0)}
    said = "the cost of held-out rows keeps falling with k, so it chooses nothing; use the likelihood of a mixture"
    return KSelection(None, table, "a curve, no answer", said)


def by_gmeans(trial: KTrial, *, alpha: float = 1e-4, bonferroni: bool = False) -> KSelection:
    """Split a cluster in two while its rows, along the line between the two, are not normal."""
    if alpha not in CRITICAL:
        raise ValueError(f"alpha={alpha!r} must be one of {sorted(CRITICAL)}, for which critical values are known")
    waiting, done, tests = [np.arange(len(trial.X))], list[Integers](), 0
    while waiting:
        rows = waiting.pop()
        parts = _split(trial, rows)
        tests += 1
        level = alpha / (len(waiting) + len(done) + 1) if bonferroni else alpha
        if parts is None or anderson_darling(parts.line)[1] <= _critical(level):
            done.append(rows)
        else:
            waiting += [rows[parts.first], rows[~parts.first]]
    k = len(done)
    said = f"{tests} tests of normality at the level {alpha:g} leave {k}"
    table = {"k": np.array([k]), "size": np.array([sum(map(len, done))])}
    return KSelection(k, table, "no clusters" if k == 1 else _clusters(k), said)


def by_downstream(
    trial: KTrial,
    *,
    scorer: Callable[[Integers, Any], float] | None = None,
    pipeline: BaseEstimator | None = None,
    y: Any = None,
    cv: Any = None,
    scoring: Any = None,
    cost_per_cluster: float = 0.0,
) -> KSelection:
    """The best score of what the clusters are for, less what each cluster costs."""
    if (scorer is None) == (pipeline is None):
        raise ValueError(
            "method='downstream' needs either scorer(labels, model) → float, larger is better, or pipeline, an "
            "estimator with the clusterer inside, and y"
        )
    if scorer is None:
        scores = np.array([_validated(trial, k, pipeline, y, cv, scoring) for k in trial.ks])
    else:
        scores = np.array([float(scorer(model.labels_, model)) for model in map(trial.fit, trial.ks)])
    net = scores - cost_per_cluster * np.array(trial.ks)
    return _best(trial, {"score": scores, "net": net}, net, "score less costs")


def _validated(trial: KTrial, k: int, pipeline: Any, y: Any, cv: Any, scoring: Any) -> float:
    """The mean score of the pipeline with k clusters over folds."""
    names = [name for name in pipeline.get_params() if name.split("__")[-1] == "n_clusters"]
    if len(names) != 1:
        raise ValueError(f"pipeline has {len(names)} parameters n_clusters ({names}); it needs one, of its clusterer")
    model = clone(pipeline).set_params(**{names[0]: k})
    return float(np.mean(cross_val_score(model, trial.X, y, cv=cv, scoring=scoring)))


def _clusters(k: int) -> str:
    return "1 cluster" if k == 1 else f"{k} clusters"


def _best(trial: KTrial, curves: dict[str, Any], values: Floats, name: str, *, least: bool = False) -> KSelection:
    place = int(np.nanargmin(values) if least else np.nanargmax(values))
    k = trial.ks[place]
    said = f"the {name} is {'least' if least else 'largest'} there, {values[place]:.4g}"
    return KSelection(k, {"k": np.array(trial.ks), **curves}, _clusters(k), said)


def _index(trial: KTrial, name: str, index: Callable[[Floats, Integers], float], *, least: bool = False) -> KSelection:
    """An index of quality, which needs two clusters and fewer than rows."""
    values = np.full(len(trial.ks), np.nan)
    # No index depends on origin and unit, but scikit-learn takes distances below 1e-8 for none.
    rows = trial.X - trial.X.mean(axis=0)
    rows = rows / (float(np.max(np.abs(rows))) or 1.0)
    for c, k in enumerate(trial.ks):
        if 2 <= k < len(trial.X):
            labels = trial.fit(k).labels_
            values[c] = index(rows, labels) if len(np.unique(labels)) > 1 else np.nan
    if np.all(np.isnan(values)):
        raise ValueError(f"ks={trial.ks} has no number between 2 and n − 1, which the {name} needs")
    return _best(trial, {name: values}, values, name.replace("_", "–"), least=least)


def _boxes(trial: KTrial, B: int, reference: str) -> list[Floats]:
    """Rows without structure: uniform in the box of the data, or in that along its principal axes."""
    mean = trial.X.mean(axis=0)
    Z = trial.X - mean
    V = linalg.svd(Z, full_matrices=False)[2].T if reference == "pca" else np.eye(Z.shape[1])
    scores = Z @ V
    low, high = scores.min(axis=0), scores.max(axis=0)
    return [trial.rng.uniform(low, high, size=scores.shape) @ V.T + mean for _ in range(B)]


def _strongest(trial: KTrial, X: Floats) -> float:
    return float(np.max(elbow(trial.ks, trial.costs(X)).strengths, initial=-np.inf))


def _instabilities(trial: KTrial, k: int, rounds: int) -> Floats:
    """Disagreement of two halves after matching, over that of random labels."""
    found, chance = np.empty(rounds), np.empty(rounds)
    for r in range(rounds):
        a, b = trial.halves()
        first, second = trial.placing(k, trial.X[a]), trial.placing(k, trial.X[b])
        found[r] = _disagreement(second.labels_, first.predict(trial.X[b]), k)
        chance[r] = _disagreement(trial.rng.randint(k, size=len(b)), trial.rng.randint(k, size=len(b)), k)
    return found / np.maximum(chance.mean(), np.finfo(float).tiny)


def _disagreement(a: Integers, b: Integers, k: int) -> float:
    table = np.zeros((k, k))
    np.add.at(table, (a, b), 1.0)
    rows, columns = linear_sum_assignment(-table)
    return 1.0 - float(table[rows, columns].sum()) / len(a)


def _strength(trial: KTrial, k: int) -> float:
    if k == 1:
        return 1.0
    a, b = trial.halves()
    first, second = trial.placing(k, trial.X[a]), trial.placing(k, trial.X[b])
    return prediction_strength(second.labels_, first.predict(trial.X[b]))


def _capacity(trial: KTrial, k: int) -> float:
    """max(0, max over β of the information) for one pair of matched halves."""
    a, b = trial.halves()
    A, B = trial.X[a], trial.X[b[: len(a)]]
    B = B[linear_sum_assignment(cdist(A, B, "sqeuclidean"))[1]]
    first, second = trial.fit(k, A), trial.fit(k, B)
    mine, theirs = _means(A, first.labels_), _means(B, second.labels_)
    if len(mine) != len(theirs):
        return 0.0
    theirs = theirs[linear_sum_assignment(cdist(mine, theirs, "sqeuclidean"))[1]]
    E, F = cdist(A, mine, "sqeuclidean"), cdist(B, theirs, "sqeuclidean")
    unit = float(np.sum(np.var(trial.X, axis=0))) or 1.0
    sizes = np.bincount(np.argmin(E, axis=1), minlength=len(mine))
    return max(0.0, max(capacity_at(beta / unit, sizes, E, F) for beta in BETAS))


def _means(X: Floats, labels: Integers) -> Floats:
    return np.array([X[labels == j].mean(axis=0) for j in np.unique(labels)])


def _nearest_squares(X: Floats, centers: Floats) -> Floats:
    return cdist(X, centers, "sqeuclidean").min(axis=1)


class _Children(NamedTuple):
    """A cluster in two parts, and its rows along the line between their centres."""

    first: Bools
    line: Floats


def _split(trial: KTrial, rows: Integers) -> _Children | None:
    """Two children of a cluster; None where it has too few rows or no line to divide it by."""
    X = trial.X[rows]
    if len(X) < FEWEST or not np.any(np.ptp(X, axis=0)):
        return None
    first = trial.fit(2, X).labels_ == 0
    if first.all() or not first.any():
        return None
    v = X[first].mean(axis=0) - X[~first].mean(axis=0)
    # Only where rows lie along the line matters, not its length, whose square may be no number.
    line = X @ (v / (float(np.max(np.abs(v))) or 1.0))
    line = (line - line.mean()) / (float(np.ptp(line)) or 1.0)
    return None if np.std(line) == 0.0 else _Children(first, line)


def _critical(level: float) -> float:
    """Critical values between those of the table, linear in the logarithm of the level."""
    levels = np.array(sorted(CRITICAL))
    values = np.array([CRITICAL[level] for level in levels])
    slope = (values[0] - values[1]) / (np.log(levels[0]) - np.log(levels[1]))
    if level < levels[0]:
        return float(values[0] + slope * (np.log(level) - np.log(levels[0])))
    return float(np.interp(np.log(level), np.log(levels), values))
