"""What feature maps do.

    x ↦ z = φ(x);   a boundary that is straight in z is curved in x                                  (1)

Abu-Mostafa, Magdon-Ismail & Lin (2012), section 3.4, ISBN 978-1-60049-006-4; whitening: Kessy, Lewin & Strimmer (2018),
doi:10.1080/00031305.2016.1277159.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer, FunctionTransformer, Normalizer, StandardScaler

from gnomon._typing import Array, ArrayLike
from gnomon.datasets import make_center_corner, make_linear_outliers, make_quadratic_boundary, make_threshold
from gnomon.features import Cap, PolarFeatures, PosNegPart, Waterfall, Whitener, Winsorizer
from gnomon.plot._style import (
    ACCENT,
    DIVERGING,
    MUTED,
    GivenAxes,
    check_columns,
    dress,
    drop_legend,
    label_panel,
    new_panels,
    scatter_classes,
    scatter_rows,
    styles,
)
from gnomon.plot.classifiers import boundary_in_both

__all__ = ["feature_curves", "monomials", "nonlinear_problems", "polar_remap", "whitening_steps"]


def feature_curves(
    maps: Mapping[str, BaseEstimator] | None = None, x: ArrayLike | None = None, *, ax: GivenAxes = None
) -> dict[str, Axes]:
    """Every output column of maps of one variable, a panel for each map.

    Parameters
    ----------
    maps : dict of str to transformer, optional
        By title, to be fitted on `x`; positive and negative part, waterfall, cap, indicator, winsorised by default.
    x : array of shape (n,), optional
        Values of the variable, −3 … 5 by default.
    ax : array or dict of matplotlib Axes, optional
        One for each map.

    Returns
    -------
    dict of matplotlib Axes

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 5.2.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> from gnomon import plot
    >>> panels = plot.feature_curves()
    >>> {name: len(ax.lines) for name, ax in panels.items()}
    {'positive and negative part': 2, 'waterfall (1, 3)': 3, 'cap at 2': 1, 'indicator x > 0': 1, 'winsorised': 1}
    """
    x = np.linspace(-3.0, 5.0, 401) if x is None else np.sort(np.ravel(np.asarray(x, dtype=float)))
    if maps is None:
        maps = {
            "positive and negative part": PosNegPart(),
            "waterfall (1, 3)": Waterfall(breaks=(1.0, 3.0)),
            "cap at 2": Cap(2.0),
            "indicator x > 0": Binarizer(),
            "winsorised": Winsorizer(),
        }
    panels = new_panels(ax, maps, columns=3, width=3.0, height=2.5)
    for name, axes in panels.items():
        Z = np.asarray(clone(maps[name]).fit_transform(x[:, None]))
        for j, (color, dash) in enumerate(styles(Z.shape[1])):
            axes.plot(x, Z[:, j], color=color, linestyle=dash, linewidth=1.9, label=f"$z_{{{j + 1}}}$")
        dress(axes, x="$x$", title=name, legend="best" if Z.shape[1] > 1 else None)
    return panels


def monomials(degree: int = 3, *, ax: GivenAxes = None) -> dict[str, Axes]:
    """The monomials x₁ᵃ x₂ᵇ of two variables up to a degree, each as a small map over [−1, 1]².

    Parameters
    ----------
    degree : int, default=3
    ax : array or dict of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes

    References
    ----------
    Abu-Mostafa, Y. S., Magdon-Ismail, M. & Lin, H.-T. (2012). Learning From Data, section 3.4. ISBN 978-1-60049-006-4

    Examples
    --------
    >>> from gnomon import plot
    >>> len(plot.monomials(2))
    6
    """
    powers = [(total - b, b) for total in range(degree + 1) for b in range(total + 1)]
    titles = {_monomial(*p): p for p in powers}
    panels = new_panels(ax, titles, columns=5, width=1.7, height=1.8)
    grid = np.linspace(-1.0, 1.0, 101)
    A, B = np.meshgrid(grid, grid)
    for title, axes in panels.items():
        a, b = titles[title]
        axes.imshow(A**a * B**b, cmap=DIVERGING, vmin=-1, vmax=1, origin="lower", extent=(-1, 1, -1, 1))
        axes.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1])
        axes.tick_params(colors=MUTED, labelsize=7, length=2)
        axes.spines[:].set_color(MUTED)
        axes.set_title(title, fontsize=10)
    return panels


def nonlinear_problems(
    classifier: BaseEstimator,
    problems: Mapping[str, tuple[Array, Array, BaseEstimator]] | None = None,
    *,
    ax: GivenAxes = None,
) -> dict[tuple[str, str], Axes]:
    """Four problems that no line solves, each with the map that makes one line enough: boundary in X, plane in Z.

    Parameters
    ----------
    classifier : linear classifier
        Fitted anew for each problem.
    problems : dict of str to (X, y, map), optional
        By title; those of `gnomon.datasets` by default.
    ax : array of matplotlib Axes, optional
        Two for each problem.

    Returns
    -------
    dict of matplotlib Axes
        Keys are (title, "X") and (title, "Z").

    References
    ----------
    Abu-Mostafa, Y. S., Magdon-Ismail, M. & Lin, H.-T. (2012). Learning From Data, section 3.4. ISBN 978-1-60049-006-4

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import PolynomialFeatures
    >>> from gnomon import plot
    >>> X = np.random.default_rng(0).uniform(-1, 1, (80, 2))
    >>> problems = {"circle": (X, np.sum(X**2, axis=1) < 0.5, PolynomialFeatures(2, include_bias=False))}
    >>> list(plot.nonlinear_problems(LogisticRegression(), problems))
    [('circle', 'X'), ('circle', 'Z')]
    """
    problems = _four_problems() if problems is None else problems
    keys = [(title, space) for title in problems for space in ("X", "Z")]
    panels = new_panels(ax, keys, columns=4, width=3.0, height=2.9)
    for title, (X, y, mapping) in problems.items():
        # Copies: what the caller gave keeps what it has learned.
        model = clone(make_pipeline(mapping, classifier)).fit(X, y)
        pair = boundary_in_both(model, X, y, ax=[panels[title, "X"], panels[title, "Z"]])
        drop_legend(pair["X"])
        label_panel(pair["X"], title)
    return panels


def polar_remap(
    X: ArrayLike, y: ArrayLike, *, center: ArrayLike | Literal["mean"] | None = None, ax: GivenAxes = None
) -> dict[str, Axes]:
    """Points before and after the map to radius and angle, which turns rings into stripes.

    Parameters
    ----------
    X : array of shape (n, 2)
    y : array of shape (n,)
    center : None, "mean" or array of shape (2,), default=None
        As in `gnomon.features.PolarFeatures`.
    ax : pair of matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "before" and "after".

    References
    ----------
    Abu-Mostafa, Y. S., Magdon-Ismail, M. & Lin, H.-T. (2012). Learning From Data, section 3.4. ISBN 978-1-60049-006-4

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> panels = plot.polar_remap(np.array([[1.0, 1.0], [-1.0, 0.0]]), np.array([0, 1]))
    >>> panels["after"].collections[0].get_offsets().data.round(4)
    array([[1.4142, 0.7854]])
    """
    check_columns("X", X, 2)
    panels = new_panels(ax, ["before", "after"], width=3.7, height=3.4)
    scatter_classes(panels["before"], X, y)
    dress(panels["before"], x="$x_1$", y="$x_2$", title="before", equal=True)
    scatter_classes(panels["after"], PolarFeatures(center=center).fit_transform(X), y)
    dress(panels["after"], x="radius $r$", y="angle $\\theta$", title="after", legend="outside")
    return panels


def whitening_steps(
    X: ArrayLike, y: ArrayLike | None = None, *, kind: Literal["zca", "pca", "cholesky"] = "zca", ax: GivenAxes = None
) -> dict[str, Axes]:
    """Raw, centred, whitened and length-normalised points of two columns.

    Parameters
    ----------
    X : array of shape (n, 2)
    y : array of shape (n,), optional
        Labels to colour by.
    kind : {"zca", "pca", "cholesky"}, default="zca"
        As in `gnomon.features.Whitener`.
    ax : four matplotlib Axes, optional

    Returns
    -------
    dict of matplotlib Axes
        "raw", "centred", "whitened" and "unit length".

    References
    ----------
    Kessy, A., Lewin, A. & Strimmer, K. (2018). Optimal whitening and decorrelation. doi:10.1080/00031305.2016.1277159

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon import plot
    >>> panels = plot.whitening_steps(np.array([[1.0, 2], [3, 3], [2, 5], [6, 6]]))
    >>> panels["whitened"].collections[0].get_offsets().data[0].round(7)
    array([-0.7205612, -1.0525732])
    """
    X = check_columns("X", X, 2)
    steps = {
        "raw": FunctionTransformer(),
        "centred": StandardScaler(with_std=False),
        "whitened": Whitener(kind=kind),
        "unit length": make_pipeline(Whitener(kind=kind), Normalizer()),
    }
    panels = new_panels(ax, steps, width=2.9, height=2.9)
    for name, axes in panels.items():
        points = np.asarray(steps[name].fit_transform(X))
        if y is None:
            scatter_rows(axes, points, s=16, color=ACCENT, edgecolor="white", linewidth=0.4, zorder=3)
        else:
            scatter_classes(axes, points, y, size=18)
        axes.axhline(0.0, color=MUTED, linewidth=0.7, zorder=0)
        axes.axvline(0.0, color=MUTED, linewidth=0.7, zorder=0)
        dress(axes, title=name, equal=True)
    return panels


def _four_problems() -> dict[str, tuple[Array, Array, BaseEstimator]]:
    makers: dict[str, Callable[..., Any]] = {
        "centre and corners": make_center_corner,
        "far group": make_linear_outliers,
        "parabola": make_quadratic_boundary,
        "threshold": make_threshold,
    }
    return {title: make(random_state=0, return_map=True) for title, make in makers.items()}


def _monomial(a: int, b: int) -> str:
    parts = [f"{name}^{power}" if power > 1 else name for name, power in (("x_1", a), ("x_2", b)) if power]
    return f"${' '.join(parts) or '1'}$"
