"""λ of a textbook form for the ρ of Σ s r² + ρ Ω(w), with both ends of the scale."""

import numpy as np

from gnomon.penalties import convert_lam

__all__ = ["lam_of"]


def lam_of(rho, objective, total, penalty="l2"):
    """λ of `objective` for ρ; where λ multiplies the loss, ρ = 0 is λ = ∞ and the other way round."""
    if objective in ("C", "loss_mean") and rho in (0.0, np.inf):
        return np.inf if rho == 0.0 else 0.0
    return float(convert_lam(rho, "sum", objective, n=total, penalty=penalty))
