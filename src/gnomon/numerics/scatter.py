"""Scatter matrices, whitening, and discriminant axes.

    S_W = (1/N) Σ_c Σ_{i∈c} sᵢ (xᵢ − μ_c)(xᵢ − μ_c)ᵀ,    S_B = (1/N) Σ_c N_c (μ_c − μ)(μ_c − μ)ᵀ,    N = Σ sᵢ
    S_W + S_B = S,  the covariance;    whitening: any P with P S Pᵀ = I                                       (1)
    S_B v = λ S_W v,    vᵀ S_W v = 1;        principal axes:  S v = λ v,    vᵀ v = 1                             (2)

Fisher (1936), doi:10.1111/j.1469-1809.1936.tb02137.x; kinds of whitening: Kessy, Lewin & Strimmer (2018),
doi:10.1080/00031305.2016.1277159.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import linalg

from gnomon._typing import Bools, Floats, Integers, Matrix
from gnomon.numerics.streaming import group_moments, moments
from gnomon.numerics.validation import check_choice, check_positive

__all__ = [
    "WHITENINGS",
    "DiscriminantAxes",
    "Whitening",
    "between_class_cov",
    "discriminant_axes",
    "fix_signs",
    "principal_axes",
    "whitening",
    "within_class_cov",
]


WhiteningKind: TypeAlias = Literal["zca", "pca", "cholesky"]
Singular: TypeAlias = Literal["drop", "floor"]


def within_class_cov(X: Matrix, index: Integers, n_classes: int, weights: Floats | None = None) -> Floats:
    """S_W of equation (1): the average covariance within the classes.

    References
    ----------
    Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems.
    doi:10.1111/j.1469-1809.1936.tb02137.x

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.scatter import within_class_cov
    >>> X = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1], [3, 2], [4, 2], [3, 3], [4, 4]])
    >>> within_class_cov(X, np.repeat([0, 1], 4), 2)
    array([[0.25   , 0.0625 ],
           [0.0625 , 0.46875]])
    """
    return group_moments(X, index, n_classes, weights).pooled().covariance()


def between_class_cov(X: Matrix, index: Integers, n_classes: int, weights: Floats | None = None) -> Floats:
    """S_B of equation (1): the covariance of the class means.

    References
    ----------
    Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems.
    doi:10.1111/j.1469-1809.1936.tb02137.x

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.scatter import between_class_cov
    >>> between_class_cov(np.array([[0.0], [2.0], [5.0], [7.0]]), np.array([0, 0, 1, 1]), 2)
    array([[6.25]])
    """
    parts = group_moments(X, index, n_classes, weights, diagonal=True)
    return moments(parts.mean, parts.weight).covariance()


class Whitening(NamedTuple):
    """A whitening x' = P (x − μ) and what undoes it.

    Parameters
    ----------
    matrix : ndarray of shape (k, d)
        P with P S Pᵀ = I.
    inverse : ndarray of shape (d, k)
        The map back: `inverse` P = I on the directions that were kept.
    rank : int
        The number of eigenvalues of S that are not small.

    References
    ----------
    Kessy, A., Lewin, A. & Strimmer, K. (2018). Optimal whitening and decorrelation. doi:10.1080/00031305.2016.1277159

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.scatter import whitening
    >>> white = whitening(np.diag([4.0, 25.0]))
    >>> white.matrix.tolist(), white.inverse.tolist(), white.rank
    ([[0.5, 0.0], [0.0, 0.2]], [[2.0, 0.0], [0.0, 5.0]], 2)
    """

    matrix: Floats
    inverse: Floats
    rank: int


def whitening(
    cov: Floats,
    kind: WhiteningKind = "zca",
    tol: float = 1e-10,
    singular: Singular = "drop",
    rounding: Floats | None = None,
) -> Whitening:
    """P with P S Pᵀ = I, by the eigenvalues λ and eigenvectors U of S.

    What is singular is judged by the correlations D^{−½} S D^{−½}, D = diag S, which do not depend on the units of the
    columns; so are singular directions raised.

    Parameters
    ----------
    cov : ndarray of shape (d, d)
        Covariance S, symmetric and positive semi-definite.
    kind : {"zca", "pca", "cholesky"}, default="zca"
        "zca": P = U Λ^{−½} Uᵀ, the symmetric one, nearest to the identity. "pca": P = Λ^{−½} Uᵀ, largest λ first.
        "cholesky": P = L⁻¹ with S = L Lᵀ, lower triangular.
    tol : float, default=1e-10
        Eigenvalues of the correlations below `tol` times the largest count as zero.
    singular : {"drop", "floor"}, default="drop"
        What to do with those: "drop" ignores their directions ("zca" maps them to 0, "pca" has fewer columns);
        "floor" raises them to `tol` times the largest. A triangular P exists only with "floor".
    rounding : ndarray of shape (d,), optional
        The standard deviations that constant columns may have by rounding; zeros by default.

    Returns
    -------
    Whitening

    References
    ----------
    Kessy, A., Lewin, A. & Strimmer, K. (2018). Optimal whitening and decorrelation. doi:10.1080/00031305.2016.1277159

    Drmač, Z. & Veselić, K. (2008). New fast and accurate Jacobi SVD algorithm. doi:10.1137/050639193

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.scatter import whitening
    >>> whitening(np.array([[3.5, 2.25], [2.25, 2.5]])).matrix.round(7)
    array([[ 0.7337941, -0.3735135],
           [-0.3735135,  0.8998001]])
    """
    check_choice("kind", kind, WHITENINGS)
    check_choice("singular", singular, ("drop", "floor"))
    check_positive("tol", tol)
    sd = np.sqrt(np.maximum(np.diag(cov), 0.0))
    varies = sd > (0.0 if rounding is None else rounding)
    if not np.any(varies):
        raise ValueError("every column is constant, so there is no variance to scale; add rows or columns that vary")
    unit = np.where(varies, sd, np.max(sd))
    values, V = linalg.eigh(np.where(np.outer(varies, varies), cov / unit / unit[:, None], 0.0))
    values, V = values[::-1], V[:, ::-1]
    small = values < tol * values[0]
    if small.any():
        values, V = _treat_small(values, V, small, tol, singular if kind != "cholesky" else "floor")
    # S = A Aᵀ. Jacobi's method finds the singular values of A to their own digits, whatever the units of its rows.
    A, most = unit[:, None] * (V * np.sqrt(values)), float(np.max(unit))
    root, U, _, work, _, failed = linalg.lapack.dgejsv(A / most, joba=ROWS_AND_COLUMNS, jobu=0, jobv=3)
    if failed:
        raise linalg.LinAlgError("the singular values of the covariance were not found; check it for infinities")
    root = root * (most * work[0] / work[1])
    return Whitening(*WHITENINGS[kind](root, fix_signs(U)), int(len(small) - small.sum()))


ROWS_AND_COLUMNS = 2
"""JOBA of LAPACK's ?GEJSV: full accuracy where rows and columns are scaled."""


