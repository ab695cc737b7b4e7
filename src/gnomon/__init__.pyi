# The packages and `learn`, said to type checkers: each name with its type, and no others.
from gnomon import anomaly as anomaly
from gnomon import base as base
from gnomon import cli as cli
from gnomon import cluster as cluster
from gnomon import datasets as datasets
from gnomon import decision as decision
from gnomon import decomposition as decomposition
from gnomon import distributions as distributions
from gnomon import evaluation as evaluation
from gnomon import features as features
from gnomon import generative as generative
from gnomon import gp as gp
from gnomon import infer as infer
from gnomon import io as io
from gnomon import kernels as kernels
from gnomon import linear as linear
from gnomon import losses as losses
from gnomon import multiclass as multiclass
from gnomon import neighbors as neighbors
from gnomon import neural as neural
from gnomon import numerics as numerics
from gnomon import optim as optim
from gnomon import penalties as penalties
from gnomon import plot as plot
from gnomon import report as report
from gnomon import search as search
from gnomon import serve as serve
from gnomon import svm as svm
from gnomon import testing as testing
from gnomon import transfer as transfer
from gnomon import trees as trees
from gnomon.report import learn as learn

__version__: str
