"""From the words of linear SVMs to problems and back.

    minimise over w, b    Σᵢ sᵢ ℓ(yᵢ, xᵢᵀw + b) + Ω(w)                                             (1)

for each class against the rest, or once for two classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets

from gnomon._typing import ArrayLike, Floats, Integers, Matrix, MatrixLike
from gnomon.base import validate_rows
from gnomon.base.callbacks import Tasks
from gnomon.linear._logistic_fit import class_prices
from gnomon.linear._report import Model, log_row, report
from gnomon.losses import Loss
from gnomon.numerics.design import Design, Intercept
from gnomon.numerics.weights import check_weights
from gnomon.optim import fit_linear, warn_unless_all_converged
from gnomon.penalties import Penalty

__all__ = ["PricedRows", "fit_against_rest", "labelled_rows", "positive_classes"]


class PricedRows(NamedTuple):
    """X, the index of the class of every row, and weights with the prices of the classes in them."""

    X: Matrix
    class_index: Integers
    weights: Floats
    rest_weights: Floats
    """Those of rows on the side of the rest, where one class of several is against it."""

    @property
    def total(self) -> float:
        """Σ sᵢ."""
        return float(np.sum(self.weights, dtype=float))


def labelled_rows(
    model: BaseEstimator,
    X: MatrixLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    *,
    rest_priced: bool = True,
    **options: Any,
) -> PricedRows:
    """Validate, set `classes_` and return the rows; `rest_priced`: whether prices hold on the side of the rest too."""
    X, y = validate_rows(model, X, y, accept_sparse="csr", **options)
    check_classification_targets(y)
    model.classes_, index = np.unique(y, return_inverse=True)
    weights = check_weights(sample_weight, X)
    found = model.classes_[np.unique(index[weights > 0])]
    if len(found) < 2:
        raise ValueError(f"y has only one class of positive weight, {found.tolist()}; classification needs two or more")
    priced = weights * class_prices(model, index, model.classes_, weights)[index].astype(X.dtype)
    return PricedRows(X, index, priced, priced if rest_priced or model.prior is not None else weights)


def positive_classes(model: BaseEstimator) -> Sequence[int]:
    """The class that is +1 in each problem."""
    return [1] if len(model.classes_) == 2 else range(len(model.classes_))


def fit_against_rest(
    model: Model,
    rows: PricedRows,
    loss: Loss,
    penalty: Penalty,
    loss_scale: float,
    solver: str,
    told: Tasks,
    *,
    intercept: Intercept,
    bias: float = 1.0,
    **options: Any,
) -> Model:
    """Minimise (1) and set `coef_`, `intercept_` and what the fit says about itself."""
    design = Design(rows.X, intercept, bias)
    solutions, heard = [], options.pop("callback", None)
    for k in positive_classes(model):
        mine = rows.class_index == k
        signs = np.where(mine, 1.0, -1.0).astype(rows.X.dtype)
        s = rows.weights if len(model.classes_) == 2 else np.where(mine, rows.weights, rows.rest_weights)
        scaled = (loss_scale * s).astype(rows.X.dtype, copy=False)
        callback = told.rows(log_row if model.verbose else None, heard)
        solutions.append(fit_linear(design, signs, loss, penalty, scaled, solver=solver, callback=callback, **options))
    warn_unless_all_converged(solutions, options.get("max_iter"), stacklevel=4)
    model.coef_ = np.array([solution.w for solution in solutions], dtype=rows.X.dtype)
    model.intercept_ = np.array([solution.intercept for solution in solutions], dtype=rows.X.dtype)
    alphas = [solution.details["alpha"] for solution in solutions if "alpha" in solution.details]
    model.dual_coef_ = np.array(alphas) if alphas else None
    return report(model, solutions)
