"""
What a hidden layer sees
========================

Two rings are no task for a line. Three tanh units make a new table of three columns, in which a plane divides them:
the hidden layer has learned the features that the output layer, a linear classifier, needs.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles

from gnomon.linear import LogisticRegression
from gnomon.neural import MLPClassifier

X, y = make_circles(300, factor=0.5, noise=0.06, random_state=0)
model = MLPClassifier((3,), "tanh", solver="lbfgs", alpha=0.01, n_restarts=5, random_state=0).fit(X, y)
print(model.architecture_, "accuracy", model.score(X, y))
print(f"a line alone: {LogisticRegression().fit(X, y).score(X, y):.2f}")

# %%
# Each unit is a soft half-plane. Where it turns, it says whether a row is inside or outside on its side.

grid = np.linspace(-1.4, 1.4, 121)
plane = np.array([[a, b] for b in grid for a in grid])
Z, A = model.network_.forward(model.theta_, plane)
figure, axes = plt.subplots(1, 4, figsize=(13, 3.2), sharex=True, sharey=True, layout="constrained")
for unit, ax in enumerate(axes[:3]):
    ax.contourf(grid, grid, A["dense_1"][:, unit].reshape(121, 121), levels=15, cmap="RdBu_r", vmin=-1, vmax=1)
    ax.scatter(*X.T, c=y, s=5, cmap="gray")
    ax.set_title(f"unit {unit + 1}")
axes[3].contourf(grid, grid, model.predict_proba(plane)[:, 1].reshape(121, 121), levels=15, cmap="RdBu_r")
axes[3].scatter(*X.T, c=y, s=5, cmap="gray")
axes[3].set_title("output")

# %%
# The table that the output layer is given, and the plane with which it divides it.

hidden = model.network_.forward(model.theta_, X)[1]["dense_1"]
w, b = model.coefs_[1][:, 0], model.intercepts_[1][0]
print("rows on their side of the plane:", np.mean((hidden @ w + b > 0) == (y == 1)))
figure = plt.figure(figsize=(5, 4.5))
ax = figure.add_subplot(projection="3d")
ax.scatter(*hidden.T, c=y, cmap="coolwarm", s=12)
ax.set_xlabel("unit 1")
ax.set_ylabel("unit 2")
ax.set_zlabel("unit 3")
