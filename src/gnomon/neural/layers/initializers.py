"""First values of weights.

    LeCun   Var w = 1/m                 Glorot   Var w = 2/(m + m')                                    (1)
    He      Var w = 2/((1 + a²) m)      uniform  w ~ U(−√3 sd, √3 sd) for each of them                 (2)

m is the fan-in and m' the fan-out of a unit, a the slope of a leaky rectifier on the left. With standardised inputs
they keep the variance of Z from layer to layer. LeCun et al. (1998), doi:10.1007/3-540-49430-8_2; Glorot & Bengio
(2010), PMLR 9:249–256; He et al. (2015), doi:10.1109/ICCV.2015.123.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import ArrayLike, Floats

__all__ = [
    "INITIALIZERS",
    "ConstantInit",
    "FanOutNormal",
    "Fans",
    "Given",
    "Glorot",
    "He",
    "Initializer",
    "LeCun",
    "NormalInit",
    "initializer_of",
]

Law: TypeAlias = Literal["normal", "uniform"]
Kind: TypeAlias = Literal["variance", "std"]


class Fans(NamedTuple):
    """What an initialiser may know of the array it fills.

    Fields
    ------
    fan_in, fan_out : int
        Of the layer itself.
    next_out : int
        The fan-out of the layer after it; its own for the last.
    gain : float
        Of the activation: 2/(1 + a²) for rectifiers, 1 where nothing better is known.

    Examples
    --------
    >>> from gnomon.neural.layers import Fans, He
    >>> round(He().variance(Fans(100, 50, 20, 2.0)), 7)
    0.02
    """

    fan_in: int
    fan_out: int
    next_out: int
    gain: float = 1.0


class Initializer(ABC):
    """What draws the first values of an array of parameters.

    References
    ----------
    Glorot, X. & Bengio, Y. (2010). Understanding the difficulty of training deep feedforward networks. PMLR 9:249–256.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural.layers import Fans, LeCun
    >>> W = LeCun().draw(np.random.default_rng(0), (100, 50), Fans(100, 50, 50))
    >>> W.shape, round(float(W.var()), 3)
    ((100, 50), 0.01)
    """

    @abstractmethod
    def draw(self, rng: np.random.Generator, shape: tuple[int, ...], fans: Fans) -> Floats:
        """An array of first values."""


class _Random(Initializer):
    """Values drawn independently, with mean zero."""

    law: Law = "normal"

    @abstractmethod
    def variance(self, fans: Fans) -> float:
        """The variance of one value."""

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...], fans: Fans) -> Floats:
        """Independent values of this variance and mean zero."""
        sd = self.variance(fans) ** 0.5
        return (
            rng.normal(0.0, sd, shape)
            if self.law == "normal"
            else rng.uniform(-self.bound(fans), self.bound(fans), shape)
        )

    def bound(self, fans: Fans) -> float:
        """The largest value of the uniform law."""
        return float(np.sqrt(3.0 * self.variance(fans)))


@dataclass(frozen=True)
class LeCun(_Random):
    """Variance 1/fan_in.

    Parameters
    ----------
    law : {"normal", "uniform"}, default="normal"
    count_bias : bool, default=False
        Count the bias among the inputs: 1/(fan_in + 1).

    References
    ----------
    LeCun, Y., Bottou, L., Orr, G. B. & Müller, K.-R. (1998). Efficient BackProp, section 4.6.
    doi:10.1007/3-540-49430-8_2

    Examples
    --------
    >>> from gnomon.neural.layers import Fans, LeCun
    >>> LeCun().variance(Fans(100, 50, 20)), round(LeCun("uniform").bound(Fans(100, 50, 20)), 7)
    (0.01, 0.1732051)
    """

    law: Law = "normal"
    count_bias: bool = False

    def variance(self, fans: Fans) -> float:
        return 1.0 / (fans.fan_in + self.count_bias)


@dataclass(frozen=True)
class Glorot(_Random):
    """Variance 2/(fan_in + fan_out), between what the forward and the backward pass ask for.

    Parameters
    ----------
    law : {"normal", "uniform"}, default="normal"
    fan_out : {"own", "next"}, default="own"
        "next" averages with the width of the layer after the next weights instead (of the last layer: its own).

    References
    ----------
    Glorot, X. & Bengio, Y. (2010). Understanding the difficulty of training deep feedforward networks. PMLR 9:249–256.

    Examples
    --------
    >>> from gnomon.neural.layers import Fans, Glorot
    >>> round(Glorot().variance(Fans(100, 50, 20)), 7), round(Glorot(fan_out="next").variance(Fans(100, 50, 20)), 7)
    (0.0133333, 0.0166667)
    """

    law: Law = "normal"
    fan_out: Literal["own", "next"] = "own"

    def variance(self, fans: Fans) -> float:
        return 2.0 / (fans.fan_in + (fans.fan_out if self.fan_out == "own" else fans.next_out))


@dataclass(frozen=True)
class He(_Random):
    """Variance 2/((1 + a²) fan_in), with the slope a of the layer's own rectifier, and a = 0 for other activations.

    Parameters
    ----------
    law : {"normal", "uniform"}, default="normal"

    References
    ----------
    He, K., Zhang, X., Ren, S. & Sun, J. (2015). Delving deep into rectifiers. doi:10.1109/ICCV.2015.123

    Examples
    --------
    >>> from gnomon.neural.layers import Fans, He, PReLU
    >>> round(He().variance(Fans(100, 50, 20, PReLU(0.25).gain)), 7)
    0.0188235
    """

    law: Law = "normal"

    def variance(self, fans: Fans) -> float:
        return (2.0 if fans.gain == 1.0 else fans.gain) / fans.fan_in


@dataclass(frozen=True)
class NormalInit(_Random):
    """A normal law of fixed spread, whatever the layer.

    Parameters
    ----------
    spread : float, default=0.1
    kind : {"variance", "std"}, default="variance"
        What `spread` is.

    References
    ----------
    Rumelhart, D. E., Hinton, G. E. & Williams, R. J. (1986). doi:10.1038/323533a0

    Examples
    --------
    >>> from gnomon.neural.layers import Fans, NormalInit
    >>> NormalInit(0.1).variance(Fans(3, 4, 5)), round(NormalInit(0.1, kind="std").variance(Fans(3, 4, 5)), 7)
    (0.1, 0.01)
    """

    spread: float = 0.1
    kind: Kind = "variance"

    def variance(self, fans: Fans) -> float:
        return float(self.spread) if self.kind == "variance" else float(self.spread) ** 2


@dataclass(frozen=True)
class FanOutNormal(_Random):
    """A normal law of variance fan_out^{−½}, or of that standard deviation.

    Parameters
    ----------
    kind : {"variance", "std"}, default="variance"
        What fan_out^{−½} is.

    References
    ----------
    He, K., Zhang, X., Ren, S. & Sun, J. (2015). doi:10.1109/ICCV.2015.123, on fan-out.

    Examples
    --------
    >>> from gnomon.neural.layers import FanOutNormal, Fans
    >>> round(FanOutNormal().variance(Fans(100, 50, 20)), 7), round(FanOutNormal("std").variance(Fans(100, 50, 20)), 7)
    (0.1414214, 0.02)
    """

    kind: Kind = "variance"

    def variance(self, fans: Fans) -> float:
        return fans.fan_out**-0.5 if self.kind == "variance" else 1.0 / fans.fan_out


@dataclass(frozen=True)
class ConstantInit(Initializer):
    """The same value everywhere. As hidden weights, all units of a layer then stay equal for ever.

    Parameters
    ----------
    value : float, default=0.0

    References
    ----------
    LeCun, Y., Bottou, L., Orr, G. B. & Müller, K.-R. (1998). Efficient BackProp. doi:10.1007/3-540-49430-8_2

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural.layers import ConstantInit, Fans
    >>> ConstantInit(2.0).draw(np.random.default_rng(0), (2,), Fans(1, 2, 2))
    array([2., 2.])
    """

    value: float = 0.0

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...], fans: Fans) -> Floats:
        """The value, as often as the shape says."""
        return np.full(shape, float(self.value))


@dataclass(frozen=True, eq=False)
class Given(Initializer):
    """The values of an array.

    Parameters
    ----------
    values : array-like

    References
    ----------
    LeCun, Y., Bottou, L., Orr, G. B. & Müller, K.-R. (1998). Efficient BackProp. doi:10.1007/3-540-49430-8_2

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural.layers import Fans, Given
    >>> Given([1.0, 2.0]).draw(np.random.default_rng(0), (2,), Fans(1, 2, 2))
    array([1., 2.])
    """

    values: ArrayLike

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...], fans: Fans) -> Floats:
        """The values; ValueError where their shape is another."""
        values = np.array(self.values, dtype=float)
        if values.shape != shape:
            raise ValueError(
                f"init has an array of shape {values.shape} where the layer needs {shape}; give that shape"
            )
        return values


INITIALIZERS: dict[str, Initializer] = {
    "lecun_normal": LeCun(),
    "lecun_uniform": LeCun("uniform"),
    "glorot_normal": Glorot(),
    "glorot_uniform": Glorot("uniform"),
    "he_normal": He(),
    "he_uniform": He("uniform"),
}
"""The words for initialisers."""


def initializer_of(init: str | Initializer | ArrayLike, gain: float = 1.0) -> Initializer:
    """The initialiser that a word, an object or an array stands for; "auto" is He for rectifiers, LeCun else.

    Examples
    --------
    >>> from gnomon.neural.layers import initializer_of
    >>> initializer_of("auto", gain=2.0), initializer_of("auto")
    (He(law='normal'), LeCun(law='normal', count_bias=False))
    """
    if isinstance(init, Initializer):
        return init
    if isinstance(init, str):
        words = {"auto": He() if gain != 1.0 else LeCun(), **INITIALIZERS}
        if init not in words:
            raise ValueError(
                f"init={init!r} must be one of {sorted(words)}, an Initializer or an array; give one of these"
            )
        return words[init]
    return Given(init)
