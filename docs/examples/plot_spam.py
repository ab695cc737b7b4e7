"""
A spam filter of few words
==========================

Messages as counts of words, an L1-penalised logistic regression, and the handful of words that it keeps. The messages
are made up from two vocabularies, so that the example runs anywhere.
"""

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split

from gnomon import plot
from gnomon.linear import LogisticRegression

vocabulary = {
    "common": "you the to and is it we for on have me at will so just now can see when what time home today call",
    "spam": "free win prize urgent claim cash offer txt reply",
    "ham": "lunch tomorrow love sorry meeting later dinner train",
}
common, spam, ham = (words.split() for words in vocabulary.values())
rng = np.random.default_rng(0)


def message(own, other):
    """A dozen common words, and some that give the class away."""
    return " ".join([*rng.choice(common, 12), *rng.choice(own, rng.poisson(2.5)), *rng.choice(other, rng.poisson(0.3))])


y = rng.random(1500) < 0.3
texts = [message(spam, ham) if label else message(ham, spam) for label in y]
words = CountVectorizer()
X = words.fit_transform(texts).astype(float)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

# %%
# The penalty sets the coefficients of words without meaning to exactly zero.

model = LogisticRegression(l1_ratio=1.0, C=0.05, solver="cd", max_iter=1000).fit(X_train, y_train)
kept = np.flatnonzero(model.coef_[0])
print(f"{len(kept)} of {X.shape[1]} words kept; {model.score(X_test, y_test):.1%} of new messages right")

ax = plot.coefficients(model.coef_[0][kept], words.get_feature_names_out()[kept])
