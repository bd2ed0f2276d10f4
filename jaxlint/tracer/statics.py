"""Which arguments of a transformed function are static, or donated, going by its options."""

from __future__ import annotations

from dataclasses import dataclass

from jaxlint.tracer.callables import parameter_names
from jaxlint.tracer.values import NONE, Const, Sequence, Transformed, Value


@dataclass(slots=True)
class Chosen:
    """Parameters that options choose; ``known`` is False when the options cannot be read."""

    positions: set[int]
    names: set[str]
    known: bool = True

    def has(self, position: int, names: list[str] | None) -> bool:
        """Whether the argument at a position is chosen, by position or by name."""
        if position in self.positions:
            return True
        return bool(names and position < len(names) and names[position] in self.names)

    def has_name(self, name: str, names: list[str] | None) -> bool:
        """Whether a keyword argument is chosen, by name or by position."""
        if name in self.names:
            return True
        return bool(names and name in names and names.index(name) in self.positions)


def statics_of(function: Transformed) -> Chosen:
    """The static parameters of a transformed function."""
    transform = function.transform
    return chosen_by(function, transform.static_positions, transform.static_names)


def donated_by(function: Transformed) -> Chosen:
    """The donated parameters of a jitted function."""
    if not function.name.startswith("jax."):
        # Flax's own jit puts the new buffers into the objects that it was given.
        return Chosen(set(), set())
    return chosen_by(function, "donate_argnums", "donate_argnames")


def chosen_by(function: Transformed, positions_option: str, names_option: str) -> Chosen:
    """The parameters that two options of a transform choose."""
    found = Chosen(set(), set())
    positions = function.options.get(positions_option) or NONE
    names = function.options.get(names_option) or NONE
    for option, kind, into in ((positions, int, found.positions), (names, str, found.names)):
        for item in listed(option):
            if item is None or not isinstance(item, kind):
                found.known = False
            else:
                into.add(item)  # type: ignore[arg-type]
    if any(position < 0 for position in found.positions):
        count = len(parameter_names(function.function) or ())
        found.positions = {p if p >= 0 else count + p for p in found.positions}
    return found


def listed(option: Value) -> list[object]:
    """The constants in an option that takes one or several; None for each unknown one."""
    if isinstance(option, Const):
        return [] if option.value is None else [option.value]
    if isinstance(option, Sequence) and option.items is not None:
        return [item.value if isinstance(item, Const) else None for item in option.items]
    return [None]
