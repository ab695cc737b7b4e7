"""Transfer: transformations that keep labels, for training with changed rows."""

from __future__ import annotations

from gnomon.numerics.augment import AddNoise, Intensity, Morph, Pitch, Rotate, Scale, Shift

__all__ = ["AddNoise", "Intensity", "Morph", "Pitch", "Rotate", "Scale", "Shift"]
