"""Fewer columns for the same rows: principal components, discriminant projections, factorisations of a matrix."""

from __future__ import annotations

from gnomon.decomposition._choose_n_components import ComponentChoice, choose_n_components
from gnomon.decomposition._intrinsic_dimension import intrinsic_dimension
from gnomon.decomposition._sparse_encode import sparse_encode
from gnomon.decomposition.dictionary_learning import DictionaryLearning
from gnomon.decomposition.discriminant_projection import DiscriminantProjection, FisherRatio, fisher_ratio
from gnomon.decomposition.kernel_pca import KernelPCA
from gnomon.decomposition.matrix_factorization import MatrixFactorization
from gnomon.decomposition.nmf import NMF
from gnomon.decomposition.pca import PCA

__all__ = [
    "NMF",
    "PCA",
    "ComponentChoice",
    "DictionaryLearning",
    "DiscriminantProjection",
    "FisherRatio",
    "KernelPCA",
    "MatrixFactorization",
    "choose_n_components",
    "fisher_ratio",
    "intrinsic_dimension",
    "sparse_encode",
]
