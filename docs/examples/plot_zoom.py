"""
Zooming an image as a Gaussian process
======================================

To enlarge an image is to ask for a function between its pixels. Nearest neighbours, lines, splines and the sinc are
all the mean of some Gaussian process that was seen at the pixels without noise: what differs is the kernel, and with
it what the process thinks of the gaps.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from gnomon import plot
from gnomon.gp import GridInterpolator

image = load_digits().images[2]
fine = np.linspace(0.0, 7.0, 141)

names = ["nearest", "linear", "catmull_rom", "bspline3", "lanczos"]
figure, axes = plt.subplots(1, 6, figsize=(11.0, 2.2), layout="constrained")
axes[0].imshow(image, cmap="gray_r", interpolation="nearest")
axes[0].set_title("pixels", fontsize=10)
for axis, name in zip(axes[1:], names, strict=True):
    zoomed = GridInterpolator(name).fit(image).predict_grid([fine, fine])
    axis.imshow(zoomed, cmap="gray_r", vmin=0.0, vmax=16.0)
    axis.set_title(name, fontsize=10)
for axis in axes:
    axis.set_axis_off()

# %%
# The kernel, the weight that one pixel has around it, and the weights of the pixels at one place between two. A
# spline of order three is no kernel of weights by itself: a recursive filter turns values into coefficients first.

panels = plot.grid_taps(("linear", "catmull_rom", "bspline3", "lanczos"), t=0.4)

# %%
# And as a process, each also says what it does not know: nothing at a pixel, most in the middle of four.

process = GridInterpolator("bspline3", boundary="gp").fit(image)
mean, std = process.predict_grid([fine, fine], return_std=True)
figure, axes = plt.subplots(1, 2, figsize=(7.2, 3.2), layout="constrained")
for axis, values, name, colors in zip(
    axes, (mean, std), ("mean", "standard deviation"), ("gray_r", "Blues"), strict=True
):
    shown = axis.imshow(values, cmap=colors, extent=(0, 7, 7, 0))
    figure.colorbar(shown, ax=axis, shrink=0.85)
    axis.set_title(name, loc="left", fontsize=10)
print(f"sd at a pixel {std[20, 20]:.1e}, between four of them {std[10, 10]:.2f}")
