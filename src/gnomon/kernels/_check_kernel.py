"""Whether a kernel is one, on a sample.

    K = Kᵀ,    λ_min(K) ≥ −tol · λ_max(K)                                                         (1)

A failure proves that the kernel is not positive semi-definite; a success is evidence. Schölkopf & Smola (2002),
definition 2.4.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigvalsh

from gnomon._typing import ArrayLike, Floats
from gnomon.kernels._base import Against, Kernel
from gnomon.numerics.linalg import NotPositiveDefiniteError

__all__ = ["KernelReport", "NotPSDWarning", "check_kernel", "is_psd", "refuse_off_grid", "warn_unless_psd"]

SAMPLE = 300
"""Rows whose Gram matrix is looked at, where all would take longer than a fit."""


class NotPSDWarning(UserWarning):
    """A kernel that is not positive semi-definite: an optimum need not be one, and a factorisation may fail.

    Examples
    --------
    >>> import warnings
    >>> from gnomon.kernels import NotPSDWarning
    >>> issubclass(NotPSDWarning, UserWarning)
    True
    """


class KernelReport(NamedTuple):
    """What `check_kernel` found; true as a condition where the matrix is positive semi-definite.

    Fields
    ------
    psd : bool
        The verdict (1).
    asymmetry : float
        max |K − Kᵀ|.
    least, largest : float
        The extreme eigenvalues of (K + Kᵀ)/2.
    rank : int
        Eigenvalues above tol · λ_max.
    n_rows : int

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, definition 2.4. MIT Press.

    Examples
    --------
    >>> from gnomon.kernels import check_kernel
    >>> report = check_kernel([[1.0, 2.0], [2.0, 1.0]])
    >>> bool(report), report.least, report.rank
    (False, -1.0, 1)
    """

    psd: bool
    asymmetry: float
    least: float
    largest: float
    rank: int
    n_rows: int

    def __bool__(self) -> bool:
        return self.psd


def check_kernel(kernel: Kernel | ArrayLike, X: Any = None, *, tol: float = 1e-10) -> KernelReport:
    """Look at symmetry and eigenvalues of a Gram matrix.

    Parameters
    ----------
    kernel : Kernel, or its Gram matrix
    X : rows, where a kernel is given
    tol : float, default=1e-10
        Of (1); in single precision no less than n times its rounding unit.

    Returns
    -------
    KernelReport

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, definition 2.4. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import RBF, Sigmoid, check_kernel
    >>> X = np.array([[0.1], [2.0]])
    >>> check_kernel(RBF(), X).psd, check_kernel(Sigmoid(), X).psd
    (True, False)
    """
    K = _matrix(kernel, X)
    n = len(K)
    # In units of the largest entry: sums of squares inside neither overflow nor vanish.
    unit = float(np.max(np.abs(K), initial=0.0)) or 1.0
    scaled = K.astype(float) / unit
    asymmetry = float(np.max(np.abs(scaled - scaled.T), initial=0.0))
    values = eigvalsh(0.5 * (scaled + scaled.T)) if n else np.zeros(0)
    least, largest = (float(values[0]), float(values[-1])) if n else (0.0, 0.0)
    share = tol if K.dtype == float else max(tol, n * float(np.finfo(K.dtype).eps))
    small = share * max(largest, 0.0)
    psd = least >= -small and asymmetry <= max(small, n * float(np.finfo(K.dtype).eps))
    return KernelReport(psd, unit * asymmetry, unit * least, unit * largest, int(np.sum(values > small)), n)


def is_psd(kernel: Kernel | ArrayLike, X: Any = None, *, tol: float = 1e-10) -> bool:
    """Whether a Gram matrix is positive semi-definite (1).

    Parameters
    ----------
    kernel : Kernel, or its Gram matrix
    X : rows, where a kernel is given
    tol : float, default=1e-10

    Returns
    -------
    bool

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, definition 2.4. MIT Press.

    Examples
    --------
    >>> from gnomon.kernels import is_psd
    >>> is_psd([[2.0, 1.0], [1.0, 2.0]]), is_psd([[1.0, 2.0], [2.0, 1.0]])
    (True, False)
    """
    return check_kernel(kernel, X, tol=tol).psd


def refuse_off_grid(kernel: Kernel, X: Any) -> None:
    """What a process asks of its rows: on others a kernel of a grid is no covariance, and variances may be negative.

    Parameters
    ----------
    kernel : Kernel
    X : array-like of shape (n, d)

    References
    ----------
    Unser, M. (2000). Sampling: 50 years after Shannon. doi:10.1109/5.843002

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import CatmullRom, refuse_off_grid
    >>> refuse_off_grid(CatmullRom(step=0.5), np.array([[0.0], [1.5], [1.0]]))
    >>> refuse_off_grid(CatmullRom(), np.array([[0.0], [1.5], [1.0]]))
    Traceback (most recent call last):
    ...
    gnomon.numerics.linalg.precision.NotPositiveDefiniteError: CatmullRom() is a covariance on its own grid only, ...
    """
    if kernel.psd is not True and not kernel.on_grid(X):
        raise NotPositiveDefiniteError(
            f"{kernel!r} is a covariance on its own grid only, and the rows are not whole steps apart, so that "
            "variances may be negative; give rows of the grid, its step, or for scattered rows a radial kernel such as "
            "RBF"
        )


def warn_unless_psd(against: Against, *, name: str = "kernel", stacklevel: int = 3) -> None:
    """What a machine asks before it trusts a kernel with its training rows.

    A kernel that is not positive semi-definite is warned of, with the extreme eigenvalues of the Gram matrix of up to
    300 rows; where its status is not known, or holds on a grid only, this matrix decides. One that is conditionally
    positive definite is refused: it needs a machine with the polynomials that it leaves out.

    Parameters
    ----------
    against : Against
        The kernel and the training rows, ``kernel.against(rows)``.
    name : str, default="kernel"
        What the user calls it.
    stacklevel : int, default=3
        That of the caller of `fit`, if `fit` calls this.

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, section 2.2. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import RBF, warn_unless_psd
    >>> warn_unless_psd(RBF().against(np.zeros((3, 1))))
    """
    kernel, n = against.kernel, len(against.prepared)
    if kernel.psd is True:
        return
    if kernel.psd == "conditional":
        raise ValueError(
            f"{name}={kernel!r} is positive definite only beside polynomials of degree < {kernel.cpd_order}, and this "
            "model solves with kernels that are so by themselves; choose one with psd=True (for histograms Chi2), or "
            "gnomon.gp.ThinPlateSpline for thin plates"
        )
    few = against if n <= SAMPLE else against.take(np.linspace(0, n - 1, SAMPLE).astype(int))
    report = check_kernel(few.matrix(), tol=1e-8)
    if report and kernel.psd is not False:
        return
    asymmetry = f", and the asymmetry is {report.asymmetry:.3g}" if report.asymmetry > 0.0 else ""
    warnings.warn(
        f"{kernel!r} is not positive semi-definite: of {report.n_rows} rows the least eigenvalue is "
        f"{report.least:.3g}, the largest {report.largest:.3g}{asymmetry}; no feature space has it, and what is "
        "found need not be an optimum. Choose a kernel with psd=True, or look at check_kernel",
        NotPSDWarning,
        stacklevel=stacklevel,
    )


def _matrix(kernel: Kernel | ArrayLike, X: Any) -> Floats:
    if isinstance(kernel, Kernel):
        if X is None:
            raise ValueError("X=None: give the rows on which the kernel is looked at")
        return kernel.gram(X)
    if X is not None:
        raise ValueError(f"X belongs to a Kernel, and kernel is {type(kernel).__name__}; give the matrix alone")
    K = np.asarray(kernel)
    K = K if K.dtype in (np.float32, np.float64) else K.astype(float)
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(f"the Gram matrix has shape {K.shape}; a square one is needed")
    if not np.all(np.isfinite(K)):
        raise ValueError("the Gram matrix has entries that are not finite; scale the rows, or change the kernel")
    return K
