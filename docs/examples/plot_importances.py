"""
Importances that mislead
========================

"Which columns matter?" has many answers, and the one that every tree offers for free is the most misleading. Here three
columns matter, and two do not: one is a coin, the other a number, different in every row.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.inspection import permutation_importance

from gnomon.trees import DecisionTreeClassifier, RandomForestClassifier

NAMES = ["strong", "weak", "coin that matters", "coin of noise", "number of noise"]


def draw(n, seed):
    """Two values each, but for the last column; a third of the labels is chance."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 2, size=(n, 4)), rng.normal(size=n)]).astype(float)
    score = 2.0 * X[:, 0] + 0.7 * X[:, 1] + 1.2 * X[:, 2] - 1.95
    return X, (rng.random(n) < 1 / (1 + np.exp(-1.5 * score))).astype(int)


X, y = draw(500, 0)
X_test, y_test = draw(2000, 1)
forest = RandomForestClassifier(200, oob_score=True, random_state=0).fit(X, y)
print(f"right: training rows {forest.score(X, y):.1%}, out of bag {forest.oob_score_:.1%}, new rows", end=" ")
print(f"{forest.score(X_test, y_test):.1%}")

# %%
# The shares of the impurity taken away put the number of noise first. It can be cut in hundreds of places, so that deep
# in the trees, among few rows, some cut always seems good. All of that is on the training rows.
#
# Shuffling a column and looking how much worse the forest gets, on rows that the trees have not seen, gives noise what
# it deserves: nothing beyond chance.

impurity = forest.importance("impurity")
bag = forest.importance("oob_permutation", X, y, random_state=0)
held = permutation_importance(forest, X_test, y_test, n_repeats=10, random_state=0)

fig, panels = plt.subplots(1, 3, figsize=(9.6, 2.9), sharey=True, layout="constrained")
titles = ["impurity, training rows", "shuffled, out-of-bag rows", "shuffled, new rows"]
means = [impurity.mean, bag.mean, held.importances_mean]
errors = [impurity.std, bag.std, held.importances_std]
colors = ["#0072B2"] * 3 + ["#D55E00"] * 2
for ax, title, mean, error in zip(panels, titles, means, errors, strict=True):
    ax.barh(NAMES, mean, xerr=error, color=colors, error_kw={"elinewidth": 0.8})
    ax.axvline(0, color="#444444", linewidth=0.8)
    ax.set_title(title, fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)
panels[0].invert_yaxis()

# %%
# What a tree offers besides: the share of rows whose way tests the column, how often it is tested, and how early. These
# are measured on training rows too. Early is harder to fool than often, since a test near the root divides many rows;
# yet the number of noise still comes before the weak column.

kinds = {"samples": "rows tested on it", "tests": "tests of a row", "depth": "depth of first test"}
fig, panels = plt.subplots(1, 3, figsize=(9.6, 2.9), sharey=True, layout="constrained")
for ax, (kind, title) in zip(panels, kinds.items(), strict=True):
    ax.barh(NAMES, forest.importance(kind).mean, color=colors)
    ax.set_title(title + (" (small is important)" if kind == "depth" else ""), fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)
panels[0].invert_yaxis()

# %%
# Smaller trees mislead less: with fifty rows in each leaf, noise finds little to cut.

small = RandomForestClassifier(200, min_samples_leaf=50, random_state=0).fit(X, y)
for name, before, after in zip(NAMES, impurity.mean, small.importance("impurity").mean, strict=True):
    print(f"{name:18s} {before:6.1%} of the impurity in full trees, {after:6.1%} in small ones")

# %%
# Shuffling has a trap of its own. Give the forest a copy of its best column: each stands in for the other, and neither
# seems to matter as before. Not to be missed is not the same as to be useless.

copied = np.column_stack([X, X[:, 0]])
twins = RandomForestClassifier(200, min_samples_leaf=50, random_state=0).fit(copied, y)
held_twins = permutation_importance(
    twins, np.column_stack([X_test, X_test[:, 0]]), y_test, n_repeats=10, random_state=0
)
alone = permutation_importance(small, X_test, y_test, n_repeats=10, random_state=0).importances_mean[0]
first, second = held_twins.importances_mean[[0, 5]]
print(f"the strong column alone {alone:.3f}; beside its copy {first:.3f}, the copy {second:.3f}")

# %%
# One tree shows it too: with both in the table, one of them is never used. Ties go to the first column, so that the
# copy gets nothing.

tree = DecisionTreeClassifier(min_samples_leaf=20).fit(copied, y)
for name, share in zip([*NAMES, "copy of strong"], tree.importance("impurity"), strict=True):
    print(f"{name:18s} {share:6.1%}")
