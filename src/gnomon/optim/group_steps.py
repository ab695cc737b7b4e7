"""What the loop of training does to groups of parameters.

    L1           w ← sign(w) max(|w| − ηλ, 0)    after a gradient step,    or g ← g + λ sign(w) before it       (1)
    max-norm     u ← u · min(C, ‖u‖₂)/‖u‖₂       for the incoming weights u of each unit                        (2)
    normalised   g_l ← g_l ‖W_l‖/‖∇W_l‖          so that a step of rate η has the update ratio η                 (3)

(1) Daubechies, Defrise & De Mol (2004), doi:10.1002/cpa.20042; (2) Srebro, Rennie & Jaakkola (2005), NIPS 17,
1329–1336; (3) You, Gitman & Ginsburg (2017), arXiv:1708.03888. All in place, without allocation.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import jit_no_alloc, jitable, subroutine_reassoc
from gnomon._typing import Floats
from gnomon.optim.batch_problem import ParameterLayout

__all__ = ["add_l1_slopes", "group_sizes", "l1_value", "limit_norms", "normalise_rates", "shrink_l1"]


@jit_no_alloc
def shrink_l1(theta: Floats, layout: ParameterLayout, rate: float) -> None:
    """The proximal step of (1)."""
    cast = theta.dtype.type
    for g in range(layout.start.shape[0]):
        if layout.l1[g] > 0.0:
            t, zero = cast(rate * layout.l1[g]), cast(0.0)
            for j in range(layout.start[g], layout.stop[g]):
                w = theta[j]
                theta[j] = w - t if w > t else (w + t if w < -t else zero)


@jit_no_alloc
def add_l1_slopes(theta: Floats, layout: ParameterLayout, gradient: Floats) -> None:
    """The sub-gradient of (1), that of least modulus at zero."""
    cast = theta.dtype.type
    for g in range(layout.start.shape[0]):
        if layout.l1[g] > 0.0:
            lam, zero = cast(layout.l1[g]), cast(0.0)
            for j in range(layout.start[g], layout.stop[g]):
                if theta[j] != zero:
                    gradient[j] += lam if theta[j] > zero else -lam


def l1_value(theta: Floats, layout: ParameterLayout) -> float:
    """Σ_g λ_g ‖θ_g‖₁."""
    parts = zip(layout.l1, layout.start, layout.stop, strict=True)
    return float(sum(lam * np.sum(np.abs(theta[a:b]), dtype=float) for lam, a, b in parts if lam > 0.0))


@jit_no_alloc
def limit_norms(theta: Floats, layout: ParameterLayout) -> None:
    """The projection (2); a unit of zeros stays as it is."""
    for g in range(layout.start.shape[0]):
        if layout.max_norm[g] < np.inf:
            for k in range(layout.units[g]):
                size = np.sqrt(_unit_square(theta, layout, g, k))
                if size > layout.max_norm[g]:
                    _scale_unit(theta, layout, g, k, layout.max_norm[g] / size)


@jitable
def _unit_square(theta: Floats, layout: ParameterLayout, g: int, k: int) -> float:
    total = 0.0
    for o in range(layout.outer[g]):
        first = layout.start[g] + (o * layout.units[g] + k) * layout.run[g]
        for j in range(first, first + layout.run[g]):
            total += float(theta[j]) * float(theta[j])
    if layout.bias_start[g] >= 0:
        bias = float(theta[layout.bias_start[g] + k])
        total += bias * bias
    return total


@jitable
def _scale_unit(theta: Floats, layout: ParameterLayout, g: int, k: int, factor: float) -> None:
    c = theta.dtype.type(factor)
    for o in range(layout.outer[g]):
        first = layout.start[g] + (o * layout.units[g] + k) * layout.run[g]
        for j in range(first, first + layout.run[g]):
            theta[j] *= c
    if layout.bias_start[g] >= 0:
        theta[layout.bias_start[g] + k] *= c


@jit_no_alloc
def normalise_rates(theta: Floats, gradient: Floats, layout: ParameterLayout) -> None:
    """(3): all groups of a layer by the factor of its weights; a layer whose weights or gradients vanish is left."""
    for g in range(layout.start.shape[0]):
        if layout.is_weight[g]:
            weight, slope = 0.0, 0.0
            for j in range(layout.start[g], layout.stop[g]):
                weight += float(theta[j]) ** 2
                slope += float(gradient[j]) ** 2
            if weight > 0.0 and slope > 0.0:
                factor = theta.dtype.type(np.sqrt(weight / slope))
                for h in range(layout.start.shape[0]):
                    if h == g or (layout.layer[h] == layout.layer[g] and not layout.is_weight[h]):
                        for j in range(layout.start[h], layout.stop[h]):
                            gradient[j] *= factor


@jit_no_alloc
def group_sizes(
    before: Floats, theta: Floats, gradient: Floats, layout: ParameterLayout, ratios: Floats, norms: Floats
) -> None:
    """‖Δθ_g‖/‖θ_g‖ of the step from `before`, and ‖∇_g‖, of every group g."""
    for g in range(layout.start.shape[0]):
        first, last = layout.start[g], layout.stop[g]
        moved, weight, slope = _squares(before[first:last], theta[first:last], gradient[first:last])
        ratios[g] = np.sqrt(moved / weight) if weight > 0.0 else np.nan
        norms[g] = np.sqrt(slope)


@subroutine_reassoc
def _squares(before: Floats, theta: Floats, gradient: Floats) -> tuple[float, float, float]:
    """‖Δθ‖², ‖θ‖² before the step and ‖∇‖² of a part of θ."""
    moved, weight, slope = 0.0, 0.0, 0.0
    for j in range(before.shape[0]):
        old = float(before[j])
        delta = float(theta[j]) - old
        moved += delta * delta
        weight += old * old
        slope += float(gradient[j]) * float(gradient[j])
    return moved, weight, slope
