"""Changes of rows that keep their labels, drawn anew for every batch of a training."""

from __future__ import annotations

from gnomon.numerics.augment._transformation import Augmentation, Transformation, augment_rows, check_augment
from gnomon.numerics.augment.images import Morph, Rotate, Scale, Shift, resample
from gnomon.numerics.augment.numbers import AddNoise, Intensity
from gnomon.numerics.augment.signals import Pitch

__all__ = [
    "AddNoise",
    "Augmentation",
    "Intensity",
    "Morph",
    "Pitch",
    "Rotate",
    "Scale",
    "Shift",
    "Transformation",
    "augment_rows",
    "check_augment",
    "resample",
]
