"""Finds the rule that explains what came back, among all that the vocabulary can say.

A rule must never say anything else than JAX did. Of those that do not, the one that says
most wins, and of equals the one that comes first.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence

from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.dtype_rules import promoted
from jaxlint.tracer.values.given import Call, Constant, OfDType, described
from jaxlint.tracer.values.results import COUNTS, counted
from jaxlint.tracer.values.rules import dtype_by, shape_by
from tools.measure.experiments import Observation

DtypeMap = dict[str, dict[str, str]]
"""What becomes of each dtype, with x64 ``off`` and ``on``."""

AXES = ("axis", "axes", "axis1", "axis2", "dimension", "dimensions", "dim", "concat_axis",
        "source", "destination", "permutation", "dims", "start_axis", "args")  # fmt: skip
SIZES = ("num_classes", "num", "N", "M", "n", "m", "size", "length", "num_segments", "k", "shape",
         "maxlen", "total_repeat_length", "minlength", "new_sizes", "d", "num_rows")  # fmt: skip
SHAPES = ("shape", "newshape", "new_shape", "sizes", "new_sizes", "args", "slice_sizes", "reps",
          "num", "output_shape")  # fmt: skip


ENOUGH = 0.4
"""How much a rule must say: one that is mostly silent is right by chance."""


class Fitter:
    """Rules for one function.

    Attributes:
        arrays: the parameters that take arrays, in order.
        names: all of its parameters.
        defaults: of those that have one.
        maps: the dtype maps found so far, by provisional name.
    """

    def __init__(
        self, arrays: Sequence[str], names: Sequence[str], defaults: Mapping[str, object]
    ) -> None:
        self.arrays = list(arrays)[:4]
        self.names = list(names)
        self.defaults = {name: described(value) for name, value in defaults.items()}
        self.maps: dict[str, DtypeMap] = {}

    def call(self, seen: Observation) -> Call:
        """The arguments of an observation, as the rules ask for them."""
        return Call(seen.given, self.defaults, seen.x64)

    # ---------------------------------------------------------------- shapes

    def shape(
        self,
        several: Sequence[Observation],
        number: int | None,
        others: Sequence[Observation] = (),
    ) -> str:
        """The best shape rule for one item; for all items alike when ``number`` is None.

        Of rules that say as much, the one that says more about ``others`` wins.
        """
        best, most = "unknown", (0.0, 0.0)
        for rule in self._candidates():
            says = self.precision(rule, several, number)
            if says is None or round(says, 9) < most[0]:
                continue
            right = round(sum(self.precision(rule, [seen], number) or 0 for seen in others), 9)
            if (round(says, 9), right) > most:
                best, most = rule, (round(says, 9), right)
        return best if most[0] >= ENOUGH else "unknown"

    def precision(
        self, rule: str, several: Sequence[Observation], number: int | None
    ) -> float | None:
        """How much of the shapes a rule says, from 0 to 1; None when it is wrong once."""
        total = 0.0
        for seen in several:
            inferred = shape_by(rule, self.call(seen))
            for aval in items_of(seen, number):
                assert aval.shape is not None
                if inferred.contradiction or not _fits(inferred.shape, aval.shape):
                    return None
                total += _said(inferred.shape)
        count = sum(len(items_of(seen, number)) for seen in several)
        return total / count if count else 0.0

    def _candidates(self) -> Iterator[str]:
        """All rules that the parameters allow, the plainest first."""
        sizes = [name for name in SIZES if name in self.names]
        axes = [name for name in AXES if name in self.names]
        yield "sizes"
        yield from (f"same {one}" for one in self.arrays)
        yield from (f"given {shape}" for shape in SHAPES if shape in self.names)
        if {"start", "stop", "step"} <= set(self.names):
            yield "arange start stop step"
        for count in range(len(self.arrays), 0, -1):
            for chosen in itertools.combinations(self.arrays, count):
                yield f"broadcast {' '.join(chosen)}"
        for one in self.arrays:
            yield from self._reduced([one], axes)
            yield from self._of_one(one, axes)
            yield from self._lengthened(one, axes, sizes)
            yield from self._sized(one, axes)
        if {"start_indices", "limit_indices", "strides"} <= set(self.names):
            yield "between start_indices limit_indices strides"
        for axis, count in itertools.product(axes, range(2, len(self.arrays) + 1)):
            for several in itertools.combinations(self.arrays, count):
                yield from self._reduced(several, [axis])
        for one, other in itertools.permutations(self.arrays, 2):
            yield from self._of_two(one, other, axes)
        yield from self._vague(sizes)

    def _reduced(self, several: Sequence[str], axes: Sequence[str]) -> Iterator[str]:
        keeps = "keepdims" if "keepdims" in self.names else "-"
        yield from (f"reduce {','.join(several)} {axis} {keeps}" for axis in axes)

    def _of_one(self, one: str, axes: Sequence[str]) -> Iterator[str]:
        """Rules that move, drop and join the axes of one array."""
        for axis in axes:
            for word in ("keep", "squeeze", "expand", "concatenate", "stack", "transpose"):
                yield f"{word} {one} {axis}"
        for word in ("ravel", "reverse", "exchange", "vstack", "hstack", "axes", "square",
                     "columns", "counted"):  # fmt: skip
            yield f"{word} {one}"
        for word, count in itertools.product(("drop", "skip"), (1, 2)):
            yield f"{word} {one} {count}"
        for shape in SHAPES:
            if shape in self.names:
                yield f"reshape {one} {shape}"
                yield f"prepend {one} {shape}"
        if "reps" in self.names:
            yield f"tile {one} reps"
        for first, second in itertools.permutations(axes, 2):
            yield f"swapaxes {one} {first} {second}"
            yield f"moveaxis {one} {first} {second}"

    def _lengthened(self, one: str, axes: Sequence[str], sizes: Sequence[str]) -> Iterator[str]:
        """Rules that give one array another axis, or another size along one."""
        for size in sizes:
            yield from (f"insert {one} {size} {axis}" for axis in axes)
            yield f"append {one} {size}"
        yield from (f"append {one} {count}" for count in (1, 2, 3))
        yield f"append {one} ?"
        if "n" in self.names:
            others = " ".join(name for name in self.arrays if name != one)
            yield from (f"shorten {one} {axis} n {others}".rstrip() for axis in axes)
        yield from (f"along {one} {axis}" for axis in axes)
        yield from (f"atleast {one} {rank}" for rank in (1, 2, 3))
        if "subscripts" in self.names:
            yield f"einsum subscripts {one}"

    def _sized(self, one: str, axes: Sequence[str]) -> Iterator[str]:
        """Rules that compute a size of one array from what other parameters say."""
        ways = {
            "repeats": (f"repeat {one} repeats AXIS total_repeat_length",),
            "indices_or_sections": (f"part {one} indices_or_sections AXIS",),
            "slice_size": (f"resize {one} AXIS slice_size",),
            "n": (f"halved {one} n AXIS", f"doubled {one} n AXIS"),
            "shape": (f"drawn {one} shape AXIS",),
        }
        for name, axis in itertools.product(ways, axes):
            if name in self.names:
                yield from (way.replace("AXIS", axis) for way in ways[name])
        alone = {
            "pad_width": (f"pad {one} pad_width",),
            "k": (f"last {one} k", f"diagonal {one} k"),
            "shape": (f"vectors shape {one}",),
            "indexing": (f"grid {one} indexing",),
        }
        for name, words in alone.items():
            yield from words if name in self.names else ()

    def _vague(self, sizes: Sequence[str]) -> Iterator[str]:
        """Rules that say the number of axes, and of some the size."""
        for count in (1, 2):
            for words in itertools.product([*sizes, "?"], repeat=count):
                yield f"sizes {' '.join(words)}"
        yield from ("sizes" + " ?" * rank for rank in range(3, 6))
        for one, more in itertools.product(self.arrays, (0, 1, -1, 2, -2)):
            yield f"ranked {one} {more}"
        yield f"widest {' '.join(self.arrays)}"

    def _of_two(self, one: str, other: str, axes: Sequence[str]) -> Iterator[str]:
        for word in ("matmul", "dot", "inner", "outer", "kron"):
            yield f"{word} {one} {other}"
        for word, axis in itertools.product(("tensordot", "take", "taken", "join"), axes):
            yield f"{word} {one} {other} {axis}"
            if "keepdims" in self.names:
                yield f"quantiles {one} {other} {axis} keepdims"
        ways = {"mode": "convolve", "num_segments": "segments"}
        for name, word in ways.items():
            if name in self.names:
                yield f"{word} {one} {other} {name}"
        if "shape" in self.names:
            yield f"vectors shape {one} {other}"

    # ---------------------------------------------------------------- dtypes

    def dtype(self, several: Sequence[Observation], number: int | None, silent: float = 0.0) -> str:
        """The best dtype rule for one item; for all items alike when ``number`` is None.

        A map may say nothing of that share of the dtypes: those that become several ones.
        """
        found = self._given(several, number)
        if found:
            return found
        constant = _constant(several, number)
        arrays = [name for name in self.arrays if not _is_key(several, name)]
        inputs = len({(promoted(self.call(one), tuple(arrays)), one.x64) for one in several})
        if constant and "?" not in constant and (not arrays or inputs > 2):
            return constant
        rules: list[tuple[DtypeMap, tuple[str, ...], str]] = []
        for count in range(1, len(arrays) + 1):
            for chosen in itertools.combinations(arrays, count):
                made = self._map(several, number, chosen, silent)
                doubtful = [] if made is None else self._untold(several, arrays, chosen)
                if made is None or not self._optional(several, doubtful):
                    continue
                unless = "".join(f"{name}: unknown | " for name in doubtful)
                if all(key == value for part in made.values() for key, value in part.items()):
                    return f"{unless}same {' '.join(chosen)}"
                rules.append((made, chosen, unless))
        if rules and inputs > 1:
            made, chosen, unless = min(rules, key=lambda one: _doubt(one[0]))
            return f"{unless}as {self.named(made)} {' '.join(chosen)}"
        return constant or "unknown"

    def _untold(
        self, several: Sequence[Observation], arrays: Sequence[str], chosen: tuple[str, ...]
    ) -> list[str]:
        """The other arrays of which no experiment shows that they have no say in the dtype."""
        return [
            other
            for other in arrays
            if other not in chosen
            and any(other in seen.given for seen in several)
            and all(
                promoted(self.call(seen), (*chosen, other)) == promoted(self.call(seen), chosen)
                for seen in several
            )
        ]

    def _optional(self, several: Sequence[Observation], names: Sequence[str]) -> bool:
        """Whether all these parameters can be left out."""
        return all(any(name not in seen.given for seen in several) for name in names)

    def named(self, made: DtypeMap) -> str:
        """A provisional name of a map, from what it holds."""
        text = json.dumps(made, sort_keys=True)
        name = hashlib.sha256(text.encode()).hexdigest()[:12]
        self.maps[name] = made
        return name

    def lookup(self, name: str, x64: bool) -> Mapping[str, str]:
        """A map by its provisional name."""
        return self.maps[name]["on" if x64 else "off"]

    def right(self, rule: str, seen: Observation, number: int | None) -> bool:
        """Whether a dtype rule says nothing wrong of one call."""
        name, weak = dtype_by(rule, self.call(seen), self.lookup)
        return all(
            name in (None, aval.dtype) and weak in (None, aval.weak)
            for aval in items_of(seen, number)
        )

    def _given(self, several: Sequence[Observation], number: int | None) -> str:
        """``given`` and the parameter that says the dtype."""
        for name in self.names:
            told = [isinstance(seen.given.get(name), OfDType) for seen in several]
            rule = f"given {name}"
            if any(told) and all(told) and all(self.right(rule, one, number) for one in several):
                return rule
        return ""

    def _map(
        self,
        several: Sequence[Observation],
        number: int | None,
        chosen: tuple[str, ...],
        silent: float,
    ) -> DtypeMap | None:
        """What becomes of the promoted dtype; None when too many of them become several ones."""
        found: dict[str, dict[str, set[str]]] = {"off": {}, "on": {}}
        for seen in several:
            name, weak = promoted(self.call(seen), chosen)
            if name is None or weak is None:
                return None
            key, part = ("~" if weak else "") + name, found["on" if seen.x64 else "off"]
            part.setdefault(key, set()).update(map(typed, items_of(seen, number)))
        made = _doubted({
            name: {key: _one_of(values) or "?" for key, values in sorted(part.items()) if values}
            for name, part in found.items()
        })  # fmt: skip
        every = [value for part in made.values() for value in part.values()]
        return made if every.count("?") <= silent * len(every) else None

    # ---------------------------------------------------------------- counts

    def count(self, several: Sequence[Observation]) -> str:
        """How many items there are: a number, or a rule; empty when none is found."""
        numbers = {len(seen.items) for seen in several}
        if len(numbers) == 1:
            return str(numbers.pop())
        for rule in self._count_rules():
            if all(
                counted(rule, self.call(seen)) in (None, len(seen.items)) for seen in several
            ) and any(counted(rule, self.call(seen)) is not None for seen in several):
                return rule
        return ""

    def _count_rules(self) -> Iterator[str]:
        for word in COUNTS:
            if word == "axis":
                for one, axis in itertools.product(self.arrays, AXES):
                    if axis in self.names:
                        yield f"axis {one} {axis}"
            elif word == "rank":
                yield from (f"rank {one}" for one in self.arrays)
            else:
                yield from (f"{word} {name}" for name in self.names)


def _is_key(several: Sequence[Observation], name: str) -> bool:
    """Whether a parameter takes PRNG keys only."""
    given = [seen.given.get(name) for seen in several]
    return all(isinstance(one, Aval) and one.dtype == "key" for one in given)


def items_of(seen: Observation, number: int | None) -> list[Aval]:
    """The arrays at one place of a result, or all of them."""
    items = seen.items if number is None else seen.items[number : number + 1]
    return [item for item in items if isinstance(item, Aval)]


def typed(aval: Aval) -> str:
    """A dtype with ``~`` before it when it is weak."""
    return ("~" if aval.weak else "") + str(aval.dtype)


def _fits(said: object, shape: tuple[object, ...]) -> bool:
    if said is None:
        return True
    assert isinstance(said, tuple)
    return len(said) == len(shape) and all(
        one is None or one == size for one, size in zip(said, shape, strict=True)
    )


def _said(shape: tuple[object, ...] | None) -> float:
    """How much a shape says: half for the rank, half for the sizes."""
    if shape is None:
        return 0.0
    return 0.5 + 0.5 * sum(size is not None for size in shape) / len(shape) if shape else 1.0


def _doubted(made: DtypeMap) -> DtypeMap:
    """A map that says of no weak dtype whether it stays weak, if it does not say so of one.

    Then weakness depends on the shape, and not every shape was tried with every dtype.
    """
    pairs = [pair for part in made.values() for pair in part.items()]
    if not any(key.startswith("~") and value.startswith("?") for key, value in pairs):
        return made
    return {
        name: {
            key: f"?{value.lstrip('~?')}" if key.startswith("~") else value
            for key, value in part.items()
        }
        for name, part in made.items()
    }


def _doubt(made: DtypeMap) -> float:
    """How many of a map's entries say nothing, and of the others nothing of weakness."""
    entries = [value for part in made.values() for value in part.values()]
    weakness = sum(value.startswith("?") for value in entries)
    return (weakness + len(entries) * entries.count("?")) / max(len(entries), 1)


def _constant(several: Sequence[Observation], number: int | None) -> str:
    narrow = {typed(aval) for one in several if not one.x64 for aval in items_of(one, number)}
    wide = {typed(aval) for one in several if one.x64 for aval in items_of(one, number)}
    first = _one_of(narrow)
    second = _one_of(wide) if wide else first
    if not first or not second:
        return ""
    return f"const {first}" if first == second else f"const {first} {second}"


def _one_of(names: set[str]) -> str:
    """The dtype that all are, ``?`` before it when some are weak; empty when they differ."""
    if len(names) == 1:
        return next(iter(names))
    plain = {name.lstrip("~") for name in names}
    return f"?{plain.pop()}" if len(plain) == 1 else ""


def constant_text(value: object) -> str:
    """A Python constant as guards write it."""
    return str(value.value) if isinstance(value, Constant) else ""
