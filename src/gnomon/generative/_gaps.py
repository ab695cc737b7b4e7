"""Densities of rows with missing cells, from the cells that are there.

    log f(x) = log ∫ f(x) dx_missing,        f̂ = argmax Σᵢ sᵢ log f(x_{i, observed})                              (1)

Where columns are independent the factor of a missing cell is one; a normal law of vectors is estimated by EM, and an
estimator that takes gaps does it itself. Little & Rubin (2019), Statistical Analysis with Missing Data, chapter 8,
doi:10.1002/9781119482260.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gnomon._typing import Floats
from gnomon.distributions import Distribution, DistributionFamily, MultivariateNormal, Product
from gnomon.distributions.density import fit_density, takes_gaps
from gnomon.optim import fit_normal_missing

__all__ = ["fit_observed", "fits_gaps"]


def fit_observed(density: Any, X: Floats, weights: Floats | None) -> Any:
    """The density of the rows of X, of which cells may be NaN, equation (1)."""
    if takes_gaps(density) or not np.any(np.isnan(X)):
        return fit_density(density, X, weights)
    if density is MultivariateNormal:
        return fit_normal_missing(X, weights).theta
    if _is_of_entries(density):
        return Product([(j, _fit_column(density, X[:, j], weights, j)) for j in range(X.shape[1])])
    raise ValueError(
        f"some rows have missing cells, from which {density!r} is not estimated; fill them in (DensityImputer), or "
        "take MultivariateNormal, GaussianMixture or a law of one variable, which take gaps"
    )


def fits_gaps(density: Any) -> bool:
    """Whether `fit_observed` takes rows with missing cells; of a dict, one density for each class, whether all do."""
    parts = density.values() if isinstance(density, Mapping) else (density,)
    return all(takes_gaps(part) or part is MultivariateNormal or _is_of_entries(part) for part in parts)


def _is_of_entries(density: Any) -> bool:
    """Whether a law is one of entries, so that each column has its own: where it has not its own answer for vectors."""
    law = density.law if isinstance(density, DistributionFamily) else density
    return isinstance(law, type) and issubclass(law, Distribution) and law.vectors is Distribution.vectors


def _fit_column(density: Any, x: Floats, weights: Floats | None, j: int) -> Distribution:
    seen = ~np.isnan(x)
    if not np.any(seen):
        raise ValueError(f"column {j} is missing in every row; drop the column, or fill it in")
    law = density.fit(x[seen], None if weights is None else weights[seen])
    if np.ndim(law.mean):
        raise ValueError("options with one entry for each column do not go with missing cells; give one for all")
    return law
