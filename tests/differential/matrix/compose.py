"""Writes a program: a construct, in a function, through transforms, at a place, called or not."""

from __future__ import annotations

import importlib
import importlib.util
import re
import warnings
from dataclasses import dataclass
from random import Random

from tests.differential.matrix.constructs import CONSTRUCTS, MARK, Construct
from tests.differential.matrix.distances import DISTANCES, HELPER, NESTED, Distance
from tests.differential.matrix.forms import JAX_FORMS, LIBRARY_FORMS, PLAIN, Form
from tests.differential.matrix.places import CALLS, PLACES, SPELLINGS, Place, call, called, indented
from tests.differential.matrix.styles import (
    DECORATED,
    LAMBDAS,
    LIBRARY_STYLES,
    SELF_DECORATED,
    STYLES,
    Innermost,
    Style,
)

IMPORTS = ("from functools import partial", "import jax", "import jax.numpy as jnp",
           "import numpy as np")  # fmt: skip
WHERE_USED = {
    "dataclasses.": "import dataclasses",
    "functools.": "import functools",
    "math.": "import math",
    "io.": "import io",
    "time.": "import time",
    "NamedTuple)": "from typing import NamedTuple",
    "Callable": "from collections.abc import Callable",
    "lax.": "from jax import lax",
    "hk.": "import haiku as hk",
    "nn.": "import flax.linen as nn",
    "optax.": "import optax",
    "nnx.": "from flax import nnx",
    "eqx.": "import equinox as eqx",
    "P(": "from jax.sharding import PartitionSpec as P",
}
"""Text -> the import that it needs."""
CONSTANTS = {
    "FLAG": "FLAG = True",
    "RATES": "RATES = [0.5, 1.5, 2.5] * 20",
    "NAMES": "NAMES = {1: 0.5, 2: 1.5}",
    "HOST": "HOST = np.ones(60)",
    "TABLE": "TABLE = jnp.arange(3.0)",
    "LOG": "LOG = []",
    "STATS": "STATS = {}",
    "COUNT": "COUNT = 0",
    "LAST": "LAST = None",
    "STEPS": "STEPS = iter(range(10**6))",
    "BUFFER": "BUFFER = io.BytesIO()",
    "BOX": "class Box:\n    value = None\n\n\nBOX = Box()",
    "cached_of": "@functools.lru_cache\ndef cached_of(w):\n    return 1.0\n\n",
    "SETTINGS": 'SETTINGS = {"debug": False}',
    "MESH": 'MESH = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("i",))',
}
"""Name -> the statement that defines it, in programs that use it."""
RENAMED = (
    ("np", "import numpy as np", "onp", "import numpy as onp"),
    ("jnp", "import jax.numpy as jnp", "xnp", "from jax import numpy as xnp"),
    ("lax", "from jax import lax", "jax.lax", "import jax.lax"),
    ("jax", "import jax", "jx", "import jax as jx"),
)
"""Usual names and their imports, and others that some programs give them."""
SIZE = 3
"""Of every axis, and the number of devices that ``pmap`` finds."""


@dataclass
class Program:
    """A program and what went into it.

    Attributes:
        text: what jaxlint sees.
        unseen: what a caller that jaxlint does not see runs afterwards; empty when the
            program does all by itself.
        otherwise: what others may do as well and the file does not: call it without
            ``disable_jit``, or give a value for ``n``.
        lines: the lines that the program is about: one, or those of a lambda written twice.
    """

    text: str
    unseen: str
    otherwise: tuple[str, ...]
    lines: frozenset[int]
    construct: Construct
    forms: tuple[Form, ...]
    distance: str
    style: str
    spelling: str
    place: str
    calls: str


def exists(name: str) -> bool:
    """Whether what a dotted name says can be imported here."""
    module, _, attribute = name.rpartition(".")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return hasattr(importlib.import_module(module), attribute)
        except ImportError:
            return False


def installed(package: str) -> bool:
    """Whether a package can be imported."""
    return importlib.util.find_spec(package) is not None


