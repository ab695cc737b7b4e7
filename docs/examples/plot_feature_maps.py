"""
Maps that make it linear
========================

Four problems that no line solves, and the map after which one line does. The left picture of each pair shows the
boundary in the original columns, the right one the same boundary as a plane in the mapped ones.
"""

from gnomon import plot
from gnomon.datasets import make_center_corner
from gnomon.linear import LogisticRegression

panels = plot.nonlinear_problems(LogisticRegression(C=100.0, max_iter=1000))

# %%
# Rings become stripes when a point is described by its radius and angle.

X, y = make_center_corner(shape="ring", random_state=0)
panels = plot.polar_remap(X, y)

# %%
# Maps of one variable, each a handful of columns that a linear model can weigh.

panels = plot.feature_curves()
