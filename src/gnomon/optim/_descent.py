"""What the solvers of smooth functions share: ‖∇f‖∞ and the reasons to stop."""

import numpy as np

__all__ = ["largest_entry", "reason_to_stop"]


def largest_entry(g):
    """‖g‖∞."""
    return float(np.max(np.abs(g), initial=0.0))


def reason_to_stop(asked, value, g, tol):
    """ "diverged", "tol", "callback" (`asked`), or "" to go on."""
    if not (np.isfinite(value) and np.all(np.isfinite(g))):
        return "diverged"
    return "tol" if largest_entry(g) <= tol else "callback" if asked else ""
