"""Penalties: what a model pays for its coefficients."""

from gnomon._jit import noun
from gnomon.penalties._base import Penalty
from gnomon.penalties.elastic_net import ElasticNetPenalty
from gnomon.penalties.forms import OBJECTIVES, Form, convert_lam, objective_form
from gnomon.penalties.l1 import L1
from gnomon.penalties.l2 import L2
from gnomon.penalties.none import NoPenalty

__all__ = [
    "L1",
    "L2",
    "OBJECTIVES",
    "ElasticNetPenalty",
    "Form",
    "NoPenalty",
    "Penalty",
    "convert_lam",
    "noun",
    "objective_form",
]
