"""
Why accuracy lies
=================

One payment in a hundred is a fraud. Whoever never suspects anybody is right 99 times in a hundred, and of no use. Here
is what to measure instead, what resampling does, and how to take back what it did to the probabilities.
"""

import warnings

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_validate

from gnomon import plot
from gnomon.decision import Application, BayesDecisionClassifier
from gnomon.evaluation import ImbalanceWarning, metric_interval, rates, reliability, score_curve, warn_if_imbalanced
from gnomon.features import SMOTE, ResampledClassifier
from gnomon.linear import LogisticRegression
from gnomon.losses import LogisticLoss


def payments(n, rng):
    """Two numbers about each payment, and whether it was a fraud."""
    y = (rng.random(n) < 0.01).astype(int)
    return rng.standard_normal((n, 2)) + 1.6 * y[:, None], y


rng = np.random.default_rng(0)
X, y = payments(10_000, rng)
X_new, y_new = payments(50_000, rng)

# %%
# The constant answer has the accuracy of a good model. gnomon warns before such a number is believed.

models = {"constant": DummyClassifier(), "plain": LogisticRegression()}
for name, model in models.items():
    right = metric_interval("accuracy", y_new, model.fit(X, y).predict(X_new), method="wilson")
    print(f"{name:9s} accuracy {right}")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", ImbalanceWarning)
    warn_if_imbalanced(y, scoring="accuracy")
print(caught[0].message)

# %%
# Recall says how many frauds are found, precision how many alarms are frauds.

print(rates(y_new, models["plain"].predict(X_new), zero_division=0.0))

# %%
# Curves show all thresholds at once. In the ROC plane the model looks very good: false alarms are divided by the many
# honest payments. In the precision-recall plane they are divided by the alarms, and that is what an inspector sees.

panels = plot.roc_and_precision_recall(score_curve(y_new, models["plain"].predict_proba(X_new)[:, 1]))

# %%
# Even classes can be made: by weights, by copies of rare rows, or by new ones between them (SMOTE). The sampler stands
# inside the classifier, so that in cross-validation it sees training rows alone. If rows are copied before they are
# split, copies of a test row lie among the training rows, and a model that remembers rows looks better than it is. The
# second panel shows what weights do, at four to one: an error on the rare class has a steeper price.

models["balanced"] = LogisticRegression(class_weight="balanced").fit(X, y)
models["SMOTE"] = ResampledClassifier(LogisticRegression(), SMOTE(random_state=0)).fit(X, y)
shown = np.r_[np.flatnonzero(y == 0)[:700], np.flatnonzero(y == 1)]
drawn = {name: models[name] for name in ("plain", "balanced", "SMOTE")}
panels = plot.rare_class(drawn, X[shown], y[shown], loss=LogisticLoss(), costs=(4.0, 1.0))

# %%
# The boundaries moved, and the ranking of the payments did not: an even prior is another threshold, not more knowledge.

metrics = ["roc_auc", "average_precision", "balanced_accuracy"]
folds = StratifiedKFold(5, shuffle=True, random_state=0)
for name in ("plain", "balanced", "SMOTE"):
    found = cross_validate(models[name], X, y, cv=folds, scoring=metrics)
    print(f"{name:9s}" + "".join(f"  {metric} {found['test_' + metric].mean():.3f}" for metric in metrics))

# %%
# What was lost are the probabilities. Of the payments that get 0.9 after SMOTE one in seven is a fraud. With
# ``prior="train"`` the shares of the classes before resampling are put back. Even so the model is somewhat too sure:
# new rows lie between the true ones, and make the rare class look narrower than it is.

models["SMOTE, prior put back"] = ResampledClassifier(LogisticRegression(), SMOTE(random_state=0), prior="train")
models["SMOTE, prior put back"].fit(X, y)
said = {name: models[name].predict_proba(X_new)[:, 1] for name in ("plain", "SMOTE", "SMOTE, prior put back")}
ax = plot.reliability_diagram({name: reliability(y_new, p, n_bins=6) for name, p in said.items()})

# %%
# With right probabilities and with costs no resampling is needed. A fraud costs fifty times an inspection.

guard = Application(0.01, cost_fn=50.0, cost_fp=1.0)
decider = BayesDecisionClassifier(LogisticRegression(), guard)
alarms = cross_val_predict(decider, X, y, cv=folds)
paid = 50.0 * np.mean((alarms == 0) & (y == 1)) + np.mean((alarms == 1) & (y == 0))
print(f"cost of a payment {paid:.3f}; without a model at least {guard.dummy_cost.min():.3f}")
