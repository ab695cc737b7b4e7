"""A loss with a price per class.

    ℓ_c(y, z) = c_y ℓ(y, z)                                                                       (1)

With R₊ and R₋ the risks of the two classes the total is R(c₊, c₋) = c₊R₊ + c₋R₋ = c₋ R(c₊/c₋, 1): only the ratio of the
prices matters to a minimiser. Elkan (2001), https://www.ijcai.org/Proceedings/01/IJCAI-2001-k.pdf, section 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import ClassVar, Self

import numpy as np

from gnomon._jit import in_kernels, noun
from gnomon._typing import Numbers
from gnomon.losses._base import Loss, Targets

__all__ = ["Weighted"]


def _price_of_one(costs: Sequence[float], offset: float, y: Numbers, z: Numbers) -> Numbers:
    return costs[0] + (costs[1] - costs[0]) * (y + offset) / (1.0 + offset)


@in_kernels(_price_of_one)
def _price(costs: Sequence[float], offset: float, y: Numbers, z: Numbers) -> Numbers:
    """c_y, linear in a soft target, in a shape that multiplies z: the class of y has the position (y + o)/(1 + o)."""
    position = (np.asarray(y) + offset) / (1.0 + offset)
    if np.max(position, initial=0.0) > len(costs) - 1:
        raise ValueError(f"costs={costs!r} has no price for class {np.max(position):g} of y; give one per class")
    price = np.interp(position, np.arange(len(costs)), costs).astype(np.result_type(np.asarray(z), np.float32))
    return price[..., None] if np.ndim(z) > np.ndim(y) else price


@noun
class Weighted(Loss):
    """Cost-sensitive version c_y ℓ(y, z) of any loss over classes.

    Parameters
    ----------
    loss : Loss
        A loss whose targets are −1 and +1, numbers in [0, 1], or indices of classes.
    costs : sequence of float
        One price > 0 per class, in the order of the classes: (c₋, c₊) for two;
        ``Weighted.by_ratio(loss, c)`` is (1, c).

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. https://www.ijcai.org/Proceedings/01/IJCAI-2001-k.pdf

    Examples
    --------
    >>> from gnomon.losses import LogisticLoss, Weighted
    >>> loss = Weighted(LogisticLoss(), costs=(2.0, 4.0))
    >>> round(float(loss.value(1.0, 0.0)), 7), round(float(loss.value(-1.0, 0.0)), 7)
    (2.7725887, 1.3862944)
    >>> loss.cost_ratio, Weighted.by_ratio(LogisticLoss(), 2.0).costs
    (2.0, (1.0, 2.0))
    """

    loss: Loss
    costs: Sequence[float]
    offset: float = field(init=False, repr=False)

    OFFSETS: ClassVar[dict[str, float]] = {"sign": 1.0, "unit": 0.0, "index": 0.0}

    def __post_init__(self) -> None:
        costs = tuple(float(cost) for cost in self.costs)
        if self.loss.targets not in self.OFFSETS:
            raise ValueError(f"loss={self.loss!r} has no classes; weight its rows with sample_weight instead")
        if len(costs) < 2 or (self.loss.targets != "index" and len(costs) > 2):
            raise ValueError(f"costs={self.costs!r} must hold one price per class of {self.loss!r}; give (c₋, c₊)")
        if not all(0.0 < cost < np.inf for cost in costs):
            raise ValueError(f"costs={self.costs!r} must be > 0 and finite; leave out a class by its sample_weight")
        object.__setattr__(self, "costs", costs)
        object.__setattr__(self, "offset", self.OFFSETS[self.loss.targets])
        if self.loss.record is None:
            object.__setattr__(self, "record", None)

    @classmethod
    def by_ratio(cls, loss: Loss, cost_ratio: float) -> Self:
        """The prices (1, c₊/c₋): R(c₊, c₋) = c₋ R(c₊/c₋, 1)."""
        return cls(loss, (1.0, cost_ratio))

    @property
    def cost_ratio(self) -> float:
        """c₊/c₋, the price of the last class over that of the first."""
        return self.costs[-1] / self.costs[0]

    @property
    def targets(self) -> Targets:
        """Those of the loss inside."""
        return self.loss.targets

    @property
    def convex(self) -> bool:
        """As the loss inside."""
        return self.loss.convex

    @property
    def smooth(self) -> bool:
        """As the loss inside."""
        return self.loss.smooth

    @property
    def bounded(self) -> bool:
        """As the loss inside."""
        return self.loss.bounded

    @property
    def differentiable(self) -> bool:
        """As the loss inside."""
        return self.loss.differentiable

    @property
    def curved(self) -> bool:
        """As the loss inside."""
        return self.loss.curved

    @property
    def trainable(self) -> bool:
        """As the loss inside."""
        return self.loss.trainable

    @property
    def smoothness(self) -> float:
        return max(self.costs) * self.loss.smoothness

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        return _price(self.costs, self.offset, y, y) * self.loss.value(y, z)

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        return _price(self.costs, self.offset, y, z) * self.loss.gradient(y, z)

    def curvature(self, y: Numbers, z: Numbers) -> Numbers:
        return _price(self.costs, self.offset, y, z) * self.loss.curvature(y, z)

    def curvature_times(self, y: Numbers, z: Numbers, r: Numbers) -> Numbers:
        return _price(self.costs, self.offset, y, z) * self.loss.curvature_times(y, z, r)

    def conjugate(self, y: Numbers, u: Numbers) -> Numbers:
        price = _price(self.costs, self.offset, y, u)
        return _price(self.costs, self.offset, y, y) * self.loss.conjugate(y, u / price)

    def prox(self, y: Numbers, z: Numbers, step: Numbers) -> Numbers:
        return self.loss.prox(y, z, step * _price(self.costs, self.offset, y, z))

    def inverse(self, z: Numbers) -> Numbers:
        return self.loss.inverse(z)

    def link(self, mean: Numbers) -> Numbers:
        return self.loss.link(mean)
