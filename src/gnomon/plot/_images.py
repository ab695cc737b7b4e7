"""Images side by side.

sheet = a grid of images, one pixel apart, line by line                                                   (1)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Colormap
from matplotlib.image import AxesImage

from gnomon._typing import Floats

__all__ = ["GAP", "show_images"]

GAP = "#CBE0EF"
"""What lies between images in shades of grey."""


def show_images(
    ax: Axes, images: Floats, *, columns: int, low: float, high: float, cmap: str | Colormap = "gray_r", gap: str = GAP
) -> AxesImage:
    """Draw (1) for images of shape (n, height, width), in the colours of a map from low to high; axes are left out."""
    colors = colormaps[cmap] if isinstance(cmap, str) else cmap
    look: dict[str, Any] = {"cmap": colors.with_extremes(bad=gap), "interpolation": "nearest"}
    ax.set_axis_off()
    return ax.imshow(_sheet(images, columns), vmin=low, vmax=high, **look)


def _sheet(images: Floats, columns: int) -> Floats:
    """(1), nan between images and where there are none left."""
    n, h, w = images.shape
    lines = -(-n // columns)
    sheet = np.full((lines * (h + 1) - 1, columns * (w + 1) - 1), np.nan)
    for k, image in enumerate(images):
        i, j = divmod(k, columns)
        sheet[i * (h + 1) : i * (h + 1) + h, j * (w + 1) : j * (w + 1) + w] = image
    return sheet
