"""
Compressing pictures of digits
==============================

Sixty-four pixels of a digit, kept by a few numbers: by principal components, by non-negative parts, and by a dictionary
of which every digit uses three atoms.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from gnomon import plot
from gnomon.decomposition import NMF, PCA, DictionaryLearning

X = load_digits().data[:600]
plot.scree(PCA().fit(X), threshold=0.9)

# %%
# With twenty numbers instead of sixty-four, ten per cent of the variance is lost.
maps = {"5 components": PCA(5).fit(X), "20 components": PCA(20).fit(X)}
plot.reconstructions(X, maps, (8, 8), rows=(0, 3, 7, 12))

# %%
# Parts that add up: nothing can be taken away again, so each pattern is a stroke.
parts = NMF(8, init="nndsvda", tol=1e-3, max_iter=1000, normalize="rows")
codes = parts.fit_transform(X)
plot.pattern_panels(parts.components_, codes[:60], shape=(8, 8))

# %%
# A dictionary: more atoms than a digit needs, and few of them in each.
atoms = DictionaryLearning(24, alpha=15.0, tol=1e-3, max_iter=500, transform_n_nonzero_coefs=3).fit(X)
kept = atoms.inverse_transform(atoms.transform(X))
print(f"three atoms keep {1 - ((X - kept) ** 2).sum() / (X**2).sum():.0%} of the squares")
plot.pattern_panels(atoms.components_[:8], shape=(8, 8))
plt.show()
