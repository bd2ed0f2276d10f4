"""Where the transforms stand in a program, how they are spelled, and who calls the result."""

from __future__ import annotations

from dataclasses import dataclass, field

SHORT = {
    "jax": ("jax", "import jax"),
    "jax.lax": ("lax", "from jax import lax"),
    "jax.numpy": ("jnp", "import jax.numpy as jnp"),
    "jax.tree": ("jax.tree", "import jax"),
    "jax.debug": ("jax.debug", "import jax"),
    "jax.ad_checkpoint": ("jax.ad_checkpoint", "import jax.ad_checkpoint"),
    "jax.experimental.checkify": ("checkify", "from jax.experimental import checkify"),
    "jax.experimental.shard_map": ("shard_map", "from jax.experimental import shard_map"),
    "functools": ("functools", "import functools"),
    "equinox": ("eqx", "import equinox as eqx"),
    "equinox.internal": ("eqxi", "import equinox.internal as eqxi"),
    "flax.nnx": ("nnx", "from flax import nnx"),
    "flax.linen": ("nn", "import flax.linen as nn"),
    "haiku": ("hk", "import haiku as hk"),
}
"""Module -> how programs call it, and the import that makes it so."""

SPELLINGS = (
    "usual", "usual", "usual", "usual", "usual", "usual", "in full", "from import", "renamed",
    "module renamed", "variable", "dict", "default parameter", "default parameter",
)  # fmt: skip
PLACES = ("module", "module", "module", "function", "function", "method", "init", "factory",
          "function parameter")  # fmt: skip


@dataclass
class Place:
    """The lines of a program, as they are written.

    Attributes:
        kind: one of ``PLACES``.
        top: statements of the module.
        lines: statements where the transforms stand.
        methods: methods of the class that they stand in, if they stand in one.
        fields: statements of its ``__init__``.
        parameters: parameters with defaults, of the function that they stand in.
        imports: imports beside the usual ones.
    """

    kind: str
    top: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    imports: set[str] = field(default_factory=set)
    names: int = 0

    @property
    def in_class(self) -> bool:
        """Whether there is a ``self``."""
        return self.kind in ("method", "init")

    @property
    def has_argument(self) -> bool:
        """Whether the argument is at hand, as ``v``."""
        return self.kind in ("function", "method")

    def fresh(self, prefix: str) -> str:
        """A name that the program does not have yet."""
        self.names += 1
        return f"{prefix}{self.names}"

    def spell(self, name: str, how: str) -> str:
        """How the program calls something of a library; adds what that needs."""
        module, _, attribute = name.rpartition(".")
        short, statement = SHORT[module]
        usual = f"{short}.{attribute}"
        if how == "from import":
            self.imports.add(f"from {module} import {attribute}")
            return attribute
        if how == "renamed":
            self.imports.add(f"from {module} import {attribute} as use_{attribute}")
            return f"use_{attribute}"
        if how == "module renamed":
            alias = "its_" + module.rpartition(".")[2]
            self.imports.add(f"import {module} as {alias}")
            return f"{alias}.{attribute}"
        self.imports.add(statement)
        if how == "in full":
            self.imports.add(f"import {module}")
            return name
        if how == "variable":
            variable = self.fresh(attribute)
            self.top += [f"{variable} = {usual}"]
            return variable
        if how == "dict":
            variable = self.fresh("TRANSFORMS")
            self.top += [f'{variable} = {{"one": {usual}}}']
            return f'{variable}["one"]'
        if how == "default parameter" and self.kind in ("function", "method", "factory"):
            parameter = self.fresh(f"{attribute}_fn")
            self.parameters.append(f"{parameter}={usual}")
            return parameter
        return usual

    def finish(self, function: str, applied: str, given: str) -> str:
        """Write what holds the transforms; returns how to get at the result.

        Args:
            function: the transformed function.
            applied: the text of its call with ``v``.
            given: for the place ``function parameter``, what is given as ``fn``.
        """
        defaults = "".join(f", {parameter}" for parameter in self.parameters)
        if self.kind == "module":
            self.top += [*self.lines, f"entry = {function}"]
            return "entry"
        if self.kind == "function":
            self.top += [f"def use(v{defaults}):", *indented(self.lines),
                         f"    return {applied}"]  # fmt: skip
            return "use"
        if self.kind == "factory":
            self.top += [f"def make({defaults[2:]}):", *indented(self.lines),
                         f"    return {function}"]  # fmt: skip
            return "make()"
        if self.kind == "function parameter":
            self.top += ["def make(fn):", *indented(self.lines), f"    return {function}", "",
                         f"entry = make({given})"]  # fmt: skip
            return "entry"
        self.top += ["class Trainer:"]
        init = list(self.fields)
        if self.kind == "init":
            init += [*self.lines, f"self.step = {function}"]
            self.top += [f"    def __init__(self{defaults}):", *indented(init, 2), ""]
        else:
            if init:
                self.top += ["    def __init__(self):", *indented(init, 2), ""]
            self.top += [f"    def step(self, v{defaults}):", *indented(self.lines, 2),
                         f"        return {applied}", ""]  # fmt: skip
        self.top += indented(self.methods)
        return "Trainer().step"


CALLS = ("bare", "bare", "main", "main not called", "loop", "disable_jit(False)",
         "disable_jit(setting)", "disable_jit()")  # fmt: skip


def called(entry: str, argument: str, how: str) -> tuple[list[str], str]:
    """Statements that call something in the file, and what remains for others to run."""
    call_it = f"{entry}({argument})"
    if how == "main":
        return ["def main():", f"    result = {call_it}", "    return result", "",
                'if __name__ == "__main__":', "    main()"], ""  # fmt: skip
    if how == "main not called":
        return ["def main():", f"    result = {call_it}", "    return result"], "main()"
    if how == "loop":
        return ["for _ in range(2):", f"    {call_it}"], ""
    if how == "disable_jit(False)":
        return ["with jax.disable_jit(False):", f"    {call_it}"], ""
    if how == "disable_jit(setting)":
        return ['with jax.disable_jit(SETTINGS["debug"]):', f"    {call_it}"], ""
    if how == "disable_jit()":
        return ["with jax.disable_jit():", f"    {call_it}"], ""
    return [call_it], ""


def call(function: str, arguments: str) -> str:
    """The text of a call."""
    return f"({function})({arguments})" if function.startswith("lambda") else (
        f"{function}({arguments})"
    )  # fmt: skip


def indented(lines: list[str], levels: int = 1) -> list[str]:
    """The lines, further in."""
    return ["    " * levels + line if line else "" for line in lines]
