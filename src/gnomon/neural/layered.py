"""Networks of any layers.

    f = f_L ∘ … ∘ f_1, or any acyclic graph of layers;  J = (1/n) [Σᵢ sᵢ ℓ(yᵢ, f(xᵢ)) + ½ Σ_l α_l ‖W_l‖²]    (1)

The user lists the layers; the output layer, whose width is that of y and whose scores the loss turns into
probabilities or means, is appended unless the last layer is marked ``output=True``. LeCun et al. (1998), Gradient-based
learning applied to document recognition, doi:10.1109/5.726791.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, TypeAlias

from gnomon._typing import ClassWeight
from gnomon.losses import Loss
from gnomon.neural._answers import ClassAnswers, NumberAnswers
from gnomon.neural._built import listed_network
from gnomon.neural.layers import Layer
from gnomon.neural.network import NeuralNetwork

__all__ = ["NetworkClassifier", "NetworkRegressor"]

NetworkLoss: TypeAlias = str | Loss | Sequence[str | Loss] | Mapping[str, Any]
OutputWeights: TypeAlias = Sequence[float] | Mapping[str, float] | None


@dataclass(eq=False, repr=False, match_args=False)
class NetworkClassifier(ClassAnswers):
    """Classifier with any layers: equation (1) of the module with the cross-entropy.

    Parameters
    ----------
    layers : sequence of Layer, default=()
        Of `gnomon.neural.layers`. None of them is a linear classifier.
    input_shape : tuple of int, optional
        Shape of a row, for example (channels, height, width); rows of X are reshaped in C order. By default the number
        of columns.
    module : callable, optional
        (n_features, n_outputs) → a ``torch.nn.Module``, trained by the same loop instead of `layers`.
    device : str, default="cpu"
        Where PyTorch computes.
    masks : {"numpy", "native"}, default="numpy"
        Whether random layers draw with NumPy's generator on every engine, or with PyTorch's own.
    loss, solver, alpha, l1, objective, penalty_scale, penalize_intercept, max_norm, batch_size, sampling
        As in `MLPClassifier`; a layer's own `l1`, `l2` and `max_norm` go before.
    learning_rate, learning_rate_init, power_t, per, max_iter, shuffle, random_state, tol, tol_grad, verbose, warm_start
        Likewise.
    momentum, nesterovs_momentum, adapt_ratio, early_stopping, validation_fraction, monitor, beta_1, beta_2, epsilon
        Likewise.
    n_iter_no_change, max_fun, curvature, class_weight, output_weights, standardize, augment, pretrain
        Likewise.
    n_restarts, n_jobs, engine, track_objective, time_limit, checkpoint
        Likewise.

    Attributes
    ----------
    classes_ : ndarray
    coefs_, intercepts_ : list of ndarray
        Weights and biases of every layer that has them, views of `theta_`.
    alphas_ : list of ndarray
        Slopes of the layers that learn them, views of `theta_`.
    theta_ : ndarray
    network_ : NeuralNetwork
    n_features_in_, n_outputs_, n_layers_, depth_, n_parameters_ : int
    architecture_, out_activation_ : str
    loss_, objective_, gradient_norm_ : float
    loss_curve_ : list
    best_loss_ : float or None
    validation_scores_, validation_loss_curve_ : list or None
    best_validation_score_, best_epoch_ : number or None
    history_ : dict
    n_iter_, t_ : int
    converged_ : bool
    stop_reason_ : str
    restarts_ : ndarray
    engine_ : str

    References
    ----------
    LeCun, Y., Bottou, L., Bengio, Y. & Haffner, P. (1998). Gradient-based learning applied to document recognition.
    doi:10.1109/5.726791

    Examples
    --------
    Four maxout units separate a ring from its centre:

    >>> import numpy as np
    >>> from sklearn.datasets import make_circles
    >>> from gnomon.neural import NetworkClassifier
    >>> from gnomon.neural.layers import Maxout
    >>> X, y = make_circles(200, factor=0.4, noise=0.05, random_state=0)
    >>> model = NetworkClassifier([Maxout(4, pieces=2)], solver="lbfgs", random_state=0).fit(X, y)
    >>> model.score(X, y), model.architecture_
    (1.0, '2-4-1')
    """

    layers: Sequence[Layer] = ()
    input_shape: Sequence[int] | None = None
    _: KW_ONLY
    module: Callable[[int, int], Any] | None = None
    device: str = "cpu"
    masks: Literal["numpy", "native"] = "numpy"
    loss: str | Loss = "log_loss"
    class_weight: ClassWeight = None
    output_weights: Sequence[float] | None = None

    def _network(self, n_features: int, targets: Any) -> NeuralNetwork:
        return listed_network(self, n_features, targets)


@dataclass(eq=False, repr=False, match_args=False)
class NetworkRegressor(NumberAnswers):
    """Regressor with any layers: equation (1) of the module with half the squared error, or another loss.

    Parameters
    ----------
    layers, input_shape, module, device, masks
        As in `NetworkClassifier`.
    loss : str, Loss, sequence of these, or dict of these by head, default="squared_error"
        As in `MLPRegressor`.
    solver, alpha, l1, objective, penalty_scale, penalize_intercept, max_norm, batch_size, sampling, learning_rate
        As in `MLPClassifier`; a layer's own `l1`, `l2` and `max_norm` go before.
    learning_rate_init, power_t, per, max_iter, shuffle, random_state, tol, tol_grad, verbose, warm_start, momentum
        Likewise.
    nesterovs_momentum, adapt_ratio, early_stopping, validation_fraction, monitor, beta_1, beta_2, epsilon
        Likewise.
    n_iter_no_change, max_fun, curvature, output_weights, standardize, augment, pretrain, n_restarts, n_jobs, engine
        Likewise.
    track_objective, time_limit, checkpoint
        Likewise.

    Attributes
    ----------
    coefs_, intercepts_, alphas_ : list of ndarray
    theta_ : ndarray
    network_ : NeuralNetwork
    n_features_in_, n_outputs_, n_layers_, depth_, n_parameters_ : int
    architecture_, out_activation_ : str
    loss_, objective_, gradient_norm_ : float
    loss_curve_ : list
    best_loss_ : float or None
    validation_scores_, validation_loss_curve_ : list or None
    best_validation_score_, best_epoch_ : number or None
    history_ : dict
    n_iter_, t_ : int
    converged_ : bool
    stop_reason_ : str
    restarts_ : ndarray
    engine_ : str

    References
    ----------
    LeCun, Y., Bottou, L., Bengio, Y. & Haffner, P. (1998). Gradient-based learning applied to document recognition.
    doi:10.1109/5.726791

    Examples
    --------
    A skip connection around a hidden layer: a line is fitted exactly, whatever the layer does.

    >>> import numpy as np
    >>> from gnomon.neural import NetworkRegressor
    >>> from gnomon.neural.layers import Concat, Dense
    >>> x = np.linspace(-1.0, 1.0, 20)[:, None]
    >>> layers = [Dense(3, "tanh", name="hidden"), Concat(after=["input", "hidden"])]
    >>> model = NetworkRegressor(layers, solver="lbfgs", alpha=0.0, tol=1e-6, random_state=0).fit(x, 3.0 * x[:, 0])
    >>> bool(np.max(np.abs(model.predict(x) - 3.0 * x[:, 0])) < 1e-3)
    True
    """

    layers: Sequence[Layer] = ()
    input_shape: Sequence[int] | None = None
    _: KW_ONLY
    module: Callable[[int, int], Any] | None = None
    device: str = "cpu"
    masks: Literal["numpy", "native"] = "numpy"
    loss: NetworkLoss = "squared_error"
    output_weights: OutputWeights = None

    def _network(self, n_features: int, targets: Any) -> NeuralNetwork:
        return listed_network(self, n_features, targets)
