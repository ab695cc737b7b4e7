"""How fast the error falls with more rows.

    error(N) − reference ≈ c N^slope:    log excess = log c + slope · log N, by least squares             (1)
    N ≈ (1/ε) log(1/ε) in the best case, (1/ε²) log(1/ε) in the worst                                     (2)

Vapnik (1998), Statistical Learning Theory, chapter 4, ISBN 978-0-471-03003-4; curves: Cortes, Jackel, Solla, Vapnik &
Denker (1993), Learning curves: asymptotic values and rate of convergence, NIPS 6, 327–334.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from scipy.stats import linregress
from scipy.stats import t as student

from gnomon._typing import ArrayLike, Floats
from gnomon.numerics.estimates import Estimate
from gnomon.numerics.validation import check_choice, check_interval, check_numbers

__all__ = ["LearningRate", "learning_curve_rate", "required_n"]


class LearningRate(NamedTuple):
    """The power law (1) of a learning curve.

    Fields
    ------
    slope : Estimate
        −1 for a parametric model, about −½ in the worst case; with the interval of the regression.
    scale : float
        c.
    reference : float
        The error that is approached.

    References
    ----------
    Cortes, C., Jackel, L., Solla, S., Vapnik, V. & Denker, J. (1993). Learning curves: asymptotic values and rate of
    convergence. NIPS 6, 327–334.

    Examples
    --------
    >>> from gnomon.evaluation import learning_curve_rate
    >>> rate = learning_curve_rate([10, 100, 1000], [1.3, 1.03, 1.003], reference=1.0)
    >>> round(rate.slope.value, 6), round(rate.predict(10_000), 6), round(rate.n_for(1.0001))
    (-1.0, 1.0003, 30000)
    """

    slope: Estimate
    scale: float
    reference: float

    def predict(self, n: ArrayLike) -> float | Floats:
        """The error at N rows."""
        value = self.reference + self.scale * np.power(np.asarray(n, dtype=float), self.slope.value)
        return float(value) if np.ndim(value) == 0 else value

    def n_for(self, error: float) -> float:
        """The N at which an error is reached; inf where it never is."""
        if not error > self.reference or not self.slope.value < 0.0:
            return np.inf
        return float(((error - self.reference) / self.scale) ** (1.0 / self.slope.value))


def learning_curve_rate(
    sizes: ArrayLike, errors: ArrayLike, *, reference: float = 0.0, level: float = 0.95
) -> LearningRate:
    """The rate (1) at which the error falls with the number of rows.

    Parameters
    ----------
    sizes : array-like of shape (m,)
        N, as scikit-learn's ``learning_curve`` returns them.
    errors : array-like of shape (m,) or (m, k)
        Errors at each N, of k folds or repeats; minus the scores of ``learning_curve``.
    reference : float, default=0.0
        The error that is approached: the noise, or the least risk of the family.
    level : float, default=0.95
        Of the interval of the slope.

    Returns
    -------
    LearningRate

    References
    ----------
    Cortes, C., Jackel, L., Solla, S., Vapnik, V. & Denker, J. (1993). Learning curves: asymptotic values and rate of
    convergence. NIPS 6, 327–334.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.evaluation import learning_curve_rate
    >>> N = np.array([10, 30, 100, 300])
    >>> rate = learning_curve_rate(N, 0.5 + 2 / np.sqrt(N), reference=0.5)
    >>> round(rate.slope.value, 6), round(rate.scale, 6)
    (-0.5, 2.0)
    """
    N, found = check_numbers("sizes", sizes), check_numbers("errors", errors)
    check_interval("level", level, 0.0, 1.0, closed="neither")
    if N.ndim != 1 or found.shape[:1] != N.shape or found.ndim > 2 or len(np.unique(N)) < 2 or not np.all(N > 0.0):
        raise ValueError(f"sizes of shape {N.shape} and errors of shape {found.shape} must be errors at ≥ 2 sizes > 0")
    excess = (found if found.ndim == 1 else np.mean(found, axis=1)) - reference
    if not np.all(excess > 0.0):
        raise ValueError(
            f"the error at N={N[np.argmin(excess)]:g} does not exceed reference={reference:g}, so its logarithm does "
            "not exist; give a smaller reference, or leave that size out"
        )
    fit = linregress(np.log(N), np.log(excess))
    dof = len(N) - 2
    half = float(student.ppf(0.5 + 0.5 * level, dof)) * fit.stderr if dof > 0 else np.nan
    error = float(fit.stderr) if dof > 0 else np.nan
    slope = Estimate(float(fit.slope), error, float(fit.slope - half), float(fit.slope + half), level)
    return LearningRate(slope, float(np.exp(fit.intercept)), float(reference))


def required_n(eps: float, case: Literal["best", "worst"] = "best") -> int:
    """Rows for an excess error of ε, equation (2), up to a constant.

    Parameters
    ----------
    eps : float
        ε in (0, 1).
    case : {"best", "worst"}, default="best"
        The variance vanishes at the best rule of the family, or not.

    Returns
    -------
    int

    References
    ----------
    Vapnik, V. (1998). Statistical Learning Theory, chapter 4. ISBN 978-0-471-03003-4

    Examples
    --------
    >>> from gnomon.evaluation import required_n
    >>> required_n(0.01), required_n(0.01, "worst")
    (461, 46052)
    """
    check_interval("eps", eps, 0.0, 1.0, closed="neither")
    power = {"best": 1, "worst": 2}[check_choice("case", case, ("best", "worst"))]
    return int(np.ceil(np.log(1.0 / eps) / eps**power))
