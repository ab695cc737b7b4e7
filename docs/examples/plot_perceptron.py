"""
A perceptron and its margin
===========================

On separable data a perceptron makes at most (R/γ)² mistakes, where R is the largest length of a row and γ the margin
of the best separator. It stops at the first line that separates, which is rarely the widest one.
"""

import numpy as np

from gnomon import plot
from gnomon.linear import LinearSVM, Perceptron

rng = np.random.default_rng(3)
X = np.vstack([rng.normal([1.6, 1.2], 0.6, (40, 2)), rng.normal([-1.2, -1.3], 0.6, (40, 2))])
y = np.repeat([1, -1], 40)

# %%
# The textbook's perceptron: rows in cyclic order until a pass without a mistake.

model = Perceptron(selection="cyclic", tol=None).fit(X, y)
ax = plot.margin_picture(model.coef_[0], model.intercept_[0], X, y)

# %%
# A support vector machine with a small penalty finds the widest margin.

svm = LinearSVM(lam=1e-4, solver="qp").fit(X, y)
ax = plot.margin_picture(svm.coef_[0], svm.intercept_[0], X, y)

# %%
# Its direction bounds the number of mistakes; the constant column of the intercept counts in both R and γ.

Z = np.column_stack([X, np.ones(len(X))])
u = np.append(svm.coef_[0], svm.intercept_)
gamma, R = np.min(y * (Z @ u)) / np.linalg.norm(u), np.max(np.linalg.norm(Z, axis=1))
print(f"{model.n_updates_} updates; the bound (R/γ)² is {(R / gamma) ** 2:.1f}")

# %%
# On data that no line separates the perceptron never rests; the pocket keeps the best weights that it met.

noisy = rng.standard_normal((200, 2))
label = np.where(noisy[:, 0] - noisy[:, 1] + 0.6 * rng.standard_normal(200) > 0, 1, -1)
Z, w, errors = np.column_stack([noisy, np.ones(200)]), np.zeros(3), []
for i in np.tile(np.arange(200), 5):
    if label[i] * (Z[i] @ w) <= 0:
        w = w + label[i] * Z[i]
        errors.append(np.mean(label * (Z @ w) <= 0))
ax = plot.errors_per_update(errors)
