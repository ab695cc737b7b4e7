"""One normal law from rows, for the detectors; if the rows do not determine it, an error names columns and remedies."""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats
from gnomon.anomaly._base import TIES, WeightedDetector
from gnomon.base import validate_rows
from gnomon.distributions import Normals
from gnomon.distributions.normals import covariances_of
from gnomon.numerics.shrinkage import ledoit_wolf_share, oas_share, quartic_sums, shrink_cov
from gnomon.numerics.streaming import Moments, group_moments
from gnomon.numerics.validation import check_choice, check_interval
from gnomon.numerics.weights import check_weights, residual_weight, row_weight

__all__ = ["CovarianceType", "NormalRows", "Shrinkage"]

CovarianceType: TypeAlias = Literal["full", "diag", "spherical"]
Estimated: TypeAlias = Literal["ledoit_wolf", "oas"]
Shrinkage: TypeAlias = float | Estimated | None

TYPES = get_args(CovarianceType)
ESTIMATED = get_args(Estimated)
LEAST_OWN_SHARE = 64 * np.finfo(float).eps
"""Of a column's variance, what others must leave unexplained, per column: less is rounding."""


class UndeterminedCovariance(ValueError):
    """The rows at hand have no covariance with a density; more of them may."""


class NormalRows(WeightedDetector):
    """The part of a detector that estimates one normal law: from all rows at once, or from sums over batches."""

    def partial_fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Add rows to the sums; after the last batch the detector is the one that `fit` makes of all rows.

        Until the rows determine a covariance the detector counts as not fitted.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        check_choice("tie", self.tie, TIES)
        if self.contamination is not None:
            raise ValueError(
                f"contamination={self.contamination!r}: scores need all rows at once; call fit or give level"
            )
        if isinstance(self.shrinkage, str) and self.shrinkage == "ledoit_wolf":
            raise ValueError("shrinkage='ledoit_wolf' needs all rows at once; call fit, or give a share or 'oas'")
        known = vars(self).get("moments_")
        X = validate_rows(self, X, reset=known is None)
        weights = None if sample_weight is None else check_weights(sample_weight, X)
        part = self._sums(X, weights)
        self.moments_ = part if known is None else known + part
        self._one_row = max(vars(self).get("_one_row", 0.0) if known is not None else 0.0, row_weight(weights))
        try:
            self._set_law(None, None)
        except UndeterminedCovariance:
            return self
        return self._flag_up_to(float(self._threshold(None, None)))

    def __sklearn_is_fitted__(self) -> bool:
        return "offset_" in vars(self)

    def _learn(self, X: Floats, weights: Floats | None) -> None:
        self.moments_, self._one_row = self._sums(X, weights), row_weight(weights)
        self._set_law(X, weights)

    def _sums(self, X: Floats, weights: Floats | None) -> Moments:
        check_choice("covariance_type", self.covariance_type, TYPES)
        return group_moments(X, np.zeros(len(X), dtype=int), 1, weights, diagonal=self.covariance_type != "full")

    def _set_law(self, X: Any, weights: Floats | None) -> None:
        """The law of the sums; its share of shrinkage may need the rows once more."""
        found, kind = self.moments_, self.covariance_type
        _refuse_few_rows(found, kind, self.ddof, self.shrinkage, self._one_row)
        share = _share(self.shrinkage, kind, found, X, weights)
        cov = covariances_of(found.scatter, found.weight - self.ddof, kind)
        _refuse_constant(cov[0], found.mean[0], share, getattr(self, "feature_names_in_", None))
        self._normals = _factored(Normals(found.mean, _shrunk(cov, share, kind), kind))
        self.density_ = self._normals[0]
        self.location_, self.covariance_ = self.density_.mean, self.density_.cov_matrix


