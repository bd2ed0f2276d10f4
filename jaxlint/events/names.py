"""Names of JAX, dtypes, aliases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jaxlint.events.event import Event, Kind, Site


@dataclass(frozen=True, slots=True)
class WideDtype(Event):
    """A 64 bit type is asked for, which JAX narrows while x64 is off."""

    kind = Kind.WIDE_DTYPE
    of_the_text = True
    dtype: str


@dataclass(frozen=True, slots=True)
class NumberOutOfRange(Event):
    """A Python integer becomes an array of a ``dtype`` that cannot hold it."""

    kind = Kind.NUMBER_OUT_OF_RANGE
    number: int
    dtype: str


@dataclass(frozen=True, slots=True)
class IndexOutOfBounds(Event):
    """A literal ``index`` lies outside of an ``axis`` of known ``size``."""

    kind = Kind.INDEX_OUT_OF_BOUNDS
    index: int
    axis: int
    size: int


@dataclass(frozen=True, slots=True)
class IndexBeyond(Event):
    """An element of an array of indices, or an index to write at, lies outside of an axis.

    Attributes:
        index: the one that lies outside.
        size: of the axis, or how many segments there are; the last start of a slice that fits.
        comes: what JAX does: ``reads`` another element, ``fills`` in NaN, ``drops`` it, ``moves``
            the slice.
        function: that is given the indices; empty for those in brackets.
    """

    kind = Kind.INDEX_BEYOND
    index: int
    size: int
    comes: Literal["reads", "fills", "drops", "moves"]
    function: str = ""


@dataclass(frozen=True, slots=True)
class IntegerWraps(Event):
    """An operation gives a ``number`` that its ``dtype`` cannot hold, and nothing is raised."""

    kind = Kind.INTEGER_WRAPS
    number: int
    dtype: str


@dataclass(frozen=True, slots=True)
class RemovedApi(Event):
    """A name, a parameter or a way of calling that is gone from JAX, or will be.

    ``keyword`` is the parameter, ``how`` what is said of the call: empty where the name itself
    went. ``removed`` and ``deprecated`` are the releases, empty when it never was; ``says`` is
    JAX's own advice. ``package`` is whose releases those are, ``needs`` the first JAX with which
    the one that removed it runs. ``of_array``: what made the difference is a known array.
    """

    kind = Kind.REMOVED_API
    of_the_text = True
    name: str
    removed: str
    deprecated: str
    says: str
    keyword: str = ""
    how: str = ""
    package: str = "jax"
    needs: str = ""
    of_array: bool = False


@dataclass(frozen=True, slots=True)
class UnknownApi(Event):
    """A name or keyword that no release of JAX has, or none before ``since``.

    ``instead`` is the nearest that there is.
    """

    kind = Kind.UNKNOWN_API
    of_the_text = True
    name: str
    keyword: str = ""
    instead: str = ""
    since: str = ""


@dataclass(frozen=True, slots=True)
class NumpyAlias(Event):
    """``jax.numpy`` is imported under NumPy's usual name."""

    kind = Kind.NUMPY_ALIAS
    of_the_text = True


@dataclass(frozen=True, slots=True)
class RepeatedSite(Event):
    """A function gives one ``name`` to two sites of a model.

    ``function``: that does; ``first_at``: where it comes to the site that has it already;
    ``in_loop``: that is this one, in another pass of a loop.
    """

    kind = Kind.REPEATED_SITE
    name: str
    function: str
    first_at: Site
    in_loop: bool = False
