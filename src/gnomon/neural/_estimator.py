"""What all estimators with a network share.

    rows → validated, weighted → network built for them → `fit_network` → attributes    (1)

Three values carry the work: `TrainingOptions` (how to train, read from the parameters), one of `_targets` (what the
loss is, how y is coded, what scores mean) and `Trained` (what came out). A class says which layers its parameters
stand for and how it reads y; what its parameters are is in `_parameters`; all else is here. Rumelhart, Hinton &
Williams (1986), doi:10.1038/323533a0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, ArrayLike, Floats, MatrixLike, RandomState, available_if, is_sparse
from gnomon.base.callbacks import CallbackSupportMixin, Tasks, fit_tasks
from gnomon.base.checkpoint import KeepsProgress
from gnomon.base.estimator import Estimator
from gnomon.base.progress import progress_of
from gnomon.base.rows import validate_rows
from gnomon.neural._built import architecture, refitted_output
from gnomon.neural._checkpoint import Checkpoint
from gnomon.neural._engines import engine_name, passes_here
from gnomon.neural._filters import filters
from gnomon.neural._fit import Trained, fit_network, progress
from gnomon.neural._held_out import TrainingRows, measured, scorer_of, split_rows
from gnomon.neural._idle_units import watch_saturation
from gnomon.neural._options import TrainingOptions
from gnomon.neural._parameters import EstimatorParameters
from gnomon.neural._pretrain import pretrain
from gnomon.neural._sample_networks import at_prediction_scale, sample_networks
from gnomon.neural._scaling import Scaling, warn_of_scales
from gnomon.neural.function import NetworkFunction
from gnomon.neural.layers.rescale import Rescale
from gnomon.neural.network import NeuralNetwork
from gnomon.numerics.parallel import calm_blas
from gnomon.numerics.random import check_rng
from gnomon.numerics.weights import check_weights
from gnomon.optim import warn_unless_converged

__all__ = ["NetworkEstimator"]

BLOCK, NUMBERS, SHORTEST = 8192, 2**22, 256
"""Rows that are predicted at once, enough for BLAS, and numbers of the widest layer, few enough for memory; but so many
rows at least."""


class NetworkEstimator(KeepsProgress, CallbackSupportMixin, Estimator, EstimatorParameters, ABC):
    """Base of the estimators: subclass it as a dataclass and write `_network`, `_read` and the meaning of scores."""

    network_: NeuralNetwork
    theta_: Floats
    output_weights: Any
    device: str = "cpu"
    """Where the network is evaluated: a parameter of the estimators that may choose."""

    @abstractmethod
    def _network(self, n_features: int, targets: Any) -> NeuralNetwork:
        """The network that the parameters stand for, with an output for these targets."""

    @abstractmethod
    def _read(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        """Rows and targets, checked."""

    @abstractmethod
    def _find_targets(self, y: Any, known: Any) -> Any:
        """The value of `_targets` for y; `known` is that of an earlier fit which goes on, or None."""

    @abstractmethod
    def _answers_of_sub_networks(self) -> Callable[[Any], Floats]:
        """Scores → what is averaged over sub-networks; AttributeError where scores have no probabilities."""

    def _class_factors(self, y: Any, targets: Any, s: Floats | None) -> Floats | None:
        """What a row of each class counts; None where all count alike."""
        return None

    def _labels(self, y: Any, targets: Any) -> Array | None:
        """What held-out rows are balanced by."""
        return None

    def fit(
        self,
        X: MatrixLike,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        validation_data: tuple[Any, ...] | None = None,
        X_unlabelled: MatrixLike | None = None,
    ) -> Self:
        """Train the network.

        Parameters
        ----------
        X, y, sample_weight
            Rows, targets and weights.
        validation_data : tuple (X, y[, weights]), optional
            Held-out rows in place of a share of X.
        X_unlabelled : array-like, optional
            Rows without targets, from which `pretrain` learns too.
        """
        goes_on = self.warm_start and hasattr(self, "theta_")
        rows = self._rows(X, y, sample_weight, reset=not goes_on)
        targets = self._find_targets(rows.y, self._targets if goes_on else None)
        factors = self._class_factors(rows.y, targets, rows.s)
        options, held = TrainingOptions.of(self), None
        scorer_of(self.monitor)
        if validation_data is not None:
            held = _weighted(self._rows(*_three(validation_data), reset=False), targets, factors)
        file = None
        if self.checkpoint is not None:
            given = {"X": rows.X, "y": rows.y, "sample_weight": rows.s, "validation_data": held}
            more = {"X_unlabelled": X_unlabelled, "theta_": self.theta_ if goes_on else None}
            file = Checkpoint(self, options.schedule, **given, **more)
        rng = options.random_state = check_rng(self.random_state) if file is None else file.rng
        rows = _weighted(rows, targets, factors)
        if held is None and self.early_stopping:
            rows, held = split_rows(rows, self.validation_fraction, self._labels(rows.y, targets), rng)
        if held is None and self.monitor != "score":
            raise ValueError(
                f"monitor={self.monitor!r} is watched on rows held out, and there are none; give early_stopping=True "
                "or validation_data, or leave monitor out"
            )
        options.sampling = self._sampling(rows, targets)
        self._prepare(rows, targets, new=not goes_on)
        draw = self._first_weights(rows.X, X_unlabelled)
        options.warn_of_batch_size(rows.X.shape[0], stacklevel=2)
        with fit_tasks(self, "epoch", options.max_iter, X=X, y=y) as told:
            start = self.theta_ if goes_on else None
            trained = self._trained(rows, options, held, told, start=start, draw=draw, file=file)
            self._unpack(trained, rows, options, on_top=goes_on)
        warn_unless_converged(trained.solution, options.max_iter, stacklevel=3)
        return self

    def _partial_fit(self, X: Any, y: Any, sample_weight: Any, known: Any) -> Self:
        """One epoch more over the given rows."""
        first = not hasattr(self, "theta_")
        if self.early_stopping:
            raise ValueError("partial_fit does not support early_stopping=True; call fit, or watch a score yourself")
        if self.standardize:
            raise ValueError("partial_fit does not support standardize=True, which needs all rows; scale X before")
        if self.checkpoint is not None:
            raise ValueError(
                f"partial_fit does not support checkpoint={str(self.checkpoint)!r}, which is the file of one fit; "
                "leave it out, and keep the model by gnomon.io.save"
            )
        rows = self._rows(X, y, sample_weight, reset=first)
        targets = self._find_targets(rows.y, known if first else self._targets)
        rows = _weighted(rows, targets, self._class_factors(rows.y, targets, rows.s))
        if first:
            self._prepare(rows, targets, new=True)
        draw = self._first_weights(rows.X, None)
        options = TrainingOptions.of(self, n_restarts=1, random_state=check_rng(self.random_state))
        options.sampling = self._sampling(rows, targets)
        options.warn_of_batch_size(rows.X.shape[0], stacklevel=3)
        state = None if first or self._state is None else self._state._replace(theta=self.theta_).latest
        with fit_tasks(self, "epoch", 1, X=X, y=y) as told:
            start = None if first else self.theta_
            trained = self._trained(rows, options, None, told, start=start, draw=draw, state=state, epochs=1)
            self._unpack(trained, rows, options, on_top=not first)
        return self

    def _rows(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> TrainingRows:
        """Checked rows; those of weight zero take no part."""
        X, y = self._read(_flat(X), y, reset)
        rows = TrainingRows(X, y, None if sample_weight is None else check_weights(sample_weight, X))
        return rows if rows.s is None or np.all(rows.s > 0.0) else rows.take(np.flatnonzero(rows.s > 0.0))

    def _sampling(self, rows: TrainingRows, targets: Any) -> Any:
        """How rows are drawn; "balanced" as probabilities, by which every class is drawn as often as the others."""
        if not (isinstance(self.sampling, str) and self.sampling == "balanced"):
            return self.sampling
        labels = self._labels(rows.y, targets)
        if labels is None:
            raise ValueError("sampling='balanced' draws classes alike, and needs one label for each row; leave it out")
        _, label, count = np.unique(labels, return_inverse=True, return_counts=True)
        return 1.0 / count[label]

    def _prepare(self, rows: TrainingRows, targets: Any, *, new: bool) -> None:
        """All that a prediction needs but θ."""
        self._targets, self._counts = targets, self.output_weights
        if self.standardize and self.augment is not None:
            raise ValueError("augment changes rows in the units of X, which standardize=True changes; scale X before")
        self._scaling = Scaling.of(rows.X, rows.s) if self.standardize else None
        if self.standardize is None:
            warn_of_scales(rows.X, rows.s)
        network = self._network(rows.X.shape[1], targets)
        if new:
            self.network_ = network
            self.loss_curve_: list[float] = []
            self.t_ = 0
        elif network.parameter_shapes != self.network_.parameter_shapes:
            raise ValueError(
                f"warm_start=True goes on with the layers {architecture(self.network_)} and the parameters ask for "
                f"{architecture(network)}; give those of before, or warm_start=False"
            )
        elif repr(network) != repr(self.network_):
            self.network_ = network
        self.engine_ = engine_name(self.engine, self.network_, device=self.device)

    def _first_weights(self, X: Any, unlabelled: Any) -> Callable[[np.random.Generator], Floats] | None:
        """What draws the first weights if they are learned from rows: generator → θ."""
        method = self.pretrain
        if method is None:
            if unlabelled is not None:
                raise ValueError("X_unlabelled is for pretrain='autoencoder' or 'rbm'; choose one, or leave it out")
            return None
        parts = [X]
        if unlabelled is not None:
            parts.append(validate_rows(self, _flat(unlabelled), reset=False, dtype=X.dtype))
        if is_sparse(X):
            raise ValueError(f"pretrain={method!r} needs dense rows and X is sparse; give X.toarray()")
        inputs, rate = np.concatenate([self._scaled(part) for part in parts]), self.learning_rate_init
        return lambda rng: pretrain(self.network_, inputs, method, learning_rate_init=rate, random_state=rng).astype(
            X.dtype, copy=False
        )

    def _trained(self, rows: TrainingRows, options: TrainingOptions, held: Any, told: Tasks, **more: Any) -> Trained:
        inputs = self._scaled(rows.X)
        report = progress_of(options.verbose, "epoch")
        return fit_network(
            self.network_,
            inputs,
            self._targets.code(rows.y),
            rows.s,
            loss=self._targets.loss,
            output_weights=self._counts,
            options=options,
            held=None if held is None else measured(self, held, self.monitor),
            watch=watch_saturation(self.network_, inputs) if options.track_objective else None,
            callback=told.rows(progress(options, report)),
            **more,
        )

    def _unpack(self, trained: Trained, rows: TrainingRows, options: TrainingOptions, *, on_top: bool) -> None:
        solution, history = trained.solution, trained.solution.history
        self.theta_, self.restarts_ = trained.theta, trained.restarts
        self._state = None if trained.state is None else trained.state._replace(theta=trained.theta).latest
        self.history_, self.objective_, self.gradient_norm_ = history, solution.objective, solution.gradient_norm
        self.converged_, self.stop_reason_ = solution.converged, solution.stop_reason
        losses = history["objective"][1:].tolist()
        self.n_iter_ = len(losses)
        self.loss_curve_ = [*(self.loss_curve_ if on_top else []), *losses]
        self.loss_ = solution.objective if options.full_batch or not losses else losses[-1]
        self.t_ += 0 if options.full_batch else rows.X.shape[0] * len(losses)
        self._unpack_validation(history)
        self.n_outputs_, self.n_layers_ = self._targets.width, self.network_.depth + 1
        self.out_activation_ = self._targets.activation
        self.depth_, self.n_parameters_ = self.network_.depth, self.network_.n_parameters
        self.architecture_ = architecture(self.network_)

    def _unpack_validation(self, history: Any) -> None:
        scores = history.get("validation")
        if scores is not None and np.all(np.isnan(scores[1:])):
            # Only the fit before `partial_fit` held rows out.
            history, scores = {}, None
        self.validation_scores_ = None if scores is None else scores[1:].tolist()
        self.best_validation_score_ = None if scores is None else float(np.nanmax(scores[1:]))
        self.best_epoch_ = None if scores is None else int(np.nanargmax(scores[1:])) + 1
        losses = history.get("validation_loss")
        self.validation_loss_curve_ = None if losses is None else losses[1:].tolist()
        self.best_loss_ = float(np.min(self.loss_curve_, initial=np.inf)) if scores is None else None

    def _scaled(self, X: Any) -> Any:
        return X if self._scaling is None else self._scaling.apply(X)

    def _blocks(self, X: Any) -> Iterator[Any]:
        """New rows as the network takes them, a block at a time."""
        check_is_fitted(self, "theta_")
        X = validate_rows(self, _flat(X), reset=False, accept_sparse="csr")
        block = min(BLOCK, max(NUMBERS // self.network_.widest, SHORTEST))
        for first in range(0, X.shape[0], block):
            yield self._scaled(X[first : first + block]).astype(self.theta_.dtype, copy=False)

    def _scores(self, X: Any) -> Any:
        """Z of the output for new rows, a block of rows at a time."""
        with calm_blas(0):
            parts = [self._output(self.theta_, rows) for rows in self._blocks(X)]
        if isinstance(parts[0], dict):
            return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _output(self, theta: Floats, inputs: Any) -> Any:
        """Z of the output for rows as the network takes them, by the engine of the fit."""
        passes = passes_here(self.engine_, self.network_, device=self.device)
        return self.network_.output(theta, inputs, passes=passes)

    @available_if(lambda model: bool(model._answers_of_sub_networks()))
    def predict_sampled(
        self,
        X: MatrixLike,
        n_networks: int = 50,
        *,
        return_std: bool = False,
        exact: bool = False,
        random_state: RandomState = None,
    ) -> Floats | tuple[Floats, Floats]:
        """The mean of P(class | row), or of predictions, over the sub-networks that dropout trains.

        Other methods give the answer of their average, one network.

        Parameters
        ----------
        X : array-like or sparse matrix
        n_networks : int, default=50
            Sub-networks that are drawn, the same ones for all rows.
        return_std : bool, default=False
            Whether to return their standard deviation too.
        exact : bool, default=False
            All sub-networks with their probabilities instead, for at most 15 units.
        random_state : int, Generator, RandomState or None, default=None
        """
        seed, link = int(check_rng(random_state).integers(2**63)), self._answers_of_sub_networks()
        with calm_blas(0):
            parts = [
                sample_networks(
                    self.network_, self.theta_, rows, n_networks, exact=exact, link=link, random_state=seed
                )
                for rows in self._blocks(X)
            ]  # fmt: skip
        mean = np.concatenate([part.mean for part in parts])
        return (mean, np.concatenate([part.std for part in parts])) if return_std else mean

    def filters(self, layer: str | None = None) -> Floats:
        """The weights of a layer as images (units, channels, height, width); by default of the first with weights."""
        check_is_fitted(self, "theta_")
        return filters(self.network_, self.theta_, layer)

    @property
    def coefs_(self) -> list[Floats]:
        """The weights of every layer as predictions use them; a list that is set is copied into `theta_`.

        They are views of it, except after ``Dropout(scaling="average")``, where predictions use keep · W.
        """
        scales = self._prediction_scales()
        return [views[0] for views in self._parameters(self.theta_ if np.all(scales == 1.0) else self.theta_ * scales)]

    @coefs_.setter
    def coefs_(self, values: list[ArrayLike]) -> None:
        scales = self._parameters(self._prediction_scales())
        for views, scale, value in zip(self._parameters(self.theta_), scales, values, strict=True):
            views[0][...] = np.asarray(value) / scale[0]

    @property
    def intercepts_(self) -> list[Floats]:
        """The biases of every layer that has them, views of `theta_`; a list that is set is copied into it."""
        return self._called("b")

    @intercepts_.setter
    def intercepts_(self, values: list[ArrayLike]) -> None:
        for view, value in zip(self.intercepts_, values, strict=True):
            view[...] = value

    @property
    def alphas_(self) -> list[Floats]:
        """The slopes of every layer that learns them (`PReLU`), views of `theta_`."""
        return self._called("a")

    def _called(self, name: str) -> list[Floats]:
        named = zip(self._with_parameters(), self._parameters(self.theta_), strict=True)
        return [view for node, views in named for p, view in zip(node.parameters, views, strict=True) if p.name == name]

    def _with_parameters(self) -> list[Any]:
        check_is_fitted(self, "theta_")
        return [node for node in self.network_.nodes if node.parameters]

    def _parameters(self, theta: Floats) -> list[tuple[Floats, ...]]:
        views = self.network_.views(theta)
        return [views[node.name] for node in self._with_parameters()]

    def _prediction_scales(self) -> Floats:
        """What predictions multiply each number of θ by."""
        check_is_fitted(self, "theta_")
        return at_prediction_scale(self.network_, np.ones_like(self.theta_))

    def summary(self) -> str:
        """A table of the layers with their shapes and parameters."""
        check_is_fitted(self, "theta_")
        return self.network_.summary()

    def _refit_output(self, X: Any, y: Any, lam: float, sample_weight: Any) -> Self:
        """The output layer by least squares, given the rest."""
        check_is_fitted(self, "theta_")
        rows = self._rows(X, y, sample_weight, reset=False)
        targets = self._find_targets(rows.y, self._targets)
        inputs = self._scaled(rows.X)
        self.theta_ = refitted_output(self.network_, self.theta_, inputs, targets.code(rows.y), rows.s, lam)
        return self

    def _as_function(self) -> NetworkFunction:
        """The network of rows in the units of X: scaled columns are a layer of it."""
        check_is_fitted(self, "theta_")
        network, scaling = self.network_, self._scaling
        if scaling is None:
            return NetworkFunction(network, self.theta_)
        first = Rescale(scaling.mean, scaling.scale, name="rescale")
        skips = [n.name for n in network.nodes[1:] if "input" in n.sources]
        if skips or network.nodes[0].layer.after is not None:
            raise ValueError("layers that name the input cannot be looked into with standardize=True; scale X before")
        return NetworkFunction(NeuralNetwork([first, *network.layers], network.input_shapes), self.theta_)

    def _asked(self, X: Any, y: Any) -> tuple[Any, Any]:
        """What the network was asked to give for y, and the loss."""
        return self._targets.code(np.asarray(y)), self._targets.loss

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _weighted(rows: TrainingRows, targets: Any, factors: Floats | None) -> TrainingRows:
    """The rows with what their classes count multiplied in."""
    if factors is None:
        return rows
    s = factors[targets.index(rows.y)]
    return rows._replace(s=s if rows.s is None else rows.s * s)


def _three(validation_data: Any) -> tuple[Any, Any, Any]:
    """X, y and weights, or None for these."""
    if not isinstance(validation_data, (tuple, list)) or len(validation_data) not in (2, 3):
        raise ValueError(f"validation_data must be (X, y) or (X, y, weights), not {type(validation_data).__name__}")
    X, y, *weights = validation_data
    return X, y, weights[0] if weights else None


def _flat(X: Any) -> Any:
    """Images and other rows of several axes as rows of numbers, in C order."""
    return X.reshape(len(X), -1) if isinstance(X, np.ndarray) and X.ndim > 2 else X
