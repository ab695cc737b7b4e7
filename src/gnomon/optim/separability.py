"""Can a hyperplane separate two classes?

    maximise over w, b, t    Σᵢ tᵢ    subject to    yᵢ (xᵢᵀw + b) ≥ tᵢ,    0 ≤ tᵢ ≤ 1                   (1)

A solution can be scaled up at will, so at the optimum tᵢ is 1 for every row that some weak separator puts strictly on
its side and 0 for the others. All ones: complete separation. Some ones: quasi-complete. None: the classes overlap, and
only then has unpenalised logistic regression a maximum (Albert & Anderson 1984, doi:10.1093/biomet/71.1.1). The
multipliers λ of the constraints certify the answer: λ ≥ 0 with Σᵢ λᵢ yᵢ (xᵢ, 1) = 0, positive on the rows with tᵢ = 0,
is a common point of the two convex hulls. One linear programme decides all three cases (Konis 2007, Oxford thesis).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from sklearn.utils.validation import check_X_y

from gnomon._typing import ArrayLike, Bools, Floats, MatrixLike
from gnomon.numerics.coding import label_index
from gnomon.optim.units import column_units

__all__ = ["Separability", "is_separable"]

Kind: TypeAlias = Literal["complete", "quasi", "overlap"]


@dataclass(frozen=True)
class Separability:
    """The answer of `is_separable`; true as a condition when the separation is complete.

    Parameters
    ----------
    kind : {"complete", "quasi", "overlap"}
    w : ndarray of shape (d,)
        A hyperplane with no row on the wrong side (zeros for "overlap").
    b : float
    margin : float
        min yᵢ (xᵢᵀw + b)/‖w‖ of this hyperplane; 0 unless complete. Not the largest possible.
    strict : ndarray of bool of shape (n,)
        The rows strictly on their side.
    multipliers : ndarray of shape (n,)
        λ: the certificate that no hyperplane does better.

    References
    ----------
    Albert, A. & Anderson, J. A. (1984). On the existence of maximum likelihood estimates in logistic regression models.
    doi:10.1093/biomet/71.1.1

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import is_separable
    >>> answer = is_separable(np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 1])
    >>> answer.kind, bool(answer), answer.margin > 0
    ('complete', True, True)
    """

    kind: Kind
    w: Floats
    b: float
    margin: float
    strict: Bools
    multipliers: Floats

    @property
    def separable(self) -> bool:
        """Whether the separation is complete."""
        return self.kind == "complete"

    def __bool__(self) -> bool:
        return self.separable


def is_separable(X: MatrixLike, y: ArrayLike, *, fit_intercept: bool = True, tol: float = 1e-7) -> Separability:
    """Whether a hyperplane separates the two classes of y, by (1).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
    y : array-like of shape (n,)
        Two classes, any labels.
    fit_intercept : bool, default=True
        Whether the hyperplane has a free b or passes through the origin.
    tol : float, default=1e-7
        tᵢ above 1 − √tol counts as 1.

    Returns
    -------
    Separability

    References
    ----------
    Albert, A. & Anderson, J. A. (1984). On the existence of maximum likelihood estimates in logistic regression models.
    doi:10.1093/biomet/71.1.1

    Konis, K. (2007). Linear programming algorithms for detecting separated data in binary logistic regression models.
    D.Phil. thesis, University of Oxford.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import is_separable
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> bool(is_separable(X, [0, 0, 0, 1])), is_separable(X, [0, 1, 1, 0]).kind
    (True, 'overlap')
    >>> is_separable(np.array([[0.0], [1.0], [1.0], [2.0]]), [0, 0, 1, 1]).kind
    'quasi'
    """
    rows, labels = check_X_y(X, y, accept_sparse="csr", dtype=np.float64)
    index, classes = label_index(labels)
    if len(classes) != 2:
        raise ValueError(f"y has {len(classes)} classes; separability needs two, give the rows of two classes")
    n, d = rows.shape
    signs = 2.0 * index - 1.0
    moved, shift, scale = column_units(rows, shifted=fit_intercept)
    A = sparse.csr_matrix(moved)
    A = sparse.hstack([A, np.ones((n, 1))]) if fit_intercept else A
    margins = sparse.diags(signs) @ A
    found = _maximize(margins, n)
    w = found.x[:d] / scale
    b = float(found.x[d]) - float(shift @ w) if fit_intercept else 0.0
    strict = found.x[margins.shape[1] :] > 1.0 - np.sqrt(tol)
    kind: Kind = "complete" if strict.all() else "quasi" if strict.any() else "overlap"
    if kind == "overlap":
        w, b = np.zeros(d), 0.0
    f = signs * (moved @ (scale * w) + (b + float(shift @ w)))
    margin = float(np.min(f) / np.linalg.norm(w)) if kind == "complete" and np.any(w) else 0.0
    return Separability(kind, w, b, margin, strict, -found.ineqlin.marginals)


def _maximize(margins: Any, n: int) -> Any:
    """(1) as HiGHS takes it: minimise −Σ t over (θ, t) with t − margins·θ ≤ 0."""
    width = margins.shape[1]
    cost = np.concatenate([np.zeros(width), -np.ones(n)])
    constraints = sparse.hstack([-margins, sparse.eye(n)], format="csr")
    bounds = [(None, None)] * width + [(0.0, 1.0)] * n
    found = linprog(cost, A_ub=constraints, b_ub=np.zeros(n), bounds=bounds, method="highs")
    if not found.success:
        raise RuntimeError(f"HiGHS failed ({found.message}); scale the columns of X and try again")
    return found
