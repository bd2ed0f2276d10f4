"""Processes, devices, meshes, settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jaxlint.events.event import Event, Kind, Site


@dataclass(frozen=True, slots=True)
class WorkAtImport(Event):
    """A module that others import uses a device when they do, by a call of ``function``."""

    kind = Kind.WORK_AT_IMPORT
    function: str


@dataclass(frozen=True, slots=True)
class LateSetting(Event):
    """A setting is changed when JAX has read it.

    Attributes:
        setting: the variable of the environment, the option or the function.
        read: what JAX reads it at: its ``import``, the ``start`` of its backend, or where it
            chooses a ``default`` device; or ``arrays`` that exist by then and stay as they are.
        after: what came before.
        by_import: that is the import of a module which does it.
    """

    kind = Kind.LATE_SETTING
    setting: str
    read: Literal["import", "start", "default", "arrays"]
    after: Site
    by_import: bool


@dataclass(frozen=True, slots=True)
class ForkAfterStart(Event):
    """A process is forked when the backend of JAX runs.

    Attributes:
        function: what forks.
        after: what had started the backend.
        by_import: that is the import of a module which does it.
        by_default: it forks where nobody chooses another way to start processes.
    """

    kind = Kind.FORK_AFTER_START
    function: str
    after: Site
    by_import: bool
    by_default: bool


@dataclass(frozen=True, slots=True)
class UnboundAxis(Event):
    """``function`` works along an axis that no transform in force has given this name."""

    kind = Kind.UNBOUND_AXIS
    function: str
    axis: str


@dataclass(frozen=True, slots=True)
class MeshAxis(Event):
    """A spec names an axis that its mesh does not have, or names one twice.

    Attributes:
        axis: the name.
        axes: those of the mesh; None when they are not in view.
        part: what the spec is for: a ``sharding``, or an option of a transform.
        twice: it is named twice.
    """

    kind = Kind.MESH_AXIS
    axis: str
    axes: tuple[str, ...] | None
    part: str
    twice: bool = False


@dataclass(frozen=True, slots=True)
class ExplicitAxis(Event):
    """An axis is used as one that lays arrays out, and the type of an array says how it lies there.

    ``axis``: its name; ``part``: what the spec is for, as in :class:`MeshAxis`.
    """

    kind = Kind.EXPLICIT_AXIS
    axis: str
    part: str


@dataclass(frozen=True, slots=True)
class VaryingAxis(Event):
    """Something differs along an axis of the mesh where JAX wants it to be the same, or otherwise.

    Attributes:
        axis: its name.
        part: what it is: an ``output``, of which ``out_specs`` say that it is the same; the
            ``carry`` of a loop, at its start and after a pass; the results of ``branches``; what is
            ``reduced`` along several axes at once, along one of which it is the same.
        function: what returns it, or what loops, branches, reduces.
    """

    kind = Kind.VARYING_AXIS
    axis: str
    part: Literal["output", "carry", "branches", "reduced"]
    function: str


@dataclass(frozen=True, slots=True)
class UncheckedOutput(Event):
    """An output differs along an ``axis`` that its spec does not name, and JAX is told not to ask.

    ``function``: what returns it.
    """

    kind = Kind.UNCHECKED_OUTPUT
    axis: str
    function: str


@dataclass(frozen=True, slots=True)
class SpecMismatch(Event):
    """A spec does not fit its array, or specs do not fit the arguments or the result.

    Attributes:
        part: what the spec is for: a ``sharding``, or an option of a transform; or a ``mesh``,
            of which the names are counted, and the sizes.
        what: the number of specs (``count``), of entries in one (``rank``), or the ``size`` of a
            dimension that is cut.
        has: how many specs, entries or pieces there are.
        wants: how many arguments, parts of the result or axes there are; the size. None: the
            result is an array and no tuple.
        axis: the dimension that is cut.
        function: what is called; empty for a sharding.
    """

    kind = Kind.SPEC_MISMATCH
    part: str
    what: Literal["count", "rank", "size"]
    has: int
    wants: int | None
    axis: int = 0
    function: str = ""


@dataclass(frozen=True, slots=True)
class GatedCollective(Event):
    """What returns when all processes have got there stands where only some of them get to.

    Attributes:
        function: what waits for the others.
        gate: the test that only some processes pass.
        traced: it is part of what the call at the site compiles.
    """

    kind = Kind.GATED_COLLECTIVE
    function: str
    gate: Site
    traced: bool = False


@dataclass(frozen=True, slots=True)
class UnequalValue(Event):
    """What JAX takes to be the same in all processes is another value in each.

    Attributes:
        by: the ``rank`` of a process, its ``host``, or a ``gate`` that only some pass.
        source: where that comes in: what gives the rank or asks the host; the test of the gate.
        compared: JAX compares the values, and raises.
        name: of the variable that a compiled function closes over; empty for an argument.
    """

    kind = Kind.UNEQUAL_VALUE
    by: Literal["rank", "host", "gate"]
    source: Site
    compared: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class JaxInCallback(Event):
    """A callback on the host computes with JAX.

    Attributes:
        called: what it calls; empty for an operator.
        callback: the function that JAX calls back.
        transform: by which function.
        called_back_at: where that is told to.
    """

    kind = Kind.JAX_IN_CALLBACK
    called: str
    callback: str
    transform: str
    called_back_at: Site
