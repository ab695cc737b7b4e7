"""How many components a mixture should have.

    cv:  mean over folds of log p(x) on held-out rows, largest        BIC, AIC, ICL:  −2ℓ + penalty, smallest        (1)
    1se:  the least k with  cv(k) ≥ cv(k*) − se(k*),        k* of largest cv                                         (2)

The likelihood of the rows that were fitted grows with every component; what they say of other rows does not. Beyond
some number it stays about level, and by (2) the fewest components that are no worse within the error of the mean are
chosen: Breiman, Friedman, Olshen & Stone (1984), Classification and Regression Trees, section 3.4.3. Smyth
(2000), Model selection for probabilistic clustering using cross-validated likelihood, doi:10.1023/A:1008940618127;
Schwarz (1978), doi:10.1214/aos/1176344136; Biernacki, Celeux & Govaert (2000), doi:10.1109/34.865189.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from gnomon._typing import Array, ArrayLike, Floats, Folds, Integers
from gnomon.base.folds import read_folds
from gnomon.generative.gaussian_mixture import GaussianMixture
from gnomon.numerics.validation import check_choice, check_integer
from gnomon.optim import split_components

__all__ = ["ComponentSelection", "select_components"]

Criterion: TypeAlias = Literal["cv", "bic", "aic", "icl"]

Rule: TypeAlias = Literal["min", "1se"]
"""The best number, or the smallest within one standard error of it."""


class ComponentSelection(NamedTuple):
    """The outcome of `select_components`.

    Parameters
    ----------
    best : int
        The chosen number of components; the smallest of equals.
    table : dict of str to ndarray
        One entry for each number tried: "n_components", "n_parameters", "train" (mean log-likelihood of the rows
        fitted), "bic", "aic", "icl"; under "cv" also "cv" (mean held-out log-likelihood) and "cv_se" (its standard
        error over folds).
    estimators : list
        The mixtures fitted to all rows, in the order of the table.
    criterion : str
    rule : str
        "min" or "1se".

    References
    ----------
    Smyth, P. (2000). Model selection for probabilistic clustering using cross-validated likelihood.
    doi:10.1023/A:1008940618127

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.generative import select_components
    >>> X = np.concatenate([np.linspace(0, 1, 30), np.linspace(9, 10, 30)])[:, None]
    >>> chosen = select_components(X, range(1, 4), criterion="bic")
    >>> chosen.best, chosen.best_estimator.n_components
    (2, 2)
    """

    best: int
    table: dict[str, Array]
    estimators: list[GaussianMixture]
    criterion: Criterion
    rule: Rule = "min"

    @property
    def best_estimator(self) -> GaussianMixture:
        """The mixture with the chosen number of components."""
        return self.estimators[self.table["n_components"].tolist().index(self.best)]


def select_components(
    X: ArrayLike,
    n_components: Iterable[int],
    criterion: Criterion = "cv",
    *,
    rule: Rule = "min",
    estimator: GaussianMixture | None = None,
    cv: Folds = 5,
    sample_weight: ArrayLike | None = None,
) -> ComponentSelection:
    """Choose the number of components of a mixture by (1) or (2).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    n_components : iterable of int
        The numbers to try.
    criterion : {"cv", "bic", "aic", "icl"}, default="cv"
    rule : {"min", "1se"}, default="min"
        The best number, or under "cv" the smallest that is within one standard error of it, equation (2).
    estimator : GaussianMixture, optional
        Carries the other options. With ``init_params="lbg"`` one growth by splitting serves all numbers; None:
        ``GaussianMixture(init_params="lbg", lbg_alpha=0.5, tol=1e-4, max_iter=500)``. Halves that lie close part
        slowly at first, so growth needs a smaller tol than the default.
    cv : int, splitter or iterable, default=5
        Folds in scikit-learn's sense; a number of folds is drawn at random from seed 0, as rows are often sorted.
    sample_weight : array-like of shape (n_samples,), optional
        Of the fits, the criteria and the held-out means; a weight of two is the row twice, but under "cv" it is held
        out as one.

    Returns
    -------
    ComponentSelection

    References
    ----------
    Smyth, P. (2000). Model selection for probabilistic clustering using cross-validated likelihood.
    doi:10.1023/A:1008940618127

    Breiman, L., Friedman, J., Olshen, R. & Stone, C. (1984). Classification and Regression Trees, section 3.4.3.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.generative import select_components
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(-4, 1, (60, 1)), rng.normal(4, 1, (60, 1))])
    >>> chosen = select_components(X, [1, 2, 4])
    >>> chosen.best, bool(np.all(np.diff(chosen.table["train"]) > 0))
    (2, True)
    """
    check_choice("criterion", criterion, get_args(Criterion))
    if check_choice("rule", rule, get_args(Rule)) == "1se" and criterion != "cv":
        raise ValueError(f"rule='1se' needs the standard errors of criterion='cv', {criterion!r} has none; take 'min'")
    numbers = sorted({check_integer("n_components", k, 1) for k in n_components})
    if not numbers:
        raise ValueError("n_components is empty; give the numbers to try, such as range(1, 6)")
    if estimator is None:
        estimator = GaussianMixture(init_params="lbg", lbg_alpha=0.5, tol=1e-4, max_iter=500)
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
    models = _fits(estimator, X, weights, numbers)
    table = {
        "n_components": np.array(numbers),
        "n_parameters": np.array([model.n_parameters_ for model in models]),
        "train": np.array([model.score(X, sample_weight=weights) for model in models]),
        **{word: np.array([getattr(model, word)(X, weights) for model in models]) for word in ("bic", "aic", "icl")},
    }
    if criterion == "cv":
        held_out = _held_out(estimator, X, weights, numbers, _folds(cv, X))
        table["cv"] = np.mean(held_out, axis=0)
        spread = np.std(held_out, axis=0, ddof=1) if len(held_out) > 1 else np.zeros(len(numbers))
        table["cv_se"] = spread / np.sqrt(len(held_out))
    goodness = table[criterion] if criterion == "cv" else -table[criterion]
    top = int(np.argmax(goodness))
    enough = goodness >= goodness[top] - (table["cv_se"][top] if rule == "1se" else 0.0)
    return ComponentSelection(numbers[int(np.argmax(enough))], table, models, criterion, rule)


def _folds(cv: Folds, X: ArrayLike) -> list[tuple[Integers, Integers]]:
    return read_folds(cv, np.empty((_num_samples(X), 0)), shuffle=True)


def _held_out(
    estimator: GaussianMixture,
    X: ArrayLike,
    weights: Floats | None,
    numbers: Sequence[int],
    folds: Sequence[tuple[Integers, Integers]],
) -> Floats:
    """Mean log p(x) of the held-out rows, (folds, numbers)."""
    out = np.empty((len(folds), len(numbers)))
    for i, (train, test) in enumerate(folds):
        part = None if weights is None else weights[train]
        rows = _safe_indexing(X, test)
        s = None if weights is None else weights[test]
        models = _fits(estimator, _safe_indexing(X, train), part, numbers)
        out[i] = [np.average(model.score_samples(rows), weights=s) for model in models]
    return out


def _fits(
    estimator: GaussianMixture, X: ArrayLike, weights: Floats | None, numbers: Sequence[int]
) -> list[GaussianMixture]:
    if getattr(estimator, "init_params", None) == "lbg":
        return _grown(estimator, X, weights, numbers)
    return [clone(estimator).set_params(n_components=k).fit(X, sample_weight=weights) for k in numbers]


def _grown(
    estimator: GaussianMixture, X: ArrayLike, weights: Floats | None, numbers: Sequence[int]
) -> list[GaussianMixture]:
    """The fits along one growth: k components come from the largest power of two below k, as in LBG."""
    found = {}

    def grow(k: int) -> GaussianMixture:
        if k not in found:
            model = clone(estimator).set_params(n_components=k)
            asked = model.get_params(deep=False)
            if k > 1:
                model.set_params(**_split_start(grow(1 << ((k - 1).bit_length() - 1)), k))
            # The start found here is no parameter of the result: a clone of it uses the user's own options.
            found[k] = model.fit(X, sample_weight=weights).set_params(**asked)
        return found[k]

    return [grow(k) for k in numbers]


def _split_start(model: GaussianMixture, k: int) -> dict[str, Any]:
    """The parameters of a fit that starts where some components of `model` have been split."""
    theta = model._theta()
    split = split_components(theta, k - len(theta.weights), model.lbg_alpha)
    kept = {} if model.covariance_type == "fixed" else {"covariances_init": split.laws.covariances}
    return {
        "init_params": "random_from_data",
        "lbg_alpha": GaussianMixture().lbg_alpha,
        "start": "responsibilities",
        "n_init": 1,
        "weights_init": split.weights,
        "means_init": split.laws.means,
        **kept,
    }