def _refuse_few_rows(
    found: Moments, covariance_type: CovarianceType, ddof: int, shrinkage: Shrinkage, one_row: float
) -> None:
    N, d = float(found.weight[0]) / one_row, found.mean.shape[1]
    if not (N > 1.0 and residual_weight(found.weight[0], ddof) > 0.0):
        raise UndeterminedCovariance(
            f"n_samples={N:g} rows (weights count rows) leave no variance at ddof={ddof}; give more rows"
        )
    if covariance_type != "full" or d < N:
        return
    what = f"N={N:g} rows are too few for a full covariance of d={d} columns (weights count rows)"
    if shrinkage is None or shrinkage == 0.0:
        raise UndeterminedCovariance(
            f"{what}; give more rows, covariance_type='diag', shrinkage='ledoit_wolf' or a share such as 0.1"
        )
    warnings.warn(f"{what} by themselves: the regularisation decides", UserWarning, stacklevel=5)


def _share(
    shrinkage: Shrinkage, covariance_type: CovarianceType, found: Moments, X: Floats, weights: Floats | None
) -> float:
    if shrinkage is None:
        return 0.0
    if not isinstance(shrinkage, str):
        return check_interval("shrinkage", shrinkage, 0.0, 1.0)
    check_choice("shrinkage", shrinkage, ESTIMATED)
    if covariance_type != "full":
        raise ValueError(f"shrinkage={shrinkage!r} weighs correlations; give a number, or covariance_type='full'")
    cov = covariances_of(found.scatter, found.weight, "full")
    # Scaled to a common size, fourth powers of the columns neither overflow nor underflow; the share has no unit.
    size = float(np.sqrt(np.max(np.diagonal(cov[0])))) or 1.0
    cov = cov / size**2
    if shrinkage == "oas":
        return float(oas_share(cov, found.weight)[0])
    scale = np.full(found.mean.shape, size)
    quartics = quartic_sums(X, np.zeros(len(X), dtype=int), found, weights, scale=scale)
    return float(ledoit_wolf_share(cov, found.weight, quartics)[0])


def _shrunk(cov: Floats, share: float, covariance_type: CovarianceType) -> Floats:
    if share == 0.0 or covariance_type == "spherical":
        return cov
    if covariance_type == "full":
        return shrink_cov(cov, share)
    return (1.0 - share) * cov + share * np.mean(cov, axis=1, keepdims=True)


def _refuse_constant(cov: Floats, mean: Floats, share: float, columns: Array | None) -> None:
    """Name the columns without variance, where nothing is added to it; what rounding leaves counts as none."""
    var = np.diag(cov) if cov.ndim == 2 else np.atleast_1d(cov)
    rounding = np.finfo(float).eps * (np.abs(mean) if var.size == mean.size else np.max(np.abs(mean)))
    still = np.flatnonzero(var <= rounding**2)
    if still.size and (share == 0.0 or still.size == var.size):
        names = [str(j if columns is None else columns[j]) for j in still[:5].tolist()]
        raise UndeterminedCovariance(
            f"columns {names} of X are constant, so that any other value would be infinitely odd; drop them, or give "
            "shrinkage= a share such as 0.01"
        )


def _factored(normals: Normals) -> Normals:
    """The laws, proved to be positive definite beyond rounding."""
    try:
        if not normals.is_dense or np.all(_own_shares(normals) > LEAST_OWN_SHARE * normals.means.shape[1]):
            _ = normals.whitener
            return normals
    except ValueError:
        pass
    raise UndeterminedCovariance(
        "the covariance is singular: some columns of X are combinations of others; drop those, or give "
        "covariance_type='diag', shrinkage='ledoit_wolf' or a share such as 0.01"
    )


def _own_shares(normals: Normals) -> Floats:
    """The share of each column's variance that those before it leave unexplained: L²ⱼⱼ/Σⱼⱼ."""
    inverse_roots = np.diagonal(normals.whitener[0])
    return 1.0 / (inverse_roots**2 * np.diagonal(normals.covariances[0]))