def _treat_small(values: Floats, V: Floats, small: Bools, tol: float, singular: Singular) -> tuple[Floats, Floats]:
    done = {"drop": "are dropped", "floor": "are raised to that share"}[singular]
    warnings.warn(
        f"the covariance is singular: {small.sum()} of {len(small)} eigenvalues, in units of the columns, are below "
        f"{tol:g} of the largest and {done}; remove redundant columns, or choose `tol` and `singular`",
        linalg.LinAlgWarning,
        stacklevel=4,
    )
    if singular == "drop":
        return values[~small], V[:, ~small]
    return np.maximum(values, tol * values[0]), V


def fix_signs(U: Floats) -> Floats:
    """The columns of U, each with its largest entry positive.

    The sign of an eigenvector is arbitrary; this choice is the same on every machine.

    References
    ----------
    Bro, R., Acar, E. & Kolda, T. G. (2008). Resolving the sign ambiguity in the singular value decomposition.
    doi:10.1002/cem.1122

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.scatter import fix_signs
    >>> fix_signs(np.array([[-3.0, 1.0], [2.0, 2.0]]))
    array([[ 3.,  1.],
           [-2.,  2.]])
    """
    largest = np.argmax(np.abs(U), axis=0)
    return U * np.where(U[largest, np.arange(U.shape[1])] < 0.0, -1.0, 1.0).astype(U.dtype)


class DiscriminantAxes(NamedTuple):
    """Solutions of equation (2), largest λ first.

    Parameters
    ----------
    values : ndarray of shape (k,)
        λ: variance between the classes along the axis, in units of the variance within.
    axes : ndarray of shape (d, k)
        v, as columns; the largest entry of each is positive.

    References
    ----------
    Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems.
    doi:10.1111/j.1469-1809.1936.tb02137.x

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.scatter import discriminant_axes
    >>> discriminant_axes(np.diag([4.0, 1.0]), np.diag([4.0, 3.0])).values
    array([3., 1.])
    """

    values: Floats
    axes: Floats


