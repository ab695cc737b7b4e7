"""
Speaker verification, from scores to decisions
==============================================

Is this the voice of the person it claims to be? Two systems answer with a score. One gives log-likelihood ratios that
mean what they say. The other separates the speakers better, but its scores are cosines, which mean nothing in
particular. Which one to use depends on what is asked of it; that the second can be had with decisions as good as its
scores is shown here.
"""

import numpy as np

from gnomon import plot
from gnomon.decision import Application, ScoreCalibrator, act_dcf, bayes_error_curve, cllr, min_cllr, min_dcf
from gnomon.evaluation import metric_difference, metric_interval, score_curve


def trials(n_target, n_other, rng):
    """Labels, and the scores of both systems; a trial that is hard for one is hard for the other."""
    y = np.repeat([1, 0], [n_target, n_other])
    hard = rng.standard_normal(len(y))
    own = [0.6 * hard + 0.8 * rng.standard_normal(len(y)) for _ in range(2)]
    # Normal scores of variance 2m and means ±m are log-likelihood ratios.
    ratios = 4.0 * (2 * y - 1) + np.sqrt(8.0) * own[0]
    cosines = np.tanh(0.16 + 0.36 * y + np.where(y, 0.12, 0.08) * own[1])
    return y, {"likelihoods": ratios, "cosines": cosines}


rng = np.random.default_rng(0)
y_dev, dev = trials(1000, 20_000, rng)
y, scores = trials(1000, 20_000, rng)

# %%
# A curve of misses against false alarms needs no threshold. On axes of normal quantiles normal scores give straight
# lines, and a better system lies nearer to the lower left corner; cosines are the better system everywhere.

ax = plot.det_curves({name: score_curve(y, s) for name, s in scores.items()})
for name, s in scores.items():
    print(f"{name:12s} EER {metric_interval('eer', y, s, n_resamples=200, random_state=0)}")
gain = metric_difference("eer", y, *scores.values(), n_resamples=200, random_state=0)
print(f"difference   {gain.difference}, p = {gain.p_value:.3f}")

# %%
# An application says how often the claim is true, and what mistakes cost. It sets the threshold for log-likelihood
# ratios; *actual* costs are those of this threshold, *minimum* ones those of the threshold that would have been best.
# 1 is the cost of the better of two decisions that need no system: always yes, always no.

applications = {
    "a locked door": Application(0.5, cost_fn=1.0, cost_fp=20.0),
    "a telephone bank": Application(0.98, cost_fn=1.0, cost_fp=10.0),
    "a search": Application(0.01, cost_fn=50.0, cost_fp=1.0),
}


def table(systems):
    """Minimum and actual cost of each system in each application."""
    for name, app in applications.items():
        print(f"{name}: log-likelihood ratio > {app.threshold:.2f}")
        for system, s in systems.items():
            print(f"    {system:20s} minimum {min_dcf(y, s, app).value:.3f}  actual {act_dcf(y, s, app):.3f}")


table(scores)

# %%
# The better system makes the worse decisions: its cosines never reach the threshold of the door, and almost all of them
# pass that of the search. A calibrator, fitted to other trials, maps them to log-likelihood ratios. Logistic regression
# finds the best affine map; pool-adjacent-violators the best one that rises.

calibrators = [ScoreCalibrator(method).fit(dev["cosines"], y_dev) for method in ("logistic", "pav")]
panels = plot.calibrated_scores(np.where(y, "same", "other"), scores["cosines"], *calibrators)

# %%
# The order of the trials is the same as before, and so is every minimum; what changes is what is paid.

calibrated = {"cosines, calibrated": calibrators[0].transform(scores["cosines"])}
table(calibrated)

# %%
# The three applications are three places on an axis. The Bayes error plot shows all of them: between the full line and
# the dotted one lies what bad calibration costs.

systems = {**scores, **calibrated}
ax = plot.bayes_error_plot(bayes_error_curve(systems, y), applications)

# %%
# C_llr is the area in one number, in bits: what is lost over all applications, and how much of it would be lost with
# the best calibration.

for name, s in systems.items():
    print(f"{name:20s} Cllr {cllr(y, s):.3f}, of which {cllr(y, s) - min_cllr(y, s):.3f} by calibration")
