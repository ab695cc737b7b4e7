"""Neural networks: layers as values, networks as values, estimators that train them."""

from __future__ import annotations

from gnomon.neural import layers
from gnomon.neural._approximation_curve import ApproximationCurve, approximation_curve
from gnomon.neural._cells import CellCodes, max_cells
from gnomon.neural._check_gradient import ArrayCheck, NetworkGradientReport, check_gradient
from gnomon.neural._diagnose import Diagnosis, LayerHealth, NetworkFinding, diagnose
from gnomon.neural._dropout_preset import dropout_preset
from gnomon.neural._exact_network import ExactNetwork, exact_network
from gnomon.neural._filters import feature_maps, filters
from gnomon.neural._invariance_report import InvarianceReport, invariance_report
from gnomon.neural._linear_region import LinearRegions
from gnomon.neural._pretrain import pretrain
from gnomon.neural._sample_networks import SampledPrediction, at_prediction_scale, sample_networks
from gnomon.neural._symmetric_start import SymmetryWarning
from gnomon.neural.adversarial import GenerativeAdversarialNetwork, adversarial_value, optimal_discriminator
from gnomon.neural.autoencoder import Autoencoder
from gnomon.neural.function import NetworkFunction
from gnomon.neural.hidden_features import HiddenFeatures
from gnomon.neural.layered import NetworkClassifier, NetworkRegressor
from gnomon.neural.layers._window import conv_output_size
from gnomon.neural.mlp import MLPClassifier, MLPRegressor
from gnomon.neural.network import NeuralNetwork
from gnomon.neural.row_function import RowFunction
from gnomon.neural.variational_autoencoder import VariationalAutoencoder

__all__ = [
    "ApproximationCurve",
    "ArrayCheck",
    "Autoencoder",
    "CellCodes",
    "Diagnosis",
    "ExactNetwork",
    "GenerativeAdversarialNetwork",
    "HiddenFeatures",
    "InvarianceReport",
    "LayerHealth",
    "LinearRegions",
    "MLPClassifier",
    "MLPRegressor",
    "NetworkClassifier",
    "NetworkFinding",
    "NetworkFunction",
    "NetworkGradientReport",
    "NetworkRegressor",
    "NeuralNetwork",
    "RowFunction",
    "SampledPrediction",
    "SymmetryWarning",
    "VariationalAutoencoder",
    "adversarial_value",
    "approximation_curve",
    "at_prediction_scale",
    "check_gradient",
    "conv_output_size",
    "diagnose",
    "dropout_preset",
    "exact_network",
    "feature_maps",
    "filters",
    "invariance_report",
    "layers",
    "max_cells",
    "optimal_discriminator",
    "pretrain",
    "sample_networks",
]
