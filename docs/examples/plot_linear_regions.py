"""
How many linear regions
=======================

A network of rectified units is linear on each of many pieces of its input space. Where the pieces come from, how many
there can be, and how many a network uses.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from gnomon import plot
from gnomon.losses import BinaryCrossEntropy
from gnomon.neural import NetworkFunction, NeuralNetwork, exact_network, max_cells
from gnomon.neural.layers import Dense
from gnomon.optim import lbfgs

X, y = make_moons(200, noise=0.15, random_state=0)


def fitted(*widths, seed=0):
    network = NeuralNetwork([*(Dense(width, "relu") for width in widths), Dense(1)], input_shape=2)
    problem = network.problem(X, y[:, None].astype(float), loss=BinaryCrossEntropy(), alpha=0.1)
    start = network.init(np.random.default_rng(seed))
    return NetworkFunction(network, lbfgs(problem.value_and_gradient, start, max_iter=500).w)


# %%
# Each unit of the first layer is a line: on one side of it the unit is silent. Five lines cut the plane into at most
# 1 + 5 + 10 cells. The code of a cell says which units are active in it.
one = fitted(5)
print(max_cells(5, 2))
plot.cell_map(one, X, y)

# %%
# With one hidden layer the linear regions are these cells. In a second layer each unit bends along a line of its own
# inside every cell, so that regions multiply.
two = fitted(8, 8)
_, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
plot.linear_regions(one, X, y, ax=axes[0])
plot.linear_regions(two, X, y, ax=axes[1])

# %%
# On the region of a row the network is a linear model, the "expert" of that region. Its coefficients are the derivative
# of the network.
expert = two.linear_region(X[:1])
print(expert.A[0].ravel().round(2), expert.c[0].round(2))
print(np.allclose(expert.A[0].T, two.jacobian(X[:1])[0]))

# %%
# How many regions rows fall into, for networks of as many units in one, two and three layers. Depth makes more pieces
# only if training wants them; most of them lie where there are no rows.
for widths in ((24,), (12, 12), (8, 8, 8)):
    found = [fitted(*widths, seed=seed).linear_region(X).n_regions for seed in range(3)]
    print(widths, found)

# %%
# Enough pieces reproduce any labels. This network was not trained: bisectors of pairs with different labels were added
# until every cell was pure.
labels = np.random.default_rng(0).integers(2, size=30)
exact = exact_network(X[:30], labels, "cells")
print(exact.n_units, np.mean(exact.predict(X[:30]) == labels))
plot.cell_map(exact.function, X[:30], labels)
plt.show()
