"""Small functions that use PRNG keys, for JAX's own checker and jaxlint to disagree on."""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, field
from typing import Any

import jax

from jaxlint import Options, check_source
from tests.differential.generate import Choose

HEADER = """\
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax, random


def draw(key):
    return random.normal(key)


def draw_two(key):
    a, b = random.split(key)
    return random.normal(a) + random.uniform(b)


def fresh(key, i):
    return random.fold_in(key, i)


@jax.jit
def compiled(key):
    return random.normal(key) * 2


class Holder:
    def __init__(self, key):
        self.key = key

    def next(self):
        self.key, sub = random.split(self.key)
        return sub

    def draw(self):
        return random.normal(self.key)


"""


class KeyWriter:
    """Writes functions of one key; ``choose`` makes every decision."""

    def __init__(self, choose: Choose) -> None:
        self.choose = choose
        self.lines: list[str] = []
        self.count = 0
        self.indent = 1

    def put(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def use(self, key: str) -> str:
        return self.choose(
            [f"random.normal({key})", f"random.uniform(key={key})", f"draw({key})",
             f"draw_two({key})", f"compiled({key})", f"random.bernoulli({key}) * 1.0",
             f"jax.jit(draw)({key})", f"partial(draw, {key})()",
             f"jax.vmap(random.normal)(random.split({key}, 2)).sum()",
             f"lax.cond(total > 0, draw, draw_two, {key})",
             f"random.normal(fresh({key}, 3))", f"random.normal(random.clone({key}))",
             f"Holder({key}).draw()", f"jax.checkpoint(draw)({key})"]
        )  # fmt: skip

    def function(self, number: int) -> str:
        self.lines = [f"def f{number}(key):"]
        self.indent = 1
        self.put("total = 0.0")
        keys = ["key"]
        self.block(keys, self.choose([2, 3, 4]), 2)
        self.put("return total")
        return "\n".join(self.lines) + "\n"

    def block(self, keys: list[str], size: int, depth: int) -> None:
        for _ in range(size):
            simple = [self.sample] * 5 + [self.split, self.split, self.star, self.index,
                                          self.holder, self.container]  # fmt: skip
            deeper = [self.branch, self.loop, self.scan, self.early, self.comprehension]
            self.choose(simple + (deeper if depth else []))(keys, depth)

    def sample(self, keys: list[str], depth: int) -> None:
        self.put(f"total = total + {self.use(self.choose(keys))}")

    def split(self, keys: list[str], depth: int) -> None:
        source = self.choose(keys)
        if self.choose([True, False]):
            sub = self.name("k")
            self.put(f"{source}, {sub} = random.split({source})")
            keys.append(sub)
        else:
            a, b, c = self.name("k"), self.name("k"), self.name("k")
            self.put(f"{a}, {b}, {c} = random.split({source}, 3)")
            keys.remove(source) if self.choose([True, True, False]) else None
            keys += [a, b, c]

    def star(self, keys: list[str], depth: int) -> None:
        source, rest = self.choose(keys), self.name("rest")
        self.put(f"{source}, *{rest} = random.split({source}, 4)")
        self.put(f"total = total + sum([random.normal(k) for k in {rest}])")

    def index(self, keys: list[str], depth: int) -> None:
        source, parts = self.choose(keys), self.name("ks")
        self.put(f"{parts} = random.split({source}, 4)")
        if source in keys and len(keys) > 1:
            keys.remove(source)
        first, second = self.choose([0, 1, 2]), self.choose([0, 1, 2, 3])
        self.put(f"total = total + random.normal({parts}[{first}])")
        self.put(f"total = total + draw({parts}[{second}])")

    def holder(self, keys: list[str], depth: int) -> None:
        source, holder = self.choose(keys), self.name("h")
        self.put(f"{holder} = Holder({source})")
        if source in keys and len(keys) > 1:
            keys.remove(source)
        for _ in range(2):
            use = self.choose([f"{holder}.draw()", f"random.normal({holder}.next())"])
            self.put(f"total = total + {use}")

    def container(self, keys: list[str], depth: int) -> None:
        source, box = self.choose(keys), self.name("box")
        self.put(f'{box} = {{"a": {source}, "b": random.fold_in({source}, 7)}}')
        self.put(f'total = total + random.normal({box}["{self.choose(["a", "b", "b"])}"])')

    def branch(self, keys: list[str], depth: int) -> None:
        self.put(f"if {self.choose(['FLAG', 'not FLAG', 'True'])}:")
        self.indent += 1
        self.block(list(keys), 1, depth - 1)
        self.indent -= 1
        if self.choose([True, False]):
            self.put("else:")
            self.indent += 1
            self.block(list(keys), 1, depth - 1)
            self.indent -= 1

    def early(self, keys: list[str], depth: int) -> None:
        self.put("if FLAG:")
        self.put(f"    return total + {self.use(self.choose(keys))}")

    def loop(self, keys: list[str], depth: int) -> None:
        self.put(f"for i in range({self.choose(['3', 'COUNT'])}):")
        self.indent += 1
        inner = list(keys)
        if self.choose([True, True, False]):
            source, sub = self.choose(inner), self.name("k")
            how = self.choose(["{0}, {1} = random.split({0})", "{1} = random.fold_in({0}, i)"])
            self.put(how.format(source, sub))
            inner = [sub]
        self.block(inner, 1, depth - 1)
        self.indent -= 1

    def comprehension(self, keys: list[str], depth: int) -> None:
        source = self.choose(keys)
        text = self.choose(
            ["[random.normal(k) for k in random.split({}, 3)]",
             "[random.normal({}) for _ in range(COUNT)]",
             "[random.normal(random.fold_in({}, i)) for i in range(COUNT)]"]
        )  # fmt: skip
        self.put(f"total = total + sum({text.format(source)})")
        if len(keys) > 1:
            keys.remove(source)

    def scan(self, keys: list[str], depth: int) -> None:
        source, body = self.choose(keys), self.name("body")
        kind = self.choose(["carry", "stuck", "xs", "closure"])
        self.put(f"def {body}(carry, x):")
        if kind == "carry":
            self.put("    k, s = random.split(carry)")
            self.put("    return k, random.normal(s)")
        elif kind == "stuck":
            self.put("    return carry, random.normal(carry)")
        elif kind == "xs":
            self.put("    return carry, random.normal(x)")
        else:
            self.put(f"    return carry, random.normal({source}) + x")
        start = source if kind in ("carry", "stuck") else "0.0"
        xs = {"xs": f"random.split({source}, 3)"}.get(kind, "jnp.zeros(3)")
        self.put(f"total = total + lax.scan({body}, {start}, {xs})[1].sum()")
        if len(keys) > 1:
            keys.remove(source)


@dataclass
class KeyDifference:
    """How many functions JAX minds, and on which the two differ."""

    raised: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def compare_keys(choose: Choose, functions: int = 4) -> KeyDifference:
    """Write some functions, run each under ``jax.debug_key_reuse``, lint each."""
    found = KeyDifference()
    writer = KeyWriter(choose)
    for number in range(functions):
        body = writer.function(number)
        flag = choose([True, False])
        text = f"{HEADER}FLAG = {flag}\nCOUNT = 6\n\n\n{body}\n\nf{number}(random.key(0))\n"
        raised = _jax_minds(text)
        findings = check_source(text, "program.py", Options(select=("JXL401", "JXL402")))
        if raised:
            found.raised += 1
        if raised and not findings:
            found.missed.append(text)
        if findings and not raised:
            found.wrong.append(text)
    return found


def _jax_minds(text: str) -> bool:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with jax.debug_key_reuse(True):
        try:
            exec(compile(text, "<keys>", "exec"), namespace)
        except jax.errors.KeyReuseError:
            return True
    return False


def main() -> None:
    """``python -m tests.differential.keys FIRST COUNT``"""
    first, count = int(sys.argv[1]), int(sys.argv[2])
    raised = missed = wrong = 0
    for seed in range(first, first + count):
        found = compare_keys(random.Random(seed).choice)
        raised += found.raised
        missed += len(found.missed)
        wrong += len(found.wrong)
        for kind, texts in (("MISSED", found.missed), ("WRONG", found.wrong)):
            for text in texts:
                print(f"--- seed {seed} {kind}")
                print(text[text.index("FLAG =") :])
    print(f"{count * 4} functions: JAX minds {raised}, {missed} missed, {wrong} wrong")


if __name__ == "__main__":
    main()