JAX_FORMS_HERE = [form for form in JAX_FORMS if exists(form.name)]
LIBRARY_FORMS_HERE = [form for form in LIBRARY_FORMS if exists(form.name)]
LIBRARY_STYLES_HERE = [name for name in LIBRARY_STYLES if installed(re.split("[. ]", name)[0])]
DISTANCES_HERE = [distance for distance in DISTANCES if installed(distance.library)]
ABSENT = sorted(
    {form.title for form in (*JAX_FORMS, *LIBRARY_FORMS)}
    - {form.title for form in (*JAX_FORMS_HERE, *LIBRARY_FORMS_HERE)}
    | LIBRARY_STYLES.keys() - set(LIBRARY_STYLES_HERE)
    | {distance.name for distance in DISTANCES} - {distance.name for distance in DISTANCES_HERE}
)
"""What is skipped, because no release here has it."""
_JAX_BY_WEIGHT = [form for form in JAX_FORMS_HERE for _ in range(form.weight)]
_LIBRARY_BY_WEIGHT = [form for form in LIBRARY_FORMS_HERE for _ in range(form.weight)]


def _ones(rank: int) -> str:
    """An argument of a rank."""
    return f"jnp.ones({(SIZE,) * rank})" if rank else "jnp.float32(1.0)"


