"""Classification by a network of radial functions.

    E = Σ_i s_i ‖h(x_i) − t_i‖² + λ ‖w‖²,    h(x) = Σ_k w_k exp(−γ_k ‖x − μ_k‖²) + b                                 (1)

t is ±1 for two classes, predicted by the sign of h, and a one in the place of the class for more, predicted by the
largest h. Broomhead & Lowe (1988), Complex Systems 2, 321–355.
"""

from __future__ import annotations

from typing import ClassVar, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from gnomon._typing import Array, ArrayLike, Count, Floats, MatrixLike, NonNegative, Seed
from gnomon.base import validate_rows
from gnomon.base.parameters import store
from gnomon.neighbors._radial_model import Centers, RadialModel, Widths
from gnomon.numerics.weights import check_weights

__all__ = ["RBFNetworkClassifier"]


class RBFNetworkClassifier(ClassifierMixin, RadialModel):
    """Regression (1) of coded classes on radial functions.

    Parameters
    ----------
    centers : {"all", "kmeans", "random"} or array-like of shape (K, d), default="kmeans"
        μ: the distinct training rows; the centres of k-means, which does not look at y; random training rows; or given.
    n_centers : int, optional
        K of "kmeans" and "random"; 10 by default.
    gamma : float, {"scale", "dmax"} or array-like of shape (K,), default="scale"
        γ: a number, one for each centre, 1/(d Var X), or K/d_max² for centres at most d_max apart.
    mode : {"interpolate", "lstsq"}, default="lstsq"
        Solve Φ w = y, with a centre at every row, or minimise the squared error. Where Φ has a condition number above
        10¹² the weights of least norm are taken, with a warning.
    lam : float, default=0.0
        λ of a penalty λ ‖w‖², with ``mode="lstsq"``.
    fit_intercept : bool, default=False
        Whether there is b.
    learn_gamma : bool or "loo", default=False
        True: also minimise over γ (over every one of an array), starting from `gamma`. "loo": one γ that minimises the
        leave-one-out error.
    n_init : int, optional
        Starts of k-means; 3 by default.
    max_iter : int, default=100
        Steps on log γ.
    tol : float, default=1e-6
        Where learning γ stops: at a derivative of the error in log γ below `tol` times Σ y².
    random_state : int, RandomState or None, default=None
        Of "kmeans" and "random".

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    centers_ : ndarray of shape (K, d)
    gamma_ : float or ndarray of shape (K,)
    coef_ : ndarray of shape (1, K) or (n_classes, K)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    objective_ : float
        E of (1).
    n_parameters_ : int
        Weights, centres that were chosen, widths that were learned, intercepts.
    history_ : dict
        "iteration" and "objective", which never rises: E, or the leave-one-out error with ``learn_gamma="loo"``.
    n_iter_ : int
    converged_ : bool
    stop_reason_ : str
        "exact" where γ was given.
    loo_residuals_ : ndarray or None
        y_i − ŷ_{−i}, with ``learn_gamma="loo"``.
    condition_ : float
        Condition number of Φ, with ``mode="interpolate"``.
    restarts_ : ndarray
        Final sums of squares of the starts of k-means.

    References
    ----------
    Broomhead, D. S. & Lowe, D. (1988). Multivariable functional interpolation and adaptive networks. Complex Systems 2,
    321–355.

    Moody, J. & Darken, C. J. (1989). Fast learning in networks of locally-tuned processing units.
    doi:10.1162/neco.1989.1.2.281

    Rippa, S. (1999). An algorithm for selecting a good value for the parameter c in radial basis function
    interpolation. doi:10.1023/A:1018975909870

    Examples
    --------
    A ring around a disc, which no line divides:

    >>> import numpy as np
    >>> from gnomon.neighbors import RBFNetworkClassifier
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> y = np.where(np.hypot(*X.T) < 1.0, "disc", "ring")
    >>> float(RBFNetworkClassifier(n_centers=20, random_state=0).fit(X[:200], y[:200]).score(X[200:], y[200:])) > 0.9
    True
    """

    _stored: ClassVar[dict[str, str]] = {"_coef": "(m, k)", "_b": "(k,)"}

    def __init__(
        self,
        centers: Centers = "kmeans",
        n_centers: Count | None = None,
        *,
        gamma: Widths = "scale",
        mode: Literal["interpolate", "lstsq"] = "lstsq",
        lam: NonNegative = 0.0,
        fit_intercept: bool = False,
        learn_gamma: bool | Literal["loo"] = False,
        n_init: Count | None = None,
        max_iter: Count = 100,
        tol: NonNegative = 1e-6,
        random_state: Seed = None,
    ):
        store(self, locals())

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        rows, y = validate_rows(self, X, y)
        check_classification_targets(y)
        weights = check_weights(sample_weight, rows).astype(float)
        used = weights > 0.0
        self.classes_, codes = np.unique(y[used], return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class only, {self.classes_.tolist()}; a classifier needs two or more")
        targets = np.eye(len(self.classes_))[codes] if len(self.classes_) > 2 else 2.0 * codes[:, None] - 1.0
        self._fit_network(rows[used], targets, weights[used])
        self.coef_, self.intercept_ = self._coef.T.astype(rows.dtype), self._b.astype(rows.dtype)
        return self

    def decision_function(self, X: MatrixLike) -> Floats:
        """h(x).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, else (n_samples, n_classes)
        """
        outputs = self._outputs(X)
        return np.ravel(outputs) if len(self.classes_) == 2 else outputs

    def predict(self, X: MatrixLike) -> Array:
        """The second of two classes where h > 0, else the first; of more the one of the largest h.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        return self.classes_[(scores > 0.0).astype(int) if scores.ndim == 1 else np.argmax(scores, axis=1)]
