"""
Probabilities of a logistic regression
======================================

A logistic regression says how probable the positive class is. With an unpenalised intercept the mean of what it says
is the frequency of the class, and where the log-odds are close to linear the probabilities are right at every level:
of the rows that get 0.8, eight in ten are positive.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import calibration_curve

from gnomon import plot
from gnomon.linear import LogisticRegression

rng = np.random.default_rng(0)
X = rng.standard_normal((4000, 2))
p = 1.0 / (1.0 + np.exp(-(1.5 * X[:, 0] - X[:, 1] + 0.5)))
y = (rng.random(4000) < p).astype(int)
train, test = np.arange(4000) < 1000, np.arange(4000) >= 1000
model = LogisticRegression(C=np.inf).fit(X[train], y[train])
print(f"mean probability {model.predict_proba(X[train])[:, 1].mean():.6f}, frequency {y[train].mean():.6f}")

ax = plot.probability_surface(model, X[train][:300], y[train][:300])

# %%
# A strong penalty pulls every probability to the middle: the curve is steeper than the diagonal.

figure, ax = plt.subplots(figsize=(4.6, 4.2), layout="constrained")
ax.plot([0, 1], [0, 1], color="0.6", linewidth=1)
for name, C, marker in (("no penalty", np.inf, "o-"), ("C = 0.001", 0.001, "s--")):
    said = LogisticRegression(C=C).fit(X[train], y[train]).predict_proba(X[test])[:, 1]
    happened, mean = calibration_curve(y[test], said, n_bins=10, strategy="quantile")
    ax.plot(mean, happened, marker, label=name)
ax.set(xlabel="probability that the model gives", ylabel="frequency of the positive class", aspect="equal")
ax.legend(frameon=False)
