"""Feature maps."""

from gnomon.features.basis import BasisExpansion
from gnomon.features.bias import AddBias
from gnomon.features.exhaustive import ExhaustiveSelector
from gnomon.features.greedy import GreedySelector
from gnomon.features.limits import Cap, Winsorizer
from gnomon.features.maxnorm import MaxNormScaler
from gnomon.features.parts import PosNegPart
from gnomon.features.polar import PolarFeatures
from gnomon.features.polynomial import PolynomialMap, polynomial_columns
from gnomon.features.quadratic import QuadraticExpansion
from gnomon.features.subset import ColumnSubset
from gnomon.features.subset_score import subset_score
from gnomon.features.waterfall import Waterfall
from gnomon.features.whiten import Whitener, WithinClassWhitener
from gnomon.numerics.coding import decode_labels, encode_labels

__all__ = [
    "AddBias",
    "BasisExpansion",
    "Cap",
    "ColumnSubset",
    "ExhaustiveSelector",
    "GreedySelector",
    "MaxNormScaler",
    "PolarFeatures",
    "PolynomialMap",
    "PosNegPart",
    "QuadraticExpansion",
    "Waterfall",
    "Whitener",
    "Winsorizer",
    "WithinClassWhitener",
    "decode_labels",
    "encode_labels",
    "polynomial_columns",
    "subset_score",
]
