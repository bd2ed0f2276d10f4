"""Small jitted programs in the style of users, for real JAX and jaxlint to disagree on.

The writer keeps track of what type each variable has, so that the programs make
sense, and not of what is traced: that is what the two are asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
Choose = Callable[[list[T]], T]

HEADER = """\
import functools
import math
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import jit, lax

LIMIT = 2.0
FLAG = True
TABLE = jnp.arange(3.0)
HOST = np.ones(3)
RATES = [0.5, 1.5, 2.5]
NAMES = {1: 0.5, 2: 1.5}
OPTIONS = {"scale": 2.0, "deep": True}


class State(NamedTuple):
    arr: jax.Array
    num: float

"""


class Writer:
    """Writes one program; ``choose`` makes every decision."""

    def __init__(self, choose: Choose) -> None:
        self.choose = choose
        self.lines: list[str] = []
        self.helpers: list[tuple[str, list[str], str]] = []
        self.count = 0
        self.indent = 0

    # ------------------------------------------------------------- expressions

    def number(self, names: dict[str, str], depth: int) -> str:
        options = ["0.5", "3.0", "LIMIT", 'OPTIONS["scale"]', "TABLE[0]"]
        options += self.of(names, "num") * 3 + self.of(names, "int")
        for arr in self.of(names, "arr"):
            options += [f"{arr}.sum()", f"jnp.max({arr})", f"{arr}[1]", f"np.sum({arr})"]
            options += [f"{arr}.shape[0]", f"float({arr}.ndim)"]
        for name in self.of(names, "tuple"):
            options.append(f"{name}[0]")
        for name in self.of(names, "dict"):
            options += [f'{name}["a"]', f'{name}.get("a", 1.0)']
        for name in self.of(names, "state"):
            options.append(f"{name}.num")
        for name in self.of(names, "model"):
            options.append(f"{name}.rate")
        if depth <= 0:
            return self.choose(options)
        a = lambda: self.number(names, depth - 1)  # noqa: E731
        arr = lambda: self.array(names, depth - 1)  # noqa: E731
        deeper = [
            lambda: f"({a()} + {a()})",
            lambda: f"({a()} * {a()})",
            lambda: f"(-{a()})",
            lambda: f"jnp.sin({a()})",
            lambda: f"abs({a()})",
            lambda: f"({a()} if {self.test(names, depth - 1)} else {a()})",
            lambda: f"max({a()}, {a()})",
            lambda: f"jnp.minimum({a()}, {a()})",
            lambda: f"jnp.dot({arr()}, {arr()})",
            lambda: f"(lambda v: v * 2)({a()})",
            lambda: f"lax.cond({self.test(names, 0)}, lambda v: v, lambda v: -v, {a()})",
            lambda: f"sum([{a()}, {a()}])",
            lambda: f"lax.fori_loop(0, 2, lambda i, c: c + {a()}, 1.0)",
            lambda: f"jax.grad(lambda w: w * {a()})(1.0)",
            lambda: self.wants_value(names, depth),
        ]
        for name, kinds, result in self.helpers:
            if result == "num":
                deeper += [
                    lambda name=name, kinds=kinds: self.called(name, kinds, names, depth)
                ] * 2
        return self.choose([lambda: self.choose(options)] * 3 + deeper)()

    def array(self, names: dict[str, str], depth: int) -> str:
        options = ["jnp.ones(3)", "TABLE", "HOST", *self.of(names, "arr") * 3]
        options += [f"{name}.arr" for name in self.of(names, "state")]
        options += [f"{name}[1]" for name in self.of(names, "tuple")]
        options += [f'{name}["b"]' for name in self.of(names, "dict")]
        if depth <= 0:
            return self.choose(options)
        a = lambda: self.number(names, depth - 1)  # noqa: E731
        arr = lambda: self.array(names, depth - 1)  # noqa: E731
        deeper = [
            lambda: f"({arr()} * {a()})",
            lambda: f"({arr()} + {arr()})",
            lambda: f"jnp.where({arr()} > {a()}, {arr()}, {a()})",
            lambda: f"jnp.asarray({arr()}).at[0].set({a()})",
            lambda: f"jax.vmap(lambda v: v * {a()})({arr()})",
            lambda: f"jnp.stack([{a()}, {a()}, {a()}])",
            lambda: f"lax.map(lambda v: v + {a()}, {arr()})",
            lambda: f"jnp.cumsum({arr()})",
            lambda: self.wants_size(names, depth),
        ]
        for name, kinds, result in self.helpers:
            if result == "arr":
                deeper += [
                    lambda name=name, kinds=kinds: self.called(name, kinds, names, depth)
                ] * 2
        return self.choose([lambda: self.choose(options)] * 3 + deeper)()

    def wants_value(self, names: dict[str, str], depth: int) -> str:
        """A number out of something that needs a Python value."""
        a = lambda: self.number(names, depth - 1)  # noqa: E731
        n = lambda: self.integer(names, 0)  # noqa: E731
        arr = lambda: self.array(names, 0)  # noqa: E731
        options = [
            lambda: f"float({a()})",
            lambda: f"int({a()})",
            lambda: f"math.sqrt(abs({a()}) + 1)",
            lambda: f"jnp.asarray({a()}).item()",
            lambda: f"np.exp({a()})",
            lambda: f"np.dot({arr()}, {arr()})",
            lambda: f"np.sum([{a()}, {a()}])",
            lambda: f"np.mean({arr()})",
            lambda: f"RATES[{n()} - 1]",
            lambda: f"[{a()}, {a()}, {a()}][{n()} - 1]",
            lambda: f"NAMES.get({n()}, 1.0)",
            lambda: f"HOST[{n()} - 1]",
            lambda: f"jnp.sum([{a()}, 1.0])",
            lambda: f"jnp.sum(jnp.ones((2, 3)), axis={n()} - 2).sum()",
            lambda: f"float(len(f'{{{a()}:.2f}}'))",
            lambda: f"float(len('%.1f' % {a()}))",
            lambda: f"jnp.linalg.norm({arr()}, ord={n()})",
            lambda: f"sum(RATES[:{n()}])",
        ]
        return self.choose(options)()

    def wants_size(self, names: dict[str, str], depth: int) -> str:
        """An array out of something that needs a size, or whose size depends on values."""
        a = lambda: self.number(names, depth - 1)  # noqa: E731
        n = lambda: self.integer(names, 0)  # noqa: E731
        arr = lambda: self.array(names, 0)  # noqa: E731
        options = [
            lambda: f"jnp.zeros({n()})",
            lambda: f"jnp.full(({n()},), {a()})",
            lambda: f"jnp.arange({n()}) * 1.0",
            lambda: f"jnp.linspace(0.0, {a()}, {n()})",
            lambda: f"jnp.repeat(jnp.ones(1), {n()})",
            lambda: f"jnp.asarray({arr()})[:{n()}]",
            lambda: f"jnp.asarray({arr()})[{arr()} > {a()}]",
            lambda: f"jnp.asarray({arr()}).at[{arr()} > {a()}].set({a()})",
            lambda: f"jnp.where({arr()} > {a()})[0] * 1.0",
            lambda: f"jnp.unique({arr()})",
            lambda: f"jnp.unique({arr()}, size=3)",
            lambda: f"np.sin({arr()})",
            lambda: f"np.cumsum({arr()})",
            lambda: f"np.where(HOST > {a()}, 1.0, 2.0)",
            lambda: f"jnp.tile({arr()}, {n()})",
            lambda: f"jnp.ones(6).reshape({n()}, -1)[0]",
            lambda: f"jax.nn.one_hot({n()}, {n()} + 1)",
            lambda: f"jnp.roll({arr()}, {n()})",
        ]
        return self.choose(options)()

    def called(self, name: str, kinds: list[str], names: dict[str, str], depth: int) -> str:
        makers = {"num": self.number, "arr": self.array, "int": self.integer}
        arguments = [makers[kind](names, depth - 1) for kind in kinds]
        return f"{name}({', '.join(arguments)})"

    def integer(self, names: dict[str, str], depth: int) -> str:
        options = ["2", "3", *self.of(names, "int") * 4]
        options += [f"{arr}.shape[0]" for arr in self.of(names, "arr")]
        options += [f"len({name})" for name in self.of(names, "list") + self.of(names, "tuple")]
        return self.choose(options)

    def test(self, names: dict[str, str], depth: int) -> str:
        options = ["FLAG", 'OPTIONS["deep"]', '"a" in OPTIONS']
        options += [f"{name} is None" for name in names]
        options += [f"{arr}.ndim == 1" for arr in self.of(names, "arr")]
        options += [f"len({name}) > 1" for name in self.of(names, "list")]
        options += [f"isinstance({name}, float)" for name in self.of(names, "num")]
        options += [f"isinstance({name}, jax.Array)" for name in self.of(names, "arr")]
        options += [f'"a" in {name}' for name in self.of(names, "dict")]
        a = lambda: self.number(names, max(depth - 1, 0))  # noqa: E731
        deeper = [
            lambda: f"{a()} > {a()}",
            lambda: f"{a()} < 1.0",
            lambda: f"{a()} == {a()}",
            lambda: f"jnp.any({self.array(names, 0)} > 0)",
        ]
        if depth > 0:
            t = lambda: self.test(names, depth - 1)  # noqa: E731
            deeper += [
                lambda: f"(not {t()})",
                lambda: f"({t()} and {t()})",
                lambda: f"({t()} or {t()})",
                lambda: f"(0 < {a()} < 2)",
                lambda: f"bool({a()} > 1)",
            ]
        return self.choose([lambda: self.choose(options)] * len(deeper) + deeper)()

    @staticmethod
    def of(names: dict[str, str], kind: str) -> list[str]:
        return [name for name, what in names.items() if what == kind]

    # -------------------------------------------------------------- statements

    def put(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def block(self, names: dict[str, str], size: int, depth: int) -> None:
        self.indent += 1
        before = len(self.lines)
        for _ in range(self.choose(list(range(1, size + 1)))):
            self.statement(names, depth)
        if len(self.lines) == before:
            self.put("pass")
        self.indent -= 1

    def statement(self, names: dict[str, str], depth: int) -> None:
        simple = [
            self.assign_number, self.assign_number, self.assign_array, self.assign_container,
            self.augment, self.unpack, self.assertion, self.set_item, self.append, self.rebind,
            self.comprehension, self.walrus,
        ]  # fmt: skip
        compound = [self.branch, self.branch, self.loop, self.for_range, self.for_rows,
                    self.inner_function, self.attempt, self.match, self.scan]  # fmt: skip
        self.choose(simple * 2 + (compound if depth > 0 else []))(names, depth)

    def assign_number(self, names: dict[str, str], depth: int) -> None:
        value = self.number(names, 2)
        name = self.fresh("n")
        self.put(f"{name} = {value}")
        names[name] = "num"

    def assign_array(self, names: dict[str, str], depth: int) -> None:
        value = self.array(names, 2)
        name = self.fresh("a")
        self.put(f"{name} = {value}")
        names[name] = "arr"

    def assign_container(self, names: dict[str, str], depth: int) -> None:
        number, array = self.number(names, 1), self.array(names, 1)
        kind = self.choose(["tuple", "dict", "list", "state"])
        name = self.fresh("c")
        text = {
            "tuple": f"({number}, {array})",
            "dict": f'{{"a": {number}, "b": {array}}}',
            "list": f"[{number}]",
            "state": f"State({array}, {number})",
        }[kind]
        self.put(f"{name} = {text}")
        names[name] = kind

    def augment(self, names: dict[str, str], depth: int) -> None:
        own = [name for name in self.of(names, "num") if name.startswith("n")]
        if own:
            self.put(f"{self.choose(own)} += {self.number(names, 1)}")

    def rebind(self, names: dict[str, str], depth: int) -> None:
        own = [name for name in self.of(names, "num") if not name.startswith("self")]
        if own:
            self.put(f"{self.choose(own)} = {self.number(names, 2)}")

    def unpack(self, names: dict[str, str], depth: int) -> None:
        tuples = self.of(names, "tuple") + self.of(names, "state")
        if tuples:
            source = self.choose(tuples)
            left, right = self.fresh("n"), self.fresh("a")
            if names[source] == "state":
                left, right = right, left
            self.put(f"{left}, {right} = {source}")
            for name in (left, right):
                names[name] = "num" if name.startswith("n") else "arr"

    def assertion(self, names: dict[str, str], depth: int) -> None:
        self.put(f"assert {self.test(names, 1)} or True")

    def set_item(self, names: dict[str, str], depth: int) -> None:
        dicts, arrays = self.of(names, "dict"), self.of(names, "arr")
        if dicts and self.choose([True, True, False]):
            self.put(f'{self.choose(dicts)}["a"] = {self.number(names, 1)}')
        elif arrays and self.choose([True, False, False]):
            self.put(f"{self.choose(arrays)}[0] = 1.0")

    def append(self, names: dict[str, str], depth: int) -> None:
        lists = self.of(names, "list")
        if lists:
            self.put(f"{self.choose(lists)}.append({self.number(names, 1)})")

    def comprehension(self, names: dict[str, str], depth: int) -> None:
        name = self.fresh("l")
        source = self.choose([*self.of(names, "list"), "(1.0, 2.0)", *self.of(names, "arr")])
        test = self.choose(["", f" if {self.test({**names, 'v': 'num'}, 0)}"])
        self.put(f"{name} = [v * {self.number(names, 0)} for v in {source}{test}]")
        names[name] = "list"

    def walrus(self, names: dict[str, str], depth: int) -> None:
        name = self.fresh("n")
        self.put(f"if ({name} := {self.number(names, 1)}) is not None:")
        names[name] = "num"
        self.block(names, 1, 0)

    def branch(self, names: dict[str, str], depth: int) -> None:
        inner = dict(names)
        self.put(f"if {self.test(names, 2)}:")
        self.block(inner, 2, depth - 1)
        if self.choose([True, False]):
            self.put("else:")
            self.block(dict(names), 2, depth - 1)

    def loop(self, names: dict[str, str], depth: int) -> None:
        self.put(f"while {self.test(names, 1)}:")
        self.block(dict(names), 2, depth - 1)
        self.put("    break")

    def for_range(self, names: dict[str, str], depth: int) -> None:
        name = self.fresh("i")
        self.put(f"for {name} in range({self.integer(names, 0)}):")
        self.block({**names, name: "int"}, 2, depth - 1)

    def for_rows(self, names: dict[str, str], depth: int) -> None:
        source = self.choose([*self.of(names, "arr"), *self.of(names, "list"), "TABLE"])
        name = self.fresh("n")
        self.put(f"for {name} in {source}:")
        self.block({**names, name: "num"}, 2, depth - 1)

    def attempt(self, names: dict[str, str], depth: int) -> None:
        self.put("try:")
        self.block(dict(names), 2, depth - 1)
        self.put("except KeyError:")
        self.put("    pass")

    def match(self, names: dict[str, str], depth: int) -> None:
        self.put(f"match {self.number(names, 1)}:")
        self.put("    case 1.0:")
        self.indent += 1
        self.block(dict(names), 1, 0)
        self.put("case _:")
        self.block(dict(names), 1, 0)
        self.indent -= 1

    def scan(self, names: dict[str, str], depth: int) -> None:
        body, out, ys = self.fresh("body"), self.fresh("n"), self.fresh("a")
        self.put(f"def {body}(carry, row):")
        inner = {**names, "carry": "num", "row": "num"}
        self.block(inner, 2, 0)
        self.put("    return jnp.float32(carry * 1.0), row")
        self.put(f"{out}, {ys} = lax.scan({body}, jnp.float32(1.0), {self.array(names, 0)})")
        names[out], names[ys] = "num", "arr"

    def inner_function(self, names: dict[str, str], depth: int) -> None:
        function, out = self.fresh("inner"), self.fresh("n")
        default = self.choose(["1.0", "LIMIT"])
        self.put(f"def {function}(p, q={default}):")
        inner = {**names, "p": "num", "q": "num"}
        self.block(inner, 2, depth - 1)
        self.put(f"    return {self.number(inner, 1)}")
        wrap = self.choose(["{}", "{}", "jit({})", "jax.checkpoint({})", "partial({}, q=0.5)"])
        self.put(f"{out} = {wrap.format(function)}({self.number(names, 1)})")
        names[out] = "num"

    # ---------------------------------------------------------------- programs

    def helper(self) -> None:
        name = self.fresh("helper")
        kinds = self.choose([["num"], ["num", "num"], ["arr", "num"], ["arr", "int"]])
        result = self.choose(["num", "num", "arr"])
        parameters = [f"{kind}_p{i}" for i, kind in enumerate(kinds)]
        self.put(f"def {name}({', '.join(parameters)}):")
        names = dict(zip(parameters, kinds, strict=True))
        self.block(names, 3, 1)
        if self.choose([True, False, False]):
            self.put(f"    if {self.test(names, 1)}:")
            self.put(f"        return {self.result(result, names)}")
        self.put(f"    return {self.result(result, names)}")
        self.put("")
        self.put("")
        self.helpers.append((name, kinds, result))

    def result(self, kind: str, names: dict[str, str]) -> str:
        return self.number(names, 1) if kind == "num" else self.array(names, 1)

    def entry(self) -> None:
        name = self.fresh("entry")
        parameters = {"x": "arr", "y": "num", "n": "int", "flag": "num", "s": "state", "d": "dict"}
        chosen = [p for p in parameters if p in ("x", "y") or self.choose([True, False])]
        position = self.choose([p for p in chosen if p not in ("x", "s", "d")])
        index = chosen.index(position)
        decorator = self.choose(
            ["", "@jax.jit", "@jit", f"@partial(jax.jit, static_argnums={index})",
             f"@partial(jit, static_argnames=({position!r},))", "@jax.checkpoint",
             f"@functools.partial(jax.jit, static_argnums=({index},))"]
        )  # fmt: skip
        if decorator:
            self.put(decorator)
        self.put(f"def {name}({', '.join(chosen)}):")
        names = {p: parameters[p] for p in chosen}
        self.block(names, 4, 2)
        self.put(f"    return {self.number(names, 1)}")
        self.put("")
        self.put("")
        values = {
            "x": self.choose(["jnp.ones(3)", "jnp.arange(3.0)"]),
            "y": self.choose(["1.0", "2.5", "jnp.float32(2.0)"]),
            "n": "2",
            "flag": self.choose(["True", "1.0"]),
            "s": "State(jnp.ones(3), 1.0)",
            "d": '{"a": 1.0, "b": jnp.ones(3)}',
        }
        callee = name
        if not decorator:
            axes = ", ".join("0" if p == "x" else "None" for p in chosen)
            callee = self.choose(
                [f"jit({name}, static_argnums={index})", f"jax.jit({name})", name,
                 f"jax.grad({name}, argnums={chosen.index('y')})", f"jax.vmap({name}, ({axes}))",
                 f"jit(jax.value_and_grad({name}, argnums={chosen.index('y')}))"]
            )  # fmt: skip
            if "vmap" in callee:
                values["x"] = "jnp.ones((2, 3))"
            if "grad" in callee:
                values["y"] = "1.5"
        arguments = [
            f"{p}={values[p]}" if p == position and "grad" not in callee and "vmap" not in callee
            and "static" in decorator + callee and self.choose([True, False]) and p == chosen[-1]
            else values[p]
            for p in chosen
        ]  # fmt: skip
        self.put("try:")
        self.put(f"    {callee}({', '.join(arguments)})")
        self.put("except Exception:")
        self.put("    pass")
        self.put("")

    def model(self) -> None:
        name = self.fresh("Model")
        self.put(f"class {name}:")
        self.indent += 1
        self.put("def __init__(self, rate):")
        self.put("    self.rate = rate")
        self.put(f"    self.deep = {self.choose(['True', 'False'])}")
        self.put("    self.run = jax.jit(self._run)")
        self.put("")
        for method, decorator in (
            ("shift", ""),
            ("_run", ""),
            ("step", "@partial(jax.jit, static_argnums=0)"),
        ):
            if decorator:
                self.put(decorator)
            self.put(f"def {method}(self, x, y):")
            names = {"x": "arr", "y": "num", "self": "model"}
            if method != "shift" and self.choose([True, False]):
                self.put("    y = self.shift(x, y)")
            self.block(names, 3, 1)
            self.put(f"    return {self.number(names, 1)}")
            self.put("")
        self.indent -= 1
        for method in ("run", "step", "shift"):
            self.put("try:")
            self.put(f"    {name}(0.5).{method}(jnp.ones(3), 1.0)")
            self.put("except Exception:")
            self.put("    pass")

    def program(self) -> str:
        """The text of one program."""
        for _ in range(self.choose([0, 1, 2])):
            self.helper()
        for _ in range(self.choose([1, 2])):
            self.entry()
        if self.choose([True, False, False]):
            self.model()
        return HEADER + "\n".join(self.lines) + "\n"
