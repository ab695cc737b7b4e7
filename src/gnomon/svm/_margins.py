"""What a machine with margins says about its training rows.

    distance (f(x) + b)/‖f‖,    margin 1/‖f‖,    slack ξ = max(0, 1 − y (f(x) + b))                     (1)

A row is "interior" (α = 0, y f ≥ 1), "margin" (0 < α < C, y f = 1) or "bound" (α = C, y f ≤ 1). α decides, not ξ: rows
with α = 0 may lie on the margin, and rows with α = C may have no slack. Schölkopf & Smola (2002), section 7.5.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, Floats, Integers, MatrixLike, Positive
from gnomon.kernels import Linear
from gnomon.optim import Solution
from gnomon.svm._support import DualProblem, SupportVectorMachine

__all__ = ["MarginClassifier", "margin_part"]

POINT_CLASSES = ("interior", "margin", "bound")


class MarginPart(NamedTuple):
    """What is known of the rows of a problem: their slacks, and their places among `POINT_CLASSES`."""

    rows: Integers
    slack: Floats
    place: Integers


def margin_part(problem: DualProblem, solution: Solution[Floats]) -> MarginPart:
    """Slacks and places of the rows of a problem."""
    rows, dual, _ = problem
    f = solution.details["scores"] + solution.intercept
    alpha, bound = np.abs(solution.w), np.maximum(dual.upper, -dual.lower)
    place = np.where(alpha == 0.0, 0, np.where(alpha < bound, 1, 2))
    return MarginPart(rows, np.maximum(0.0, 1.0 - dual.target * f), place)


class MarginClassifier(SupportVectorMachine):
    """Base of machines for classes, one problem of two classes or several; sets nothing, reads what `fit` left."""

    _norms: Floats
    _parts: list[MarginPart]

    def distance(self, X: MatrixLike | list[Any]) -> Floats:
        """Signed distance (f(x) + b)/‖f‖ from the boundary, in the feature space.

        Parameters
        ----------
        X : as in `decision_function`

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_problems)
        """
        found = self._scores(X) / self._norms
        return found[:, 0] if len(self._norms) == 1 else found

    def margin_vc_dimension(self, R: Positive) -> int:
        """VC dimension of hyperplanes with this margin on rows within radius R: min(⌈R²‖f‖²⌉, D) + 1, the largest of
        all problems; D is the number of columns for a linear kernel, and none for others (Vapnik 1995, theorem 5.1).

        Parameters
        ----------
        R : float
            Radius of a ball of the feature space that holds the rows.

        Returns
        -------
        int
        """
        check_is_fitted(self)
        dimension = self.n_features_in_ if isinstance(self._kernel, Linear) else np.inf
        return int(min(np.ceil(R**2 * np.max(self._norms) ** 2), dimension)) + 1

    @property
    def margin_(self) -> Any:
        """1/‖f‖."""
        check_is_fitted(self)
        with np.errstate(divide="ignore"):
            found = 1.0 / self._norms
        return float(found[0]) if len(found) == 1 else found

    @property
    def loo_bound_(self) -> float:
        """The number of support vectors divided by n."""
        check_is_fitted(self)
        return len(self.support_) / self.shape_fit_[0]

    @property
    def alpha_(self) -> Floats:
        """α of all training rows."""
        check_is_fitted(self)
        found = np.zeros((self._coef.shape[1], self.shape_fit_[0]))
        found[:, self.support_] = np.abs(self._coef.T)
        return found[0] if len(found) == 1 else found

    @property
    def slack_(self) -> Floats:
        """max(0, 1 − y f) of all training rows."""
        return self._spread([part.slack for part in self._parts], np.nan)

    @property
    def point_classes_(self) -> Array:
        """Which rows are inside, on or beyond the margin, by α."""
        words = [np.array(POINT_CLASSES)[part.place] for part in self._parts]
        return self._spread(words, "")

    def _spread(self, parts: list[Array], absent: Any) -> Array:
        """Values of the rows of each problem as one row of n values for each."""
        check_is_fitted(self)
        found = np.full((len(parts), self.shape_fit_[0]), absent, dtype=parts[0].dtype)
        for p, (part, values) in enumerate(zip(self._parts, parts, strict=True)):
            found[p, part.rows] = values
        return found[0] if len(found) == 1 else found
