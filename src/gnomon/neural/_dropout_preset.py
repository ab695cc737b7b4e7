"""Settings for training with dropout.

    η₀ = factor · η,    η_t = η₀ / (1 + t/t₀),    ‖w‖₂ ≤ 3 for the incoming weights of each unit                 (1)

Dropout makes gradients noisy, and many of them cancel, so that rates ten to a hundred times as large are used, with
norms bounded so that they do no harm: Srivastava et al. (2014), JMLR 15:1929–1958, appendix A.2 and A.3.
"""

from __future__ import annotations

from typing import Any

from gnomon.numerics.validation import check_integer, check_positive

__all__ = ["dropout_preset"]


def dropout_preset(rate: float, *, factor: float = 10.0, max_iter: int = 1000) -> dict[str, Any]:
    """Parameters for `MLPClassifier` and `MLPRegressor` that suit dropout; nothing is set by itself.

    Parameters
    ----------
    rate : float
        The rate that would be used without dropout.
    factor : float, default=10.0
        How many times larger it becomes, in [10, 100].
    max_iter : int, default=1000
        Epochs: dropout needs more of them.

    Returns
    -------
    dict
        To be passed on, as ``MLPClassifier(**dropout_preset(0.01))``; stacks of any depth may use it.

    References
    ----------
    Srivastava, N., Hinton, G., Krizhevsky, A., Sutskever, I. & Salakhutdinov, R. (2014). Dropout: a simple way to
    prevent neural networks from overfitting. JMLR 15:1929–1958.

    Examples
    --------
    >>> from gnomon.neural import dropout_preset
    >>> preset = dropout_preset(0.01)
    >>> preset["learning_rate_init"], preset["learning_rate"], preset["max_norm"]
    (0.1, 'inv_t0', 3.0)
    """
    check_positive("rate", rate)
    check_integer("max_iter", max_iter, 1)
    if not 10.0 <= factor <= 100.0:
        raise ValueError(f"factor={factor!r} must be in [10, 100]; give how many times larger the rate becomes")
    return {
        "solver": "sgd",
        "learning_rate_init": factor * rate,
        "learning_rate": "inv_t0",
        "max_norm": 3.0,
        "max_iter": max_iter,
        "keep_hidden": 0.5,
        "keep_input": 0.8,
    }
