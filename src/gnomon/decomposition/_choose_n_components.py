"""The number of principal components by rows or cells that were left out.

    density:   argmax_m of the mean log-likelihood of held-out rows under probabilistic PCA        (1)
    cells:     argmin_m Σ (X_A − X_B X_D⁺ X_C)² over blocks of held-out rows and columns           (2)

The error of held-out *rows* projected on the components falls with every further component, so it chooses nothing. (1):
Tipping & Bishop (1999), doi:10.1111/1467-9868.00196; (2), bi-cross-validation with the rank-m pseudo-inverse of the
block D: Owen & Perry (2009), doi:10.1214/08-AOAS227.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from scipy import linalg
from sklearn.model_selection import KFold
from sklearn.utils import check_array, check_random_state

from gnomon._typing import ArrayLike, Floats, Seed
from gnomon.decomposition._how_many import (
    count_by_elbow,
    count_by_evidence,
    count_by_reference,
    count_by_share,
    parallel_variances,
)
from gnomon.decomposition.pca import PCA
from gnomon.numerics.centred_rows import rows_about
from gnomon.numerics.principal import principal_components
from gnomon.numerics.validation import FLOATS, check_choice

__all__ = ["ComponentChoice", "choose_n_components"]

METHODS = ("share", "mle", "parallel", "elbow", "likelihood", "cells")
FOLDS = 5

RANK = 1e-12
"""Singular values below this share of the largest are zero."""


class ComponentChoice(NamedTuple):
    """How many components, and what each number scored.

    Fields
    ------
    n_components : int
    scores : ndarray
        For m = 0, 1, …: what the method compares. Larger is better for "share" (share of the variance), "mle",
        "likelihood"; for "parallel" and "elbow" they are the eigenvalues; for "cells" the squared error.
    method : str

    References
    ----------
    Owen, A. B. & Perry, P. O. (2009). Bi-cross-validation of the SVD. doi:10.1214/08-AOAS227

    Examples
    --------
    >>> from gnomon.decomposition import choose_n_components
    >>> choose_n_components([[0.0, 0.0], [1.0, 1.1], [2.0, 1.9], [3.0, 3.0]], method="share").n_components
    1
    """

    n_components: int
    scores: Floats
    method: str


def choose_n_components(
    X: ArrayLike,
    *,
    method: Literal["share", "mle", "parallel", "elbow", "likelihood", "cells"],
    share: float = 0.95,
    random_state: Seed = 0,
) -> ComponentChoice:
    """Choose the number of principal components of X.

    Parameters
    ----------
    X : array-like of shape (n, d)
    method : {"share", "mle", "parallel", "elbow", "likelihood", "cells"}
        The rules of `PCA`, or equations (1) and (2).
    share : float, default=0.95
        Of the variance, for "share".
    random_state : int, RandomState or None, default=0
        Folds and permutations.

    Returns
    -------
    ComponentChoice

    References
    ----------
    Owen, A. B. & Perry, P. O. (2009). Bi-cross-validation of the SVD. doi:10.1214/08-AOAS227

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition import choose_n_components
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2)) @ rng.normal(size=(2, 8)) + 0.3 * rng.normal(size=(100, 8))
    >>> [choose_n_components(X, method=m).n_components for m in ("cells", "parallel", "mle")]
    [2, 2, 2]
    """
    if str(method) == "reconstruction":
        raise ValueError(
            "method='reconstruction': the error of held-out rows falls with every component, so it never chooses; use "
            "'likelihood' or 'cells'"
        )
    check_choice("method", method, METHODS)
    X = check_array(X, dtype=FLOATS, ensure_min_samples=2)
    rng = check_random_state(random_state)
    if method in ("likelihood", "cells"):
        scores = _held_out_likelihood(X, rng) if method == "likelihood" else -_held_out_cells(X, rng)
        return ComponentChoice(int(np.argmax(scores)), scores if method == "likelihood" else -scores, method)
    found = principal_components(rows_about(X), min(X.shape))
    values = found.values
    if method == "share":
        reached = np.append(0.0, np.cumsum(values) / found.total)
        return ComponentChoice(count_by_share(values, found.total, share), reached, method)
    rules = {
        "mle": lambda: count_by_evidence(values / len(X), len(X)),
        "parallel": lambda: count_by_reference(values, parallel_variances(X, rng)),
        "elbow": lambda: count_by_elbow(values),
    }
    return ComponentChoice(rules[method](), values, method)


def _held_out_likelihood(X: Floats, rng: np.random.RandomState) -> Floats:
    """Equation (1) for m = 0 … min(n, d) − 1."""
    folds = list(KFold(min(FOLDS, len(X)), shuffle=True, random_state=rng).split(X))
    most = min(min(len(train) for train, _ in folds) - 1, X.shape[1])
    scores = [
        [PCA(m, svd_solver="full").fit(X[train]).score(X[test]) for m in range(max(most, 1))] for train, test in folds
    ]
    return np.mean(scores, axis=0)


def _held_out_cells(X: Floats, rng: np.random.RandomState) -> Floats:
    """Equation (2) for m = 0, 1, …, over two by two blocks, five times."""
    Z = X - X.mean(axis=0)
    n, d = Z.shape
    errors = np.zeros(min(n // 2, d // 2) + 1)
    for _ in range(FOLDS):
        rows, columns = (np.split(rng.permutation(size), [size // 2]) for size in (n, d))
        for held_rows, kept_rows in (rows, rows[::-1]):
            for held, kept in (columns, columns[::-1]):
                A, B = Z[np.ix_(held_rows, held)], Z[np.ix_(held_rows, kept)]
                C, D = Z[np.ix_(kept_rows, held)], Z[np.ix_(kept_rows, kept)]
                errors += _block_errors(A, B, C, D, len(errors))
    return errors


def _block_errors(A: Floats, B: Floats, C: Floats, D: Floats, length: int) -> Floats:
    """‖A − B D⁺ C‖² with the pseudo-inverse of rank m = 0, 1, … of D = Σ_j s_j u_j v_jᵀ: a product for each rank."""
    U, s, Vt = linalg.svd(D, full_matrices=False)
    left, right = B @ Vt.T, U.T @ C
    errors, off = np.empty(length), A.copy()
    errors[0] = np.sum(off**2)
    for m in range(1, length):
        if m <= len(s) and s[m - 1] > RANK * s[0]:
            off -= np.multiply.outer(left[:, m - 1] / s[m - 1], right[m - 1])
        errors[m] = np.sum(off**2)
    return errors
