"""A tree as indented text, which `read_tree` reads back.

    column ≤ threshold: answer {class: weight, …}        one line per branch, what lies below it indented            (1)

Numbers are written so that they read back as themselves, and the weights of the classes give the frequencies. Missing
values are mentioned where they do not go the usual way: with the heavier of two branches, and nowhere if there are
more; without weights nothing is usual, and they always are. The layout is that of Quinlan (1993), C4.5: Programs for
Machine Learning, ISBN 978-1-55860-238-0.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gnomon._typing import Floats
from gnomon.search.conditions import (
    Condition,
    OneOf,
    Reach,
    branch_conditions,
    narrowed,
    reached,
    stop_condition,
    usual_branch,
)
from gnomon.search.dialects import TEXT, say
from gnomon.search.tree import Tree
from gnomon.search.words import Words, count_rows, spell, spell_number

__all__ = ["tree_text"]

STEP = "    "
ROUNDING = 4e-16
"""Relative differences of frequencies that are rounding of the division."""


def tree_text(
    tree: Tree, words: Words, *, decimals: int | None = None, max_depth: int | None = None, counts: bool = True
) -> str:
    """The text of a tree, by (1).

    Parameters
    ----------
    tree : Tree
    words : Words
    decimals : int, optional
        Round numbers for the eye; by default they are exact.
    max_depth : int, optional
        Leave out what is deeper; such text does not read back.
    counts : bool, default=True
        Whether leaves show the weights of their classes, or their rows.

    Returns
    -------
    str

    References
    ----------
    Quinlan, J. R. (1993). C4.5: Programs for Machine Learning. ISBN 978-1-55860-238-0

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, Words, code_columns, grow_tree, tree_text
    >>> tree = grow_tree(code_columns(np.array([[1.0], [2.0], [3.0]])), np.array([0, 1, 1]), Gini(2))
    >>> print(tree_text(tree, Words(("age",), (None,), np.array(["young", "old"]))))
    age ≤ 1.5: young {young: 1, old: 0}
    age > 1.5: old {young: 0, old: 2}
    """
    lines = []
    limit = tree.max_depth if max_depth is None else max_depth
    # What is still to be written, the last first: a node and the words that lead to it, or no node and a whole line.
    # With a node go the categories that can reach it, by column.
    waiting: list[tuple[int | None, str, Reach]] = [(0, "", {})]
    while waiting:
        node, head, reach = waiting.pop()
        if node is None:
            lines.append(head)
            continue
        depth = int(tree.depth[node])
        line = STEP * max(0, depth - 1) + head
        if tree.is_leaf[node]:
            lines.append(line + _leaf(tree, words, node, decimals, counts))
        elif depth >= limit:
            lines.append(f"{line}… ({count_rows(tree.n_rows[node])})")
        else:
            lines += [line.rstrip()] if head else []
            conditions = narrowed(branch_conditions(tree, node, words), reach)
            conditions = [
                replace(condition, mention_missing=condition.mention_missing or not counts) for condition in conditions
            ]
            waiting += [(None, f"{STEP * depth}else: stop", {})] if _leaves_gaps(tree, node, words, reach) else []
            waiting += [
                (child, f"{_asked(condition, words, decimals)}: ", reached(condition, reach))
                for child, condition in zip(tree.children(node), conditions, strict=True)
            ][::-1]
    return "\n".join(lines)


def _asked(condition: Condition, words: Words, decimals: int | None) -> str:
    """A branch in words; that of sums which cannot be taken has none of its own."""
    return "else" if condition.is_empty and len(condition.columns) > 1 else say(condition, words, TEXT, decimals)


def _leaves_gaps(tree: Tree, node: int, words: Words, reach: Reach) -> bool:
    """Whether rows may stop here that would not by the usual rule."""
    stop = stop_condition(tree, node, words)
    if stop is None or usual_branch(tree, node) >= 0:
        return stop is not None
    if stop.is_empty or not isinstance(stop, OneOf):
        return not stop.is_empty
    return stop.column not in reach or bool(stop.codes & reach[stop.column])


def _leaf(tree: Tree, words: Words, node: int, decimals: int | None, counts: bool) -> str:
    answer, weight, n = tree.answers[node], float(tree.weight[node]), int(tree.n_rows[node])
    as_rows = abs(weight - n) <= 1e-9 * max(weight, 1.0)
    if words.classes is None:
        label, more = _numbers(answer, decimals), f" ({count_rows(n)}{'' if as_rows else f', weight {weight!r}'})"
        return label + (more if counts and n > 0 else "")
    label = spell(words.label(answer))
    if not counts or (tree.weight[0] == 0.0 and np.max(answer) == 1.0):
        return label
    pairs = zip(words.classes.tolist(), _amounts(answer, weight, decimals), strict=True)
    shown = ", ".join(f"{spell(k)}: {a}" for k, a in pairs)
    return f"{label} {{{shown}}}" + ("" if as_rows and n > 0 else f" ({count_rows(n)})")


def _amounts(answer: Floats, weight: float, decimals: int | None) -> list[str]:
    """Weights of classes with the fewest digits, twelve at least, that give the answer back."""
    amounts = (answer * weight if weight > 0.0 else answer).tolist()
    for digits in range(12, 18):
        texts = [f"{a:.{digits}g}" for a in amounts]
        read = np.array(texts, dtype=float)
        if decimals is not None or np.allclose(read / np.sum(read), answer, rtol=ROUNDING, atol=0.0):
            break
    return texts


def _numbers(answer: Floats, decimals: int | None) -> str:
    texts = [spell_number(value, decimals) for value in np.atleast_1d(answer)]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
