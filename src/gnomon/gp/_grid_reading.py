"""Values on a grid, and its axes, as users give them.

values alone: the grid {0, 1, …}^D;    axes and values;    rows that are a full grid, and their values       (1)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.gp._full_grid import full_grid
from gnomon.gp._grid_axis import Boundary, GridAxis
from gnomon.kernels import BSpline, CatmullRom, GridKernel, Kernel, Sinc
from gnomon.numerics.validation import FLOATS, check_choice

__all__ = ["GridData", "KernelOfGrid", "as_values", "axis_kernels", "grid_axes", "read_grid"]

KernelName: TypeAlias = Literal[
    "nearest", "linear", "bspline2", "bspline3", "bspline4", "bspline5", "catmull_rom", "sinc", "lanczos"
]
KernelOfGrid: TypeAlias = KernelName | Kernel

NAMED: dict[str, GridKernel] = {
    "nearest": BSpline(0),
    "linear": BSpline(1),
    "bspline2": BSpline(2),
    "bspline3": BSpline(3),
    "bspline4": BSpline(4),
    "bspline5": BSpline(5),
    "catmull_rom": CatmullRom(),
    "sinc": Sinc(),
    "lanczos": Sinc(window=3.0),
}
"""Kernels by name, with the step 1."""


class GridData(NamedTuple):
    """Axes, values of shape (n₁, …, n_D, m), and whether the user gave several targets."""

    axes: list[Floats]
    values: Floats
    several: bool


def as_values(Y: ArrayLike, name: str = "Y") -> Floats:
    """Numbers without gaps, in single precision where they are."""
    values: Any = np.asarray(Y)
    if values.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold real numbers, found {values.dtype}; convert it")
    values = values if values.dtype in FLOATS else values.astype(float)
    if values.ndim == 0 or values.size == 0:
        raise ValueError(f"{name} has shape {values.shape}; give at least one value on a grid of at least one axis")
    if not np.all(np.isfinite(values)):
        bad = int(np.sum(~np.isfinite(values)))
        raise ValueError(f"{name} contains NaN or infinity ({bad} of {values.size} entries); fill the gaps first")
    return values


def read_grid(X: Any, y: ArrayLike | None) -> GridData:
    """(1)."""
    if y is None:
        values = as_values(X, "X, the values on the unit grid,")
        return GridData([np.arange(float(n)) for n in values.shape], values[..., None], False)
    values = as_values(y, "y")
    axes = _as_axes(X, values.shape)
    if axes is None:
        return _of_rows(X, values)
    several = values.ndim == len(axes) + 1
    return GridData(axes, values if several else values[..., None], several)


def _as_axes(X: Any, shape: tuple[int, ...]) -> list[Floats] | None:
    """X as axes of a grid with values of this shape; None where it is a table of rows."""
    given = list(X) if isinstance(X, Sequence) else [X]
    if isinstance(X, Sequence) and all(np.ndim(part) == 0 for part in X):
        given = [X]
    if any(np.ndim(part) != 1 for part in given):
        return None
    lengths = tuple(len(part) for part in given)
    if lengths == shape[: len(lengths)] and len(shape) <= len(lengths) + 1:
        return [as_values(axis, f"axis {d}") for d, axis in enumerate(given)]
    if isinstance(X, Sequence) and len(shape) <= 2 and len(X) == shape[0]:
        return None
    raise ValueError(
        f"the axes have {lengths} points and y has shape {shape}; give y with one value for each point of the grid, "
        "or with a further dimension of targets"
    )


def _of_rows(X: Any, y: Floats) -> GridData:
    rows = as_values(X, "X")
    if rows.ndim != 2 or y.ndim > 2 or len(rows) != len(y):
        raise ValueError(
            f"X has shape {rows.shape} and y {y.shape}; give the values alone, a list of axes and the values, or rows "
            "of points and a value for each"
        )
    grid = full_grid(rows)
    if grid is None:
        raise ValueError(
            f"the {len(rows)} rows of X are not a full grid, each point once; interpolate scattered points with "
            "GaussianProcessRegressor or ThinPlateSpline"
        )
    columns = y.reshape(len(y), -1)
    table = np.empty_like(columns)
    table[grid.order] = columns
    shape = tuple(len(axis) for axis in grid.axes)
    return GridData(grid.axes, table.reshape(*shape, -1), y.ndim == 2)


def axis_kernels(kernel: KernelOfGrid, steps: Sequence[float]) -> list[Kernel]:
    """A kernel for each axis: by name with its step; of grids the same for all; else those that it is a product of."""
    if isinstance(kernel, str):
        unit = NAMED[check_choice("kernel", kernel, NAMED)]
        return [unit.with_params(step=float(abs(step))) for step in steps]
    alike: list[Kernel] = [kernel] * len(steps)
    parts = alike if isinstance(kernel, GridKernel) else kernel.by_axis(len(steps))
    if parts is None:
        raise ValueError(
            f"kernel={kernel!r} is no product over the {len(steps)} axes; give a TensorProduct of one kernel for each, "
            "or use GaussianProcessRegressor"
        )
    for part, step in zip(parts, steps, strict=True):
        _check_step(part, abs(step))
    return parts


def _check_step(kernel: Kernel, step: float) -> None:
    """Refuse a kernel that is a covariance on its own grid only, on another one."""
    if kernel.psd is True or not isinstance(kernel, GridKernel):
        return
    ratio = step / kernel.step
    if abs(ratio - round(ratio)) > 1e-9 * ratio or round(ratio) < 1:
        raise ValueError(
            f"{kernel!r} is a covariance on its own grid only, and the axis has the step {step:g}; give it "
            f"step={step:g}, or name the kernel"
        )


def regular_step(x: Floats, d: int) -> float:
    """The step of axis d, whose points must be equally far apart."""
    n = len(x)
    if n < 2:
        raise ValueError(f"axis {d} has {n} point; a grid needs at least two along each axis, leave this one out")
    eps, x = np.finfo(x.dtype).eps, x.astype(float)
    step = float(x[-1] - x[0]) / (n - 1)
    error = np.max(np.abs(x - (x[0] + step * np.arange(n))))
    # What the precision of the coordinates leaves, as far as it keeps points apart.
    rounding = min(4.0 * eps * np.max(np.abs(x)), 0.1 * abs(step))
    if step == 0.0 or not error <= 1e-6 * abs(step) + rounding:
        raise ValueError(
            f"axis {d} is not regular: its points are up to {error:.3g} away from equal steps of {step:.3g}; resample "
            "it, or use GaussianProcessRegressor(solver='kronecker'), which takes any axes"
        )
    return step


def grid_axes(axes: Sequence[Floats], kernel: KernelOfGrid, boundary: Boundary) -> list[GridAxis]:
    """Every axis with its kernel."""
    steps = [regular_step(x, d) for d, x in enumerate(axes)]
    kernels = axis_kernels(kernel, steps)
    return [GridAxis(k, float(x[0]), step, len(x), boundary) for k, x, step in zip(kernels, axes, steps, strict=True)]
