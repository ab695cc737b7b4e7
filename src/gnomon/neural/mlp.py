"""Networks of dense layers.

    f(x) = W_Lᵀ φ(… φ(W_1ᵀx + b_1) …) + b_L,    J = (1/n) [Σᵢ sᵢ ℓ(yᵢ, f(xᵢ)) + ½ α Σ_l ‖W_l‖²]                  (1)

Rumelhart, Hinton & Williams (1986), doi:10.1038/323533a0. Parameters, defaults and attributes are those of
scikit-learn's classes of the same names, which lack the losses, weights of classes, dropout, bounds and solvers that
are here too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from gnomon._typing import ClassWeight, SomeShare
from gnomon.losses import Loss
from gnomon.neural._answers import ClassAnswers, NumberAnswers
from gnomon.neural._dense_network import dense_network
from gnomon.neural._parameters import FirstWeights
from gnomon.neural.layered import NetworkLoss, OutputWeights
from gnomon.neural.layers import ActivationFunction
from gnomon.neural.network import NeuralNetwork

__all__ = ["MLPClassifier", "MLPRegressor"]


@dataclass(eq=False, repr=False, match_args=False)
class MLPClassifier(ClassAnswers):
    """Classifier with dense hidden layers: equation (1) of the module with the cross-entropy.

    Two classes have one output and p = σ(f), more have a softmax, and an indicator matrix a sigmoid for every label.
    Parameters that scikit-learn's class has too are read by the solvers that have them, as there; any other is refused
    where it cannot be used.

    Parameters
    ----------
    hidden_layer_sizes : int or sequence of int, default=(100,)
        Widths of the hidden layers; ``()`` is logistic regression.
    activation : str or activation, default="relu"
        φ of the hidden layers: "identity", "logistic", "tanh", "relu", "leaky_relu", "prelu", "hard_tanh" or an object.
    loss : {"log_loss", "two_term", "hinge", "squared_hinge", "perceptron"} or Loss, default="log_loss"
        Margin losses have no `predict_proba`. "two_term" also has log(1 − p) of the other classes.
    solver : str or UpdateRule, default="adam"
        "adam", "sgd" (mini-batches), "gd", "rprop", "rprop+", "irprop-" (all rows in one update), or the descents
        "lbfgs", "bfgs", "cg" and "newton"; or an object as ``Rprop(start=1e-2)``.
    alpha : float, default=1e-4
        L2 penalty of the weights, biases excepted.
    l1 : float, default=0.0
        L1 penalty λ₁ Σ ‖W‖₁: proximal steps with gradient steps, sub-gradients with the other solvers by mini-batches.
    objective : {"sum_half", "sum", "mean_half", "mean"}, default="sum_half"
        What the penalties stand beside: Σℓ + ½α‖W‖², Σℓ + α‖W‖², (1/n)Σℓ + ½α‖W‖² or (1/n)Σℓ + α‖W‖².
    penalty_scale : {"all", "batch"}, default="all"
        Whether a mini-batch divides the penalty by n, or by its own rows as scikit-learn does.
    penalize_intercept : bool, default=False
        Whether biases are penalised too, and belong to the norms that `max_norm` bounds.
    max_norm : float, optional
        Bound on the norm of each unit's incoming weights, kept after every update.
    keep_hidden, keep_input : float in (0, 1], default=1.0
        Probability that dropout KEEPS a hidden unit, or an input.
    init : str, Initializer, or list of these or of arrays, default="auto"
        First weights: "auto" is He for rectifiers and LeCun else; "glorot_uniform" …; a list has one entry for each
        layer. Biases start at zero.
    batch_size : int or "auto", default="auto"
        Rows of an update; "auto" is min(200, n), and all of them for "gd" and "rprop".
    sampling : {"shuffle", "uniform", "balanced"} or array-like of shape (n,), default="shuffle"
        A new order in each epoch, or draws with replacement: equally, each class as often as the others, or by these
        probabilities. What is drawn more often counts more, as with weights n p of the rows.
    learning_rate : str, Schedule, RateDrops or callable, default="constant"
        "constant", "invscaling", "adaptive" (÷5 at stalls), "plateau" (÷10 at stalls, twice), "inv", "inv_t0", "power",
        "capped", or an object; for every solver that has a rate.
    learning_rate_init : float, default=1e-3
    power_t : float, default=0.5
        Exponent of "invscaling" and "power".
    per : {"update", "epoch", "row"}, optional
        What t of a schedule counts: by default updates, of "invscaling" rows as scikit-learn does.
    max_iter : int, default=200
        Epochs, or iterations of a descent.
    shuffle : bool, default=True
    random_state : None, int, Generator or RandomState
        Draws the first weights, the order of rows, masks and held-out rows.
    tol : float, default=1e-4
        An epoch is better if the loss falls (the score rises) by more than it; of a descent, the ‖∇J‖∞ to reach. For
        targets far smaller than one it is a part of the loss and the slopes of the best constant.
    tol_grad : float, optional
        Stop at ‖∇J‖∞ ≤ tol_grad; needs all rows in one update.
    verbose : int, default=0
    warm_start : bool, default=False
        Begin where the last fit ended.
    momentum : float or Schedule, default=0.9
        Of "sgd" and "gd"; for example ``Ramp(0.5, 0.9, ramp=20)``, by the epoch.
    nesterovs_momentum : bool, default=True
    adapt_ratio : (low, high) or "normalise", optional
        Raise or halve the rate so that the median ‖ΔW‖/‖W‖ stays in the range; "normalise" gives every layer the ratio.
    early_stopping : bool, default=False
        Stop when held-out rows no longer improve, and return the best epoch.
    validation_fraction : float, default=0.1
    monitor : "score", "loss", str or callable, default="score"
        What is watched on held-out rows: accuracy, the loss, or a scorer.
    beta_1, beta_2, epsilon : float, default=0.9, 0.999, 1e-8
        Of Adam.
    n_iter_no_change : int or inf, default=10
        Epochs without improvement that are allowed.
    max_fun : int, default=15000
        Evaluations of a descent.
    curvature : {"gauss_newton", "hessian"}, default="gauss_newton"
        Of "newton".
    class_weight : dict, "balanced" or None, default=None
        Multiplied with `sample_weight`; "balanced" is n/(C n_c).
    output_weights : sequence of float, optional
        What the loss of each label of an indicator matrix counts.
    standardize : bool or None, default=None
        Scale columns to mean zero and variance one inside; None warns of columns that need it.
    augment : callable or sequence of callables, optional
        (X, y, generator) → (X', y) of `gnomon.transfer`, or your own, applied one after the other to a copy of every
        mini-batch; labels stay as they are.
    pretrain : {"autoencoder", "rbm"}, optional
        Learn the first weights of the hidden layers from the rows alone, greedily, by denoising autoencoders or
        Boltzmann machines (`gnomon.neural.pretrain`); ``fit(X_unlabelled=)`` gives further rows.
    n_restarts : int, default=1
        Starts, of which the one with the lowest J (or the best held-out score) is kept.
    n_jobs : int, optional
        Threads for restarts.
    engine : {"auto", "numpy", "torch"}, default="auto"
    track_objective : bool, default=False
        Also note J on all rows, without dropout, and the saturation of the layers after every epoch.
    time_limit : float, optional
        Seconds.
    checkpoint : path, optional
        A file to which the training is written and from which the same fit goes on, to the same bits; `max_iter` and
        `time_limit` may change. The file of another fit is refused. A clone, as in cross-validation, has a file of its
        own beside it, ``name-<digest>.npz``.

    Attributes
    ----------
    classes_ : ndarray
    coefs_, intercepts_ : list of ndarray
        Weights W_l of shape (inputs, units) and biases of every layer, views of `theta_`.
    alphas_ : list of ndarray
        Slopes of the layers that learn them, views of `theta_`.
    theta_ : ndarray
        All parameters.
    network_ : NeuralNetwork
    n_features_in_, n_outputs_, n_layers_, depth_, n_parameters_ : int
        `n_layers_` counts the input, `depth_` does not.
    architecture_ : str
        "D-H1-…-M".
    out_activation_ : str
    loss_ : float
        The mean loss of the last epoch (of a descent: J at the end).
    objective_, gradient_norm_ : float
        J and ‖∇J‖∞ on all rows at the end.
    loss_curve_ : list
        Mean loss of every epoch, while weights move and dropout is on.
    best_loss_ : float or None
    validation_scores_, validation_loss_curve_ : list or None
    best_validation_score_, best_epoch_ : number or None
    history_ : dict
        A row for the start and for every epoch: "objective", "rate", "momentum", "gradient_norms" and "update_ratio" of
        every array of parameters, "validation", "seconds" …
    n_iter_, t_ : int
        Epochs of the last fit, and rows seen in all.
    converged_ : bool
    stop_reason_ : str
    restarts_ : ndarray
        The final J (or held-out score) of every start.
    engine_ : str

    References
    ----------
    Rumelhart, D. E., Hinton, G. E. & Williams, R. J. (1986). Learning representations by back-propagating errors.
    doi:10.1038/323533a0

    Kingma, D. & Ba, J. (2015). Adam: a method for stochastic optimization. arXiv:1412.6980

    Examples
    --------
    The exclusive or, which no linear boundary solves:

    >>> import numpy as np
    >>> from gnomon.neural import MLPClassifier
    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
    >>> model = MLPClassifier((8,), "tanh", solver="lbfgs", random_state=0).fit(X, y)
    >>> model.predict(X), model.architecture_, model.n_parameters_
    (array([0, 1, 1, 0]), '2-8-1', 33)
    """

    hidden_layer_sizes: int | Sequence[int] = (100,)
    activation: str | ActivationFunction = "relu"
    _: KW_ONLY
    loss: str | Loss = "log_loss"
    keep_hidden: SomeShare = 1.0
    keep_input: SomeShare = 1.0
    init: FirstWeights = "auto"
    class_weight: ClassWeight = None
    output_weights: Sequence[float] | None = None

    def _network(self, n_features: int, targets: Any) -> NeuralNetwork:
        return dense_network(self, n_features, targets)


@dataclass(eq=False, repr=False, match_args=False)
class MLPRegressor(NumberAnswers):
    """Regressor with dense hidden layers: equation (1) of the module with half the squared error, or another loss.

    Parameters
    ----------
    loss : str, Loss, sequence of these, or dict of these by head, default="squared_error"
        "squared_error" (½ (y − f)²), "absolute_error", "huber", "pinball", "poisson" (with a log link), "log_loss" (y
        in [0, 1]), or an object; a sequence has a loss for each column of y. With a dict of heads y is a dict too, and
        a head with strings or a loss of classes is classified.
    hidden_layer_sizes : int or sequence of int, default=(100,)
        ``()`` is (ridge) linear regression.
    activation, solver, alpha, l1, objective, penalty_scale, penalize_intercept, max_norm, keep_hidden, keep_input
        As in `MLPClassifier`.
    init, batch_size, sampling, learning_rate, learning_rate_init, power_t, per, max_iter, shuffle, random_state, tol
        Likewise.
    tol_grad, verbose, warm_start, momentum, nesterovs_momentum, adapt_ratio, early_stopping, validation_fraction
        Likewise.
    monitor : "score", "loss", str or callable, default="score"
        What is watched on held-out rows: R², the loss, or a scorer.
    beta_1, beta_2, epsilon, n_iter_no_change, max_fun, curvature
        As in `MLPClassifier`.
    output_weights : sequence of float, or dict of float by head, optional
        What the loss of each column, or of each head, counts.
    standardize, augment, pretrain, n_restarts, n_jobs, engine, track_objective, time_limit, checkpoint
        As in `MLPClassifier`.

    Attributes
    ----------
    coefs_, intercepts_ : list of ndarray
        Weights W_l of shape (inputs, units) and biases of every layer, views of `theta_`.
    alphas_ : list of ndarray
        Slopes of the layers that learn them, views of `theta_`.
    theta_ : ndarray
    network_ : NeuralNetwork
    n_features_in_, n_outputs_, n_layers_, depth_, n_parameters_ : int
    architecture_ : str
    out_activation_ : str
    loss_, objective_, gradient_norm_ : float
        As those of `MLPClassifier`. Losses sum over outputs.
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
    Rumelhart, D. E., Hinton, G. E. & Williams, R. J. (1986). Learning representations by back-propagating errors.
    doi:10.1038/323533a0

    Examples
    --------
    A sine by ten units, of which each is one tanh:

    >>> import numpy as np
    >>> from gnomon.neural import MLPRegressor
    >>> x = np.linspace(-1.0, 1.0, 60)
    >>> model = MLPRegressor(hidden_layer_sizes=(10,), activation="tanh", solver="lbfgs", alpha=1e-6, tol=1e-5,
    ...                      max_iter=2000, random_state=0).fit(x[:, None], np.sin(2 * np.pi * x))
    >>> bool(np.max(np.abs(model.predict(x[:, None]) - np.sin(2 * np.pi * x))) < 0.05)
    True
    """

    loss: NetworkLoss = "squared_error"
    hidden_layer_sizes: int | Sequence[int] = (100,)
    activation: str | ActivationFunction = "relu"
    _: KW_ONLY
    keep_hidden: SomeShare = 1.0
    keep_input: SomeShare = 1.0
    init: FirstWeights = "auto"
    output_weights: OutputWeights = None

    def _network(self, n_features: int, targets: Any) -> NeuralNetwork:
        return dense_network(self, n_features, targets)
