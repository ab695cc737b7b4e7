"""Groups of rows without labels: by centres, by pairwise distances, by a tree of merges, by cuts of a graph."""

__all__: list[str] = []
