"""
Groups of customers, told in words
==================================

Clusters are numbers until somebody says what they are. A profile says what is unusual about each, a shallow tree gives
rules, and its share of right answers on rows that it has not seen says how far the rules can be trusted.
"""

import matplotlib.pyplot as plt
import pandas as pd

from gnomon import plot
from gnomon.cluster import KMeans, cluster_profile, explain_clusters, feature_separation, select_k
from gnomon.datasets import make_customers

customers = make_customers(400, random_state=0)
frame = pd.DataFrame(customers.data, columns=customers.feature_names)
k = select_k(frame, range(1, 8), method="elbow", random_state=0).k
labels = KMeans(k, n_init=5, random_state=0).fit(frame).labels_

profile = cluster_profile(frame, labels)
print(profile)
plot.cluster_profiles(profile)

# %%
# Which columns separate, and by which rules.
print(feature_separation(frame, labels))
rules = explain_clusters(frame, labels)
print(rules)
plot.cluster_rules(rules)

# %%
# All columns at once, and the groups on a map.
plot.parallel_coordinates(frame, labels)
plot.cluster_map(frame, labels)
plt.show()
