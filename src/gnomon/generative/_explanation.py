"""Why a row gets its class.

    P(c | x) = π_c ∏_g f_g(x | c) / p(x),        log-ratio of factor g: log f_g(x | 1) − log f_g(x | 0)          (1)

The factors are those of a naive Bayes model, or of the chain rule p(x) = ∏ p(x_j | x_1 … x_{j−1}) where columns depend
on each other. Good (1950), Probability and the Weighing of Evidence, calls the log-ratios weights of evidence.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from gnomon._typing import Array, Floats

__all__ = ["Explanation"]


class Explanation(NamedTuple):
    """The posterior of one row, taken apart: equation (1).

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
    names : tuple of str
        Of the factors: features, or groups of them.
    prior : ndarray of shape (n_classes,)
    log_factors : ndarray of shape (n_factors, n_classes)
        log f_g(x | c).
    log_joint : ndarray of shape (n_classes,)
        log π_c + Σ_g log f_g(x | c).
    posterior : ndarray of shape (n_classes,)

    References
    ----------
    Good, I. J. (1950). Probability and the Weighing of Evidence. Griffin, London.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.generative import Explanation
    >>> prior, factors = np.array([0.5, 0.5]), np.log([[0.2, 0.4], [0.1, 0.3]])
    >>> joint = np.log(prior) + factors.sum(axis=0)
    >>> why = Explanation(np.array(["no", "yes"]), ("wind", "rain"), prior, factors, joint, np.array([1, 6]) / 7)
    >>> print(why.table())
                      no        yes  log-ratio
    prior      0.5000000  0.5000000  0.0000000
    wind       0.2000000  0.4000000  0.6931472
    rain       0.1000000  0.3000000  1.0986123
    joint      0.0100000  0.0600000
    posterior  0.1428571  0.8571429
    evidence   0.0700000
    """

    classes: Array
    names: tuple[str, ...]
    prior: Floats
    log_factors: Floats
    log_joint: Floats
    posterior: Floats

    @property
    def log_evidence(self) -> float:
        """log p(x)."""
        return float(logsumexp(self.log_joint))

    def log_ratio(self, positive: int = -1, negative: int = 0) -> Floats:
        """log f_g(x | positive) − log f_g(x | negative) of every factor, for two positions among the classes."""
        a, b = self.log_factors[:, positive], self.log_factors[:, negative]
        with np.errstate(invalid="ignore"):
            return np.where(a == b, 0.0, a - b)

    def table(self) -> str:
        """The explanation as text: a line for each factor, a column for each class."""
        rows: list[tuple[str, Floats, float | None]] = [("prior", self.prior, self._prior_ratio())]
        rows += [(n, np.exp(f), r) for n, f, r in zip(self.names, self.log_factors, self.log_ratio(), strict=True)]
        rows += [("joint", np.exp(self.log_joint), None), ("posterior", self.posterior, None)]
        lines = [["", *map(str, self.classes), "log-ratio"]]
        lines += [
            [name, *map(_number, values), "" if ratio is None else _number(ratio)] for name, values, ratio in rows
        ]
        lines.append(["evidence", _number(np.exp(self.log_evidence))])
        first = max(len(line[0]) for line in lines)
        width = max(len(cell) for line in lines for cell in line[1:])
        padded = (line[0].ljust(first) + "".join("  " + cell.rjust(width) for cell in line[1:]) for line in lines)
        return "\n".join(line.rstrip() for line in padded)

    def _prior_ratio(self) -> float:
        with np.errstate(divide="ignore"):
            return np.log(self.prior[-1]) - np.log(self.prior[0])


def _number(value: float) -> str:
    return f"{value:.7f}" if value == 0.0 or 1e-6 < abs(value) < 1e6 else f"{value:.3e}"
