"""
Reading a tree
==============

A tree can be drawn, written down as rules, asked for the reason of one answer, and carried away as a line of SQL. Here
are fourteen days on which somebody did or did not play outdoors, and then a real table.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from gnomon import plot
from gnomon.datasets import load_weather_play
from gnomon.trees import DecisionTreeClassifier, prune_cv

weather = load_weather_play(as_frame=True)
tree = DecisionTreeClassifier(algorithm="id3").fit(weather.data, weather.target)
print(tree.export_text())

# %%
# The columns are words and go in as they are. A branch stands for each value; temperature is never asked for. The bold
# way is that of one day, and `explain` tells it in words: what was asked, what the day had, and how the answer changed.

day = {"outlook": "rainy", "temperature": "mild", "humidity": "high", "windy": "false"}
panel = plot.tree(tree, x=day)
print(tree.explain(day))

# %%
# The contributions add up: without looking at anything, nine days of fourteen say yes; rain takes a little away, and
# that there is no wind adds the rest.
#
# When does the tree say yes? The rules of all leaves with that answer, joined; then the same for a database, where days
# with a gap have an answer too.

print(tree.to_dnf("yes", rows="complete"))
print()
print(tree.to_sql())

# %%
# Binary tests instead, as in CART: values are divided into two sets. The picture shows rows, classes and impurity of
# every node.

panel = plot.tree(DecisionTreeClassifier().fit(weather.data, weather.target))

# %%
# Now 569 tumours with thirty measurements. A tree grown to the end knows the training rows by heart. Cross-validation
# chooses the price of a leaf; of the trees within one standard error of the best, the smallest is taken.

cancer = load_breast_cancer(as_frame=True)
labels = cancer.target_names[cancer.target]
X_train, X_test, y_train, y_test = train_test_split(cancer.data, labels, random_state=0, stratify=labels)
full = DecisionTreeClassifier().fit(X_train, y_train)
choice = prune_cv(full, X_train, y_train, rule="one_se")
small = choice.estimator
panels = plot.pruning_curves(choice)
for name, model in [("grown to the end", full), ("pruned", small)]:
    print(f"{name:18s} {model.get_n_leaves():3d} leaves, {model.score(X_test, y_test):.1%} of new rows right")

# %%
# What is left can be read aloud. Reading has its price here: the large tree is right more often.

panel = plot.tree(small)
print(small.to_rules(simplify=True).to_text(decimals=3))
