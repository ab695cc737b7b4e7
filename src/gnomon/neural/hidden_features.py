"""Hidden layers as features.

    x → A_l(x),  l a layer of a network that was trained for something                                    (1)

The first layers of a network are features that were learned for its task; other models can use them. Yosinski et al.
(2014), arXiv:1411.1792.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, MetaEstimatorMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Floats
from gnomon.base.estimator import Estimator
from gnomon.base.rows import validate_rows
from gnomon.neural.function import HiddenValues, NetworkFunction, as_function
from gnomon.numerics.validation import check_part

__all__ = ["HiddenFeatures"]


class HiddenFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, MetaEstimatorMixin, Estimator):
    """What a layer of a network says about rows, as a transformer.

    Parameters
    ----------
    net : NetworkFunction or estimator with a network
        An estimator is cloned and fitted; in a `FrozenEstimator` of scikit-learn it is used as it is.
    layer : int or str, optional
        The place or name of the layer; by default the last before the output.
    values : {"activation", "score"}, default="activation"
        A_l, or Z_l before the activation.

    Attributes
    ----------
    function_ : NetworkFunction
        The network with its parameters, in the units of X.
    estimator_ : estimator
        The fitted clone, where `net` is an estimator.

    References
    ----------
    Yosinski, J., Clune, J., Bengio, Y. & Lipson, H. (2014). How transferable are features in deep neural networks?
    arXiv:1411.1792

    Examples
    --------
    The exclusive or, which a line cannot solve, is linear in the hidden layer of a network that solved it:

    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from gnomon.linear import LogisticRegression
    >>> from gnomon.neural import HiddenFeatures, NetworkFunction, NeuralNetwork
    >>> from gnomon.neural.layers import Dense
    >>> network = NeuralNetwork([Dense(2, "relu"), Dense(1)], input_shape=2)
    >>> xor = NetworkFunction(network, np.array([1.0, 1, 1, 1, 0, -1, 1, -2, 0]))
    >>> X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    >>> LogisticRegression(C=100).fit(X, y).score(X, y)
    0.5
    >>> make_pipeline(HiddenFeatures(xor), LogisticRegression(C=100)).fit(X, y).score(X, y)
    1.0
    """

    def __init__(self, net: Any, layer: int | str | None = None, *, values: HiddenValues = "activation"):
        self.net = net
        self.layer = layer
        self.values = values

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Fit the network's estimator, if it is one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like, optional
            What the estimator is fitted to.

        Returns
        -------
        self
        """
        rows = validate_rows(self, X)
        if isinstance(self.net, NetworkFunction):
            self.function_ = self.net
        else:
            self.estimator_ = clone(check_part("net", self.net, "fit", "get_params")).fit(rows, y)
            self.function_ = as_function(self.estimator_)
        self._width = self._features(rows[:1]).shape[1]
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """The values of the layer.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, units)
        """
        check_is_fitted(self)
        return self._features(validate_rows(self, X, reset=False))

    def _features(self, X: Floats) -> Floats:
        return np.array(self.function_.transform(X, self.layer, self.values)).reshape(len(X), -1)

    @property
    def _n_features_out(self) -> int:
        return self._width
