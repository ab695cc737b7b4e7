"""What a search for the number of clusters finds, and what it works with.

    J_k = Σᵢ ‖xᵢ − mean of its cluster‖²  of the best of several fits with k clusters               (1)

MacQueen (1967), Some methods for classification and analysis of multivariate observations, Berkeley Symposium 5.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone

from gnomon._typing import Array, Floats, Integers
from gnomon.cluster.k_rules import PenaltyPath, penalty_path

__all__ = ["KSelection", "KTrial", "label_cost", "within_cost"]


class KSelection(NamedTuple):
    """The number of clusters that was chosen, and why.

    Fields
    ------
    k : int or None
        None where the method finds no answer.
    table : dict of str to ndarray
        What was computed, one entry for each k in "k".
    verdict : str
        In a few words.
    reason : str
        In a sentence.

    References
    ----------
    Tibshirani, R., Walther, G. & Hastie, T. (2001). Estimating the number of clusters in a data set via the gap
    statistic. doi:10.1111/1467-9868.00293

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.cluster import KSelection
    >>> print(KSelection(2, {"k": np.array([1, 2])}, "2 clusters", "the bend is sharpest there"))
    2 clusters: the bend is sharpest there
    """

    k: int | None
    table: dict[str, Array]
    verdict: str
    reason: str

    def path(self) -> PenaltyPath:
        """The best k for every price λ of a cluster, from the costs J in the table."""
        if "cost" not in self.table:
            raise ValueError(f"the table has {sorted(self.table)} and no 'cost'; use method='penalty' or 'elbow'")
        return penalty_path(self.table["k"], self.table["cost"])

    def __str__(self) -> str:
        return f"{self.verdict}: {self.reason}"


class KTrial(NamedTuple):
    """Rows, the numbers of clusters to try, the clusterer, and random numbers.

    Fields
    ------
    X : ndarray of shape (n, d)
    ks : list of int
    estimator : clusterer
    rng : RandomState

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.cluster import KMeans
    >>> from gnomon.cluster.k_selection import KTrial
    >>> trial = KTrial(np.array([[0.0], [1.0], [9.0]]), [2], KMeans(), np.random.RandomState(0))
    >>> trial.costs().round(6)
    array([0.5])
    """

    X: Floats
    ks: list[int]
    estimator: BaseEstimator
    rng: np.random.RandomState

    def fit(self, k: int, X: Floats | None = None, **options: Any) -> Any:
        """The clusterer fitted with k clusters, to all rows or to others."""
        known, seed = self.estimator.get_params(), int(self.rng.randint(2**31))
        given = {"n_clusters": k, **({"random_state": seed} if known.get("random_state") is None else {}), **options}
        return (
            clone(self.estimator)
            .set_params(**{n: v for n, v in given.items() if n in known})
            .fit(self.X if X is None else X)
        )

    def costs(self, X: Floats | None = None) -> Floats:
        """J for every k, equation (1); one that is above that of fewer clusters is tried again with more starts."""
        rows = self.X if X is None else X
        found: list[float] = []
        for k in self.ks:
            cost = within_cost(self.fit(k, rows), rows)
            if found and cost > min(found):
                cost = min([cost, *(within_cost(self.fit(k, rows), rows) for _ in range(5))])
            found.append(cost)
        return np.array(found)

    def placing(self, k: int, X: Floats) -> Any:
        """A fitted clusterer that places new rows; an error where it cannot."""
        model = self.fit(k, X)
        if getattr(model, "predict", None) is None:
            raise ValueError(f"{type(model).__name__} has no predict, which this method needs; use KMeans")
        return model

    def halves(self) -> tuple[Integers, Integers]:
        """Two random halves of the rows."""
        order = self.rng.permutation(len(self.X))
        middle = len(order) // 2
        return order[:middle], order[middle:]


def within_cost(model: Any, X: Floats) -> float:
    """J of a fitted clusterer, its own where it has one, else (1) of its labels.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from gnomon.cluster.k_selection import within_cost
    >>> X = np.array([[0.0], [2.0], [9.0]])
    >>> within_cost(AgglomerativeClustering(2).fit(X), X)
    2.0
    """
    own = getattr(model, "inertia_", None)
    if own is not None:
        return float(own)
    return label_cost(X, model.labels_)


def label_cost(X: Floats, labels: Integers) -> float:
    """(1) of given labels.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.cluster.k_selection import label_cost
    >>> label_cost(np.array([[0.0], [2.0], [9.0]]), np.array([0, 0, 1]))
    2.0
    """
    return float(sum(np.sum((X[labels == j] - X[labels == j].mean(axis=0)) ** 2) for j in np.unique(labels)))
