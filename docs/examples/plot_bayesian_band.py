"""
A line with its doubts
======================

Bayesian linear regression returns a law over coefficients. Few data leave a wide posterior and a wide predictive
band; more data narrow both, down to the noise.
"""

import numpy as np

from gnomon import plot
from gnomon.features import PolynomialMap
from gnomon.linear import BayesianLinearRegression

rng = np.random.default_rng(2)
x = rng.uniform(-1, 1, 40)
y = 0.3 + 0.8 * x + 0.2 * rng.standard_normal(40)
columns = np.column_stack([np.ones(40), x])

posteriors = {"prior": (np.zeros(2), np.eye(2))}
for n in (2, 8, 40):
    law = BayesianLinearRegression(sigma2=0.04, fit_intercept=False).fit(columns[:n], y[:n]).posterior_
    posteriors[f"{n} rows"] = (law.mean, law.cov)
ax = plot.posterior_ellipses(posteriors, truth=[0.3, 0.8], names=("intercept", "slope"))

# %%
# The same for a polynomial of degree five, its noise and prior found by maximising the evidence. The inner band is the
# doubt about the function, the outer one adds the noise.

few = np.sort(rng.uniform(-1, 1, 14))
seen = np.sin(3 * few) + 0.15 * rng.standard_normal(14)
basis = PolynomialMap(5, include_bias=False)
model = BayesianLinearRegression(optimize_evidence=True).fit(basis.fit_transform(few[:, None]), seen)
grid = np.linspace(-1.1, 1.1, 200)
Z = basis.transform(grid[:, None])
predicted, latent = model.predict_dist(Z), model.predict_dist(Z, include_noise=False)
ax = plot.predictive_band(
    grid,
    predicted.mean,
    np.sqrt(predicted.var),
    latent_std=np.sqrt(latent.var),
    data=(few, seen),
    truth=lambda t: np.sin(3 * t),
)

# %%
# A Laplace prior has its peak at zero and heavy tails, which is what makes its mode a lasso.

ax = plot.prior_densities()
