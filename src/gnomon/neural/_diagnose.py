"""Whether a network can learn, and whether it learned too much.

    flow    ‖∂J/∂Z_l‖ and ‖∂J/∂W_l‖ by layer, and their ratio from the first to the last                   (1)

A unit that is saturated or dead (`_idle_units`) passes no gradient; where (1) shrinks or grows from layer to layer, the
first layers learn nothing or diverge. Glorot & Bengio (2010), PMLR 9:249–256; LeCun et al. (1998),
doi:10.1007/3-540-49430-8_2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from gnomon._typing import Array, ArrayLike
from gnomon.neural._idle_units import idle_units
from gnomon.neural.function import FittedNetwork, NetworkFunction, as_function
from gnomon.numerics.validation import assert_finite, check_choice

__all__ = ["Diagnosis", "LayerHealth", "NetworkFinding", "diagnose"]

MOST_IDLE = 0.5
LARGEST_START = 2.0
VANISHED = 1e-3
UPDATES = (1e-5, 1e-1)
OVER_FITTED = 1.5


class LayerHealth(NamedTuple):
    """Numbers of one layer.

    Fields
    ------
    name : str
    sd : float
        Standard deviation of Z over rows and units.
    saturated : float
        Share of (row, unit) with φ' < 0.05 max φ', for activations that saturate on both sides; else nan.
    dead : float
        Share of units with φ' = 0 at every row; nan where φ' is never 0.
    delta_norm, gradient_norm : float
        ‖∂J/∂Z‖ and ‖∂J/∂W‖ (Frobenius); nan without y.
    update_ratio : float
        Median ‖ΔW‖/‖W‖ of the last epoch; nan where no history is known.

    References
    ----------
    Glorot, X. & Bengio, Y. (2010). Understanding the difficulty of training deep feedforward networks. PMLR 9:249–256.

    Examples
    --------
    >>> from gnomon.neural import LayerHealth
    >>> LayerHealth("dense_1", 1.0, 0.25, float("nan"), 0.1, 0.2, 1e-3).saturated
    0.25
    """

    name: str
    sd: float
    saturated: float
    dead: float
    delta_norm: float
    gradient_norm: float
    update_ratio: float


class NetworkFinding(NamedTuple):
    """Something to act on.

    Fields
    ------
    sign : {"saturation", "dead", "start", "vanishing", "exploding", "small_updates", "large_updates", "over_fitting"}
    where : str
        A layer, or "network".
    value : float
    advice : str

    References
    ----------
    LeCun, Y., Bottou, L., Orr, G. B. & Müller, K.-R. (1998). Efficient BackProp. doi:10.1007/3-540-49430-8_2

    Examples
    --------
    >>> from gnomon.neural import NetworkFinding
    >>> print(NetworkFinding("dead", "dense_1", 0.75, "use LeakyReLU"))
    dead in dense_1 (0.75): use LeakyReLU
    """

    sign: str
    where: str
    value: float
    advice: str

    def __str__(self) -> str:
        return f"{self.sign} in {self.where} ({self.value:.3g}): {self.advice}"


class Diagnosis(NamedTuple):
    """What `diagnose` found; its text is a table with advice.

    Fields
    ------
    layers : list of LayerHealth
        Every layer with weights, in order.
    gradient_ratio : float
        ‖∂J/∂W‖ of the first by that of the last.
    objective : float
        The mean loss of the rows; nan without y.
    validation_objective : float
        That of the rows held out; nan without them.
    findings : list of NetworkFinding
        Empty where nothing is wrong.

    References
    ----------
    Glorot, X. & Bengio, Y. (2010). PMLR 9:249–256.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import NetworkFunction, NeuralNetwork, diagnose
    >>> from gnomon.neural.layers import Dense
    >>> network = NeuralNetwork([Dense(3, "relu", bias_init=-9.0), Dense(1)], 2)
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> dead = diagnose(NetworkFunction(network, network.init(np.random.default_rng(1))), X)
    >>> print(dead.findings[0])
    dead in dense_1 (1): units that are 0 at every row never learn: use LeakyReLU or PReLU, He's init or a smaller rate
    """

    layers: list[LayerHealth]
    gradient_ratio: float
    objective: float
    validation_objective: float
    findings: list[NetworkFinding]

    def __repr__(self) -> str:
        names = ("sd(Z)", "saturated", "dead", "|dJ/dZ|", "|dJ/dW|", "|dW|/|W|")
        lines = [f"{'layer':<16}" + "".join(f"{name:>12}" for name in names)]
        lines += [f"{layer.name:<16}" + "".join(f"{_number(v):>12}" for v in layer[1:]) for layer in self.layers]
        lines.append(f"gradient first/last {_number(self.gradient_ratio)}, mean loss {_number(self.objective)}")
        if not np.isnan(self.validation_objective):
            lines[-1] += f", held out {_number(self.validation_objective)}"
        return "\n".join([*lines, *(map(str, self.findings) if self.findings else ["nothing to mend"])])


def diagnose(
    model: NetworkFunction | FittedNetwork,
    X: Any,
    y: ArrayLike | None = None,
    *,
    loss: Any = None,
    sample_weight: ArrayLike | None = None,
    stage: Literal["start", "end"] = "end",
    validation_data: tuple[Any, Any] | None = None,
    history: Mapping[str, Array] | None = None,
) -> Diagnosis:
    """Saturation, dead units, gradient flow, sizes of updates and over-fitting, each with what to do.

    Parameters
    ----------
    model : NetworkFunction or fitted estimator
        A network with its parameters.
    X : array-like
        Rows to look at it with.
    y : array-like, optional
        As the estimator, or `NeuralNetwork.problem`, takes it; without it nothing is said about gradients.
    loss : Loss, optional
        By default that of the estimator, or half the squared error.
    sample_weight : array-like of shape (n,), optional
    stage : {"start", "end"}, default="end"
        "start" says that θ is that before training: then sd(Z) above 2 is a finding too.
    validation_data : (X, y), optional
        Rows held out, for over-fitting.
    history : dict, optional
        That of the training, for the sizes of updates ("update_ratio"); by default that of the estimator.

    Returns
    -------
    Diagnosis

    References
    ----------
    LeCun, Y., Bottou, L., Orr, G. B. & Müller, K.-R. (1998). Efficient BackProp. doi:10.1007/3-540-49430-8_2

    Glorot, X. & Bengio, Y. (2010). PMLR 9:249–256.

    Examples
    --------
    Sigmoid layers lose the gradient on the way back:

    >>> import numpy as np
    >>> from gnomon.neural import NetworkFunction, NeuralNetwork, diagnose
    >>> from gnomon.neural.layers import Dense
    >>> network = NeuralNetwork([*[Dense(20, "sigmoid")] * 8, Dense(1)], 5)
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(100, 5)), rng.normal(size=(100, 1))
    >>> found = diagnose(NetworkFunction(network, network.init(rng)), X, y, stage="start")
    >>> [finding.sign for finding in found.findings], found.gradient_ratio < 1e-3
    (['vanishing'], True)
    """
    check_choice("stage", stage, ("start", "end"))
    f = as_function(model)
    for name, rows in zip(f.network.input_shapes, f.network.read(X), strict=True):
        assert_finite(rows.reshape(rows.shape[0], -1), "X" if name == "input" else name)
    if not isinstance(model, NetworkFunction):
        history = model.history_ if history is None else history
        if y is not None:
            y, loss = model._asked(X, y)
        if validation_data is not None:
            asked, loss = model._asked(*validation_data)
            validation_data = (validation_data[0], asked)
    problem = None if y is None else f.network.problem(X, y, sample_weight, loss=loss)
    layers = _layers(f, X, problem, history)
    first, last = layers[0].gradient_norm, layers[-1].gradient_norm
    ratio = first / last if last else np.nan
    train = np.nan if problem is None else problem.value(f.theta)
    held_out = np.nan
    if validation_data is not None:
        held_out = f.network.problem(*validation_data, loss=loss).value(f.theta)
    findings = [*_of_layers(layers, stage), *_of_flow(ratio), *_of_fit(train, held_out)]
    return Diagnosis(layers, float(ratio), float(train), float(held_out), findings)


def _layers(f: NetworkFunction, X: Any, problem: Any, history: Mapping[str, Array] | None) -> list[LayerHealth]:
    network = f.network
    Z, _ = network.forward(f.theta, X)
    gradients, deltas = ({}, {}) if problem is None else problem.sensitivities(f.theta)
    ratios = _update_ratios(network, history)
    found = []
    for node in network.nodes:
        if node.parameters:
            saturated, dead = idle_units(node.layer, Z[node.name])
            size = np.linalg.norm(gradients[node.name][0]) if gradients else np.nan
            delta = np.linalg.norm(deltas[node.name]) if deltas else np.nan
            found.append(
                LayerHealth(
                    node.name,
                    float(np.std(Z[node.name])),
                    saturated,
                    dead,
                    float(delta),
                    float(size),
                    ratios.get(node.name, np.nan),
                )
            )
    if not found:
        raise ValueError("model has no layer with weights; there is nothing to diagnose")
    return found


def _update_ratios(network: Any, history: Mapping[str, Array] | None) -> dict[str, float]:
    """Of the weights of each layer, at the last epoch."""
    if history is None or "update_ratio" not in history:
        return {}
    last = np.asarray(history["update_ratio"][-1], dtype=float)
    groups = network.groups()
    return {group.layer: float(value) for group, value in zip(groups, last, strict=True) if group.kind == "weight"}


def _of_layers(layers: list[LayerHealth], stage: str) -> list[NetworkFinding]:
    found = []
    for layer in layers:
        if layer.saturated > MOST_IDLE:
            advice = "standardise X, draw smaller first weights (LeCun) or use a smaller rate"
            found.append(NetworkFinding("saturation", layer.name, layer.saturated, advice))
        if layer.dead > MOST_IDLE:
            advice = "units that are 0 at every row never learn: use LeakyReLU or PReLU, He's init or a smaller rate"
            found.append(NetworkFinding("dead", layer.name, layer.dead, advice))
        if stage == "start" and layer.sd > LARGEST_START:
            advice = "the standard deviation of Z should be at most 1 at the start: standardise X or use init='auto'"
            found.append(NetworkFinding("start", layer.name, layer.sd, advice))
        if layer.update_ratio < UPDATES[0]:
            found.append(NetworkFinding("small_updates", layer.name, layer.update_ratio, "use a larger rate, or stop"))
        if layer.update_ratio > UPDATES[1]:
            found.append(NetworkFinding("large_updates", layer.name, layer.update_ratio, "use a smaller rate"))
    return found


def _of_flow(ratio: float) -> list[NetworkFinding]:
    if ratio < VANISHED:
        advice = "the first layer hardly learns: use relu with He's init, fewer layers or skip connections (Add)"
        return [NetworkFinding("vanishing", "network", ratio, advice)]
    if ratio > 1 / VANISHED:
        advice = "the first layer's steps are too long: draw smaller first weights, bound norms or use a smaller rate"
        return [NetworkFinding("exploding", "network", ratio, advice)]
    return []


def _of_fit(train: float, held_out: float) -> list[NetworkFinding]:
    if not held_out > OVER_FITTED * train:
        return []
    advice = "stop early, raise alpha, use dropout or fewer units, or find more rows"
    return [NetworkFinding("over_fitting", "network", held_out / train if train else np.inf, advice)]


def _number(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.3g}"
