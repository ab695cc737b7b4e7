"""How many labels a strategy saves.

    s_r(m) = score on independent rows after m labels, repetition r = 1 … R;    area_r = mean of s_r over m       (1)

Rows that a strategy chose are no sample of the population, so scores are those of rows that were never in the pool.
Settles (2009), Active learning literature survey, section 1.2, TR 1648; the area: Guyon, Cawley, Dror & Lemaire (2011),
Results of the active learning challenge, JMLR W&CP 16, 19–45.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import check_scoring
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples, check_consistent_length

from gnomon._typing import AnyRows, Array, ArrayLike, Floats, Integers, RandomState, Scoring
from gnomon.decision.active import ActiveLearner
from gnomon.decision.strategies import Strategy
from gnomon.numerics.estimates import Estimate, mean_estimate
from gnomon.numerics.random import spawn_seeds
from gnomon.numerics.sharing import read_only
from gnomon.numerics.validation import check_choice, check_integer

__all__ = ["LabelCurves", "simulate_active_learning"]


class LabelCurves(NamedTuple):
    """Scores over the number of labels, for several strategies.

    Fields
    ------
    n_labels : ndarray of int of shape (n_steps,)
    scores : dict of str to ndarray of shape (n_repeats, n_steps)
        NaN while there is no model. Row r of all strategies has the same seed.

    References
    ----------
    Guyon, I., Cawley, G., Dror, G. & Lemaire, V. (2011). Results of the active learning challenge. JMLR W&CP 16, 19–45.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decision import LabelCurves
    >>> half = np.array([[0.5, 0.5, 0.5], [0.5, 0.6, 0.7]])
    >>> curves = LabelCurves(np.array([1, 2, 3]), {"margin": half + 0.2, "random": half})
    >>> round(curves.area()["margin"].value, 3), round(curves.gain("margin").value, 3)
    (0.75, 0.2)
    >>> curves.labels_to_reach(0.75)["margin"].tolist()
    [inf, 2.0]
    """

    n_labels: Integers
    scores: dict[str, Floats]

    def area(self) -> dict[str, Estimate]:
        """The mean of each curve, from where every repetition has a model, with its interval over repetitions."""
        return {name: mean_estimate(np.mean(rows, axis=1)) for name, rows in self._known().items()}

    def gain(self, name: str, over: str = "random") -> Estimate:
        """The area of one curve less that of another, by repetition."""
        for each in (name, over):
            check_choice("name", each, self.scores)
        known = self._known()
        return mean_estimate(np.mean(known[name] - known[over], axis=1))

    def labels_to_reach(self, target: float) -> dict[str, Floats]:
        """The first number of labels with a score of at least `target`, of each repetition; ∞ where none has."""
        return {
            name: np.where(np.any(rows >= target, axis=1), self.n_labels[np.argmax(rows >= target, axis=1)], np.inf)
            for name, rows in self.scores.items()
        }

    def _known(self) -> dict[str, Floats]:
        known = ~np.any([np.any(np.isnan(rows), axis=0) for rows in self.scores.values()], axis=0)
        if not np.any(known):
            raise ValueError("no number of labels has a model in every repetition; simulate more labels")
        return {name: rows[:, known] for name, rows in self.scores.items()}


def simulate_active_learning(
    estimator: BaseEstimator,
    X: AnyRows,
    y: ArrayLike,
    X_test: AnyRows,
    y_test: ArrayLike,
    *,
    strategies: Sequence[str] | Mapping[str, str | Strategy | ActiveLearner] = ("margin", "random"),
    n_labels: int = 100,
    batch_size: int = 1,
    n_repeats: int = 10,
    scoring: Scoring = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> LabelCurves:
    """Label-complexity curves of strategies, on rows whose labels are known but hidden from the learner.

    Parameters
    ----------
    estimator : classifier
    X, y : rows of the pool, and the labels that the oracle gives
    X_test, y_test : rows for the scores
    strategies : sequence of str, or dict of str to strategy or ActiveLearner
        Words of `ActiveLearner`; by names of your own also strategies with options, and learners of which all but the
        seed is used. Include "random" to see what is saved.
    n_labels : int, default=100
        How many labels are asked for, all in all.
    batch_size : int, default=1
        Labels between two fits.
    n_repeats : int, default=10
        Repetitions, with seeds of their own, which the strategies share.
    scoring : str or callable, optional
        A scorer of scikit-learn; accuracy by default.
    random_state : None, int, Generator or RandomState
    n_jobs : int, optional
        Processes, over strategies and repetitions, as in joblib.

    Returns
    -------
    LabelCurves

    References
    ----------
    Guyon, I., Cawley, G., Dror, G. & Lemaire, V. (2011). Results of the active learning challenge. JMLR W&CP 16, 19–45.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decision import simulate_active_learning
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = np.random.default_rng(0).uniform(-1, 1, (400, 1))
    >>> y = X[:, 0] > 0.4
    >>> model = LogisticRegression(C=1e4)
    >>> curves = simulate_active_learning(
    ...     model, X[:200], y[:200], X[200:], y[200:], n_labels=15, n_repeats=3, random_state=0
    ... )
    >>> curves.gain("margin").value > 0
    True
    """
    y, names = np.asarray(y), dict(strategies) if isinstance(strategies, Mapping) else dict.fromkeys(strategies)
    check_consistent_length(X, y)
    most = check_integer("n_labels", n_labels, 1, _num_samples(X))
    counts = np.unique(np.append(np.arange(check_integer("batch_size", batch_size, 1), most, batch_size), most))
    learners = {name: _learner(estimator, name if given is None else given) for name, given in names.items()}
    seeds = spawn_seeds(random_state, check_integer("n_repeats", n_repeats, 1))
    work = (
        delayed(_curve)(clone(learner).set_params(random_state=seed), X, y, X_test, y_test, counts, scoring)
        for learner in learners.values()
        for seed in seeds
    )
    rows = np.reshape(Parallel(n_jobs=n_jobs)(work), (len(learners), len(seeds), len(counts)))
    return LabelCurves(counts, dict(zip(learners, rows, strict=True)))


def _learner(estimator: BaseEstimator, given: Any) -> ActiveLearner:
    return given if isinstance(given, ActiveLearner) else ActiveLearner(estimator, given)


def _curve(
    learner: ActiveLearner, X: Any, y: Array, X_test: Any, y_test: Any, counts: Integers, scoring: Scoring
) -> Floats:
    """One row of (1)."""
    scorer = check_scoring(learner, scoring)
    scores = np.full(len(counts), np.nan)
    for step, asked in enumerate(np.diff(counts, prepend=0)):
        learner.run(X, lambda rows: y[rows], int(asked), batch_size=int(asked))
        if learner.__sklearn_is_fitted__():
            scores[step] = scorer(learner, read_only(X_test), read_only(y_test))
    return scores
