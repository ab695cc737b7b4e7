"""
Why principal components are not discriminant directions
========================================================

The direction of largest variance need not tell classes apart. A discriminant projection looks at the spread between
classes relative to that within them: it makes the spread within classes round, then looks for the longest direction
of the class means.
"""

import matplotlib.pyplot as plt

from gnomon import plot
from gnomon.datasets import make_elongated
from gnomon.decomposition import PCA, DiscriminantProjection, fisher_ratio

X, y = make_elongated(600, random_state=0)
directions = {
    "first principal component": PCA(1).fit(X).components_[0],
    "discriminant direction": DiscriminantProjection(1, scaling="unit").fit(X, y).components_[0],
}
for name, w in directions.items():
    print(f"{name}: ratio of the spread between and within classes {fisher_ratio(X, y, w).ratio:.3g}")
plot.directions_compared(directions, X, y)

# %%
# The steps of the second, one by one.
plot.joint_diagonalization(X, y)
plt.show()
