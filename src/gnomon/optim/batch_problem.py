"""What is trained by mini-batches.

    minimise over θ    J(θ) = f(θ) + Σ_g λ_g ‖θ_g‖₁,    subject to ‖u‖₂ ≤ C_g for every unit u of group g        (1)

f is smooth and a mean over rows, so that the mean over a few of them estimates it without bias (Robbins & Monro 1951,
doi:10.1214/aoms/1177729586). θ is one vector; a group is the part of it that one layer uses as its weights, biases or
slopes. A problem knows f and its gradient; L1 and the norms of units are left to the loop, which takes proximal steps
and projections. A network is such a problem, and so is a linear model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, Protocol, Self, TypeAlias

import numpy as np

from gnomon._typing import Floats, Integers

__all__ = ["BatchProblem", "CurvatureProblem", "ParameterGroup", "ParameterLayout", "Rows"]

Rows: TypeAlias = Integers | slice
"""The rows of a mini-batch: their numbers, or a slice where they follow each other."""

Kind: TypeAlias = Literal["weight", "bias", "slope"]


class ParameterGroup(NamedTuple):
    """A named part of θ.

    Parameters
    ----------
    name : str
        As messages and reports call it, for example "dense_1.weight".
    start, stop : int
        Its place in θ.
    shape : tuple of int
    kind : {"weight", "bias", "slope"}
    layer : int
        Groups of one layer share their rate where rates are normalised.
    penalized : bool, default=False
        Whether f holds a penalty of it.
    l1 : float, default=0.0
        λ_g of (1), the division by n included.
    max_norm : float, default=inf
        C_g of (1).
    unit_axis : int, default=-1
        The axis of `shape` that counts units: the norm is over all others.
    bias_start : int, default=-1
        Where the biases of the same units begin in θ, if they belong to the norm; −1 if not.

    References
    ----------
    Robbins, H. & Monro, S. (1951). A stochastic approximation method. doi:10.1214/aoms/1177729586

    Examples
    --------
    >>> from gnomon.optim import ParameterGroup
    >>> ParameterGroup("hidden.weight", 0, 6, (2, 3), "weight", 0).unit_axis
    -1
    """

    name: str
    start: int
    stop: int
    shape: tuple[int, ...]
    kind: Kind
    layer: int
    penalized: bool = False
    l1: float = 0.0
    max_norm: float = np.inf
    unit_axis: int = -1
    bias_start: int = -1


class BatchProblem(Protocol):
    """The smooth part f of (1) over `n_rows` rows, for `gnomon.optim.train`.

    `batch_value_and_gradient` writes the gradient of the mean over the given rows into its last argument and returns
    the value; it is always called with the same arrays θ and gradient, so views of them may be kept.
    `value_and_gradient` is f over all rows, with everything random switched off, at any array; `value` is f alone.

    References
    ----------
    Robbins, H. & Monro, S. (1951). A stochastic approximation method. doi:10.1214/aoms/1177729586

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import ParameterGroup, train
    >>> class Mean:
    ...     n_rows, size, dtype = 4, 1, np.dtype(float)
    ...     groups = (ParameterGroup("mean", 0, 1, (1,), "bias", 0),)
    ...     rows = np.array([1.0, 2.0, 3.0, 6.0])
    ...     def batch_value_and_gradient(self, theta, rows, gradient):
    ...         residual = theta[0] - self.rows[rows]
    ...         gradient[0] = np.mean(residual)
    ...         return float(0.5 * np.mean(residual**2))
    ...     def value_and_gradient(self, theta):
    ...         gradient = np.empty(1)
    ...         return self.batch_value_and_gradient(theta, slice(None), gradient), gradient
    ...     def value(self, theta):
    ...         return self.value_and_gradient(theta)[0]
    >>> train(Mean(), np.zeros(1), solver="gd", schedule=1.0, tol_grad=1e-9).w
    array([3.])
    """

    @property
    def n_rows(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[np.floating]: ...
    @property
    def groups(self) -> Sequence[ParameterGroup]: ...

    def batch_value_and_gradient(self, theta: Floats, rows: Rows, gradient: Floats) -> float: ...
    def value_and_gradient(self, theta: Floats) -> tuple[float, Floats]: ...
    def value(self, theta: Floats) -> float: ...


class CurvatureProblem(BatchProblem, Protocol):
    """A `BatchProblem` that also multiplies by the curvature of f, for Newton's method.

    `curvature_product(theta, curvature)` returns the function v → Bv at θ, B the Hessian ("hessian") or the
    Gauss–Newton matrix ("gauss_newton").

    References
    ----------
    Pearlmutter, B. (1994). Fast exact multiplication by the Hessian. doi:10.1162/neco.1994.6.1.147

    Examples
    --------
    >>> from gnomon.optim import CurvatureProblem
    >>> CurvatureProblem.curvature_product.__name__
    'curvature_product'
    """

    def curvature_product(self, theta: Floats, curvature: str) -> Callable[[Floats], Floats]: ...


class ParameterLayout(NamedTuple):
    """The groups as arrays, which kernels take.

    A group is contiguous and one axis of it counts units, so the entries of unit k are `outer` runs of `run` numbers:
    run o begins at start + (o · units + k) · run.

    Parameters
    ----------
    start, stop, layer : ndarray of int
    is_weight : ndarray of bool
    units, outer, run : ndarray of int
        Units, runs per unit and length of a run.
    l1, max_norm : ndarray
    bias_start : ndarray of int

    References
    ----------
    Robbins, H. & Monro, S. (1951). A stochastic approximation method. doi:10.1214/aoms/1177729586

    Examples
    --------
    >>> from gnomon.optim import ParameterGroup
    >>> from gnomon.optim.batch_problem import ParameterLayout
    >>> layout = ParameterLayout.of([ParameterGroup("w", 0, 6, (2, 3), "weight", 0)])
    >>> layout.units, layout.outer, layout.run
    (array([3]), array([2]), array([1]))
    """

    start: Integers
    stop: Integers
    layer: Integers
    is_weight: Integers
    units: Integers
    outer: Integers
    run: Integers
    l1: Floats
    max_norm: Floats
    bias_start: Integers

    @classmethod
    def of(cls, groups: Sequence[ParameterGroup]) -> Self:
        """The layout of these groups."""
        axes = [group.unit_axis % max(len(group.shape), 1) for group in groups]
        units = [group.shape[axis] if group.shape else 1 for group, axis in zip(groups, axes, strict=True)]
        outer = [int(np.prod(group.shape[:axis])) for group, axis in zip(groups, axes, strict=True)]
        run = [int(np.prod(group.shape[axis + 1 :])) for group, axis in zip(groups, axes, strict=True)]
        return cls(
            start=np.array([group.start for group in groups], dtype=np.int64),
            stop=np.array([group.stop for group in groups], dtype=np.int64),
            layer=np.array([group.layer for group in groups], dtype=np.int64),
            is_weight=np.array([group.kind == "weight" for group in groups], dtype=np.int64),
            units=np.array(units, dtype=np.int64),
            outer=np.array(outer, dtype=np.int64),
            run=np.array(run, dtype=np.int64),
            l1=np.array([group.l1 for group in groups], dtype=float),
            max_norm=np.array([group.max_norm for group in groups], dtype=float),
            bias_start=np.array([group.bias_start for group in groups], dtype=np.int64),
        )
