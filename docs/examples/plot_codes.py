"""
Codes that repair errors
========================

A decision tree that answers one yes-or-no question about a digit is wrong for one image in ten. Ask many questions,
chosen so that the answers for any two digits differ in many places, and wrong answers no longer matter: the digit whose
answers are nearest is still the right one. That is how a scratched disc plays music.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from gnomon import plot
from gnomon.multiclass import AdaBoostECC, OneVsRestClassifier, OutputCodeClassifier, code_report

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
tree = DecisionTreeClassifier(random_state=0)

rest = OneVsRestClassifier(tree).fit(X_train, y_train)
code = OutputCodeClassifier(tree, code="ecoc", random_state=0).fit(X_train, y_train)
print(f"one tree for each digit    {rest.score(X_test, y_test):.1%} right")
print(f"a code of {code.code_book_.shape[1]} questions     {code.score(X_test, y_test):.1%} right")

# %%
# One-vs-rest is a code too, a poor one: any two rows differ in two columns, so one wrong answer is enough for a draw.

panels = plot.code_map(OutputCodeClassifier(tree, code="ovr").fit(X_train, y_train))

# %%
# The rows of the longer code are far apart. Each column sets some digits against the others.

panels = plot.code_map(code)
report = code_report(code.code_book_)
print(
    f"rows differ in at least {report.min_distance:g} columns: {report.correctable} wrong answers are repaired for sure"
)

# %%
# How often are the trees wrong, and how often is the code? Images with up to eight wrong answers are always right, and
# many with nine, ten or eleven: the promise is for the worst case.

sides = code.code_book_[y_test]
answers = np.column_stack([2 * estimator.predict(X_test) - 1 for estimator in code.estimators_])
wrong = np.sum(answers != sides, axis=1)
right = code.predict(X_test) == y_test
print(f"one answer is wrong in {np.mean(answers != sides):.1%} of all cases, the digit in {1 - np.mean(right):.1%}")

fig, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
bins = np.arange(np.max(wrong) + 2) - 0.5
counts = [wrong[right], wrong[~right]]
ax.hist(counts, bins=bins, stacked=True, color=["#0072B2", "#D55E00"], label=["digit right", "digit wrong"], rwidth=0.9)
ax.axvline(report.correctable + 0.5, color="#222222", linestyle="--", linewidth=1.2)
ax.annotate(
    "repaired for sure",
    (report.correctable + 0.3, 0.9),
    xycoords=("data", "axes fraction"),
    ha="right",
    color="#222222",
)
ax.set(
    xticks=range(0, np.max(wrong) + 1, 2), xlabel=f"wrong answers of {code.code_book_.shape[1]} trees", ylabel="images"
)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)

# %%
# Longer codes repair more, until the columns have nothing new to ask.

lengths = [4, 6, 8, 12, 17, 24, 34, 50, 70]
scores = [
    OutputCodeClassifier(tree, code="random", n_columns=n, random_state=0).fit(X_train, y_train).score(X_test, y_test)
    for n in lengths
]
fig, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
ax.plot(lengths, scores, "o-", color="#0072B2", label="random codes")
ax.axhline(rest.score(X_test, y_test), color="#D55E00", linestyle="--", label="one tree for each digit")
ax.set(xlabel="columns", ylabel="digits right")
ax.grid(color="#DDDDDD", linewidth=0.6)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="lower right")

# %%
# When too many answers disagree with every codeword, the honest answer is "don't know".

careful = OutputCodeClassifier(tree, code="ecoc", random_state=0, max_distance="radius").fit(X_train, y_train)
answered = careful.answer_report(X_test, y_test)
print(f"answers {answered.coverage:.1%} of the images, and {answered.accuracy:.1%} of these right")

# %%
# The learner may be as weak as a single threshold, if boosting chooses the questions on its way.

boosted = AdaBoostECC(n_estimators=300, random_state=0).fit(X_train, y_train)
print(f"300 thresholds, boosted    {boosted.score(X_test, y_test):.1%} right")
