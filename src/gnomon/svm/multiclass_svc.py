"""Support vector classification of all classes at once.

    "ww"     minimise  ½ Σ_k ‖w_k‖² + C Σᵢ sᵢ Σ_{k≠yᵢ} max(0, 2 − (f_{yᵢ}(xᵢ) − f_k(xᵢ))),    f_k = w_k + b_k        (1)
    "cs"     minimise  ½ Σ_k ‖w_k‖² + C Σᵢ sᵢ max(0, 1 + max_{k≠yᵢ} f_k(xᵢ) − f_{yᵢ}(xᵢ))                            (2)

(1): Weston & Watkins (1999), Support vector machines for multi-class pattern recognition, ESANN, with free b_k that sum
to zero; without b, "ww_nobias": Doğan, Glasmachers & Igel (2011). (2): Crammer & Singer (2001), JMLR 2, 265–292.
"""

from __future__ import annotations

from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from gnomon._typing import Array, ArrayLike, ClassWeight, Count, Floats, MatrixLike, NonNegative, Positive, Verbosity
from gnomon.base import kernel_rows
from gnomon.base.forms import named_form
from gnomon.base.refusal import Refusal, insert_label
from gnomon.kernels import KernelLike
from gnomon.optim import multiclass_kernel_dual, warn_unless_converged
from gnomon.optim.solution import log_row
from gnomon.penalties import convert_lam, objective_form
from gnomon.penalties.forms import Objective
from gnomon.svm._expansion import origin_scores
from gnomon.svm._joint import JointMachine

__all__ = ["MulticlassSVC"]

Variant: TypeAlias = Literal["ww_nobias", "ww", "cs"]

MARGINS: dict[Variant, Literal["ww", "cs"]] = {"ww_nobias": "ww", "ww": "ww", "cs": "cs"}
"""Which loss a variant has."""

UNITS = {"ww": 2.0, "cs": 1.0}
"""By how much f of the right class must exceed that of another."""