def discriminant_axes(within: Floats, between: Floats) -> DiscriminantAxes:
    """Directions of largest variance between classes for a unit of variance within them, equation (2).

    Parameters
    ----------
    within : ndarray of shape (d, d)
        S_W, positive definite.
    between : ndarray of shape (d, d)
        S_B, symmetric.

    Returns
    -------
    DiscriminantAxes

    References
    ----------
    Fukunaga, K. (1990). Introduction to Statistical Pattern Recognition, section 10.2. Academic Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.scatter import discriminant_axes
    >>> found = discriminant_axes(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[1.0, 0.0], [0.0, 0.0]]))
    >>> round(float(found.values[0]), 7), found.axes[:, 0].round(7)
    (0.6666667, array([ 0.8164966, -0.4082483]))
    """
    try:
        L = linalg.cholesky(within, lower=True)
    except linalg.LinAlgError:
        smallest = float(linalg.eigvalsh(within)[0])
        raise linalg.LinAlgError(
            f"the covariance within the classes is not positive definite: its least eigenvalue is {smallest:.3g}; "
            "remove redundant columns, or shrink it"
        ) from None
    half = linalg.solve_triangular(L, between, lower=True)
    values, U = linalg.eigh(linalg.solve_triangular(L, half.T, lower=True))
    axes = linalg.solve_triangular(L, U[:, ::-1], lower=True, trans="T")
    return DiscriminantAxes(values[::-1], fix_signs(axes))


def principal_axes(cov: Floats | None, rows: Callable[[], Floats], *, floor: float = 0.0) -> tuple[Floats, Floats]:
    """Eigenvalues of S, largest first, and eigenvectors as columns; by the rows where squaring would lose digits.

    Parameters
    ----------
    cov : ndarray of shape (d, d) or None
        S; None where there are fewer rows than columns, so that forming it would be waste.
    rows : callable
        ``rows()`` gives Z of shape (n, d) with ZᵀZ = S. It is called only where S is None, or an eigenvalue above
        `floor` is so small that S has lost most of its digits; Z may be overwritten.
    floor : float, default=0.0
        Eigenvalues at or below it are of no interest.

    Returns
    -------
    values : ndarray of shape (min(n, d),) or (d,)
    axes : ndarray of shape (d, len(values))

    References
    ----------
    Golub, G. H. & Van Loan, C. F. (2013). Matrix Computations, section 8.6. ISBN 978-1-4214-0794-4.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.scatter import principal_axes
    >>> Z = np.array([[3.0, 0.0], [0.0, 1e-6]])
    >>> principal_axes(Z.T @ Z, lambda: Z)[0]
    array([9.e+00, 1.e-12])
    """
    if cov is not None:
        values, U = linalg.eigh(cov)
        # Half the floor: for an eigenvalue that rounding might lift above it, the rows themselves decide.
        doubtful = (values > 0.5 * floor) & (values < 1e-8 * values[-1])
        if not np.any(doubtful):
            return values[::-1], U[:, ::-1]
    _, singular, Vt = linalg.svd(rows(), full_matrices=False, overwrite_a=True, check_finite=False)
    return singular**2, Vt.T


def _zca(root: Floats, U: Floats) -> tuple[Floats, Floats]:
    return (U / root) @ U.T, (U * root) @ U.T


def _pca(root: Floats, U: Floats) -> tuple[Floats, Floats]:
    return (U / root).T, U * root


def _cholesky(root: Floats, U: Floats) -> tuple[Floats, Floats]:
    # L of S = (U √Λ)(U √Λ)ᵀ is the transposed R of a QR, which does not square the condition number.
    R = linalg.qr((U * root).T, mode="r")[0]
    L = (R * np.where(np.diag(R) < 0.0, -1.0, 1.0)[:, None]).T
    return linalg.solve_triangular(L, np.eye(len(L)), lower=True), L


WHITENINGS: dict[WhiteningKind, Callable[[Floats, Floats], tuple[Floats, Floats]]] = {
    "zca": _zca,
    "pca": _pca,
    "cholesky": _cholesky,
}
"""The kinds of whitening, as functions of √λ and U."""
