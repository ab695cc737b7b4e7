"""
Dropout as an ensemble
======================

A network whose units are dropped at random while it learns is a crowd of networks that share their weights. Predictions
may ask the average network once, or many members of the crowd and look at how far they agree.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from gnomon.neural import MLPClassifier, MLPRegressor, NeuralNetwork, sample_networks
from gnomon.neural.layers import Dense, Dropout

warnings.simplefilter("ignore", ConvergenceWarning)  # so many epochs are wanted, and no more

# %%
# First a network that can be counted out: three inputs, each kept one half of the time, and one sigmoid unit. The eight
# members answer .68 on average. The average network, which halves the weights instead, answers .91: the mean of a bent
# function is not the function of the mean. What it does equal is the normalised geometric mean of the members.

network = NeuralNetwork([Dropout(0.5, scaling="average"), Dense(1)], 3)
theta, x = np.array([0.5, -1.0, 2.0, 0.1]), np.array([[1.0, 2.0, 3.0]])


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


members = sample_networks(network, theta, x, exact=True, link=sigmoid)
log_yes, log_no = (
    sample_networks(network, theta, x, exact=True, link=lambda z, s=s: np.log(sigmoid(s * z))).mean for s in (1, -1)
)
print(f"mean of {members.n_networks} members       {members.mean[0, 0]:.4f} ± {members.std[0, 0]:.4f}")
print(f"average network         {sigmoid(network.output(theta, x))[0, 0]:.4f}")
print(f"geometric mean, scaled  {(1 / (1 + np.exp(log_no - log_yes)))[0, 0]:.4f}")

# %%
# A regression with a gap in its data. Where there are rows, the members agree; in the gap they were told nothing and go
# their own ways.

rng = np.random.default_rng(0)
t = np.r_[rng.uniform(-3, -0.5, 60), rng.uniform(1.2, 3, 60)]
y = np.sin(2 * t) + rng.normal(0, 0.1, 120)
model = MLPRegressor(
    hidden_layer_sizes=(100, 100), keep_hidden=0.9, learning_rate_init=2e-3, batch_size=20, max_iter=600, tol=0.0,
    n_iter_no_change=600, random_state=0,
).fit(t[:, None], y)  # fmt: skip
grid = np.linspace(-4.5, 4.5, 300)[:, None]
crowd = sample_networks(model.network_, model.theta_, grid, 200, random_state=0)

fig, ax = plt.subplots(figsize=(7.2, 3.6), layout="constrained")
mean, std = crowd.mean[:, 0], crowd.std[:, 0]
ax.fill_between(grid[:, 0], mean - 2 * std, mean + 2 * std, color="#56B4E9", alpha=0.35, label="members, ± 2 sd")
ax.plot(grid, mean, color="#0072B2", label="their mean")
ax.plot(grid, model.predict(grid), "--", color="#D55E00", label="average network")
ax.plot(t, y, ".", color="#222222", markersize=3, label="rows")
legend = ax.legend(frameon=False, ncols=2)

# %%
# Dropout also takes capacity away: twenty units learn two hundred random labels by heart, and less so the more is
# dropped.

X, labels = rng.normal(size=(200, 10)), rng.integers(2, size=200)
keeps = [1.0, 0.8, 0.6, 0.4, 0.2]
learned = [
    MLPClassifier(
        hidden_layer_sizes=(20,), keep_hidden=keep, alpha=0.0, batch_size=200, learning_rate_init=0.01, max_iter=800,
        tol=0.0, n_iter_no_change=800, random_state=0,
    ).fit(X, labels).score(X, labels)
    for keep in keeps
]  # fmt: skip
fig, ax = plt.subplots(figsize=(5.2, 3.2), layout="constrained")
ax.plot(keeps, learned, "o-", color="#0072B2")
ax.set_xlabel("share of units that is kept")
text = ax.set_ylabel("random labels learned by heart")
