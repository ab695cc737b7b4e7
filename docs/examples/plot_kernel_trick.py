"""
The kernel trick, seen
======================

No line separates a ring from the ring around it. In the space of the products x₁², √2 x₁x₂, x₂² a plane does, and the
inner product of two rows there is (xᵀx')², which needs no products of columns at all.
"""

import matplotlib.pyplot as plt
import numpy as np

from gnomon import plot
from gnomon.datasets import make_center_corner
from gnomon.features import polynomial_columns
from gnomon.kernels import RBF, Polynomial
from gnomon.svm import SVC

X, y = make_center_corner(shape="ring", random_state=0)
k = Polynomial(2, coef0=0.0)
Z = k.features(X)
print("inner products of features − kernel:", np.abs(Z @ Z.T - k.gram(X)).max())

figure = plt.figure(figsize=(8.4, 3.8), layout="constrained")
left, right = figure.add_subplot(121), figure.add_subplot(122, projection="3d")
for label, color, marker in zip(np.unique(y), ("#D55E00", "#0072B2"), ("o", "s"), strict=True):
    rows = y == label
    left.scatter(*X[rows].T, color=color, marker=marker, s=14, label=f"class {label}")
    right.scatter(*Z[rows].T, color=color, marker=marker, s=10)
left.set(xlabel="$x_1$", ylabel="$x_2$", title="two columns", aspect="equal")
left.legend()
right.set(xlabel="$x_1^2$", ylabel="$\\sqrt{2}\\,x_1x_2$", zlabel="$x_2^2$", title="three products of them")
right.view_init(elev=18, azim=50)

# %%
# A machine with the kernel of the two columns, and a linear one on the three products, are the same machine: they make
# the same decisions, though the first never sees the products.

with_kernel = SVC(kernel=k, C=10.0, tol=1e-8).fit(X, y)
with_features = SVC(kernel="linear", C=10.0, tol=1e-8).fit(Z, y)
difference = np.abs(with_kernel.decision_function(X) - with_features.decision_function(Z)).max()
print(f"largest difference of their scores: {difference:.1e}, accuracy {with_kernel.score(X, y):.2f}")

# %%
# That is why degrees and columns may be many. All products of degree 5 or less of a hundred columns are 96 million; the
# kernel of two rows needs a hundred multiplications. A Gaussian kernel has infinitely many features.

for d, m in ((2, 2), (10, 5), (100, 5)):
    print(f"{d:4} columns, degree {m}: {polynomial_columns(d, m):>10} features, {d} multiplications")

models = {"polynomial": with_kernel, "Gaussian": SVC(kernel=RBF(0.7), C=10.0).fit(X, y)}
figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.8), layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    plot.decision_boundary(model, X, y, ax=ax)
    ax.set_title(name)

# %%
# The Gram matrix, rows in the order of their classes, and its eigenvalues: three for the products of degree two; for
# the Gaussian as many as there are rows, until they are lost in rounding.

order = np.argsort(y, kind="stable")
panels = plot.gram_and_spectrum(k, X[order])
panels = plot.gram_and_spectrum(RBF(0.7), X[order])
