"""Single trees: growing, pruning, filling of missing cells, predictions.

    rows → numbers and codes → missing cells filled or left → grown → pruned → answers of leaves                     (1)

Breiman et al. (1984), doi:10.1201/9781315139470.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, ArrayLike, Floats, Matrix, Sparse, TableLike
from gnomon.base.estimator import Estimator
from gnomon.search import Criterion, Tree, prune_tree, pruning_path
from gnomon.search.prune import NodeLoss
from gnomon.trees._fill import FILLS, fill_values, filled
from gnomon.trees._forms import TreeForm, grow_form
from gnomon.trees._growth import bins_of, growth_options, resolve_max_features, seed_of
from gnomon.trees._leaf_models import model_answers
from gnomon.trees._pruning import apply_pruning, split_off_pruning_rows
from gnomon.trees._pseudo_counts import smoothed_tree
from gnomon.trees._reading import GrownTreeMixin

__all__ = ["SingleTree"]


class SingleTree(GrownTreeMixin, Estimator):
    """Shared by classification and regression trees."""

    pruning_loss: NodeLoss = "impurity"
    clip = False

    def _grow_and_prune(
        self, X: Matrix, y: Array, criterion: Criterion, weights: Floats, coded: Callable[[Any], Array], form: TreeForm
    ) -> Tree:
        growing, held = split_off_pruning_rows(self, X, y, weights, coded)
        tree = self._grow(X, y, criterion, growing, form)
        self.tree_ = apply_pruning(self, tree, X, y, criterion, weights, held, form.pruning)
        return self.tree_

    def _grow(self, X: Matrix, y: Array, criterion: Criterion, weights: Floats, form: TreeForm) -> Tree:
        options = growth_options(self, int(np.sum(weights > 0.0)), X.shape[1], float(np.sum(weights)))
        self.max_features_ = resolve_max_features(self.max_features, X.shape[1])
        return grow_form(
            form,
            X,
            y,
            criterion,
            self.coding_,
            bins_of(self.binning, X.shape[0]),
            self.n_jobs,
            sample_weight=weights,
            splitter=self.splitter,
            seed=seed_of(self.random_state),
            **options,
        )

    def _fill(self, X: Matrix, form: TreeForm, weights: Floats) -> Matrix:
        """X without missing cells, where they are to be filled before the tree grows."""
        self.__dict__.pop("fill_values_", None)
        if form.missing not in FILLS:
            return X
        self._fill_codes = fill_values(X, self.coding_.category, form.missing, weights)
        self.fill_values_ = self.coding_.labels(self._fill_codes)
        return filled(X, self._fill_codes)

    def cost_complexity_pruning_path(
        self, X: TableLike | Sparse, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Bunch:
        """The trees that minimise R(T) + α·leaves, of a tree grown anew from X and y.

        Returns
        -------
        Bunch
            `ccp_alphas`, rising from 0, and for each the `impurities` R(T) and the `leaves` of the smallest such tree.
        """
        path = pruning_path(
            clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight).tree_, loss=self.pruning_loss
        )
        return Bunch(ccp_alphas=path.alphas, impurities=path.losses, leaves=path.leaves)

    def prune(self, alpha: float) -> Self:
        """A copy whose tree is the smallest that minimises R(T) + α·leaves; nothing is fitted again."""
        check_is_fitted(self, "tree_")
        pruned = copy.copy(self)
        pruned.tree_ = prune_tree(self.tree_, alpha, loss=self.pruning_loss)
        return pruned

    def _answers(self, X: TableLike | Sparse) -> Floats:
        rows, tree = self._rows(X), smoothed_tree(self.tree_)
        if "models" not in tree.extra:
            return tree.predict(rows)
        return model_answers(tree, rows, self.smooth, clip=self.clip)
