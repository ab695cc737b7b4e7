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
# It decides whether a deep network learns at all, and what. The same epochs from the same 500 rows: ten layers of
# sigmoid units lose the gradient on its way back and stay where they began; rectifiers with LeCun's weights begin later
# than with He's. Saturated tanh units have the lowest loss after five epochs, but learned the rows by heart: of new
# rows they know fewer than two in three, the others more than three in four.

starts["sigmoid, LeCun"] = ("sigmoid", "lecun_normal")
X, new = rng.normal(size=(500, 20)), rng.normal(size=(2000, 20))
y, truth = ((rows[:, 0] * rows[:, 1] + rows[:, 2] > 0).astype(int) for rows in (X, new))
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
for name, (activation, init) in starts.items():
    model, right_answers = MLPClassifier((64,) * 10, activation, init=init, batch_size=50, random_state=0), []
    for _ in range(20):
        model.partial_fit(X, y, classes=[0, 1])
        right_answers.append(model.score(new, truth))
    left.plot(range(1, 21), model.loss_curve_, label=name)
    right.plot(range(1, 21), right_answers)
    print(f"{name:20} loss {model.loss_curve_[-1]:.3f}   new rows {right_answers[-1]:.3f}")
left.set(xlabel="epoch", ylabel="loss")
right.set(xlabel="epoch", ylabel="accuracy on new rows")
legend = left.legend()
