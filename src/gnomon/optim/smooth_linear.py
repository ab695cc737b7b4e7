"""Newton and quasi-Newton methods for linear models.

    minimise over θ    F(θ) = Σᵢ sᵢ ℓ(yᵢ, zᵢ) + Ω(w),    z = Xw + b                                    (1)

`lbfgs_linear` and `newton_linear` hand (1) to the generic minimisers and add the duality gap at the end.
"""

from gnomon.optim.lbfgs import lbfgs
from gnomon.optim.newton import newton

__all__ = ["lbfgs_linear", "newton_linear"]


def lbfgs_linear(problem, theta, **options):
    """Minimise (1) by L-BFGS; options as for `lbfgs`."""
    return lbfgs(problem.value_and_gradient, theta, **options)


def newton_linear(problem, theta, **options):
    """Minimise (1) by Newton's method; options as for `newton`."""
    return newton(problem.value_and_gradient, theta, hessian=problem.hessian, **options)
