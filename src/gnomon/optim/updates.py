"""Solvers that move every parameter by its own gradient: one pass over θ for each update.

    gradient      a ← m a + η g,             w ← w − a         (Nesterov: w ← w − (m a + η g))                  (1)
    Adam          u ← β₁u + (1 − β₁)g,  v ← β₂v + (1 − β₂)g²,
                  w ← w − η (u/(1 − β₁ᵗ)) / (√(v/(1 − β₂ᵗ)) + ε)                                                (2)
    Rprop         τ ← clip(τ · (up if g g' > 0 else down)),  w ← w − τ sign(g),   g' the gradient before          (3)

(1) Polyak (1964), doi:10.1016/0041-5553(64)90137-5, the rate inside the velocity, and Nesterov's form as scikit-learn
writes it; (2) Kingma & Ba (2015), arXiv:1412.6980; (3) Riedmiller & Braun (1993), doi:10.1109/ICNN.1993.298623, and
Igel & Hüsken (2000), Proc. NC'2000, 115–121. A solver is a value; its memory is a tuple of arrays of the size of θ.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from gnomon._jit import jit_no_alloc
from gnomon._typing import Floats
from gnomon.numerics.validation import check_choice
from gnomon.optim.rates import check_positive_numbers

__all__ = ["Adam", "GradientSteps", "Memory", "Rprop", "UpdateRule"]

Memory: TypeAlias = tuple[Floats, ...]

FLUSH = 1e-30
"""Moments below it become zero: numbers that decay into denormals make the arithmetic many times slower."""


class UpdateRule(ABC):
    """Base of the solvers: subclass it as a frozen dataclass and write `memory` and `step`.

    References
    ----------
    Bottou, L., Curtis, F. E. & Nocedal, J. (2018). Optimization methods for large-scale machine learning.
    doi:10.1137/16M1080173

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.updates import GradientSteps
    >>> theta, rule = np.array([1.0]), GradientSteps()
    >>> rule.step(theta, np.array([0.5]), rule.memory(theta), rate=0.1, momentum=0.0, t=1)
    >>> theta
    array([0.95])
    """

    proximal: ClassVar[bool] = False
    """Whether L1 is a proximal step after the update; otherwise its sub-gradient is a part of g."""
    has_rate: ClassVar[bool] = True
    has_momentum: ClassVar[bool] = False
    compares_gradients: ClassVar[bool] = False
    """Whether gradients of different updates are compared, which the noise of small batches spoils."""
    elementwise: ClassVar[bool] = False
    """Whether a part of θ can be updated without the others, so that threads may share an update."""

    @abstractmethod
    def memory(self, theta: Floats) -> Memory:
        """The memory before the first update."""

    @abstractmethod
    def step(self, theta: Floats, gradient: Floats, memory: Memory, *, rate: float, momentum: float, t: int) -> None:
        """Update θ and the memory in place; t = 1, 2, … counts updates."""


@dataclass(frozen=True)
class GradientSteps(UpdateRule):
    """Gradient steps with momentum, (1).

    Parameters
    ----------
    nesterov : bool, default=False
        Look ahead, in scikit-learn's form.

    References
    ----------
    Polyak, B. (1964). Some methods of speeding up the convergence of iteration methods.
    doi:10.1016/0041-5553(64)90137-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.updates import GradientSteps
    >>> theta, rule = np.zeros(1), GradientSteps()
    >>> memory = rule.memory(theta)
    >>> for t, rate in enumerate((0.1, 0.1, 0.01, 0.01), start=1):
    ...     rule.step(theta, np.ones(1), memory, rate=rate, momentum=0.5, t=t)
    ...     print(theta.round(4))
    [-0.1]
    [-0.25]
    [-0.335]
    [-0.3875]
    """

    nesterov: bool = False

    proximal = True
    has_momentum = True
    elementwise = True

    def memory(self, theta: Floats) -> Memory:
        return (np.zeros_like(theta),)

    def step(self, theta: Floats, gradient: Floats, memory: Memory, *, rate: float, momentum: float, t: int) -> None:
        _gradient_step(theta, gradient, memory[0], rate, momentum, self.nesterov)


@jit_no_alloc
def _gradient_step(theta: Floats, g: Floats, a: Floats, rate: float, momentum: float, nesterov: bool) -> None:
    cast = theta.dtype.type
    eta, m = cast(rate), cast(momentum)
    for j in range(theta.shape[0]):
        a[j] = m * a[j] + eta * g[j]
        theta[j] -= m * a[j] + eta * g[j] if nesterov else a[j]


@dataclass(frozen=True)
class Adam(UpdateRule):
    """Steps scaled by running moments of the gradient, (2); `weight_decay` > 0 shrinks w by η · weight_decay besides.

    Parameters
    ----------
    beta_1, beta_2 : float in [0, 1), default=0.9, 0.999
    epsilon : float, default=1e-8
    weight_decay : float, default=0.0
        Decoupled from the moments (AdamW). It holds for all of θ, biases included.

    References
    ----------
    Kingma, D. & Ba, J. (2015). Adam: a method for stochastic optimization. arXiv:1412.6980
    Loshchilov, I. & Hutter, F. (2019). Decoupled weight decay regularization. arXiv:1711.05101

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.updates import Adam
    >>> theta, rule = np.zeros(2), Adam()
    >>> rule.step(theta, np.array([3.0, -0.1]), rule.memory(theta), rate=0.01, momentum=0.0, t=1)
    >>> theta.round(6)
    array([-0.01,  0.01])
    """

    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8
    weight_decay: float = 0.0

    elementwise = True

    def __post_init__(self) -> None:
        for name, beta in (("beta_1", self.beta_1), ("beta_2", self.beta_2)):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"{name}={beta!r} must be in [0, 1); give the weight of the past")
        check_positive_numbers(epsilon=self.epsilon)
        if not 0.0 <= self.weight_decay < math.inf:
            raise ValueError(f"weight_decay={self.weight_decay!r} must be ≥ 0 and finite; 0 for none")

    def memory(self, theta: Floats) -> Memory:
        return np.zeros_like(theta), np.zeros_like(theta)

    def step(self, theta: Floats, gradient: Floats, memory: Memory, *, rate: float, momentum: float, t: int) -> None:
        eta, spread = rate / (1.0 - self.beta_1**t), 1.0 / math.sqrt(1.0 - self.beta_2**t)
        u, v = memory
        kept = 1.0 - rate * self.weight_decay
        _adam_step(theta, gradient, u, v, eta, spread, self.beta_1, self.beta_2, self.epsilon, kept)


@jit_no_alloc
def _adam_step(
    theta: Floats,
    g: Floats,
    u: Floats,
    v: Floats,
    rate: float,
    spread: float,
    beta_1: float,
    beta_2: float,
    epsilon: float,
    kept: float,
) -> None:
    """(2) with rate = η/(1 − β₁ᵗ) and spread = (1 − β₂ᵗ)^−½; θ is multiplied by `kept` before."""
    cast = theta.dtype.type
    eta, s, eps, c = cast(rate), cast(spread), cast(epsilon), cast(kept)
    b1, b2, new1, new2 = cast(beta_1), cast(beta_2), cast(1.0 - beta_1), cast(1.0 - beta_2)
    tiny, zero = cast(FLUSH), cast(0.0)
    for j in range(theta.shape[0]):
        first = b1 * u[j] + new1 * g[j]
        second = b2 * v[j] + new2 * g[j] * g[j]
        first = first if abs(first) > tiny else zero
        second = second if second > tiny else zero
        u[j] = first
        v[j] = second
        theta[j] = c * theta[j] - eta * first / (s * np.sqrt(second) + eps)


Variant: TypeAlias = Literal["rprop", "rprop+", "irprop-"]

_CONSTANTS: dict[Variant, tuple[float, float, float, float]] = {
    "rprop": (1.25, 0.7, 1e-7, 1e-2),
    "rprop+": (1.2, 0.5, 1e-6, 50.0),
    "irprop-": (1.2, 0.5, 1e-6, 50.0),
}
"""up, down, smallest and largest step of each variant."""


@dataclass(frozen=True)
class Rprop(UpdateRule):
    """Steps of a size of their own for each parameter, which depend on the signs of the gradient only, (3).

    A gradient step on log τ explains (3): τ grows where two gradients agree. A product of zero counts as disagreement
    in "rprop"; "rprop+" leaves τ then, and where the sign changed takes the last step back and forgets the gradient;
    "irprop-" forgets the gradient without taking the step back. Meant for full batches.

    Parameters
    ----------
    variant : {"rprop", "rprop+", "irprop-"}, default="rprop"
    start : float, default=1e-3
        τ of the first update.
    up, down, smallest, largest : float, optional
        By default 1.25, 0.7, 1e-7 and 1e-2; of the other variants 1.2, 0.5, 1e-6 and 50.

    References
    ----------
    Riedmiller, M. & Braun, H. (1993). A direct adaptive method for faster backpropagation learning: the RPROP
    algorithm. doi:10.1109/ICNN.1993.298623
    Igel, C. & Hüsken, M. (2000). Improving the Rprop learning algorithm. Proc. NC'2000, 115–121.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.updates import Rprop
    >>> theta, rule = np.array([0.02]), Rprop()
    >>> memory = rule.memory(theta)
    >>> for t in (1, 2, 3):
    ...     rule.step(theta, theta.copy(), memory, rate=1.0, momentum=0.0, t=t)
    ...     print(theta)
    [0.019]
    [0.01775]
    [0.0161875]
    """

    variant: Variant = "rprop"
    start: float = 1e-3
    up: float | None = None
    down: float | None = None
    smallest: float | None = None
    largest: float | None = None

    has_rate = False
    compares_gradients = True
    elementwise = True

    def __post_init__(self) -> None:
        check_choice("variant", self.variant, tuple(_CONSTANTS))
        up, down, smallest, largest = self.constants
        check_positive_numbers(start=self.start, up=up, down=down, smallest=smallest, largest=largest)
        if not down < 1.0 < up:
            raise ValueError(f"up={up!r} and down={down!r} must lie on both sides of 1; give down < 1 < up")
        if smallest > largest:
            raise ValueError(f"smallest={smallest!r} exceeds largest={largest!r}; give the smaller step first")

    @property
    def constants(self) -> tuple[float, float, float, float]:
        """up, down, smallest and largest, the variant's own where none is given."""
        given = self.up, self.down, self.smallest, self.largest
        up, down, smallest, largest = (
            own if value is None else value for value, own in zip(given, _CONSTANTS[self.variant], strict=True)
        )
        return up, down, smallest, largest

    def memory(self, theta: Floats) -> Memory:
        return np.full_like(theta, self.start), np.zeros_like(theta), np.zeros_like(theta)

    def step(self, theta: Floats, gradient: Floats, memory: Memory, *, rate: float, momentum: float, t: int) -> None:
        tau, past, moved = memory
        if self.variant == "rprop":
            _rprop_step(theta, gradient, tau, past, *self.constants, t == 1)
        else:
            _forgetful_step(theta, gradient, tau, past, moved, *self.constants, self.variant == "rprop+")


