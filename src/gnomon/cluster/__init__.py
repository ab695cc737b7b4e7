"""Groups of rows without labels: by centres, by pairwise distances, by a tree of merges, by cuts of a graph."""

from __future__ import annotations

from gnomon.cluster._category_counts import CategoryTable, category_counts
from gnomon.cluster._cluster_profile import ClusterProfile, Standing, cluster_profile, standing
from gnomon.cluster._compare_labels import LabelComparison, compare_labels
from gnomon.cluster._dp_means import PricedClusters, dp_means
from gnomon.cluster._embed import embed
from gnomon.cluster._explain_clusters import ClusterRules, explain_clusters
from gnomon.cluster._feature_separation import FeatureSeparation, feature_separation
from gnomon.cluster._graph_cut_cost import graph_cut_cost
from gnomon.cluster._intra_inter import IntraInter, intra_inter
from gnomon.cluster._partition_cost import partition_cost
from gnomon.cluster._select_k import select_k
from gnomon.cluster._silhouettes import silhouettes
from gnomon.cluster._tree import Cophenetic, cophenetic
from gnomon.cluster.agglomerative import AgglomerativeClustering
from gnomon.cluster.divisive import DivisiveClustering
from gnomon.cluster.k_means import KMeans
from gnomon.cluster.k_medians import KMedians
from gnomon.cluster.k_medoids import KMedoids
from gnomon.cluster.k_selection import KSelection
from gnomon.cluster.kernel_k_means import KernelKMeans
from gnomon.cluster.pairwise_clustering import PairwiseClustering
from gnomon.cluster.soft_k_means import SoftKMeans
from gnomon.cluster.spectral import SpectralClustering
from gnomon.cluster.spherical_k_means import SphericalKMeans
from gnomon.optim import exact_kmeans

__all__ = [
    "AgglomerativeClustering",
    "CategoryTable",
    "ClusterProfile",
    "ClusterRules",
    "Cophenetic",
    "DivisiveClustering",
    "FeatureSeparation",
    "IntraInter",
    "KMeans",
    "KMedians",
    "KMedoids",
    "KSelection",
    "KernelKMeans",
    "LabelComparison",
    "PairwiseClustering",
    "PricedClusters",
    "SoftKMeans",
    "SpectralClustering",
    "SphericalKMeans",
    "Standing",
    "category_counts",
    "cluster_profile",
    "compare_labels",
    "cophenetic",
    "dp_means",
    "embed",
    "exact_kmeans",
    "explain_clusters",
    "feature_separation",
    "graph_cut_cost",
    "intra_inter",
    "partition_cost",
    "select_k",
    "silhouettes",
    "standing",
]
