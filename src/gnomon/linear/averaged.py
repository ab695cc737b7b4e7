"""The averaged perceptron.

    w̄ = mean of w_t over the visits t,    w_t the weights after visit t of the perceptron                     (1)

Freund & Schapire (1999), section 2, doi:10.1023/A:1007662407062; Collins (2002), doi:10.3115/1118693.1118694. The mean
is over visits, not over distinct weight vectors: a vector that made no mistake for long counts for all that time. An
update at visit t belongs to all later means, so w̄ = Σ (share of the visits from t on) · update: only w is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Self, TypeAlias

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags

from gnomon._typing import Array, ArrayLike, ClassWeight, Count, Floats, Integers, MatrixLike, Numbers, Positive, Seed
from gnomon.base.callbacks import CallbackSupportMixin, fit_tasks
from gnomon.base.estimator import Estimator
from gnomon.linear._classifier import class_scores, classes_of
from gnomon.linear._runs import Run, Visits, runs_against_rest, unpack
from gnomon.optim.solution import History, StopReason

__all__ = ["AveragedPerceptron"]

Average: TypeAlias = Literal["all", "last_k", "every_n"]


class AveragedPerceptron(CallbackSupportMixin, ClassifierMixin, Estimator):
    """Perceptron with the mean of its weights, w̄ = mean of w_t over the visits t.

    Parameters
    ----------
    average : {"all", "last_k", "every_n"}, default="all"
        Over all visits, the last `window` ones, or every `window`-th.
    window : int, optional
        k or n; the number of rows by default.
    selection : {"shuffle", "cyclic", "random"}, default="shuffle"
        The order of visits.
    fit_intercept : bool, default=True
    max_iter : int, default=10
        Passes over the data; fewer when one has no mistakes.
    eta0 : float, default=1.0
    class_weight : dict, "balanced" or None, default=None
    random_state : int, RandomState or None, default=0

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        w̄, one against the rest.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    last_coef_, last_intercept_ : ndarray
        The weights after the last visit.
    n_updates_ : int
    mistake_counts_ : ndarray of shape (n_samples,) or (n_classes, n_samples)
    objective_ : float
        Mean perceptron loss of the last weights, summed over the problems of one against rest.
    converged_ : bool
        Whether a pass had no mistakes; the mean does not need it.
    stop_reason_ : str
    history_ : dict of ndarray
    n_iter_ : int
    n_features_in_ : int

    References
    ----------
    Freund, Y. & Schapire, R. (1999). Large margin classification using the perceptron algorithm.
    doi:10.1023/A:1007662407062

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.linear import AveragedPerceptron
    >>> X, y = np.array([[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1.0]]), np.array([0, 1, 1, 1])
    >>> AveragedPerceptron(selection="cyclic", fit_intercept=False).fit(X, y).coef_.round(7)
    array([[-0.4166667,  1.3333333,  1.5833333]])
    """

    classes_: Array
    coef_: Floats
    intercept_: Floats
    last_coef_: Floats
    last_intercept_: Floats
    n_updates_: int
    mistake_counts_: Integers
    objective_: float
    n_iter_: int
    converged_: bool
    stop_reason_: StopReason
    history_: History

    def __init__(
        self,
        average: Average = "all",
        *,
        window: Count | None = None,
        selection: Visits = "shuffle",
        fit_intercept: bool = True,
        max_iter: Count = 10,
        eta0: Positive = 1.0,
        class_weight: ClassWeight = None,
        random_state: Seed = 0,
    ):
        self.average = average
        self.window = window
        self.selection = selection
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.eta0 = eta0
        self.class_weight = class_weight
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Run the perceptron and average."""
        with fit_tasks(self, "pass", X=X, y=y) as told:
            runs = runs_against_rest(self, X, y, told)
            means = [_mean_weights(self, run) for run in runs]
            self.coef_, self.intercept_ = unpack(runs[0].design, means)
            self.last_coef_, self.last_intercept_ = unpack(runs[0].design, [run.solution.w[0] for run in runs])
        return self

    def decision_function(self, X: MatrixLike) -> Floats:
        """The score xᵀw̄ + b̄ of ``classes_[1]``, or a score per class."""
        return class_scores(self, X)

    def predict(self, X: MatrixLike) -> Array:
        """The class of every row."""
        z = self.decision_function(X)
        return classes_of(self.classes_, z)


def _mean_weights(model: AveragedPerceptron, run: Run) -> Floats:
    """w̄ of (1) from the log of the updates."""
    total, log = run.solution.details["visits"], run.solution.details["log"]
    window = run.design.n if model.window is None else model.window
    counts: dict[Average, Callable[[Numbers], Numbers]] = {
        "all": lambda t: total - t + 1,
        "last_k": lambda t: np.minimum(total - t + 1, window),
        "every_n": lambda t: total // window - (t - 1) // window,
    }
    counted = counts[model.average]
    share = counted(log[:, 0]) / max(int(counted(1)), 1)
    amount = np.zeros(run.design.n)
    np.add.at(amount, log[:, 1], share)
    return run.design.adjoint(model.eta0 * run.s * run.signs * amount)
