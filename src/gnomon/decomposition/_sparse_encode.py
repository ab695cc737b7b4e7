"""Codes of rows with few entries, for a dictionary that is given.

    x ≈ zᵀH:    lasso ½ ‖x − zᵀH‖² + α ‖z‖₁,    at most s entries,    or a threshold on H x         (1)

Mairal, Bach & Ponce (2014), Sparse modeling for image and vision processing, doi:10.1561/0600000058.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.utils.validation import check_array

from gnomon._typing import ArrayLike, Floats
from gnomon.base.progress import progress_of
from gnomon.numerics.validation import FLOATS, check_choice, check_integer, check_non_negative
from gnomon.optim import lasso_codes, least_angle_codes, pursuit_codes, threshold_codes

__all__ = ["Coder", "CodingAlgorithm", "sparse_encode"]

CodingAlgorithm: TypeAlias = Literal["lasso", "lasso_lars", "lasso_cd", "lars", "omp", "threshold"]
ALGORITHMS: tuple[CodingAlgorithm, ...] = ("lasso", "lasso_lars", "lasso_cd", "lars", "omp", "threshold")


class Coder(NamedTuple):
    """How rows are coded.

    Fields
    ------
    algorithm : str
    alpha : float
    n_active : int or None
        s; None for a tenth of the columns.
    positive : bool
    max_iter : int
    n_jobs : int or None

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition._sparse_encode import Coder
    >>> Coder("threshold", 0.5, None, False, 10, None).codes(np.eye(2), np.array([[2.0, -0.1]]), 2)
    array([[1.5, 0. ]])
    """

    algorithm: CodingAlgorithm
    alpha: float
    n_active: int | None
    positive: bool
    max_iter: int
    n_jobs: int | None

    def codes(self, G: Floats, B: Floats, d: int, start: Floats | None = None) -> Floats:
        """Codes from G = H Hᵀ and B = X Hᵀ of rows with d columns."""
        if self.algorithm == "threshold":
            return threshold_codes(B, self.alpha, positive=self.positive)
        if self.algorithm in ("omp", "lars"):
            if self.positive:
                raise ValueError(
                    f"Positive constraint not supported for {self.algorithm!r} coding; use 'lasso' or 'threshold'"
                )
            s = self.n_active if self.n_active is not None else int(min(max(d / 10, 1), len(G)))
            if self.algorithm == "lars":
                return least_angle_codes(G, B, s)
            return pursuit_codes(G, B, s, n_jobs=self.n_jobs)
        return lasso_codes(
            G, B, self.alpha, positive=self.positive, start=start, max_iter=self.max_iter, n_jobs=self.n_jobs
        )


def sparse_encode(
    X: ArrayLike,
    dictionary: ArrayLike,
    *,
    gram: ArrayLike | None = None,
    cov: ArrayLike | None = None,
    algorithm: CodingAlgorithm = "lasso_lars",
    n_nonzero_coefs: int | None = None,
    alpha: float | None = None,
    copy_cov: bool = True,
    init: ArrayLike | None = None,
    max_iter: int = 1000,
    n_jobs: int | None = None,
    check_input: bool = True,
    verbose: int = 0,
    positive: bool = False,
) -> Floats:
    """Sparse codes of rows, equation (1).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    dictionary : array-like of shape (n_components, n_features)
        H, its rows of length one for "omp" and "threshold".
    gram : array-like of shape (n_components, n_components), optional
        H Hᵀ, where it is known.
    cov : array-like of shape (n_components, n_samples), optional
        H Xᵀ, where it is known.
    algorithm : {"lasso", "lasso_lars", "lasso_cd", "lars", "omp", "threshold"}, default="lasso_lars"
        The first three are the lasso, by coordinate descent; "lars" and "omp" have at most `n_nonzero_coefs` entries.
    n_nonzero_coefs : int, optional
        s of "lars" and "omp"; None for a tenth of the columns.
    alpha : float, optional
        α of the lasso and of "threshold"; None for 1.
    copy_cov : bool, default=True
        False allows `cov` to be overwritten, which no algorithm here does.
    check_input : bool, default=True
        False leaves out the search for values that are missing or infinite; X and H are then arrays of floats.
    verbose : int, default=0
        Write to stderr how many tenths of the rows are coded.
    init : array-like of shape (n_samples, n_components), optional
        Where the lasso starts.
    max_iter : int, default=1000
        Sweeps of the lasso.
    n_jobs : int, optional
        Threads; None for as many as BLAS has.
    positive : bool, default=False
        Codes ≥ 0; not for "lars" and "omp".

    Returns
    -------
    ndarray of shape (n_samples, n_components)

    References
    ----------
    Mairal, J., Bach, F. & Ponce, J. (2014). Sparse modeling for image and vision processing. doi:10.1561/0600000058

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition import sparse_encode
    >>> sparse_encode([[3.0, -0.2, -2.0]], np.eye(3), alpha=0.5)
    array([[ 2.5,  0. , -1.5]])
    """
    X = check_array(X, dtype=FLOATS, input_name="X") if check_input else np.asarray(X)
    H = check_array(dictionary, dtype=FLOATS, input_name="dictionary") if check_input else np.asarray(dictionary)
    H = H.astype(X.dtype, copy=False)
    if H.shape[1] != X.shape[1]:
        raise ValueError(
            "Dictionary and X have different numbers of features:"
            f"dictionary.shape: {H.shape} X.shape{X.shape}; give atoms with the columns of X"
        )
    check_choice("algorithm", algorithm, ALGORITHMS)
    strength = 1.0 if alpha is None else check_non_negative("alpha", alpha)
    s = None if n_nonzero_coefs is None else check_integer("n_nonzero_coefs", n_nonzero_coefs, low=1)
    coder = Coder(algorithm, strength, s, positive, check_integer("max_iter", max_iter, low=1), n_jobs)
    G = H @ H.T if gram is None else np.asarray(gram, dtype=X.dtype)
    B = X @ H.T if cov is None else np.asarray(cov, dtype=X.dtype).T
    start = None if init is None else np.asarray(init, dtype=X.dtype)
    report = progress_of(verbose, "tenth of the rows")
    if report is None:
        return coder.codes(G, B, X.shape[1], start)
    parts = []
    for tenth, rows in enumerate(np.array_split(np.arange(len(X)), 10)):
        parts.append(coder.codes(G, B[rows], X.shape[1], None if start is None else start[rows]))
        report(tenth + 1, 10)
    return np.concatenate(parts)
