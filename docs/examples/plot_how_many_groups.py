"""
How many groups are there, really?
==================================

An elbow that always answers is no method: rows without any structure have a curve that falls, too. Here the same
questions are asked of customers in four groups and of a box without any.
"""

import matplotlib.pyplot as plt

from gnomon import plot
from gnomon.cluster import select_k
from gnomon.datasets import make_customers, make_uniform_box

groups = make_customers(400, random_state=0).data
box = make_uniform_box(400, 3, random_state=0)[0]

# %%
# On logarithmic axes the cost of a box falls along a straight line of slope −2/d: there is nothing to bend.
_, axes = plt.subplots(1, 2, figsize=(10, 3.7), layout="constrained")
for ax, X in zip(axes, (groups, box), strict=True):
    found = select_k(X, range(1, 9), method="elbow", random_state=0)
    plot.elbow_curve(found, n_features=3, ax=ax)
    print(found)

# %%
# Other ways look at other things: the gap to boxes without structure, whether one half of the rows predicts the other,
# and whether each cluster is normal along its longest direction. On the box two of the three say: one cluster, which is
# none.
for name, X in (("groups", groups), ("box", box)):
    for method, options in (("gap", {"n_references": 10}), ("prediction_strength", {"n_splits": 10}), ("gmeans", {})):
        print(f"{name:7} {method:20} {select_k(X, range(1, 8), method=method, random_state=0, **options)}")

# %%
# The cost of held-out rows is the one curve that must not choose: it falls with every further centre.
plot.cluster_curve(select_k(groups, range(1, 9), method="heldout", random_state=0))
plt.show()
