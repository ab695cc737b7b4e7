"""The voted perceptron.

    ŷ = sign Σₖ cₖ sign(xᵀw_k),    w_k the weights after k mistakes                                  (1)

and c_k the number of examples that w_k classified rightly before its next mistake. Freund & Schapire (1999),
doi:10.1023/A:1007662407062, count the example that made w_k as well, so that every vote but the first is larger by one.
"""

from __future__ import annotations

from typing import Literal, Self, TypeAlias

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags, gen_batches
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, ArrayLike, ClassWeight, Count, Floats, Integers, Matrix, MatrixLike, Positive, Seed
from gnomon.base import validate_rows
from gnomon.base.callbacks import CallbackSupportMixin, fit_tasks
from gnomon.base.estimator import Estimator
from gnomon.linear._classifier import classes_of
from gnomon.linear._runs import Run, Visits, runs_against_rest, unpack
from gnomon.optim.solution import History, StopReason

__all__ = ["VotedPerceptron"]

Votes: TypeAlias = Literal["correct", "freund_schapire"]


class VotedPerceptron(CallbackSupportMixin, ClassifierMixin, Estimator):
    """Perceptron whose weight vectors vote: ŷ = sign Σₖ cₖ sign(xᵀw_k).

    Every weight vector is kept: memory grows with the number of mistakes. `AveragedPerceptron` is nearly as good and
    keeps one.

    Parameters
    ----------
    votes : {"correct", "freund_schapire"}, default="correct"
        c_k counts the examples that w_k classified rightly; or these and the mistake that made it.
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
    vectors_ : list of ndarray of shape (n_vectors, n_features)
        w_k of every problem: one for two classes, else one for each class against the rest.
    intercepts_ : list of ndarray of shape (n_vectors,)
    votes_ : list of ndarray of shape (n_vectors,)
    n_updates_ : int
    mistake_counts_ : ndarray of shape (n_samples,) or (n_classes, n_samples)
    objective_ : float
        Mean perceptron loss of the last weights, summed over the problems of one against rest.
    converged_ : bool
        Whether a pass had no mistakes; the vote does not need it.
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
    >>> from gnomon.linear import VotedPerceptron
    >>> X, y = np.array([[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1.0]]), np.array([0, 1, 1, 1])
    >>> model = VotedPerceptron(selection="cyclic", fit_intercept=False).fit(X, y)
    >>> model.votes_[0]
    array([0, 0, 0, 1, 3, 0, 2, 1, 1, 7])
    >>> model.predict(X)
    array([0, 1, 1, 1])
    """

    classes_: Array
    vectors_: list[Floats]
    intercepts_: list[Floats]
    votes_: list[Integers]
    n_updates_: int
    mistake_counts_: Integers
    objective_: float
    n_iter_: int
    converged_: bool
    stop_reason_: StopReason
    history_: History

    def __init__(
        self,
        votes: Votes = "correct",
        *,
        selection: Visits = "shuffle",
        fit_intercept: bool = True,
        max_iter: Count = 10,
        eta0: Positive = 1.0,
        class_weight: ClassWeight = None,
        random_state: Seed = 0,
    ):
        self.votes = votes
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
        """Run the perceptron and keep its weight vectors with their votes."""
        with fit_tasks(self, "pass", X=X, y=y) as told:
            runs = runs_against_rest(self, X, y, told)
            unpacked = [unpack(run.design, _weight_vectors(self, run)) for run in runs]
            self.vectors_, self.intercepts_ = [W for W, _ in unpacked], [b for _, b in unpacked]
            self.votes_ = [_votes(self, run) for run in runs]
        return self

    def decision_function(self, X: MatrixLike) -> Floats:
        """Σₖ cₖ sign(xᵀw_k + b_k), a number of votes, for ``classes_[1]`` or for every class."""
        check_is_fitted(self, "vectors_")
        X = validate_rows(self, X, reset=False, accept_sparse="csr")
        # Every vector votes on every row: blocks of rows keep that table small.
        most = max(1, 2**20 // max(len(c) for c in self.votes_))
        z = np.vstack([self._count(X[rows]) for rows in gen_batches(X.shape[0], most)])
        return z[:, 0] if z.shape[1] == 1 else z

    def _count(self, X: Matrix) -> Floats:
        machines = zip(self.vectors_, self.intercepts_, self.votes_, strict=True)
        return np.column_stack([np.sign(X @ W.T + b) @ c for W, b, c in machines])

    def predict(self, X: MatrixLike) -> Array:
        """The class of every row."""
        z = self.decision_function(X)
        return classes_of(self.classes_, z)


def _weight_vectors(model: VotedPerceptron, run: Run) -> Floats:
    """w₀ = 0 and the weights after every mistake: running sums of the rows of the log."""
    i = run.solution.details["log"][:, 1]
    rows = run.design.X[i].toarray() if run.design.sparse else run.design.X[i]
    steps = np.column_stack([rows, np.ones((len(i), run.design.width - run.design.d))])
    steps = (model.eta0 * run.s[i] * run.signs[i])[:, None] * steps
    return np.vstack([np.zeros(run.design.width), np.cumsum(steps, axis=0)])


def _votes(model: VotedPerceptron, run: Run) -> Integers:
    """How long each vector lived, from mistake to mistake."""
    ends = np.concatenate([run.solution.details["log"][:, 0], [run.solution.details["visits"] + 1]])
    votes = np.diff(ends, prepend=0) - 1
    if model.votes == "freund_schapire":
        votes[1:] += 1
    return votes
