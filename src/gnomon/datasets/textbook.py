"""Two tables small enough to count by hand.

    P(play | outlook, temperature, humidity, windy)        P(genre | how often each of three words occurs)        (1)

The days with or without play: after Quinlan (1986), Induction of decision trees, table 1, doi:10.1007/BF00116251, with
the domains of the columns declared. The books: three documents as counts of three words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from gnomon._extras import need
from gnomon._typing import Array

__all__ = ["load_books", "load_weather_play"]

_COLUMNS = {
    "outlook": {"O": "overcast", "R": "rainy", "S": "sunny"},
    "temperature": {"C": "cold", "H": "hot", "M": "mild"},
    "humidity": {"H": "high", "N": "normal"},
    "windy": {"F": "false", "T": "true"},
}
_DAYS = "OCNT+ OHHF+ OHNF+ OMHT+ RCNF+ RCNT- RMHF+ RMHT- RMNF+ SCNF+ SHHF- SHHT- SMHF- SMNT+"


def load_weather_play(*, as_frame: bool = False) -> Bunch:
    """Fourteen days: the weather, and whether one played.

    Parameters
    ----------
    as_frame : bool, default=False
        Give `data` as a pandas data frame whose columns declare their categories.

    Returns
    -------
    Bunch
        `data` of shape (14, 4), strings; `target` of shape (14,), "no" or "yes"; `feature_names`; `categories`, the
        domain of each column.

    References
    ----------
    Quinlan, J. R. (1986). Induction of decision trees. doi:10.1007/BF00116251

    Examples
    --------
    >>> from gnomon.datasets import load_weather_play
    >>> weather = load_weather_play()
    >>> weather.data[0].tolist(), str(weather.target[0])
    (['overcast', 'cold', 'normal', 'true'], 'yes')
    >>> [len(values) for values in weather.categories]
    [3, 3, 2, 2]
    """
    words = list(_COLUMNS.values())
    days = _DAYS.split()
    data = np.array([[word[letter] for word, letter in zip(words, day, strict=False)] for day in days], dtype=object)
    target = np.array(["yes" if day.endswith("+") else "no" for day in days])
    categories = [list(word.values()) for word in words]
    names = list(_COLUMNS)
    if as_frame:
        data = _as_frame(data, names, categories)
    return Bunch(data=data, target=target, feature_names=names, categories=categories)


def load_books() -> Bunch:
    """Three books as counts of three words: two romances and a manga.

    Returns
    -------
    Bunch
        `data` of shape (3, 3), counts; `target` of shape (3,); `feature_names`.

    References
    ----------
    McCallum, A. & Nigam, K. (1998). A comparison of event models for naive Bayes text classification. AAAI-98 Workshop
    on Learning for Text Categorization. (The model for such counts; the counts are invented.)

    Examples
    --------
    >>> from gnomon.datasets import load_books
    >>> books = load_books()
    >>> books.data.tolist(), books.target.tolist()
    ([[10, 2, 1], [10, 8, 0], [1, 20, 2]], ['romance', 'romance', 'manga'])
    """
    data = np.array([[10, 2, 1], [10, 8, 0], [1, 20, 2]])
    target = np.array(["romance", "romance", "manga"])
    return Bunch(data=data, target=target, feature_names=["word_1", "word_2", "word_3"])


def _as_frame(data: Array, names: Sequence[str], categories: Sequence[Sequence[str]]) -> Any:
    need("as_frame=True", "pandas")
    import pandas as pd

    columns = {name: pd.Categorical(data[:, j], categories=categories[j]) for j, name in enumerate(names)}
    return pd.DataFrame(columns)
