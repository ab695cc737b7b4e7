"""From the words of linear SVMs to problems and back.

    minimise over w, b    Σᵢ sᵢ ℓ(yᵢ, xᵢᵀw + b) + Ω(w)                                             (1)

for each class against the rest, or once for two classes.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from gnomon.base import validate_rows
from gnomon.linear._logistic_fit import class_prices
from gnomon.linear._report import report
from gnomon.numerics.design import Design
from gnomon.numerics.weights import check_weights
from gnomon.optim import fit_linear, warn_unless_converged

__all__ = ["PricedRows", "fit_against_rest", "labelled_rows"]


class PricedRows(NamedTuple):
    """X, the index of the class of every row, and weights with the prices of the classes in them."""

    X: Any
    index: np.ndarray
    weights: np.ndarray

    @property
    def total(self):
        """Σ sᵢ."""
        return float(np.sum(self.weights, dtype=float))


def labelled_rows(model, X, y, sample_weight):
    """Validate, set `classes_` and return the rows."""
    X, y = validate_rows(model, X, y, accept_sparse="csr")
    check_classification_targets(y)
    model.classes_, index = np.unique(y, return_inverse=True)
    weights = check_weights(sample_weight, X)
    found = model.classes_[np.unique(index[weights > 0])]
    if len(found) < 2:
        raise ValueError(f"y has only one class of positive weight, {found.tolist()}; classification needs two or more")
    return PricedRows(X, index, weights * class_prices(model, index, model.classes_, weights)[index].astype(X.dtype))


def fit_against_rest(model, rows, loss, penalty, loss_scale, solver, *, intercept, bias=1.0, **options):
    """Minimise (1) and set `coef_`, `intercept_` and what the fit says about itself."""
    design = Design(rows.X, intercept, bias)
    scaled = (loss_scale * rows.weights).astype(rows.X.dtype, copy=False)
    positive = [1] if len(model.classes_) == 2 else range(len(model.classes_))
    solutions = []
    for k in positive:
        signs = np.where(rows.index == k, 1.0, -1.0).astype(rows.X.dtype)
        solution = fit_linear(design, signs, loss, penalty, scaled, solver=solver, **options)
        solutions.append(warn_unless_converged(solution, options.get("max_iter", "its default"), stacklevel=4))
    model.coef_ = np.array([solution.w for solution in solutions], dtype=rows.X.dtype)
    model.intercept_ = np.array([solution.intercept for solution in solutions], dtype=rows.X.dtype)
    alphas = [solution.details["alpha"] for solution in solutions if "alpha" in solution.details]
    model.dual_coef_ = np.array(alphas) if alphas else None
    return report(model, solutions)