@jit_no_alloc
def _rprop_step(
    theta: Floats,
    g: Floats,
    tau: Floats,
    past: Floats,
    up: float,
    down: float,
    smallest: float,
    largest: float,
    first: bool,
) -> None:
    cast = theta.dtype.type
    grow, shrink, low, high, zero = cast(up), cast(down), cast(smallest), cast(largest), cast(0.0)
    for j in range(theta.shape[0]):
        step = tau[j]
        if not first:
            agree = (g[j] > zero and past[j] > zero) or (g[j] < zero and past[j] < zero)
            step = min(max(step * (grow if agree else shrink), low), high)
        tau[j] = step
        past[j] = g[j]
        theta[j] -= step if g[j] > zero else (-step if g[j] < zero else zero)


@jit_no_alloc
def _forgetful_step(
    theta: Floats,
    g: Floats,
    tau: Floats,
    past: Floats,
    moved: Floats,
    up: float,
    down: float,
    smallest: float,
    largest: float,
    undo: bool,
) -> None:
    """Rprop+ with `undo`, iRprop− without: where the sign changed the gradient counts as zero in the next update."""
    cast = theta.dtype.type
    grow, shrink, low, high, zero = cast(up), cast(down), cast(smallest), cast(largest), cast(0.0)
    for j in range(theta.shape[0]):
        slope = g[j]
        if (slope > zero and past[j] > zero) or (slope < zero and past[j] < zero):
            tau[j] = min(tau[j] * grow, high)
        elif (slope > zero and past[j] < zero) or (slope < zero and past[j] > zero):
            tau[j] = max(tau[j] * shrink, low)
            slope = zero
            theta[j] -= moved[j] if undo else zero
        moved[j] = -tau[j] if slope > zero else (tau[j] if slope < zero else zero)
        theta[j] += moved[j]
        past[j] = slope
