"""How good a coding matrix is.

    Δ(k, k') = Σ_l (1 − M_kl M_k'l) / 2,    ρ = min_{k≠k'} Δ(k, k')                                            (1)
    a + (b − c)/2 > 2e   for all ordered pairs (k, k')                                                         (2)

Rows of M ∈ {−1, 0, 1}^{C×L} are classes. In (2) a counts the columns where k and k' are non-zero and differ, b those
where k alone is non-zero, c those where k' alone is: whatever the classifiers that never saw class k answer, e wrong
answers of the others cannot make a row of class k look nearer to k'. Without zeros (2) is e ≤ ⌊(ρ − 1)/2⌋; with zeros
that formula is too optimistic (one-vs-one has ρ > 1 and corrects nothing). Dietterich & Bakiri (1995),
doi:10.1613/jair.105; Allwein, Schapire & Singer (2000), Journal of Machine Learning Research 1, 113–141.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Bools, Floats, Integers

__all__ = [
    "CodeReport",
    "check_code",
    "code_report",
    "distinct_columns",
    "row_distances",
    "separated",
    "warn_of_repeats",
]


class CodeReport(NamedTuple):
    """What `code_report` finds.

    Parameters
    ----------
    n_classes, n_columns : int
        C and L.
    row_distances : ndarray of shape (n_classes, n_classes)
        Δ of equation (1). A class with zeros has a distance to itself: ½ for each.
    min_distance : float
        ρ, over pairs of different classes.
    column_correlations : ndarray of shape (n_columns, n_columns)
        Pearson's; ±1 means that two columns ask the same question.
    max_correlation : float
        The largest absolute value off its diagonal; 0 for a single column.
    correctable : int
        The largest e of equation (2); −1 where even right answers may be decoded wrongly.

    References
    ----------
    Allwein, E. L., Schapire, R. E. & Singer, Y. (2000). Reducing multiclass to binary: a unifying approach for margin
    classifiers. Journal of Machine Learning Research 1, 113–141.

    Examples
    --------
    >>> from gnomon.multiclass import code_report, coding_matrix
    >>> code_report(coding_matrix("exhaustive", 5)).min_distance
    8.0
    """

    n_classes: int
    n_columns: int
    row_distances: Floats
    min_distance: float
    column_correlations: Floats
    max_correlation: float
    correctable: int


def code_report(code: ArrayLike) -> CodeReport:
    """Distances between the rows, correlations of the columns, and how many wrong columns are certain to be corrected.

    Parameters
    ----------
    code : array-like of shape (n_classes, n_columns)
        A coding matrix with entries −1, 0 and +1, two classes or more.

    Returns
    -------
    CodeReport

    References
    ----------
    Dietterich, T. G. & Bakiri, G. (1995). Solving multiclass learning problems via error-correcting output codes.
    doi:10.1613/jair.105

    Allwein, E. L., Schapire, R. E. & Singer, Y. (2000). Reducing multiclass to binary: a unifying approach for margin
    classifiers. Journal of Machine Learning Research 1, 113–141.

    Examples
    --------
    By hand, (1, 1, 1) and (1, −1, −1) differ in two columns; a code of distance 2 notices one error and repairs none.
    Five columns at distance 3 repair one:

    >>> from gnomon.multiclass import code_report
    >>> report = code_report([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    >>> report.min_distance, report.correctable
    (2.0, 0)
    >>> code_report([[1, 1, 1, 1, 1], [-1, -1, -1, 1, 1], [-1, -1, 1, -1, -1]]).correctable
    1
    """
    code = check_code(code)
    distances = row_distances(code)
    off_diagonal = ~np.eye(len(code), dtype=bool)
    correlations = np.atleast_2d(np.corrcoef(code, rowvar=False))
    others = np.abs(correlations[~np.eye(len(correlations), dtype=bool)])
    used = np.abs(code)
    opposed = (used @ used.T - code @ code.T) / 2
    # Columns that k alone uses minus columns that k' alone uses: what both use cancels.
    lead = np.sum(used, axis=1)[:, None] - np.sum(used, axis=1)
    least = np.min((opposed + lead / 2)[off_diagonal])
    return CodeReport(
        n_classes=code.shape[0],
        n_columns=code.shape[1],
        row_distances=distances,
        min_distance=float(np.min(distances[off_diagonal])),
        column_correlations=correlations,
        max_correlation=float(np.max(others, initial=0.0)),
        correctable=max(int(np.ceil(least / 2)) - 1, -1),
    )


def row_distances(code: Integers) -> Floats:
    """Δ of equation (1) for all pairs of rows."""
    return (code.shape[1] - code @ code.T) / 2


def separated(code: Integers) -> bool:
    """Whether every two classes are on different sides of some column."""
    used = np.abs(code)
    return bool(np.all((used @ used.T != code @ code.T) | np.eye(len(code), dtype=bool)))


def distinct_columns(code: Integers) -> Bools:
    """Which columns are not equal or opposite to an earlier one, as a mask."""
    overlaps = np.abs(code.T @ code)
    sizes = np.diag(overlaps)
    same = (overlaps == sizes) & (overlaps == sizes[:, None])
    return ~np.any(np.triu(same, 1), axis=0)


def check_code(code: ArrayLike, n_classes: int | None = None) -> Integers:
    """The matrix as integers; ValueError where it is no code.

    Parameters
    ----------
    code : array-like of shape (n_classes, n_columns)
    n_classes : int, optional
        The number of rows that it must have; any number above one by default.
    """
    code = np.asarray(code)
    if code.ndim != 2 or len(code) < 2 or (n_classes is not None and len(code) != n_classes):
        wanted = "two or more rows" if n_classes is None else f"{n_classes} rows"
        raise ValueError(f"code has shape {code.shape}; give a matrix with one row for each class, {wanted}")
    if not np.all(np.isin(code, (-1, 0, 1))):
        strange = np.unique(code[~np.isin(code, (-1, 0, 1))])[:5]
        raise ValueError(f"code has the entries {strange.tolist()}; only −1, 0 and 1 are allowed")
    code = code.astype(int)
    lacking = np.flatnonzero((np.max(code, axis=0, initial=0) < 1) | (np.min(code, axis=0, initial=0) > -1))
    if len(lacking):
        raise ValueError(f"code has no +1 or no −1 in the columns {lacking[:5].tolist()}; drop these columns")
    if not separated(code):
        used = np.abs(code)
        alike = (used @ used.T == code @ code.T) & ~np.eye(len(code), dtype=bool)
        pair = np.argwhere(alike)[0].tolist()
        raise ValueError(f"code has no column that tells the classes in rows {pair} apart; add one with +1 and −1")
    return code


def warn_of_repeats(code: Integers) -> None:
    """A warning where columns are equal or opposite."""
    repeated = np.flatnonzero(~distinct_columns(code))[:5].tolist()
    if repeated:
        warnings.warn(
            f"code has equal or opposite columns, at {repeated}: they ask the same question as an earlier one, so "
            "their errors agree and repair nothing; choose a code without them",
            UserWarning,
            stacklevel=3,
        )
