"""Regression by a network of radial functions.

    minimise over w, b (and γ)    E = Σ_i s_i (h(x_i) − y_i)² + λ ‖w‖²,
    h(x) = Σ_k w_k exp(−γ_k ‖x − μ_k‖²) + b                                                                          (1)

Broomhead & Lowe (1988), Complex Systems 2, 321–355; with a centre at every row (1) interpolates: Micchelli (1986),
doi:10.1007/BF01893414.
"""

from __future__ import annotations

from typing import ClassVar, Literal, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from gnomon._typing import ArrayLike, Count, Floats, MatrixLike, NonNegative, Seed
from gnomon.base import validate_rows
from gnomon.base.parameters import store
from gnomon.neighbors._radial_model import Centers, RadialModel, Widths
from gnomon.numerics.weights import check_weights

__all__ = ["RBFNetworkRegressor"]


class RBFNetworkRegressor(MultiOutputMixin, RegressorMixin, RadialModel):
    """A sum of radial functions with the least squared error, equation (1).

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
    centers_ : ndarray of shape (K, d)
    gamma_ : float or ndarray of shape (K,)
    coef_ : ndarray of shape (K,) or (n_outputs, K)
    intercept_ : float or ndarray of shape (n_outputs,)
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
    A bump at every point, and their sum goes through all of them:

    >>> import numpy as np
    >>> from gnomon.neighbors import RBFNetworkRegressor
    >>> x, y = np.array([[0.0], [1.0], [2.0]]), [0.0, 1.0, 1.0]
    >>> exact = RBFNetworkRegressor("all", gamma=1.0, mode="interpolate").fit(x, y)
    >>> exact.coef_.round(7), exact.predict([[0.5]]).round(7)
    (array([-0.3326131,  0.8699799,  0.6860443]), array([0.4908103]))

    Two centres, and the width that suits four points best:

    >>> few = RBFNetworkRegressor([[0.5], [2.5]], gamma=1.0, learn_gamma=True)
    >>> few.fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 1.0, 0.0]).gamma_.__round__(5)
    0.34657
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
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        rows, y = validate_rows(self, X, y, multi_output=True, y_numeric=True)
        weights = check_weights(sample_weight, rows).astype(float)
        used = weights > 0.0
        self._fit_network(rows[used], y.reshape(len(y), -1)[used].astype(float), weights[used])
        kind = rows.dtype
        self.coef_ = (self._coef.T if y.ndim > 1 else self._coef[:, 0]).astype(kind)
        self.intercept_ = self._b.astype(kind) if y.ndim > 1 else float(self._b[0])
        self._single = y.ndim == 1
        return self

    def predict(self, X: MatrixLike) -> Floats:
        """h(x).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        outputs = self._outputs(X)
        return np.ravel(outputs) if self._single else outputs
