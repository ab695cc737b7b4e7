"""
A map of digits
===============

Sixty-four columns on a sheet of paper: along the two directions of largest variance, by a discriminant projection that
knows the labels, and clusters that do not know them.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from gnomon import plot
from gnomon.cluster import KMeans, compare_labels
from gnomon.decomposition import PCA, DiscriminantProjection

X, y = load_digits(n_class=6, return_X_y=True)
plot.biplot(PCA(2).fit(X), X, y, loadings=False)

# %%
# With labels: directions along which classes differ more than they vary.
plot.biplot(DiscriminantProjection(2, shrinkage=0.1, solver="eigen").fit(X, y), X, y, loadings=False)

# %%
# Without: k-means finds most of the digits again.
labels = KMeans(6, n_init=5, random_state=0).fit(X).labels_
found = compare_labels(labels, y)
print(found)
plot.label_table(found)
plot.silhouette_plot(X, labels)
plt.show()
