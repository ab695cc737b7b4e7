"""Penalties: what a model pays for its coefficients."""

from __future__ import annotations

from gnomon._jit import choose, noun
from gnomon.numerics.special import soft_threshold
from gnomon.penalties._base import Penalty
from gnomon.penalties.elastic_net import ElasticNetPenalty
from gnomon.penalties.forms import OBJECTIVES, Form, convert_lam, objective_form
from gnomon.penalties.l0 import L0, hard_threshold, l0_norm
from gnomon.penalties.l1 import L1
from gnomon.penalties.l2 import L2
from gnomon.penalties.none import NoPenalty
from gnomon.penalties.priors import from_prior, to_prior

__all__ = [
    "L0",
    "L1",
    "L2",
    "OBJECTIVES",
    "ElasticNetPenalty",
    "Form",
    "NoPenalty",
    "Penalty",
    "choose",
    "convert_lam",
    "from_prior",
    "hard_threshold",
    "l0_norm",
    "noun",
    "objective_form",
    "soft_threshold",
    "to_prior",
]
