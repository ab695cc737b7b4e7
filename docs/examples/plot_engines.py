"""
Engines that are about to fail
==============================

A thousand engines ran well and twenty did not. Twenty are too few to learn what bad engines look like, so we learn what
good ones look like and flag what is unlike them.
"""

from sklearn.base import clone

from gnomon import plot
from gnomon.anomaly import GaussianDetector, anomaly_split, evaluate_detectors, select_threshold
from gnomon.datasets import make_engines

X, y = make_engines(random_state=0)

# %%
# No bad engine goes into training. Half of them choose the threshold, the other half judge it.

split = anomaly_split(y, random_state=0)
ax = plot.split_diagram(y, split)

# %%
# A law for each feature alone does not see an engine that shakes too much for its heat, when neither heat nor vibration
# is unusual by itself. The normal law with a full covariance does. Each threshold is chosen on the validation rows.

detectors = {"each feature alone": GaussianDetector("diag"), "both together": GaussianDetector("full")}
tuned, choices = {}, {}
for name, detector in detectors.items():
    fitted = clone(detector).fit(X[split.train])
    choices[name] = select_threshold(fitted.score_samples(X[split.validation]), y[split.validation])
    tuned[name] = clone(detector).set_params(log_epsilon=choices[name].threshold).fit(X[split.train])
panels = plot.anomaly_contours(tuned, X[split.test], y[split.test])
for ax in panels.values():
    ax.set(xlabel="heat", ylabel="vibration")

# %%
# How the threshold was found: the score over all candidates, and where the chosen one lies on the two usual curves.

panels = plot.threshold_choice(choices["both together"])

# %%
# The whole protocol in one call, with numbers from test rows only. Accuracy is shown but says little: calling every
# engine good is nearly always right.

print(evaluate_detectors(detectors, X, y, random_state=0))
