"""Lumen trains small networks. The names that people use are here."""

from . import config
from .losses import cross_entropy, huber
from .models import MLP, init_mlp
from .optim import learning_rate
from .steps import *
from .utils import log_metrics as log

__version__ = "0.1"
__all__ = ["MLP", "config", "cross_entropy", "huber", "init_mlp", "learning_rate", "log"]
