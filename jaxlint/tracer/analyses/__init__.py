"""One question about a run each, with state of its own, told of what happens.

A new question is a new file here: a class that overrides what it needs of
:class:`~jaxlint.tracer.analysis.Analysis`, an event that it emits, and its name in ``ALL``.
"""

from __future__ import annotations

from jaxlint.tracer.analyses.absorbed import Absorbed
from jaxlint.tracer.analyses.at_import import AtImport
from jaxlint.tracer.analyses.axes import Axes
from jaxlint.tracer.analyses.beyond import Beyond
from jaxlint.tracer.analyses.blocks import Blocks
from jaxlint.tracer.analyses.branches import Branches
from jaxlint.tracer.analyses.callbacks import Callbacks
from jaxlint.tracer.analyses.captured import Captured
from jaxlint.tracer.analyses.climbing import Climbing
from jaxlint.tracer.analyses.coarse import Coarse
from jaxlint.tracer.analyses.columns import Columns
from jaxlint.tracer.analyses.cuts import Cuts
from jaxlint.tracer.analyses.decayed import Decayed
from jaxlint.tracer.analyses.deleted import Deleted
from jaxlint.tracer.analyses.discards import Discards
from jaxlint.tracer.analyses.dispatch import Dispatch
from jaxlint.tracer.analyses.donation import Donation
from jaxlint.tracer.analyses.draws import Draws
from jaxlint.tracer.analyses.effects import Effects
from jaxlint.tracer.analyses.equal_masks import EqualMasks
from jaxlint.tracer.analyses.impure import Impure
from jaxlint.tracer.analyses.kernels import Kernels
from jaxlint.tracer.analyses.keys import Keys
from jaxlint.tracer.analyses.links import Links
from jaxlint.tracer.analyses.logits import Logits
from jaxlint.tracer.analyses.lost import Lost
from jaxlint.tracer.analyses.masks import Masks
from jaxlint.tracer.analyses.metadata import Metadata
from jaxlint.tracer.analyses.modules import ModuleState
from jaxlint.tracer.analyses.numbers import Numbers
from jaxlint.tracer.analyses.one_way import OneWay
from jaxlint.tracer.analyses.optimizers import Optimizers
from jaxlint.tracer.analyses.overwritten import Overwritten
from jaxlint.tracer.analyses.processes import Processes
from jaxlint.tracer.analyses.releases import Releases
from jaxlint.tracer.analyses.replicas import Replicas
from jaxlint.tracer.analyses.retraces import Retraces
from jaxlint.tracer.analyses.scopes import Scopes
from jaxlint.tracer.analyses.set_ups import SetUps
from jaxlint.tracer.analyses.singularities import Singularities
from jaxlint.tracer.analyses.sites import Sites
from jaxlint.tracer.analyses.staleness import Staleness
from jaxlint.tracer.analyses.startup import Startup
from jaxlint.tracer.analyses.steps import Steps
from jaxlint.tracer.analyses.unequal import Unequal
from jaxlint.tracer.analyses.unrolling import Unrolling
from jaxlint.tracer.analyses.wraps import Wraps

ALL = (
    Keys, Retraces, Staleness, Effects, Lost, Dispatch, Deleted, Donation, Unrolling, Discards,
    Releases, Masks, Singularities, Startup, Axes, Processes, Kernels, ModuleState, Optimizers,
    Numbers, Callbacks, Columns, Scopes, SetUps, Unequal, Draws, Blocks, Wraps, Climbing,
    Cuts, OneWay, Links, Logits, Overwritten, Steps,
    Beyond, Branches, EqualMasks, Metadata, Impure, AtImport, Captured, Coarse,
    Absorbed, Decayed, Sites, Replicas,
)  # fmt: skip
"""Every analysis, in the order in which they are told."""
