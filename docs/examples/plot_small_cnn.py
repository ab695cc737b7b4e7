"""
A small convolutional network, read from outside and inside
===========================================================

Two layers of filters and pools learn to read digits of 8 × 8 pixels. What do they answer when a digit is moved, and
what do the filters look at?
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from gnomon.neural import NetworkClassifier, feature_maps, filters, invariance_report
from gnomon.neural.layers import Conv2D, Dense, MaxPool2D
from gnomon.transfer import Rotate, Shift

warnings.simplefilter("ignore", ConvergenceWarning)  # so many epochs are wanted, and no more
X, y = load_digits(return_X_y=True)
X = np.pad(X.reshape(-1, 8, 8), ((0, 0), (2, 2), (2, 2))).reshape(len(X), -1)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)
layers = [
    Conv2D(8, 3, padding="same", activation="relu"),
    MaxPool2D(2),
    Conv2D(16, 3, padding="same", activation="relu"),
    MaxPool2D(2),
]
options = {
    "input_shape": (1, 12, 12), "learning_rate_init": 2e-3, "batch_size": 50, "tol": 0.0, "engine": "numpy",
    "random_state": 0,
}  # fmt: skip
plain = NetworkClassifier(layers, max_iter=15, **options).fit(X_train, y_train)
print(plain.summary())
print(f"{plain.score(X_test, y_test):.1%} of the digits are read")

# %%
# A dense layer with as many weights as the four layers have would see a moved digit as another one. So do these layers,
# though less: pooling forgets where in its window a pattern was, no more. Batches whose digits are moved, anew in each
# epoch, teach the rest.

dense = NetworkClassifier([Dense(17, "relu")], max_iter=30, **options).fit(X_train, y_train)
shift = Shift(1, image_shape=(12, 12))
taught = NetworkClassifier(layers, max_iter=30, augment=shift, **options).fit(X_train, y_train)

fig, axes = plt.subplots(1, 2, figsize=(8.4, 3.4), sharey=True, layout="constrained")
moves = {"pixels moved": (Shift, [0, 1, 2]), "degrees turned": (Rotate, [0, 10, 20, 30, 40])}
for ax, (label, (kind, strengths)) in zip(axes, moves.items(), strict=True):
    for name, model, color in (
        ("dense", dense, "#999999"), ("convolutions", plain, "#0072B2"), ("and moved digits", taught, "#D55E00"),
    ):  # fmt: skip
        report = invariance_report(model, X_test, lambda k, kind=kind: kind(k, image_shape=(12, 12)), strengths)
        ax.plot(report.strengths, report.unchanged, "o-", color=color, label=name)
    ax.set_xlabel(f"{label}, at most")
axes[0].set_ylabel("answers that stay")
legend = axes[0].legend(frameon=False)

# %%
# Turns were not taught and are not learned. Inside: the eight filters of the first layer, what each makes of one digit,
# and what pooling leaves of that. Some answer to strokes of one direction, some to the ink itself, some to ends.

digit = X_test[:1]
maps, pooled = (feature_maps(taught.network_, taught.theta_, digit, name)[0] for name in ("conv2d_1", "maxpool2d_1"))
fig, axes = plt.subplots(3, 9, figsize=(8.4, 3.0), layout="constrained")
for k, filter_ in enumerate(filters(taught.network_, taught.theta_)[:, 0]):
    axes[0, k + 1].imshow(filter_, cmap="RdBu", vmin=-1, vmax=1)
    axes[1, k + 1].imshow(maps[k], cmap="Greys", vmin=0)
    axes[2, k + 1].imshow(pooled[k], cmap="Greys", vmin=0)
axes[1, 0].imshow(digit.reshape(12, 12), cmap="Greys")
for ax in axes.flat:
    ax.axis("off")
