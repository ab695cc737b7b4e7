"""What the machines that find several functions at once share.

    f_m(x) = Σ_{i in SV} β_im k(xᵢ, x) + b_m,    SV the rows with a coefficient in any of them                   (1)

Schölkopf & Smola (2002), Learning with Kernels, section 7.6.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.base import count_rows, float_type, is_given_matrix, kernel_of, take_rows, warn_of_wild_scales
from gnomon.kernels import Against, Constant, Kernel, Linear, warn_unless_psd
from gnomon.numerics.weights import check_weights
from gnomon.optim.solution import History, Solution, StopReason
from gnomon.svm._expansion import Expansion, without_origin
from gnomon.svm.kernel_machine import KernelMachine

__all__ = ["JointMachine", "UsedRows"]


class UsedRows(NamedTuple):
    """The rows of positive weight, as indices and weights, and the kernel with them."""

    indices: Integers
    weights: Floats
    against: Against


class JointMachine(KernelMachine):
    """Base of machines whose functions (1) have their support vectors in common."""

    _stored: ClassVar[dict[str, str]] = {"_coef_of_rows": "(n_used, n_functions)"}

    support_: Integers
    support_vectors_: Any
    n_support_: int
    dual_coef_: Floats
    intercept_: Floats
    objective_: float
    dual_gap_: float
    kkt_residual_: float
    n_iter_: int
    converged_: bool
    stop_reason_: StopReason
    history_: History

    @property
    def coef_(self) -> Floats:
        """Weights of the columns, of a linear kernel only."""
        if not isinstance(self._kernel, Linear):
            raise AttributeError("coef_ is only available when using a linear kernel")
        return np.asarray(self.dual_coef_ @ self.support_vectors_)

    def _use(
        self, rows: Any, sample_weight: ArrayLike | None, *, constant: bool = False, free: bool = False
    ) -> UsedRows:
        """Read the kernel, with weights in the variance that its width may depend on.

        A `constant` is added to it. Where intercepts are `free`, coefficients sum to zero and rows may be centred.
        """
        weights = check_weights(sample_weight, np.empty((count_rows(rows), 0)))
        used = np.flatnonzero(weights > 0.0)
        self._kernel: Kernel = kernel_of(self, rows, weights=weights)
        warn_of_wild_scales(self, rows, self._kernel, stacklevel=4)
        warn_unless_psd(self._kernel.against(rows), stacklevel=4)
        kernel = self._kernel + Constant(1.0) if constant else self._kernel
        against = without_origin(kernel, rows) if free else kernel.against(rows)
        return UsedRows(used, weights[used], against.take(used))

    def _keep(self, rows: Any, used: UsedRows, found: Solution[Floats], intercept: Floats) -> None:
        """Set (1) from the coefficients of the rows that were used, and what the solution says of itself."""
        dtype = float_type(rows)
        coef, intercept = found.w.astype(dtype), intercept.astype(dtype)
        self.support_ = used.indices[np.any(coef != 0.0, axis=1)]
        self.n_support_ = len(self.support_)
        self.dual_coef_ = coef[np.any(coef != 0.0, axis=1)].T
        self.intercept_ = intercept
        # Columns of a given matrix are training rows, so of one all are kept.
        given = is_given_matrix(self._kernel)
        kept = self.support_ if self.n_support_ else used.indices[:1]
        self.support_vectors_ = np.empty((0, 0)) if given else take_rows(rows, self.support_)
        self._rows_of_coef = rows if given else take_rows(rows, kept)
        full = np.zeros((len(rows) if given else len(kept), coef.shape[1]), dtype=dtype)
        full[self.support_ if given else slice(0, self.n_support_)] = self.dual_coef_.T
        self._coef_of_rows = full
        self.kkt_residual_, self.n_iter_ = float(found.details["kkt"]), found.n_iter
        self.objective_, self.dual_gap_ = found.objective, found.dual_gap
        self.converged_, self.stop_reason_, self.history_ = found.converged, found.stop_reason, found.history

    def _expansion(self) -> Expansion:
        return Expansion(self._kernel, self._rows_of_coef, self._coef_of_rows, self.intercept_)
