"""Selection of a model by its averaged validation error.

    m̂ = argmin_m (1/k) Σⱼ R̂_m⁽ʲ⁾,    the same splits for all                                            (1)
    one standard error:  the simplest m with  mean_m ≤ mean_m̂ + se_m̂                                    (2)

Stone (1974), doi:10.1111/j.2517-6161.1974.tb00994.x; (2): Breiman, Friedman, Olshen & Stone (1984), section 3.4.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier

from gnomon._typing import AnyRows, ArrayLike, Floats, Folds, Scoring
from gnomon.base.columns import configured
from gnomon.base.imbalance import warn_if_imbalanced
from gnomon.evaluation._cv_risk import risk_at
from gnomon.evaluation._measures import GivenLoss, read_measure
from gnomon.evaluation._samples import read_sample
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.validation import check_choice, check_numbers

__all__ = ["ModelSelection", "named_models", "select_model", "spread_of_means", "within_one_se"]

Candidate: TypeAlias = BaseEstimator | tuple[BaseEstimator, Mapping[str, Any]]
Candidates: TypeAlias = Mapping[str, Candidate] | Sequence[Candidate]


class ModelSelection(NamedTuple):
    """The candidates, their risks, and the chosen one fitted to all rows.

    Fields
    ------
    names : list of str
    risks : ndarray of shape (m, k)
        Of each candidate on each split.
    mean, sd, se : ndarray of shape (m,)
        Over the splits; se = sd/√k.
    best : int
        The first of the least means.
    chosen : int
        By the rule.
    estimator : estimator
        The chosen candidate, fitted to all rows.

    References
    ----------
    Stone, M. (1974). Cross-validatory choice and assessment of statistical predictions.
    doi:10.1111/j.2517-6161.1974.tb00994.x

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from gnomon.evaluation import select_model
    >>> from gnomon.generative import GaussianNB
    >>> print(select_model([DummyClassifier(), GaussianNB()], *load_iris(return_X_y=True)))
    candidate            mean risk       se
    DummyClassifier()       0.6667        0
    GaussianNB()           0.04667  0.01333  chosen
    """

    names: list[str]
    risks: Floats
    mean: Floats
    sd: Floats
    se: Floats
    best: int
    chosen: int
    estimator: Any

    def __str__(self) -> str:
        width = max(len("candidate"), *map(len, self.names))
        lines = [f"{'candidate':{width}}  {'mean risk':>11}  {'se':>7}"]
        for k, name in enumerate(self.names):
            mark = "  chosen" if k == self.chosen else ""
            lines.append(f"{name:{width}}  {self.mean[k]:11.4g}  {self.se[k]:7.4g}{mark}")
        return "\n".join(lines)


def select_model(
    candidates: Candidates,
    X: AnyRows,
    y: ArrayLike | None,
    *,
    cv: Folds = 5,
    scoring: Scoring = None,
    loss: GivenLoss = None,
    rule: Literal["min", "1se"] = "min",
    complexity: Sequence[float] | Callable[[Any], float] | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> ModelSelection:
    """Choose among estimators of any kind by (1) or (2), and fit the chosen one to all rows.

    The risk of the winner is too good, as it was chosen for it: `nested_cv` judges the choice itself. An
    `ImbalanceWarning` says where a class is so rare that accuracy, the default of classifiers, tells little.

    Parameters
    ----------
    candidates : list of estimators or of (estimator, parameters), or dict of these by name
        From simple to complex for the rule "1se", unless `complexity` says otherwise.
    X, y : array-like
    cv : int, splitter or iterable, default=5
        The same splits for all candidates; as in `cv_risk`.
    scoring : str or callable, optional
        What is wanted of the model, which need not be what it was trained for; the risk is minus the score.
    loss : Loss or callable, optional
        In place of `scoring`; by default squared error of regressors and 0/1 loss of classifiers.
    rule : {"min", "1se"}, default="min"
        Least mean (ties: first listed), or the simplest within one standard error of it.
    complexity : sequence of m numbers, or callable (fitted or unfitted candidate) → number, optional
        Smaller is simpler; ties go to the first listed.
    groups, sample_weight : array-like of shape (n,), optional
        For the splits; for fits and risks.
    n_jobs : int, optional
        Threads; None is one.

    Returns
    -------
    ModelSelection

    References
    ----------
    Breiman, L., Friedman, J., Olshen, R. & Stone, C. (1984). Classification and Regression Trees, section 3.4.3.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.evaluation import select_model
    >>> from gnomon.linear import Ridge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 5))
    >>> y = X[:, 0] + rng.standard_normal(60)
    >>> strong = [(Ridge(), {"alpha": a}) for a in (100.0, 30.0, 10.0, 3.0, 1.0)]
    >>> least, simple = select_model(strong, X, y), select_model(strong, X, y, rule="1se")
    >>> least.estimator.alpha, simple.estimator.alpha
    (3.0, 30.0)
    """
    check_choice("rule", rule, ("min", "1se"))
    models = named_models(candidates)
    sample = read_sample(X, y, groups=groups, sample_weight=sample_weight)
    first = next(iter(models.values()))
    measures = [read_measure(one, sample.y, loss, scoring, sample.weights is not None) for one in models.values()]
    if loss is None and is_classifier(first):
        warn_if_imbalanced(sample.y, scoring, sample_weight=sample.weights, stacklevel=3)
    folds = sample.folds(first, cv)
    work = [(one, measure, fold) for one, measure in zip(models.values(), measures, strict=True) for fold in folds]

    def judge(job: Any) -> float:
        estimator, measure, fold = job
        return risk_at(sample, measure, sample.at(fold.train).fit(estimator), fold.test)

    risks = np.array(map_chunks(configured(judge), work, n_jobs)).reshape(len(models), len(folds))
    mean, sd, se = spread_of_means(risks)
    best = int(np.argmin(mean))
    ranks = _complexities(complexity, models)
    chosen = best if rule == "min" else within_one_se(mean, se, best, ranks)
    fitted = sample.fit(list(models.values())[chosen])
    return ModelSelection(list(models), risks, mean, sd, se, best, chosen, fitted)


def named_models(candidates: Candidates) -> dict[str, Any]:
    """Unfitted clones of the candidates by name, each with its parameters."""
    pairs: Iterable[tuple[str | None, Candidate]]
    pairs = candidates.items() if isinstance(candidates, Mapping) else ((None, one) for one in candidates)
    found: dict[str, Any] = {}
    for name, candidate in pairs:
        estimator, parameters = candidate if isinstance(candidate, tuple) else (candidate, {})
        made = clone(estimator).set_params(**parameters)
        name = " ".join(repr(made).split()) if name is None else str(name)
        found[name if name not in found else f"{name} #{len(found) + 1}"] = made
    if not found:
        raise ValueError("there are no candidates; give at least one")
    return found


def spread_of_means(risks: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean, sd and sd/√k of each row of risks; nan for one split alone."""
    k = risks.shape[1]
    sd = np.std(risks, axis=1, ddof=1) if k > 1 else np.full(len(risks), np.nan)
    return np.mean(risks, axis=1), sd, sd / np.sqrt(k)


def within_one_se(mean: Floats, se: Floats, best: int, ranks: Floats) -> int:
    """Equation (2): the place of the first of the simplest."""
    good = mean <= mean[best] + (se[best] if se[best] > 0.0 else 0.0)
    return int(np.argmin(np.where(good, ranks, np.inf)))


def _complexities(complexity: Any, models: Mapping[str, Any]) -> Floats:
    if complexity is None:
        return np.arange(len(models), dtype=float)
    values = [complexity(one) for one in models.values()] if callable(complexity) else complexity
    ranks = check_numbers("complexity", values)
    if ranks.shape != (len(models),) or np.any(np.isnan(ranks)):
        raise ValueError(f"complexity={complexity!r} must be {len(models)} numbers, one for each candidate")
    return ranks
