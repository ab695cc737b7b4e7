"""
Asking for labels
=================

Rows are cheap, labels are not: somebody has to look at each. A learner that chooses what to ask needs fewer of them
than one that is taught at random.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from gnomon import plot
from gnomon.decision import ActiveLearner, simulate_active_learning
from gnomon.linear import LogisticRegression

# %%
# Two classes in the plane. The first questions go anywhere; then the learner asks where both classes are equally
# probable, and the boundary is found with few labels.

rng = np.random.default_rng(0)
pool = rng.uniform(-3, 3, (400, 2))
labels = (pool[:, 1] > 0.6 * pool[:, 0] + 0.4).astype(int)
learner = ActiveLearner(LogisticRegression(C=10.0), "margin", cold_start="farthest_first", random_state=0)
learner.run(pool, lambda rows: labels[rows], 24)
ax = plot.query_order(pool, labels, learner.queried_, model=learner)
print(f"{learner.score(pool, labels):.1%} of the pool right after {len(learner.y_)} labels")
by_chance = [LogisticRegression(C=10.0).fit(pool[k : k + 24], labels[k : k + 24]) for k in range(0, 360, 24)]
print(f"{np.mean([model.score(pool, labels) for model in by_chance]):.1%} after as many of any rows")

# %%
# Digits, with labels hidden until they are asked for. In practice `query` names the images, a person looks at them, and
# `teach` takes the answers.

images, digits = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(images / 16.0, digits, test_size=0.4, random_state=0, stratify=digits)
model = LogisticRegression(C=1.0)
learner = ActiveLearner(model, "margin", cold_start="farthest_first", min_labels=10, random_state=0)
for _ in range(8):
    asked = learner.query(X, 10)
    learner.teach(X[asked], y[asked])
print(f"{learner.score(X_test, y_test):.1%} right after {len(learner.y_)} labels")

# %%
# What it asks next are the images that look like two digits.

figure, axes = plt.subplots(1, 8, figsize=(8.4, 1.6), layout="constrained")
for ax, row in zip(axes, learner.query(X, 8), strict=True):
    first, second = learner.classes_[np.argsort(learner.predict_proba(X[[row]])[0])[:-3:-1]]
    ax.imshow(X[row].reshape(8, 8), cmap="gray_r")
    ax.set_title(f"{first} or {second}?", fontsize=10)
    ax.axis("off")

# %%
# Strategies on the same hidden labels, with the same seeds, and what each saves against random questions. The margin
# between the two best classes is a good question here. Entropy prefers images that resemble many digits a little, and
# begins worse than chance: compare on data of your own kind before you trust one.

curves = simulate_active_learning(
    model, X, y, X_test, y_test, strategies=("margin", "entropy", "random"), n_labels=240, batch_size=20, n_repeats=4,
    random_state=0,
)  # fmt: skip
ax = plot.label_curves(curves, target=0.92, score="share of digits right")
for name in ("margin", "entropy"):
    print(f"{name:8s} mean gain over random {curves.gain(name)}")
