"""
Few labels and much data
========================

Two labelled rows of each class say little about the shape of the classes. Five hundred rows without labels say a great
deal: the classes are where the rows are.
"""

import matplotlib.pyplot as plt
import numpy as np

from gnomon import plot
from gnomon.generative import GaussianClassifier, SemiSupervisedClassifier

rng = np.random.default_rng(0)
cov = [[3.0, 2.3], [2.3, 2.4]]
X = np.vstack([rng.multivariate_normal(mean, cov, 250) for mean in ([0, 0], [1.6, -1.6])])
truth = np.repeat([0, 1], 250)


def with_labels(n):
    """The labels of n rows of each class, and −1 for all others."""
    y = np.full(len(X), -1)
    for label in (0, 1):
        y[rng.choice(np.flatnonzero(truth == label), n, replace=False)] = label
    return y


def both(y):
    """Classifiers of the labelled rows, whose covariance must be shrunk, and of all rows."""
    known = y != -1
    before = GaussianClassifier("tied", shrinkage="oas").fit(X[known], y[known])
    return before, SemiSupervisedClassifier(GaussianClassifier("tied")).fit(X, y)


# %%
# EM keeps the labelled rows in their class and gives the others to both in shares.

y = with_labels(2)
before, after = both(y)
panels = plot.few_labels(before, after, X, y)
print(f"right: {before.score(X, truth):.1%} from labelled rows, {after.score(X, truth):.1%} from all")

# %%
# Ten draws of each number of labels. Here even the worst two labels of each class, with the other rows, are as good as
# a hundred without them. That needs classes of the shape that the model assumes: elsewhere EM may cut across them.

numbers = [2, 3, 5, 10, 30, 100]
right = np.array([[[m.score(X, truth) for m in both(with_labels(n))] for _ in range(10)] for n in numbers])
figure, ax = plt.subplots(figsize=(5.4, 3.5), layout="constrained")
for k, (name, style, color) in enumerate([("labelled rows", "s--", "#D55E00"), ("all rows", "o-", "#0072B2")]):
    ax.plot(numbers, right[:, :, k].mean(axis=1), style, color=color, label=f"learnt from {name}")
    ax.plot(numbers, right[:, :, k].min(axis=1), style, color=color, alpha=0.35, label="its worst draw")
ax.set(xscale="log", xlabel="labels of each class", ylabel="share of rows right", xticks=numbers, xticklabels=numbers)
ax.minorticks_off()
ax.legend(fontsize=9, frameon=False)
