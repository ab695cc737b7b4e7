"""Changes of signals.

    x'(t) = x(r t),    r = 2^{s/12},    s ~ U(−semitones, semitones) for each row                                (1)

r > 1 raises the pitch; between samples x is linear, and zero after its end. Schlüter & Grill (2015), Exploring data
augmentation for improved singing voice detection, ISMIR.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gnomon._typing import Floats
from gnomon.numerics.augment._transformation import Transformation

__all__ = ["Pitch"]


@dataclass(frozen=True)
class Pitch(Transformation):
    """Signals along the last axis, resampled so that they sound higher or lower.

    Parameters
    ----------
    semitones : float
        The largest change; 12 is an octave.

    References
    ----------
    Schlüter, J. & Grill, T. (2015). Exploring data augmentation for improved singing voice detection with neural
    networks. ISMIR.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.transfer import Pitch
    >>> tone = np.sin(0.1 * np.arange(2000.0))[None]
    >>> higher, _ = Pitch(12)(tone, None, np.random.default_rng(0))
    >>> [int(np.sum(np.diff(np.sign(x[0, :900])) != 0)) for x in (tone, higher)]  # how often zero is crossed
    [29, 35]
    """

    semitones: float

    def __post_init__(self) -> None:
        if not self.semitones >= 0:
            raise ValueError(f"semitones={self.semitones!r} must be ≥ 0; give the largest change, 12 for an octave")

    def change(self, X: Floats, rng: np.random.Generator) -> Floats:
        rates = 2.0 ** (rng.uniform(-self.semitones, self.semitones, len(X)) / 12.0)
        T = X.shape[-1]
        signals, times = X.reshape(len(X), -1, T), np.arange(T)
        found = np.empty_like(signals)
        for i, rate in enumerate(rates):
            for k, signal in enumerate(signals[i]):
                found[i, k] = np.interp(rate * times, times, signal, right=0.0)
        return found.reshape(X.shape)
