"""Feature maps, preparation steps and selectors: what makes a linear model curved, well conditioned or sparse.

    f(x) = wᵀφ(x) + b                                                                             (1)

is linear in w whatever φ is. Every φ here is a scikit-learn transformer: it learns from the training rows only, names
its columns, keeps float32, and goes into a pipeline before any model.

What scikit-learn does well is used from there, and what belongs to a noun lives with it:

==========================================  =========================================================
to                                          use
==========================================  =========================================================
centre                                      `sklearn.preprocessing.StandardScaler` (with_std=False)
standardise, σ² with 1/n                    `sklearn.preprocessing.StandardScaler`
normalise the length of rows                `sklearn.preprocessing.Normalizer`
indicate I(x > t)                           `sklearn.preprocessing.Binarizer`
select by a threshold on fitted weights     `sklearn.feature_selection.SelectFromModel`
embed by trees                              `sklearn.ensemble.RandomTreesEmbedding`
take any functions of the columns           `gnomon.features.BasisExpansion`
take log(x + k), with k found               `gnomon.anomaly.LogShift`
==========================================  =========================================================

Box & Tidwell (1962), Transformation of the independent variables, doi:10.1080/00401706.1962.10490038.
"""

from __future__ import annotations

from gnomon.features._hash_families import collision_probability
from gnomon.features._subset_score import subset_score
from gnomon.features.basis import BasisExpansion
from gnomon.features.bias import AddBias
from gnomon.features.empirical_kernel_map import EmpiricalKernelMap
from gnomon.features.exhaustive import ExhaustiveSelector
from gnomon.features.extreme_learning import ExtremeLearningClassifier, ExtremeLearningRegressor
from gnomon.features.fourier import RandomFourierFeatures
from gnomon.features.greedy import GreedySelector
from gnomon.features.johnson_lindenstrauss import Distortion, jl_distortion, johnson_lindenstrauss_min_dim
from gnomon.features.kernel_feature_selection import KernelFeatureSelection
from gnomon.features.kernel_features import KernelFeatures
from gnomon.features.limits import Cap, Winsorizer
from gnomon.features.lsh_index import LSHIndex
from gnomon.features.maxnorm import MaxNormScaler
from gnomon.features.nystroem import Nystroem
from gnomon.features.parts import PosNegPart
from gnomon.features.polar import PolarFeatures
from gnomon.features.polynomial import PolynomialMap, polynomial_columns
from gnomon.features.quadratic import QuadraticExpansion
from gnomon.features.random_hash import RandomHash
from gnomon.features.random_hidden import RandomHiddenFeatures
from gnomon.features.random_projection import RandomProjection
from gnomon.features.ratio_features import RatioFeatures
from gnomon.features.resampled import ResampledClassifier
from gnomon.features.resampling import SMOTE, RandomOverSampler, RandomUnderSampler
from gnomon.features.sparse_selector import SparseSelector
from gnomon.features.subset import ColumnSubset
from gnomon.features.waterfall import Waterfall
from gnomon.features.whiten import Whitener, WithinClassWhitener
from gnomon.numerics.coding import decode_labels, encode_labels

__all__ = [
    "SMOTE",
    "AddBias",
    "BasisExpansion",
    "Cap",
    "ColumnSubset",
    "Distortion",
    "EmpiricalKernelMap",
    "ExhaustiveSelector",
    "ExtremeLearningClassifier",
    "ExtremeLearningRegressor",
    "GreedySelector",
    "KernelFeatureSelection",
    "KernelFeatures",
    "LSHIndex",
    "MaxNormScaler",
    "Nystroem",
    "PolarFeatures",
    "PolynomialMap",
    "PosNegPart",
    "QuadraticExpansion",
    "RandomFourierFeatures",
    "RandomHash",
    "RandomHiddenFeatures",
    "RandomOverSampler",
    "RandomProjection",
    "RandomUnderSampler",
    "RatioFeatures",
    "ResampledClassifier",
    "SparseSelector",
    "Waterfall",
    "Whitener",
    "Winsorizer",
    "WithinClassWhitener",
    "collision_probability",
    "decode_labels",
    "encode_labels",
    "jl_distortion",
    "johnson_lindenstrauss_min_dim",
    "polynomial_columns",
    "subset_score",
]
