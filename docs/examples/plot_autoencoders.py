"""
Autoencoders
============

A network that reproduces its input through a narrow layer. With linear units it is principal component analysis; with
bent ones it can do better with as few numbers, if there are rows enough to learn from.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_digits

from gnomon import plot
from gnomon.neural import Autoencoder, VariationalAutoencoder

X = load_digits().data / 16
train, test = X[:1400], X[1400:]

# %%
# The linear case has an exact optimum, by a singular value decomposition. Only the product of the two matrices is
# determined: it is the projector on the first components.
linear = Autoencoder(2, activation="identity", solver="svd").fit(train)
W = linear.encoder_.network.views(linear.encoder_.theta)["encoder_1"][0]
V = linear.decoder_.network.views(linear.decoder_.theta)["decoder_1"][0]
print(np.allclose(W @ V @ W @ V, W @ V))

# %%
# A hidden layer on each side of the code bends the plane of the components.
bent = Autoencoder(
    2,
    (64,),
    code_activation="identity",
    learning_rate_init=0.005,
    batch_size=50,
    max_iter=300,
    tol=1e-3,
    random_state=0,
).fit(train)
print(f"linear {-linear.score(test):.2f}, bent {-bent.score(test):.2f}")
plot.layer_diagram(bent.network_)

# %%
# What two numbers keep of digits that neither has seen.
plot.reconstructions(test, {"linear": linear, "bent": bent}, (8, 8), rows=(0, 1, 2, 3))

# %%
# The error over the length of the code, on rows that were held out.
errors = {"principal components": {}, "autoencoder": {}}
for k in (1, 2, 4, 8):
    errors["principal components"][k] = -Autoencoder(k, activation="identity", solver="svd").fit(train).score(test)
    model = bent if k == 2 else clone(bent).set_params(n_components=k).fit(train)
    errors["autoencoder"][k] = -model.score(test)
plot.code_curve(errors, y="squared distance of held-out digits")

# %%
# A variational autoencoder is a density: its codes are those of a normal law, and what lies between two digits is a
# digit too. The pictures of a grid of codes.
density = VariationalAutoencoder(
    2, (64,), decoder="bernoulli", learning_rate_init=0.005, batch_size=100, max_iter=120, tol=0.1, random_state=0
).fit(train)
print(f"bound {density.elbo(test).mean():.1f} ≤ log-likelihood {density.score(test):.1f}")
plot.latent_grid(density.inverse_transform, (8, 8))
plt.show()
