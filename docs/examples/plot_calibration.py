"""
Probabilities of a logistic regression
======================================

A logistic regression says how probable the positive class is. With an unpenalised intercept the mean of what it says
is the frequency of the class, and where the log-odds are close to linear the probabilities are right at every level:
of the rows that get 0.8, eight in ten are positive.
"""

import numpy as np

from gnomon import plot
from gnomon.decision import CalibratedScorer
from gnomon.evaluation import calibration_error, reliability
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
# A strong penalty pulls every probability to the middle: the curve is steeper than the diagonal. `CalibratedScorer`
# fits a map from scores to probabilities on rows that were left out of the fit, and the curve is back on the diagonal.

models = {
    "no penalty": model,
    "C = 0.001": LogisticRegression(C=0.001),
    "C = 0.001, calibrated": CalibratedScorer(LogisticRegression(C=0.001)),
}
said = {name: one.fit(X[train], y[train]).predict_proba(X[test])[:, 1] for name, one in models.items()}
bins = {name: reliability(y[test], q, strategy="quantile") for name, q in said.items()}
ax = plot.reliability_diagram(bins, histogram=False)
for name, q in said.items():
    found = calibration_error(y[test], q, random_state=0)
    print(f"{name:22s} calibration error {found.estimate.value:.3f}; by chance alone {found.by_chance:.3f}")
