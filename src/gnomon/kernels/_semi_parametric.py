"""A Gaussian kernel beside a linear one.

    k(x, x') = c₁ exp(−‖x − x'‖²/h²) + c₂ xᵀx'                                                    (1)

A model with it is a linear function plus what differs from it smoothly. Smola, Frieß & Schölkopf (1998), Semiparametric
support vector and linear programming machines, NIPS.
"""

from __future__ import annotations

from gnomon.kernels._base import Kernel
from gnomon.kernels.dot_product import Linear
from gnomon.kernels.rbf import RBF

__all__ = ["semi_parametric"]


def semi_parametric(c1: float, h: float, c2: float) -> Kernel:
    """The kernel (1).

    Parameters
    ----------
    c1, c2 : float
        c₁, c₂ ≥ 0.
    h : float
        Bandwidth > 0.

    Returns
    -------
    Kernel

    References
    ----------
    Smola, A. J., Frieß, T. & Schölkopf, B. (1998). Semiparametric support vector and linear programming machines. NIPS.

    Examples
    --------
    >>> from gnomon.kernels import semi_parametric
    >>> semi_parametric(2.0, 1.0, 0.5)
    Constant(value=2.0) * RBF(bandwidth=1.0) + Constant(value=0.5) * Linear()
    """
    return c1 * RBF(bandwidth=h) + c2 * Linear()