class MulticlassSVC(ClassifierMixin, JointMachine):
    """Support vector machine of all classes at once, by the dual of Weston and Watkins or of Crammer and Singer.

    One problem for K functions, Σ_k f_k = 0, instead of K or K(K − 1)/2 problems of two classes. With two classes "ww"
    is `SVC` with the same C, and "cs" without an intercept is `SVC` with 2C.

    Parameters
    ----------
    variant : {"ww_nobias", "ww", "cs"}, default="ww_nobias"
        (1) without b, (1) with free b, or (2).
    C : float, default=1.0
    kernel : Kernel, callable or name, default="rbf"
        As in `SVC`; "precomputed" for a Gram matrix in place of rows.
    degree, coef0 : float, default=3, 0.0
        Of a kernel that is named.
    gamma : float, "scale" or "auto", default="scale"
        Of a kernel that is named; the variance in "scale" is weighted as the rows are.
    fit_intercept : bool, optional
        "ww": free b (default) or none. "cs" and "ww_nobias": add one to the kernel, which is a b that is penalised;
        the default is to do so for "cs".
    objective : {"sum", "mean", "sum_half", "mean_half", "C", "loss_mean"}, optional
        Another scaling of (1) and (2); "sum" is Σ loss + λ Σ ‖w_k‖².
    lam : float, optional
        λ in that scaling, in place of `C`; 0.01 if only `objective` is given.
    class_weight : dict, "balanced" or None, default=None
        Factor on the weight of every class.
    reject_threshold : float, optional
        `predict` refuses a row whose largest f_k is below it.
    reject_label : label, optional
        What refused rows are called: −1 for numbers, "reject" for strings.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of f.
    max_iter : int, default=1000
        Working sets.
    cache_size : float, default=200
        Megabytes for rows of the kernel matrix.
    verbose : int, default=0
        Whether to send the history to the logger ``gnomon.optim``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Those with a row of positive weight.
    support_ : ndarray of int of shape (n_support,)
        Rows with a coefficient.
    support_vectors_ : array of shape (n_support, n_features)
    n_support_ : int
    dual_coef_ : ndarray of shape (n_classes, n_support)
        w_k = Σ dual_coef_[k, i] k(xᵢ, ·); every column sums to zero.
    intercept_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (n_classes, n_features)
        w of a linear kernel.
    objective_ : float
        Value of (1) or (2), in the scaling of `objective`.
    dual_gap_ : float
        How far `objective_` can be from the minimum at most.
    kkt_residual_ : float
        Largest violation of the optimality conditions.
    n_parameters_ : int
    n_iter_ : int
    converged_ : bool
    stop_reason_ : str
    history_ : dict of ndarray
    n_features_in_ : int

    References
    ----------
    Doğan, Ü., Glasmachers, T. & Igel, C. (2016). A unified view on multi-class support vector classification. JMLR
    17(45).

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.svm import MulticlassSVC
    >>> x, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 2, 2])
    >>> model = MulticlassSVC("ww", kernel="linear", tol=1e-9).fit(x, y)
    >>> model.coef_.ravel().round(4) + 0.0, (9 * model.intercept_).round(4), round(9 * model.objective_, 4)
    (array([-1.3333,  0.    ,  1.3333]), array([ 26.,   8., -34.]), 64.0)
    >>> f = model.decision_function(x)
    >>> margins = np.maximum(0, 2 + f - f[np.arange(6), y][:, None])
    >>> margins[np.arange(6), y] = 0
    >>> round(0.5 * float(np.sum(model.coef_**2)) + float(np.sum(margins)), 4)
    7.1111
    """

    classes_: Array

    def __init__(
        self,
        variant: Variant = "ww_nobias",
        *,
        C: Positive = 1.0,
        kernel: KernelLike = "rbf",
        degree: NonNegative = 3,
        gamma: NonNegative | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        fit_intercept: bool | None = None,
        objective: Objective | None = None,
        lam: Positive | None = None,
        class_weight: ClassWeight = None,
        reject_threshold: float | None = None,
        reject_label: Any = None,
        tol: Positive = 1e-3,
        max_iter: Count = 1000,
        cache_size: Positive = 200,
        verbose: Verbosity = 0,
    ):
        self.variant = variant
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.objective = objective
        self.lam = lam
        self.class_weight = class_weight
        self.reject_threshold = reject_threshold
        self.reject_label = reject_label
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.verbose = verbose

    def fit(self, X: MatrixLike | list[Any], y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1) or (2).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a square matrix with
                ``kernel="precomputed"``, or a list of objects for a kernel of pairs
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        rows, y = kernel_rows(self, X, y, kernel=self.kernel, accept_sparse="csr")
        check_classification_targets(y)
        with_intercept = self.variant != "ww_nobias" if self.fit_intercept is None else self.fit_intercept
        free = with_intercept and self.variant == "ww"
        used = self._use(rows, sample_weight, constant=with_intercept and not free, free=free)
        self.classes_, index = np.unique(np.asarray(y)[used.indices], return_inverse=True)
        if len(self.classes_) < 2:
            found = self.classes_.tolist()
            raise ValueError(f"y has only one class of positive weight, {found}; classification needs two or more")
        self._refusal()
        prices = compute_class_weight(
            self.class_weight, classes=self.classes_, y=self.classes_[index], sample_weight=used.weights
        )
        weights = used.weights * prices[index]
        C, unit = self._cost(float(np.sum(weights)))
        solution = multiclass_kernel_dual(
            used.against,
            index,
            C * weights,
            margin=MARGINS[self.variant],
            free_intercept=free,
            tol=self.tol,
            max_iter=self.max_iter,
            cache_size=self.cache_size,
            callback=log_row if self.verbose else None,
        )
        warn_unless_converged(solution, self.max_iter)
        solution = solution._replace(objective=unit * solution.objective, dual_gap=unit * solution.dual_gap)
        # Of the kernel k + 1 the second part is a constant.
        b = np.sum(solution.w, axis=0) if with_intercept and not free else np.asarray(solution.intercept)
        b = b - origin_scores(used.against, solution.w)
        self._keep(rows, used, solution, b)
        return self

    def decision_function(self, X: MatrixLike | list[Any]) -> Floats:
        """f_k(x); of two classes (f₁ − f₀)/2 ("cs": f₁ − f₀), whose margin is one.

        Parameters
        ----------
        X : as in `fit`; with ``kernel="precomputed"`` of shape (n_samples, n_training_rows)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        f = self._class_scores(X)
        return f if len(self.classes_) > 2 else (f[:, 1] - f[:, 0]) / UNITS[MARGINS[self.variant]]

    def predict(self, X: MatrixLike | list[Any]) -> Array:
        """The class of largest f_k, the first of several; `reject_label` where f_k is below `reject_threshold`.

        Parameters
        ----------
        X : as in `decision_function`

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        f = self._class_scores(X)
        labels, refusal = self.classes_[np.argmax(f, axis=1)], self._refusal()
        return insert_label(labels, refusal.of(f), refusal.label_for(self.classes_)) if refusal.asked else labels

    def _class_scores(self, X: Any) -> Floats:
        rows = self._rows(X)
        return self._expansion().scores(rows)

    def _refusal(self) -> Refusal:
        refusal = Refusal(self.reject_threshold, None, self.reject_label).checked()
        if refusal.asked:
            refusal.label_for(self.classes_)
        elif self.reject_label is not None:
            raise ValueError(
                f"reject_label={self.reject_label!r} is set and no row can be refused; give reject_threshold, or leave "
                "the label out"
            )
        return refusal

    def _cost(self, total: float) -> tuple[float, float]:
        """C of (1), and what (1) is multiplied by in the scaling of the user."""
        named = named_form(self, "C", objective="mean_half", lam=0.01)
        if named is None:
            return float(self.C), 1.0
        C = convert_lam(named[1], named[0], "C", n=total)
        return C, objective_form(*named, total).loss_scale / C
