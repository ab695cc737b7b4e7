"""What a benchmark is: one row of the table, as data."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = ["Peer", "Row"]


class Peer(NamedTuple):
    """Another package's way to do the work; of the peers with one `package` only the fastest good one counts."""

    package: str
    name: str
    run: Callable[[Any], Any]


@dataclass(frozen=True)
class Row:
    """One piece of work, done by us and by peers.

    Parameters
    ----------
    name : str
        What the table calls it.
    make : callable (**size) → data
        The same data for all, from a fixed seed.
    size, quick : dict
        Arguments of `make`: at full size, and small enough for a test (also used to compile before timing).
    ours : callable data → result
        Imports what it needs itself, as the peers do: an absent package is a note in the table, not an error.
    peers : tuple of Peer
    quality : callable (data, result) → float
        What was reached, smaller is better, scaled so that `tolerance` is a sensible difference (an objective is
        divided by its value at w = 0).
    targets : dict of str to float
        For each `package` the ratio (1) that we promise.
    tolerance : float, default=1e-6
        How much worse than the best peer ours may be, and a peer than the best of all.
    ladder : tuple of dict, default=()
        Further sizes; with `axis`, the argument that grows, they give the exponent of growth.
    memory : tuple of dict, default=()
        Sizes at which peak memory is measured.
    memory_limit : float, optional
        The multiple of the input that peak memory may reach; None: that of the leanest peer, which is measured too.
    limit : float, optional
        The seconds that ours may take, where a time is promised beside the ratios.
    """

    name: str
    make: Callable[..., Any]
    size: dict
    quick: dict
    ours: Callable[[Any], Any]
    peers: tuple[Peer, ...]
    quality: Callable[[Any, Any], float]
    targets: dict[str, float]
    tolerance: float = 1e-6
    ladder: tuple[dict, ...] = ()
    axis: str = "n"
    memory: tuple[dict, ...] = field(default=())
    memory_limit: float | None = 2.0
    limit: float | None = None
