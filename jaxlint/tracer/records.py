"""What a call is given, and what is remembered of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from jaxlint.program import nodes as n
from jaxlint.tracer.frames import Loop, Read
from jaxlint.tracer.values import UNKNOWN, KeyState, KeyUse, Value


@dataclass(slots=True)
class Arguments:
    """The arguments of one call.

    ``open_args`` stands for the elements of a ``*args`` of unknown length,
    ``open_kwargs`` for the values of an unknown ``**kwargs``.
    """

    args: list[Value] = field(default_factory=list)
    kwargs: dict[str, Value] = field(default_factory=dict)
    open_args: Value | None = None
    open_kwargs: Value | None = None

    def all(self) -> list[Value]:
        """Every value handed over."""
        rest = [value for value in (self.open_args, self.open_kwargs) if value is not None]
        return [*self.args, *self.kwargs.values(), *rest]

    def get(self, position: int, keyword: str = "") -> Value | None:
        """One argument by position or keyword; None when it was not passed."""
        if keyword and keyword in self.kwargs:
            return self.kwargs[keyword]
        if 0 <= position < len(self.args):
            return self.args[position]
        if self.open_args is not None or self.open_kwargs is not None:
            return UNKNOWN
        return None


@dataclass(slots=True)
class Consumed:
    """The PRNG keys that a call used up, which ones it made, what it left running.

    ``depth`` is the length of the call chain outside of the call; keys with a serial
    above ``first`` were made by it. ``dispatches`` is None when it neither dispatched
    work nor waited for any.
    """

    uses: list[tuple[KeyState, KeyUse]]
    depth: int
    first: int
    dispatches: int | None = None
    leaves_pending: n.Node | None = None


@dataclass(slots=True)
class Dispatch:
    """Work that the host has dispatched: how often, the last of it that nobody waited for."""

    dispatches: int = 0
    pending: n.Node | None = None
    loops: tuple[Loop, ...] = ()


@dataclass(slots=True)
class Remembered:
    """What a call gave, with its inputs, which stay alive because keys use their ids."""

    result: Value
    made_by_call: bool
    inputs: list[Value]
    consumed: Consumed


@dataclass(slots=True)
class Trace:
    """A cached trace of a transformed function: its result and what it read."""

    result: Value
    reads: list[Read]
    inputs: list[Value]
    consumed: Consumed
