"""Layers and activations of networks: immutable values that know shapes, parameters, value and derivative."""

from __future__ import annotations

from gnomon.neural.layers._activation import ActivationFunction, Elementwise
from gnomon.neural.layers._layer import Layer, LayerRun, Parameter, shape_text
from gnomon.neural.layers.conv2d import Conv2D
from gnomon.neural.layers.custom import Activation
from gnomon.neural.layers.dense import Dense
from gnomon.neural.layers.dropconnect import DropConnect
from gnomon.neural.layers.dropout import Dropout, draw_mask
from gnomon.neural.layers.embedding import Embedding
from gnomon.neural.layers.hard import HardTanh, hard_tanh
from gnomon.neural.layers.identity import Identity
from gnomon.neural.layers.initializers import (
    ConstantInit,
    FanOutNormal,
    Fans,
    Given,
    Glorot,
    He,
    Initializer,
    LeCun,
    NormalInit,
    initializer_of,
)
from gnomon.neural.layers.layer_norm import LayerNorm
from gnomon.neural.layers.maxout import Maxout
from gnomon.neural.layers.merge import Add, Concat
from gnomon.neural.layers.noise import GaussianNoise
from gnomon.neural.layers.pool import AvgPool2D, MaxPool2D
from gnomon.neural.layers.prelu import PReLU
from gnomon.neural.layers.recurrent import Recurrent
from gnomon.neural.layers.relu import LeakyReLU, ReLU
from gnomon.neural.layers.rescale import Rescale
from gnomon.neural.layers.shape import Flatten, Reshape
from gnomon.neural.layers.sigmoid import LogisticSigmoid
from gnomon.neural.layers.smooth import ELU, GELU, SiLU, Softplus
from gnomon.neural.layers.step import Sign, UnitStep
from gnomon.neural.layers.tanh import Tanh
from gnomon.neural.layers.transposed import Transposed
from gnomon.neural.layers.words import activation_of

__all__ = [
    "ELU",
    "GELU",
    "Activation",
    "ActivationFunction",
    "Add",
    "AvgPool2D",
    "Concat",
    "ConstantInit",
    "Conv2D",
    "Dense",
    "DropConnect",
    "Dropout",
    "Elementwise",
    "Embedding",
    "FanOutNormal",
    "Fans",
    "Flatten",
    "GaussianNoise",
    "Given",
    "Glorot",
    "HardTanh",
    "He",
    "Identity",
    "Initializer",
    "Layer",
    "LayerNorm",
    "LayerRun",
    "LeCun",
    "LeakyReLU",
    "LogisticSigmoid",
    "MaxPool2D",
    "Maxout",
    "NormalInit",
    "PReLU",
    "Parameter",
    "ReLU",
    "Recurrent",
    "Rescale",
    "Reshape",
    "SiLU",
    "Sign",
    "Softplus",
    "Tanh",
    "Transposed",
    "UnitStep",
    "activation_of",
    "draw_mask",
    "hard_tanh",
    "initializer_of",
    "shape_text",
]
