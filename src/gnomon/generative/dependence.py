"""Are the columns independent within the classes, and does each say something of the class?

    I(X; Z | Y) = Σ_{x,z,c} P(x, z, c) log [P(x, z | c) / (P(x | c) P(z | c))],    G = 2 N I ~ χ²                    (1)

in nats, from relative frequencies. Naive Bayes assumes that (1) is zero for every pair of columns. G is the
likelihood-ratio statistic; its degrees of freedom are Σ_c (r_c − 1)(s_c − 1), r_c and s_c the numbers of values that
occur in class c. Kullback (1959), Information Theory and Statistics, chapter 8.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import xlogy
from scipy.stats import chi2
from sklearn.utils.validation import check_consistent_length

from gnomon._typing import Array, ArrayLike, Floats, Integers, TableLike
from gnomon.numerics.coding import label_index
from gnomon.numerics.tables import Column, as_table
from gnomon.numerics.validation import check_integer
from gnomon.numerics.weights import check_weights

__all__ = ["DependenceReport", "dependence_report"]


class DependenceReport(NamedTuple):
    """Conditional mutual information of all pairs of columns, and the information of each about the class.

    Parameters
    ----------
    names : tuple of str
    information : ndarray of shape (n_features, n_features)
        I(X_i; X_j | Y) in nats; on the diagonal the entropy of X_i given Y.
    p_values : ndarray of shape (n_features, n_features)
        Of G-tests that X_i and X_j are independent given Y.
    relevance : ndarray of shape (n_features,)
        I(X_i; Y) in nats.
    relevance_p_values : ndarray of shape (n_features,)
        Of G-tests that X_i and Y are independent.

    References
    ----------
    Kullback, S. (1959). Information Theory and Statistics, chapter 8. Wiley.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.generative import DependenceReport
    >>> report = DependenceReport(("a", "b"), np.array([[0.7, 0.2], [0.2, 0.6]]), np.eye(2), np.zeros(2), np.ones(2))
    >>> report.pairs()
    [('a', 'b', 0.2, 0.0)]
    """

    names: tuple[str, ...]
    information: Floats
    p_values: Floats
    relevance: Floats
    relevance_p_values: Floats

    def pairs(self) -> list[tuple[str, str, float, float]]:
        """(name, name, information, p-value) of every pair, the most dependent first."""
        i, j = np.triu_indices(len(self.names), 1)
        order = np.argsort(-self.information[i, j], kind="stable")
        rows = zip(i[order], j[order], strict=True)
        return [(self.names[a], self.names[b], *self._entry(a, b)) for a, b in rows]

    def _entry(self, a: int, b: int) -> tuple[float, float]:
        return float(self.information[a, b]), float(self.p_values[a, b])


def dependence_report(
    X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None, *, bins: int = 8
) -> DependenceReport:
    """Equation (1) for all pairs of columns.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Categories, or numbers, which are cut at quantiles where a column has more than `bins` different ones. Rows in
        which one of a pair is missing are left out for that pair.
    y : array-like of shape (n_samples,)
    sample_weight : array-like of shape (n_samples,), optional
        A weight of two is the row twice.
    bins : int, default=8

    Returns
    -------
    DependenceReport

    References
    ----------
    Kullback, S. (1959). Information Theory and Statistics, chapter 8. Wiley.

    Examples
    --------
    >>> from gnomon.datasets import load_weather_play
    >>> from gnomon.generative import dependence_report
    >>> weather = load_weather_play()
    >>> report = dependence_report(weather.data, weather.target)
    >>> report.information[0, 1:].round(6)
    array([0.29084 , 0.154444, 0.21609 ])
    >>> report.relevance.round(4)
    array([0.171 , 0.0203, 0.1052, 0.0334])
    """
    table, index = as_table(X), label_index(y)[0]
    check_consistent_length(index, np.empty(len(table)))
    weights = check_weights(sample_weight, np.empty((len(table), 0)))
    bins = check_integer("bins", bins, 2)
    codes = [_codes(table.column(j), bins, weights) for j in range(len(table.names))]
    d, nothing = len(codes), np.zeros(len(index), dtype=int)
    information, p_values = np.zeros((d, d)), np.ones((d, d))
    for i in range(d):
        for j in range(i, d):
            found = _information(codes[i], codes[j], index, weights)
            information[i, j] = information[j, i] = found[0]
            p_values[i, j] = p_values[j, i] = found[1]
    relevance, relevant = np.array([_information(x, index, nothing, weights) for x in codes]).T
    return DependenceReport(tuple(map(str, table.names)), information, p_values, relevance, relevant)


def _codes(column: Column, bins: int, weights: Floats) -> Integers:
    """Whole numbers for the cells of a column, −1 where one is missing or its row has no weight."""
    there = ~column.missing & (weights > 0.0)
    cells = column.cells[there]
    if not column.is_number:
        numbers = {value: number for number, value in enumerate(dict.fromkeys(cells))}
        cells = np.array([numbers[cell] for cell in cells], dtype=int)
    elif len(np.unique(cells)) > bins:
        # Of NumPy's methods for quantiles, this is the one for which a weight of 2 equals the row twice.
        levels = np.linspace(0.0, 1.0, bins + 1)[1:-1]
        edges = np.quantile(cells, levels, weights=weights[there], method="inverted_cdf")
        cells = np.searchsorted(edges, cells, side="right")
    out = np.full(len(there), -1)
    out[there] = np.unique(cells, return_inverse=True)[1]
    return out


def _information(x: Integers, z: Integers, y: Integers, weights: Floats) -> tuple[float, float]:
    """Equation (1) of two coded columns given a third, and the p-value of its G."""
    seen = (x >= 0) & (z >= 0)
    x, z, y, s = x[seen], z[seen], y[seen], weights[seen]
    total = float(np.sum(s))
    if not total > 0.0:
        return 0.0, 1.0
    k = int(np.max(y)) + 1
    xy, zy = x * k + y, z * k + y
    # Only cells that occur are counted: a full table would be large for columns with many values.
    (n, _), (rows, at_x), (columns, at_z) = _counts(xy * (int(np.max(z)) + 1) + z, s), _counts(xy, s), _counts(zy, s)
    # Σ n log n c/(r s), a sum for each logarithm.
    terms = [float(np.sum(xlogy(part, part))) for part in (n, np.bincount(y, s), rows, columns)]
    G = max(2.0 * (terms[0] + terms[1] - terms[2] - terms[3]), 0.0)
    values = [np.maximum(np.bincount(keys % k, minlength=k) - 1, 0) for keys in (at_x, at_z)]
    freedom = int(values[0] @ values[1])
    return G / (2.0 * total), float(chi2.sf(G, freedom)) if freedom else 1.0


def _counts(keys: Integers, s: Floats) -> tuple[Array, Integers]:
    """The weight of every key that was met, and these keys."""
    met, place = np.unique(keys, return_inverse=True)
    return np.bincount(place, s), met
