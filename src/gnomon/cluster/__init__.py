"""Groups of rows without labels: by centres, by pairwise distances, by a tree of merges, by cuts of a graph."""

from gnomon.cluster.k_means import KMeans

__all__ = ["KMeans"]
