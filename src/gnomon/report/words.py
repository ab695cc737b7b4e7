"""A text with a capital; its words, and the text without one of them: how a forecast is asked what a word does.

Li, Monroe & Jurafsky (2016), Understanding neural networks through representation erasure, arXiv 1612.08220.
"""

from __future__ import annotations

import re

__all__ = ["capitalized", "distinct_words", "without_word"]

_WORD = re.compile(r"\b\w+\b")


def capitalized(text: str) -> str:
    """The text with a capital at its beginning, and else as it is.

    Examples
    --------
    >>> from gnomon.report.words import capitalized
    >>> capitalized("the RMSE falls")
    'The RMSE falls'
    """
    return text[:1].upper() + text[1:]


def distinct_words(text: str) -> list[str]:
    """The words of a text in small letters, each once, in their order.

    Examples
    --------
    >>> from gnomon.report.words import distinct_words
    >>> distinct_words("Free entry! A free prize.")
    ['free', 'entry', 'a', 'prize']
    """
    return list(dict.fromkeys(_WORD.findall(text.lower())))


def without_word(text: str, word: str) -> str:
    """The text with every occurrence of a word left out.

    Examples
    --------
    >>> from gnomon.report.words import without_word
    >>> without_word("Free entry! A free prize.", "free")
    ' entry! A  prize.'
    """
    return re.sub(rf"\b{re.escape(word)}\b", "", text, flags=re.IGNORECASE)
