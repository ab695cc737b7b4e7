"""
Why is this spam?
=================

Naive Bayes adds up evidence: each word speaks for spam or against it, and the sum decides. So every answer can be read
as a bill. The messages are made up from three vocabularies, so that the example runs anywhere.
"""

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer

from gnomon import plot
from gnomon.generative import MultinomialNB

common = [
    "you",
    "the",
    "to",
    "and",
    "is",
    "it",
    "we",
    "for",
    "on",
    "have",
    "me",
    "at",
    "will",
    "so",
    "just",
    "now",
    "can",
    "see",
    "when",
    "what",
    "time",
    "home",
    "today",
    "call",
]
spam = ["free", "win", "prize", "urgent", "claim", "cash", "offer", "txt", "reply"]
ham = ["lunch", "tomorrow", "love", "sorry", "meeting", "later", "dinner", "train"]
rng = np.random.default_rng(0)


def message(own, other):
    """A dozen common words, and some that give the class away."""
    return " ".join([*rng.choice(common, 12), *rng.choice(own, rng.poisson(2.5)), *rng.choice(other, rng.poisson(0.3))])


y = np.where(rng.random(1500) < 0.3, "spam", "ham")
texts = [message(spam, ham) if label == "spam" else message(ham, spam) for label in y]
words = CountVectorizer()
counts = words.fit_transform(texts).toarray()
X = pd.DataFrame(counts, columns=words.get_feature_names_out())
model = MultinomialNB().fit(X[:1000], y[:1000])
print(f"{model.score(X[1000:], y[1000:]):.1%} of new messages right")

# %%
# In how many messages of each class a word is there: counts such as these are all that the model learns.

telling = ["prize", "cash", "lunch", "the"]
seen = pd.DataFrame(np.minimum(counts[:1000], 1), columns=X.columns)[telling].replace({0: "absent", 1: "there"})
panels = plot.count_tables(seen, y[:1000])

# %%
# One message, taken apart. The first bar is the prior: most messages are not spam. "Sorry" speaks against it, "prize",
# "claim" and "cash" outweigh that, and words that both classes use say little.

text = "sorry can you call me today to claim the prize cash"
row = pd.DataFrame(words.transform([text]).toarray(), columns=X.columns)
why = model.explain(row)
ax = plot.evidence_waterfall(why)

# %%
# The same as probabilities.

ax = plot.posterior_bars(why)
