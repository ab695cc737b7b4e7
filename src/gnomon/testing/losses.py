"""The laws of a loss.

    ∂ℓ/∂z and ∂²ℓ/∂z² are derivatives                 central differences                           (1)
    ℓ(t z + (1 − t) z') ≤ t ℓ(z) + (1 − t) ℓ(z')       where the loss says it is convex               (2)
    ℓ(y, z) + ℓ*(y, u) ≥ u·z,  equal at u = ∂ℓ/∂z      Fenchel and Young                             (3)
    inverse(link(inverse(z))) = inverse(z)             a prediction has a score                      (4)
    prox(y, z, t) = argmin_v ½ ‖v − z‖² + t ℓ(y, v)    where it is closed                            (5)
    dual_step = argmax_α −½ q (α − a)² − y z (α − a) − s ℓ*(y, −α y/s)    where dual verbs are written   (6)
    kernels compute what NumPy computes                                                              (7)

Rockafellar (1970), Convex Analysis, section 12, doi:10.1515/9781400873173.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from gnomon._jit import compiled, jit
from gnomon._typing import ArrayLike
from gnomon.losses import Loss
from gnomon.optim import check_convex, check_gradient
from gnomon.testing._law import known, require, require_close

__all__ = ["check_loss"]

TARGETS = {
    "real": (-1.3, 0.0, 2.0),
    "sign": (-1.0, 1.0),
    "unit": (0.0, 0.3, 1.0),
    "count": (0.0, 1.0, 3.5),
    "positive": (0.2, 1.0, 3.5),
}
SCORES = np.linspace(-4.0, 4.0, 14) + 0.0123
"""Not symmetric, so that no score sits on a kink at a round number."""


def check_loss(
    loss: Loss, *, scores: ArrayLike = SCORES, curvature: Literal["exact", "expected"] = "exact", tol: float = 1e-5
) -> None:
    """Hold a loss to its laws (1)–(7); those of verbs that it does not have are passed over.

    Parameters
    ----------
    loss : Loss
        Any loss, built in or a user's own.
    scores : array-like, optional
        Scores z at which to compare; they must not sit on a kink. Those where the loss is infinite are left out. A
        loss over class indices is tried at rows of three between the least and the largest of them, a loss that is no
        sum over rows at rows of five.
    curvature : {"exact", "expected"}, default="exact"
        Whether `curvature` is ∂²ℓ/∂z² everywhere, or Fisher's expectation of it, which equals it at y = inverse(z).
    tol : float, default=1e-5
        Largest error, relative to max(1, |expected|).

    Raises
    ------
    AssertionError
        With a sentence that names the law, the target, the score and both numbers.

    References
    ----------
    Rockafellar, R. T. (1970). Convex Analysis, section 12. doi:10.1515/9781400873173

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import CallableLoss, LogisticLoss
    >>> from gnomon.testing import check_loss
    >>> check_loss(LogisticLoss())
    >>> check_loss(CallableLoss(lambda y, z: (y - z) ** 2, gradient=lambda y, z: z - y))
    Traceback (most recent call last):
    ...
    AssertionError: law broken: the gradient is the derivative of the value; at y=[-1.3], z=[-3.9877] found ...
    """
    groups = [(y, [z for z in rows if _inside(loss, y, z)]) for y, rows in _samples(loss, np.asarray(scores, float))]
    require(any(rows for _, rows in groups), "a loss is finite somewhere", "no score was inside its domain")
    for y, rows in groups:
        if loss.trainable:
            _check_derivatives(loss, y, rows, curvature, tol)
            _check_conjugate(loss, y, rows, tol)
            _check_prox(loss, y, rows, tol)
        _check_convex(loss, y, rows)
        _check_link(loss, rows, tol)
        if loss.dual_steps:
            _check_dual_steps(loss, y, tol)
    if loss.record is not None:
        check_kernels = _check_row_kernel if loss.by_row else _check_kernels
        check_kernels(loss, groups)


def _samples(loss, scores):
    """Targets, each with the scores to try: arrays of the shape that the loss takes for one sample."""
    rng, ends = np.random.default_rng(0), (np.min(scores), np.max(scores))
    if loss.targets == "index":
        return [(np.array([k]), list(rng.uniform(*ends, size=(12, 1, 3)))) for k in range(3)]
    if not loss.additive:
        return [(rng.normal(size=5), list(rng.uniform(*ends, size=(12, 5)))) for _ in range(3)]
    return [(np.array([target]), list(scores[:, None])) for target in TARGETS[loss.targets]]


def _inside(loss, y, z):
    return all(np.all(np.isfinite(loss.value(y, z + h))) for h in (-1e-3, 0.0, 1e-3))


def _total(loss, y):
    return lambda z: float(np.sum(loss.value(y, z)))


def _check_derivatives(loss, y, rows, curvature, tol):
    value = _total(loss, y)
    for z in rows:
        report = check_gradient(lambda v: (value(v), loss.gradient(y, v)), z)
        law = "the gradient is the derivative of the value"
        require_close(law, report.claimed, report.numerical, tol=tol, where=f"y={y}, z={z}")
        both = loss.value_and_gradient(y, z)
        require_close("pair is value and gradient", both[0], loss.value(y, z), tol=1e-12, where=f"y={y}, z={z}")
        require_close("pair is value and gradient", both[1], loss.gradient(y, z), tol=1e-12, where=f"y={y}, z={z}")
        _check_curvature(loss, loss.inverse(z) if curvature == "expected" else y, z, tol)


def _check_curvature(loss, y, z, tol):
    second = known(loss.curvature, y, z)
    if second is None:
        return
    h = 1e-5 * np.maximum(1.0, np.abs(z))
    slopes = np.empty_like(z)
    for j in np.ndindex(z.shape):
        step = np.zeros_like(z)
        step[j] = h[j]
        slopes[j] = (loss.gradient(y, z + step)[j] - loss.gradient(y, z - step)[j]) / (2.0 * h[j])
    require_close("the curvature is the derivative of the gradient", second, slopes, tol=tol, where=f"y={y}, z={z}")
    largest, limit = float(np.max(second)), loss.smoothness
    require(
        largest <= limit * (1.0 + 1e-9),
        "no curvature exceeds `smoothness`",
        f"at y={y}, z={z} found {largest}, smoothness is {limit}",
    )


def _check_convex(loss, y, rows):
    if not (loss.convex and len(rows) > 1):
        return
    report = check_convex(_total(loss, y), np.array(rows), n_trials=100)
    require(report, "a loss that says it is convex lies below its chords", f"y={y}: {report}")


def _check_conjugate(loss, y, rows, tol):
    """(3) at each score, with the gradients of all others as u: those lie in the domain of the conjugate."""
    value = _total(loss, y)
    for u in (loss.gradient(y, z) for z in rows):
        dual = known(loss.conjugate, y, u)
        if dual is None:
            return
        sums = np.array([value(z) + float(np.sum(dual)) - float(np.sum(u * z)) for z in rows])
        size = np.array([max(1.0, abs(value(z)), abs(float(np.sum(u * z)))) for z in rows])
        where = f"y={y}, u={u}"
        least = float(np.min(sums / size))
        require(least >= -tol, "value + conjugate ≥ u·z (Fenchel–Young)", f"at {where} the difference is {least:.3g}")
        law = "value + conjugate = u·z at the gradient (Fenchel–Young)"
        require_close(law, least if loss.convex else 0.0, 0.0, tol=tol, where=where)


def _check_prox(loss, y, rows, tol):
    for z in rows[::5]:
        for step in (0.3, 1.5):
            found = known(loss.prox, y, z, step)
            if found is None:
                return
            best = _prox_cost(loss, y, z, step, found)
            others = [_prox_cost(loss, y, z, step, found + d) for d in (*np.linspace(-3.0, 3.0, 41), 1e-3, -1e-3)]
            detail = f"at y={y}, z={z}, step={step} prox gives {found} with cost {best}, but {min(others)} is possible"
            require(best <= min(others) + tol**2, "prox is the minimiser of ½(v − z)² + step · loss", detail)


def _prox_cost(loss, y, z, step, v):
    return 0.5 * float(np.sum((v - z) ** 2)) + step * float(np.sum(loss.value(y, v)))


def _check_dual_steps(loss, y, tol):
    for weight, share, z, norm in ((1.0, 0.5, 0.3, 0.7), (2.0, 0.2, -1.4, 3.0), (0.5, 0.9, 2.0, 0.0)):
        a, upper = share * weight, float(loss.dual_upper(weight))

        def cost(alpha, a=a, z=z, norm=norm, weight=weight):
            move = alpha - a
            dual = float(np.sum(loss.conjugate(y, -alpha * y / weight)))
            return 0.5 * norm * move**2 + float(y[0]) * z * move + weight * dual

        where = f"y={y}, alpha={a}, score={z}, norm={norm}, weight={weight}"
        h = 1e-5 * weight
        slope = (cost(a + h) - cost(a - h)) / (2.0 * h)
        second = (cost(a + h) - 2.0 * cost(a) + cost(a - h)) / h**2 - norm
        law = "dual_slope is minus the derivative of the dual"
        require_close(law, loss.dual_slope(y, a, z, weight), slope, tol=10.0 * tol, where=where)
        law = "dual_curvature is minus the second derivative of the dual, without the norm"
        require_close(law, loss.dual_curvature(a, weight), second, tol=1e-3, where=where)
        found = float(np.sum(loss.dual_step(float(y[0]), a, z, norm, weight)))
        others = [cost(alpha) for alpha in np.linspace(0.0, min(upper, a + 10.0 * weight), 2001)[1:-1]]
        detail = f"at {where} it gives {found} with cost {cost(found)}, but {min(others)} is possible"
        require(cost(found) <= min(others) + tol, "dual_step maximises the dual in one sample", detail)


def _check_link(loss, rows, tol):
    for z in rows:
        mean = loss.inverse(z)
        law = "inverse(link(prediction)) is the prediction"
        require_close(law, loss.inverse(loss.link(mean)), mean, tol=tol, where=f"z={z}")


def _check_kernels(loss, groups):
    y = np.concatenate([np.repeat(target, len(rows)) for target, rows in groups])
    z = np.concatenate([np.ravel(rows) for _, rows in groups])
    for name, kernel in KERNELS.items():
        third = known(loss.gradient, y, z) if name == "conjugate" else z
        expected = None if third is None else known(getattr(loss, name), y, third)
        if expected is not None:
            found = np.empty_like(z)
            kernel(compiled(loss), y, third, found)
            require_close(f"{name} is the same in a kernel", found, expected, tol=1e-9, where="some score")


def _check_row_kernel(loss, groups):
    for y, rows in groups:
        for z in rows:
            g = np.empty_like(z[0])
            value = _row(compiled(loss), int(y[0]), z[0], g)
            require_close("row gives the value, in a kernel", value, loss.value(y, z)[0], tol=1e-9, where=f"z={z}")
            require_close("row gives the gradient, in a kernel", g, loss.gradient(y, z)[0], tol=1e-9, where=f"z={z}")


@jit
def _value(loss, y, z, out):
    for i in range(z.shape[0]):
        out[i] = loss.value(y[i], z[i])


@jit
def _gradient(loss, y, z, out):
    for i in range(z.shape[0]):
        out[i] = loss.gradient(y[i], z[i])


@jit
def _curvature(loss, y, z, out):
    for i in range(z.shape[0]):
        out[i] = loss.curvature(y[i], z[i])


@jit
def _conjugate(loss, y, u, out):
    for i in range(u.shape[0]):
        out[i] = loss.conjugate(y[i], u[i])


@jit
def _row(loss, y, z, g):
    return loss.row(y, z, g)


KERNELS = {"value": _value, "gradient": _gradient, "curvature": _curvature, "conjugate": _conjugate}
