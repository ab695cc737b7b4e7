"""
A class that was never seen
===========================

A classifier that knows two kinds of iris calls every flower one of the two, the third kind as well. A classifier with
densities can say that a flower is none of them.
"""

import numpy as np
from sklearn.datasets import load_iris

from gnomon import plot
from gnomon.generative import GaussianClassifier, GaussianMixture, OpenSetClassifier

iris = load_iris(as_frame=True)
flowers = iris.data[["sepal length (cm)", "petal length (cm)"]]
kinds = iris.target_names[iris.target]
known = kinds != "virginica"
shown = np.where(known, kinds, "unknown")

# %%
# Bayes' rule over the two known kinds splits the whole plane between them.

closed = GaussianClassifier().fit(flowers[known], kinds[known])
ax = plot.class_regions(closed, flowers, shown, unknown="unknown")
print("the flowers never seen are called", *np.unique(closed.predict(flowers[~known]), return_counts=True))

# %%
# A threshold on the density of the nearest kind is enough to refuse many of them. Here it is set so low that it would
# refuse one known flower in a hundred.

log_densities = closed.class_log_likelihood(flowers[known]).max(axis=1)
gate = OpenSetClassifier(log_threshold=float(np.quantile(log_densities, 0.01))).fit(flowers[known], kinds[known])
ax = plot.class_regions(gate, flowers, shown, unknown="unknown")
print(f"refused: {np.mean(gate.predict(flowers[~known]) == 'unknown'):.0%} of the flowers never seen")

# %%
# A few flowers of other kinds, fifteen here, give "unknown" a density of its own and a prior, and a probability.

seen = known | (np.cumsum(~known) <= 15)
model = OpenSetClassifier(other=GaussianMixture(1), unknown_label="unknown").fit(flowers[seen], shown[seen])
ax = plot.class_regions(model, flowers, shown, unknown="unknown")
print(f"refused: {np.mean(model.predict(flowers[~seen]) == 'unknown'):.0%} of the others of that kind")