class Composer:
    """Writes one program.

    Attributes:
        choose: makes every decision.
        construct, forms, place, spelling, distance: what the program is made of.
        rank: axes of the array that the innermost function sees.
        direct: whether that function is written for the first transform, or plain.
        result_rank: axes of what it returns, when it is plain.
    """

    def __init__(self, random: Random) -> None:
        self.choose = random.choice
        self.construct: Construct = self.choose(list(CONSTRUCTS))
        self.forms: list[Form] = [self._form() for _ in range(self.choose([1, 1, 2, 2, 2, 3]))]
        self.place = Place(self.choose(list(PLACES)))
        self.spelling: str = self.choose(list(SPELLINGS))
        self.rank: int = max(self.construct.rank, self.choose([0, 1]))
        first = self.forms[0]
        self.direct = first.signature is not PLAIN and self.choose([True, True, True, False])
        self.signature = first.signature if self.direct else PLAIN
        self.result_rank = 0
        self.distance = DISTANCES[0]

    def _form(self) -> Form:
        library = bool(_LIBRARY_BY_WEIGHT) and self.choose([True, False, False, False])
        return self.choose(_LIBRARY_BY_WEIGHT if library else _JAX_BY_WEIGHT)

    def chance(self, one_in: int) -> bool:
        """True now and then."""
        return self.choose(list(range(one_in))) == 0

    def program(self) -> Program:
        """The program."""
        innermost = self.innermost()
        decorated = self.decorate(innermost)
        style_name, style = self.style(innermost)
        function = style(innermost, self.place)
        entry, argument_rank = self.transformed(function, decorated)
        argument = _ones(argument_rank)
        how = self.choose(["not called", "not called", "not called", *CALLS])
        calls, unseen = called(entry, argument, how)
        if how == "not called":
            calls, unseen = [], f"{entry}({argument})"
        otherwise = [f"{entry}({argument})"] if how == "disable_jit()" else []
        if how == "not called":
            otherwise.append(f"{entry}(np.asarray({argument}))")
            if innermost.extra:
                otherwise.append(f"{entry}({argument}, n=2)")
            if any(part.by_rank for part in (self.construct, *self.forms)):
                otherwise.append(f"{entry}({_ones(argument_rank + 1)})")
        text, lines = self.written(calls)
        return Program(
            text, unseen, tuple(otherwise), lines, self.construct, tuple(self.forms),
            self.distance.name, style_name, self.spelling, self.place.kind, how,
        )  # fmt: skip

    # ----------------------------------------------------------- the innermost

    def innermost(self) -> Innermost:
        """The function that the construct stands in."""
        extra = "n=2" if self.signature is PLAIN and self.chance(5) else ""
        subjects = [(name, self.rank if rank == "in" else 0)
                    for name, rank in self.signature.subjects]  # fmt: skip
        if extra and self.construct.kind == "value":
            subjects.append(("n", 0))
        fitting = [each for each in subjects if each[1] >= self.construct.rank]
        subject, rank = self.choose(fitting or subjects)
        self.distance = DISTANCES[0] if subject == "n" else self.way()
        lines, expression = self.said(subject, rank)
        result = self.signature.result or self.plain_result()
        lambda_expression = ""
        if expression and not self.signature.prologue:
            lambda_expression = f"({expression}, {result})[1]"
            if "," in result:
                lambda_expression = f"({expression}, ({result}))[1]"
            lambda_expression += MARK
        body = [*self.signature.prologue, *lines, f"return {result}"]
        return Innermost(self.signature.params, extra, body, lambda_expression)

    def plain_result(self) -> str:
        """What a plain function returns, so that the next transform takes it most of the time."""
        wants = self.forms[0].wants
        scalar = wants == "scalar" or (wants == "any" and self.choose([True, False]))
        self.result_rank = 0 if scalar or self.rank == 0 else self.rank
        if self.result_rank:
            return "x * 2.0"
        return self.choose(["x.sum()", "jnp.sum(x * x)"]) if self.rank else "x * 2.0"

    def said(self, subject: str, rank: int) -> tuple[list[str], str]:
        """The construct about a subject: as statements, and as an expression."""
        distance = self.distance
        about = distance.about.format(s=subject)
        fill = {"v": about, "t": self.scalar(about, rank), "k": self.integer(about, rank)}
        lines = [line.format(**fill) for line in self.construct.lines]
        self.place.top += [line.format() for line in distance.top]
        if distance.name == HELPER:
            self.place.top += ["def use_of(w):", *indented(lines), "    return w", ""]
            return [f"y = use_of({subject})"], ""
        if distance.name == NESTED:
            return ["def inside():", *indented(lines), "    return None", "", "inside()"], ""
        before = [line.format(s=subject) for line in distance.before]
        expression = "" if before else self.construct.expression.format(**fill)
        return [*before, *lines], expression

    def way(self) -> Distance:
        """A way from the parameter to the construct."""
        distance: Distance = self.choose(DISTANCES_HERE)
        text = "".join(self.construct.lines)
        assigns = "{v} =" in text or "{v}[0] =" in text
        if assigns and distance.name not in ("none", "computed", HELPER):
            return DISTANCES[0]
        return distance

    def scalar(self, name: str, rank: int) -> str:
        """A scalar of an array."""
        if rank == 0:
            return name
        return self.choose([f"{name}.sum()", f"jnp.max({name})", f"{name}[0]", f"jnp.mean({name})"])

    def integer(self, name: str, rank: int) -> str:
        """An integer of an array."""
        if name in ("n", "i"):
            return name
        scalar = self.scalar(name, rank)
        return self.choose([f"{scalar}.astype(int)", f"jnp.int32({scalar})"])

    # --------------------------------------------------------------- its style

    def decorate(self, innermost: Innermost) -> int:
        """Let the first transforms stand as decorators; returns how many do."""
        for number, form in enumerate(self.forms[:2], 1):
            above = innermost.decorators
            picks = form.pick and number < len(self.forms)
            changes = above and form.wants != "any"
            if not form.decorates or picks or changes or self.choose([True, False]):
                break
            above.insert(0, self.decorator(form, innermost))
        return len(innermost.decorators)

    def decorator(self, form: Form, innermost: Innermost) -> str:
        how = "usual" if self.spelling == "default parameter" else self.spelling
        name = self.place.spell(form.name, how)
        option = self.option(form, innermost.extra != "" and not innermost.decorators)
        if not option:
            return f"@{name}"
        if form.name == "jax.jit" and self.choose([True, False]):
            return f"@{name}({option})"
        return f"@partial({name}, {option})"

    def option(self, form: Form, has_static: bool) -> str:
        """An option of the transform, or nothing."""
        options = [o for o in form.options if has_static or "static" not in o]
        return self.choose(options) if options and self.chance(3) else ""

    def style(self, innermost: Innermost) -> tuple[str, Style]:
        """A style that the function can be defined in."""
        if innermost.decorators:
            names = list(DECORATED)
            if innermost.decorators[-1].endswith("jit"):
                names += SELF_DECORATED
            name = self.choose(names)
            if name in SELF_DECORATED:
                jit = innermost.decorators[-1][1:]
                innermost.decorators[-1] = f"@partial({jit}, static_argnums=0)"
            return name, STYLES[name]
        if self.signature.params == "x" and LIBRARY_STYLES_HERE and self.chance(6):
            name = self.choose(LIBRARY_STYLES_HERE)
            return name, LIBRARY_STYLES[name]
        if innermost.expression and self.chance(4):
            name = self.choose(list(LAMBDAS))
            return name, LAMBDAS[name]
        name = self.choose(list(STYLES))
        return name, STYLES[name]

    # -------------------------------------------------------------- transforms

    def transformed(self, function: str, decorated: int) -> tuple[str, int]:
        """The function through all transforms: how to get at it, and the rank that it takes."""
        rank, result, given = self.rank, self.result_rank, function
        if self.place.kind == "function parameter":
            if self.place.lines:
                self.place.kind = "factory"
            else:
                function = "fn"
        applied = ""
        for number, form in enumerate(self.forms):
            if number >= decorated:
                if not (self.direct and number == 0):
                    function, result = self.fitted(function, form, rank, result)
                function, applied = self.apply(function, form, number == len(self.forms) - 1)
            result = form.rank(rank, result)
            rank += form.lift
        applied = applied or call(function, "v")
        return self.place.finish(function, applied, given), rank

    def fitted(self, function: str, form: Form, rank: int, result: int) -> tuple[str, int]:
        """The function with a result that the transform takes."""
        text = ""
        if form.wants == "scalar" and result:
            text, result = "lambda w: jnp.sum({f}(w))", 0
        elif form.wants == "like" and result != rank:
            text, result = "lambda w: w + 0.0 * jnp.sum({f}(w))", rank
        for around in (text, form.adapt):
            if around:
                function = self.around(filled(around, f=function))
        return function, result

    def around(self, text: str) -> str:
        """A lambda, or a ``def`` of the same."""
        if self.choose([True, False]):
            return text
        params, _, result = text.removeprefix("lambda ").partition(": ")
        name = self.place.fresh("around")
        self.place.lines += [f"def {name}({params}):", f"    return {result}", ""]
        return name

    def apply(self, function: str, form: Form, is_last: bool) -> tuple[str, str]:
        """The function under one transform more; where that calls it, also the call with ``v``."""
        name = self.place.spell(form.name, self.spelling)
        pick = "" if is_last else form.pick
        if form.at_once:
            if is_last and self.place.has_argument:
                return "", filled(form.text, T=name, f=function, x="v")
            text = filled(form.text, T=name, f=function, x="w")
            return self.around(f"lambda w: ({text}{pick})" if pick else f"lambda w: {text}"), ""
        if form.block:
            made = self.place.fresh("made")
            self.place.lines += [filled(line, T=name, f=function, n=made) for line in form.block]
        else:
            made = filled(form.text, T=name, f=function)
            option = self.option(form, False)
            if option and form.text == "{T}({f})":
                made = f"{made[:-1]}, {option})"
        if pick:
            made = self.around(f"lambda w: ({made}(w){pick})")
        return self.named(made), ""

    def named(self, function: str) -> str:
        """The function under a name, or as it stands."""
        if self.choose([True, False]):
            return function
        name = self.place.fresh("made")
        if self.place.kind == "init" and self.choose([True, False]):
            name = f"self.{name}"
        self.place.lines += [f"{name} = {function}"]
        return name

    # -------------------------------------------------------------------- text

    def written(self, calls: list[str]) -> tuple[str, frozenset[int]]:
        """The whole text, and the lines that were marked."""
        body = "\n".join([*self.place.top, "", *calls])
        imports: dict[str, None] = dict.fromkeys([*IMPORTS, *sorted(self.place.imports)])
        constants = [text for name, text in CONSTANTS.items() if re.search(rf"\b{name}\b", body)]
        body = "\n".join([*constants, "", body])
        for part, statement in WHERE_USED.items():
            if re.search(rf"(?<![\w.]){re.escape(part)}", body):
                imports[statement] = None
        for usual, statement, other, renamed in RENAMED:
            if self.chance(8) and statement in imports:
                body = re.sub(rf"(?<![\w.]){usual}\.", f"{other}.", body)
                imports = {renamed if each == statement else each: None for each in imports}
        text = "\n".join([*imports, "", body]) + "\n"
        lines = enumerate(text.split("\n"), 1)
        marked = frozenset(number for number, line in lines if MARK in line)
        return text.replace(MARK, ""), marked


def filled(text: str, **names: str) -> str:
    """A template with names put in; a lambda that is called gets parentheses."""
    function = names.get("f", "")
    if function.startswith("lambda"):
        text = text.replace("{f}(", "({f})(")
    return text.format(**names)
