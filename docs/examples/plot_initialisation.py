"""
Initialisation seen
===================

Ten layers of 256 units, before any training. If weights have variance 1/fan-in (LeCun), a linear network keeps the
spread of its input; rectifiers lose half of it in every layer and need twice the variance (He). Too small, and the
signal fades; too large, and tanh units saturate.
"""

import matplotlib.pyplot as plt
import numpy as np

from gnomon.neural import MLPClassifier, NeuralNetwork
from gnomon.neural.layers import Dense, NormalInit

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 256))
starts = {
    "ReLU, He": ("relu", "he_normal"),
    "ReLU, LeCun": ("relu", "lecun_normal"),
    "tanh, LeCun": ("tanh", "lecun_normal"),
    "tanh, variance 0.1": ("tanh", NormalInit(0.1)),
}

# %%
# The spread of Z from layer to layer, and of the gradient on its way back.

figure, (forward, backward) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
for name, (activation, init) in starts.items():
    network = NeuralNetwork([*(Dense(256, activation, init=init) for _ in range(10)), Dense(1)], 256)
    theta = network.init(np.random.default_rng(1))
    Z = network.forward(theta, X)[0]
    spread = [Z[f"dense_{k}"].std() for k in range(1, 11)]
    gradient = network.value_and_gradient(theta, X, rng.normal(size=(200, 1)))[1]
    sizes = [np.linalg.norm(network.views(gradient)[f"dense_{k}"][0]) for k in range(1, 11)]
    forward.semilogy(range(1, 11), spread, marker="o", label=name)
    backward.semilogy(range(1, 11), sizes, marker="o", label=name)
    print(
        f"{name:20} sd of Z in layer 10: {spread[-1]:8.2g}   gradient of layer 1 / layer 10: {sizes[0] / sizes[-1]:.2g}"
    )
forward.set(xlabel="layer", ylabel="standard deviation of Z")
backward.set(xlabel="layer", ylabel="norm of the gradient of W")
forward.legend()

# %%
# It decides whether a deep network can be trained at all: the same epochs from the same rows.

y = (X[:, :3].sum(axis=1) > 0).astype(int)
figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
for name, (activation, init) in starts.items():
    model = MLPClassifier((64,) * 10, activation, init=init, random_state=0)
    for _ in range(25):
        model.partial_fit(X, y, classes=[0, 1])
    ax.plot(model.loss_curve_, label=name)
ax.set(xlabel="epoch", ylabel="loss")
ax.legend()
