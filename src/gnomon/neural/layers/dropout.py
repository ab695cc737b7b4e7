"""Dropout.

    a = r ∗ u / keep  ("inverted")    or    a = r ∗ u  ("average"),    r ~ Bernoulli(keep) for each unit and row  (1)

while training; for predictions a = u and a = keep·u, which is the mean of (1). Srivastava et al. (2014), JMLR
15:1929–1958. With "average" the weights of the next layer are those of the printed algorithm, and predictions use
keep·W.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from gnomon._typing import Floats, is_sparse
from gnomon.neural.layers._layer import Layer, LayerRun, Shape

__all__ = ["Dropout", "check_keep", "draw_mask"]


class DropoutPass(NamedTuple):
    """What the way back multiplies by: the mask (None where nothing is dropped) and a number."""

    mask: Any
    factor: float


@dataclass(frozen=True)
class Dropout(Layer):
    """Each unit of the input is kept with the probability `keep`, for each row anew, while training.

    Parameters
    ----------
    keep : float, default=0.5
        The probability that a unit is KEPT, in (0, 1]; 1 drops nothing.
    drop : float, optional
        1 − keep, for those who prefer it; it replaces `keep`.
    scaling : {"inverted", "average"}, default="inverted"
        Whether training divides by keep, or predictions multiply by it. Both are the same function at prediction. Equal
        paths of gradient descent need the rate η for "average" and keep²·η for the next layer's weights of
        "inverted", a bound on norms divided by keep, and a penalty multiplied by keep².
    per : {"row", "batch"}, default="row"
        Masks of its own for each row, or one for all rows of a batch.
    drop_bias : bool, default=False
        Append the constant 1 as a further unit, which is dropped as the others. The next layer then needs no bias of
        its own: its last row of weights is one.
    name, after, trainable, output
        As every `Layer` has.

    References
    ----------
    Srivastava, N., Hinton, G., Krizhevsky, A., Sutskever, I. & Salakhutdinov, R. (2014). Dropout: a simple way to
    prevent neural networks from overfitting. JMLR 15:1929–1958.

    Examples
    --------
    Half of the units are gone in training, and the mean over many masks is the prediction:

    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import Dropout
    >>> network, u = NeuralNetwork([Dropout(0.5)], 3), np.array([[1.0, 2.0, 3.0]])
    >>> space = network.workspace(float, np.random.default_rng(3))
    >>> space.forward(np.empty(0), [np.repeat(u, 3, axis=0)], training=True)[0]
    array([[0., 4., 6.],
           [2., 4., 0.],
           [0., 0., 6.]])
    >>> many = space.forward(np.empty(0), [np.repeat(u, 100_000, axis=0)], training=True)[0]
    >>> many.mean(axis=0).round(1), network.output(np.empty(0), u)
    (array([1., 2., 3.]), array([[1., 2., 3.]]))
    """

    keep: float = 0.5
    drop: float | None = None
    scaling: Literal["inverted", "average"] = "inverted"
    per: Literal["row", "batch"] = "row"
    drop_bias: bool = False

    random = True
    piecewise_linear = True
    takes_sparse = True
    keeps_sparse = True

    def __post_init__(self) -> None:
        check_keep(self.kept, self.drop)
        check_words(self.scaling, self.per)

    @property
    def kept(self) -> float:
        """The probability that a unit is kept, from `keep` or `drop`."""
        return self.keep if self.drop is None else 1.0 - self.drop

    @property
    def factor(self) -> float:
        """What a prediction multiplies the input by."""
        return self.kept if self.scaling == "average" else 1.0

    def output_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        if not self.drop_bias:
            return input_shapes[0]
        if len(input_shapes[0]) != 1:
            raise ValueError("drop_bias=True appends a column and needs rows of one axis; put Flatten before it")
        return (input_shapes[0][0] + 1,)

    def draw(self, rng: np.random.Generator, n: int, input_shapes: Sequence[Shape]) -> dict[str, Any]:
        if self.kept == 1.0:
            return {}
        return {"mask": draw_mask(rng, self.kept, (n if self.per == "row" else 1, *self.output_shape(input_shapes)))}

    def forward(self, parameters: Sequence[Floats], inputs: Sequence[Any], run: LayerRun) -> tuple[Floats, DropoutPass]:
        u = self._with_bias_unit(inputs[0])
        if self.kept == 1.0:
            return u, DropoutPass(None, 1.0)
        if not run.training:
            return (u if self.factor == 1.0 else u * self.factor), DropoutPass(None, self.factor)
        mask = run.drawn(self, u.shape[0], [inputs[0].shape[1:]])["mask"]
        saved = DropoutPass(mask, 1.0 if self.scaling == "average" else 1.0 / self.kept)
        return _masked(u, saved), saved

    def backward(
        self,
        parameters: Sequence[Floats],
        saved: DropoutPass,
        delta: Floats,
        gradients: Sequence[Floats],
        run: LayerRun,
        wants_inputs: bool,
    ) -> Sequence[Floats]:
        found = delta if saved.mask is None and saved.factor == 1.0 else _masked(delta, saved)
        return (np.ascontiguousarray(found[:, :-1]) if self.drop_bias else found,)

    def _with_bias_unit(self, u: Any) -> Any:
        if not self.drop_bias:
            return u
        thin: bool = is_sparse(u)
        dense = u.toarray() if thin else u
        return np.concatenate([dense, np.ones((dense.shape[0], 1), dense.dtype)], axis=1)


def _masked(u: Any, saved: DropoutPass) -> Any:
    """mask ∗ u · factor, in the precision of u; sparse rows stay sparse."""
    factor = u.dtype.type(saved.factor)
    if saved.mask is None:
        return u * factor
    thin: bool = is_sparse(u)
    return u.multiply(saved.mask * factor).tocsr() if thin else u * (saved.mask * factor)


def draw_mask(rng: np.random.Generator, keep: float, shape: Shape) -> Any:
    """Independent bits that are true with the probability `keep`.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural.layers import draw_mask
    >>> draw_mask(np.random.default_rng(0), 0.5, (1, 4))
    array([[False, False, False,  True]])
    """
    return rng.random(shape, dtype=np.float32) < keep


def check_keep(keep: float, drop: float | None = None) -> None:
    """ValueError unless the probability of keeping is in (0, 1]."""
    if not 0.0 < keep <= 1.0:
        given = f"keep={keep!r}" if drop is None else f"drop={drop!r}, which is keep={keep!r},"
        raise ValueError(f"{given} must keep with a probability in (0, 1]; give that of KEEPING a unit")


def check_words(scaling: str, per: str) -> None:
    """ValueError unless both are words that random layers know."""
    if scaling not in ("inverted", "average"):
        raise ValueError(f"scaling={scaling!r} must be 'inverted' or 'average'; give one of these")
    if per not in ("row", "batch"):
        raise ValueError(f"per={per!r} must be 'row' or 'batch'; give one of these")
