"""
A loan, its costs, and a right to say "don't know"
==================================================

A loan that fails costs five times what a good customer who was sent away would have brought, and a clerk who looks at
the papers costs a tenth of the first. The classifier that is right most often is not the one that costs least.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from gnomon import plot
from gnomon.decision import (
    Application,
    BayesDecisionClassifier,
    RejectClassifier,
    empirical_bayes_risk,
    reject_curve,
)
from gnomon.evaluation import metric_interval
from gnomon.linear import LogisticRegression
from gnomon.trees import RandomForestClassifier


def customers(n, rng):
    """Income and debt of customers, and how their loan went."""
    income, debt = rng.gamma(4.0, 0.8, n), rng.beta(2.0, 3.0, n)
    log_odds = 1.6 + 0.9 * (income - 3.0) - 8.0 * (debt - 0.35)
    y = np.where(rng.random(n) < 1.0 / (1.0 + np.exp(-log_odds)), "good", "bad")
    return pd.DataFrame({"income": income, "debt": debt}), y


rng = np.random.default_rng(0)
X, y = customers(2000, rng)
X_new, y_new = customers(4000, rng)
print(f"{np.mean(y == 'good'):.0%} of the loans were good")

# %%
# An application is an object: what can be done, what that costs when the loan is bad or good, and how many are good
# among those who will ask. Its expected costs without looking at anybody are those to be beaten.

costs = [[0.0, 1.0], [5.0, 0.0], [0.5, 0.5]]
bank = Application(np.mean(y == "good"), cost_matrix=costs, actions=["refuse", "grant", "ask"])
print(dict(zip(bank.actions, bank.dummy_cost.round(3).tolist(), strict=True)))

# %%
# Any classifier with probabilities decides by them. One that knows no costs grants where "good" is the more probable
# class.

clerk = BayesDecisionClassifier(LogisticRegression(), bank).fit(X, y)
forest = RandomForestClassifier(200, min_samples_leaf=10, random_state=0)
decisions = {
    "by the probable class": np.where(clerk.estimator_.predict(X_new) == "good", "grant", "refuse"),
    "by costs": clerk.predict(X_new),
    "by costs, of a forest": BayesDecisionClassifier(forest, bank).fit(X, y).predict(X_new),
}


def price(y_true, actions):
    """What a customer costs on average."""
    return empirical_bayes_risk(y_true, actions, costs, bank.priors, actions=bank.actions)


paid = {name: metric_interval(price, y_new, a, n_resamples=200, random_state=0) for name, a in decisions.items()}
figure, ax = plt.subplots(figsize=(6.2, 2.4), layout="constrained")
for k, (name, cost) in enumerate(paid.items()):
    print(f"{name:22s} {cost}")
    ax.errorbar(
        cost.value, k, xerr=[[cost.value - cost.low], [cost.high - cost.value]], fmt="o", color="#0072B2", capsize=3
    )
ax.axvline(bank.dummy_cost.min(), color="0.4", linestyle="--")
ax.annotate(f" always “{bank.actions[bank.dummy_cost.argmin()]}”", (bank.dummy_cost.min(), -0.4), color="0.3")
ax.set(xlabel="mean cost", yticks=range(len(paid)), yticklabels=paid, ylim=(2.5, -0.7), xlim=(0, None))
ax.spines[["top", "right"]].set_visible(False)

# %%
# What each action is expected to cost is a line over the probability that the loan is good, and the lowest line is
# taken. Few bad loans are granted, and many customers of both kinds go to the clerk.

p = np.linspace(0, 1, 201)
figure, ax = plt.subplots(figsize=(5.4, 3.4), layout="constrained")
for action, (bad, good), dash in zip(bank.actions, costs, ("-", "--", ":"), strict=True):
    ax.plot(p, (1 - p) * bad + p * good, dash, label=action)
ax.plot(p, np.min(np.column_stack([1 - p, p]) @ np.transpose(costs), axis=1), color="0.8", linewidth=6, zorder=0)
ax.set(xlabel="probability that the loan is good", ylabel="expected cost", ylim=(-0.05, 1.6))
ax.legend(frameon=False)
print(pd.crosstab(y_new, decisions["by costs"], normalize="index", rownames=["loan"], colnames=[""]).round(3))

# %%
# Costs, actions and priors can be changed after the fit. In a crisis only half of the loans are good.

crisis = Application(0.5, cost_matrix=costs, actions=bank.actions)
for name, app in {"as ever": bank, "in the crisis": crisis}.items():
    share = pd.Series(clerk.set_params(cost_matrix=app).predict(X_new)).value_counts(normalize=True)
    print(f"{name}: {share.round(2).to_dict()}")

# %%
# Where all mistakes cost the same, "don't know" needs one number: the price of a refusal in units of a mistake, or the
# share of rows that must be decided. The fewer are decided, the fewer of these are wrong.

doubt = RejectClassifier(LogisticRegression(), cost=0.2).fit(X, y)
panels = plot.doubt_zone(doubt, X_new[:600], y_new[:600])

# %%
# All rows, and two models: a curve that lies lower knows better what it does not know.

figure, ax = plt.subplots(figsize=(5.4, 3.4), layout="constrained")
for name, model, dash in (("logistic regression", LogisticRegression(), "-"), ("forest", forest, "--")):
    curve = reject_curve(y_new, model.fit(X, y).predict_proba(X_new))
    ax.plot(curve.coverage, curve.error, dash, label=name)
ax.set(xlabel="share of rows decided", ylabel="error among them", xlim=(0, 1), ylim=(0, None))
ax.legend(frameon=False)
half = RejectClassifier(LogisticRegression(), coverage=0.5).fit(X, y)
print(f"asked for one half, decided: {np.mean(half.predict(X_new) != 'reject'):.3f}")

# %%
# A number is a decision too. How much must be kept for losses, if one euro too little costs as much as three too many?
# Not the expected loss, but its upper quartile: the cost of the action leans to one side.

ax = plot.asymmetric_cost(100.0, 20.0, under=3.0, over=1.0)
