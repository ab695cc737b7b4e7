"""Metadata (weights, groups, offsets) on their way to the parts of an estimator.

    routing on:   a part gets what it asked for by `set_fit_request`, `set_score_request` or `set_split_request`
    routing off:  every part that is fitted or scores gets the weights, and nothing else can be sent            (1)

An estimator that makes weights for its parts out of those it was given, as boosting and EM do, asks for them itself and
routes nothing. scikit-learn enhancement proposal 6, Metadata routing:
scikit-learn-enhancement-proposals.readthedocs.io/en/latest/slep006/proposal.html.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.metrics import check_scoring
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from gnomon._typing import ArrayLike, Scoring

__all__ = ["asking", "default_scorer", "routed", "router"]

Part = TypeVar("Part", bound=BaseEstimator)


def router(owner: BaseEstimator, **parts: Any) -> MetadataRouter:
    """A router with parts that each serve `fit`: an estimator (or None), a `splitter`, a `scorer`.

    Parameters
    ----------
    owner : estimator
    **parts
        By the names under which `routed` gives back what they asked for.

    Returns
    -------
    MetadataRouter

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from gnomon.base.routing import router
    >>> sorted(name for name, _ in router(Ridge(), estimator=Ridge(), splitter=5))
    ['estimator', 'splitter']
    """
    made = MetadataRouter(owner=owner)
    for name, part in parts.items():
        callee = {"splitter": "split", "scorer": "score"}.get(name, "fit")
        made.add(method_mapping=MethodMapping().add(caller="fit", callee=callee), **{name: part})
    return made


def routed(
    owner: Any, caller: str, sample_weight: ArrayLike | None = None, params: Mapping[str, Any] | None = None
) -> Any:
    """What each part of `owner` gets, by equation (1): ``routed(…).part.method`` is a dictionary.

    Parameters
    ----------
    owner : estimator
        Its `get_metadata_routing` names the parts.
    caller : str
        The method of the owner that was called.
    sample_weight : array-like of shape (n_samples,), optional
    params : dict, optional
        What else the user sends.

    Returns
    -------
    object
        With an attribute for each part, which has an attribute for each method.

    Examples
    --------
    >>> from sklearn.ensemble import BaggingRegressor
    >>> from gnomon.base.routing import routed
    >>> routed(BaggingRegressor(), "fit", [1.0, 2.0]).estimator.fit
    {'sample_weight': [1.0, 2.0]}
    >>> routed(BaggingRegressor(), "fit", params={"offset": [0.0, 1.0]})
    Traceback (most recent call last):
    ...
    ValueError: BaggingRegressor.fit got ['offset'], which can be sent on only by routing; call sklearn.set_config(...
    """
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    others = {name: value for name, value in (params or {}).items() if value is not None}
    if routing_is_on():
        return process_routing(owner, caller, **weights, **others)
    if others:
        raise ValueError(
            f"{type(owner).__name__}.{caller} got {list(others)}, which can be sent on only by routing; call "
            "sklearn.set_config(enable_metadata_routing=True), and let the part that needs them request them"
        )
    return _Unrouted(weights)


class _Unrouted:
    """The second line of (1): whatever a part is called, its methods get the same.

    The parts are not asked, for not all estimators of scikit-learn can tell.
    """

    def __init__(self, weights: dict[str, ArrayLike]) -> None:
        self._all = Bunch(fit=weights, partial_fit=weights, score=weights, split={})

    def __getattr__(self, part: str) -> Bunch:
        return self._all


def asking(part: Part) -> Part:
    """A part that its owner made itself, which asks for weights.

    Examples
    --------
    >>> import sklearn
    >>> from sklearn.linear_model import Ridge
    >>> from gnomon.base.routing import asking
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     asking(Ridge()).get_metadata_routing().fit.requests
    {'sample_weight': True}
    """
    return part.set_fit_request(sample_weight=True) if routing_is_on() else part


def default_scorer(estimator: BaseEstimator, scoring: Scoring, default: Scoring) -> Any:
    """The scorer for `scoring`; the `default`, in place of None, asks for weights.

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> from gnomon.base.routing import default_scorer
    >>> mean = DummyRegressor().fit([[0.0], [1.0]], [0.0, 1.0])
    >>> default_scorer(mean, None, "r2")(mean, [[0.0], [1.0]], [0.0, 1.0])
    0.0
    """
    scorer = check_scoring(estimator, default if scoring is None else scoring)
    return scorer.set_score_request(sample_weight=True) if scoring is None and routing_is_on() else scorer


def routing_is_on() -> bool:
    """Whether scikit-learn is configured to route metadata."""
    return bool(get_config()["enable_metadata_routing"])
