"""What the hunts throw at jaxlint: each kind is an endless stream of files, from a seed."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

from tests.differential.generate import Writer

Prey = Iterator[tuple[str, bytes]]
"""Name of a file, and what is in it."""

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_DEFINITION = re.compile(r"^([ \t]*)(?=(?:async\s+)?def\s)", re.MULTILINE)
_ODD = [
    "*", "**", "(", ")", "[", "]", "{", "}", ":", ":=", "=", ",", ".", "->", "\\\n", "\n", "\t",
    "\f", "\0", "\ufeff", "\u2028", "\x1c", "0", "1e400", "9" * 5000, "...", "lambda:", "await ",
    "yield ", "async ", "return ", "del ", "global x\n", "nonlocal x\n", "not ", " if ", " else ",
    "match x:\n", "case _:\n", "@", "@jax.jit\n", "jax.jit(", "jax.lax.scan(", "jax.vmap(", "x",
    "self", "%time ", "!ls \\\n", "# noqa\n", "# %%\n", "f'{x!r:{x}}'", "type X = int\n", "*x",
    "**x", "'''",
]  # fmt: skip


_SHARING = (
    "import collections, dataclasses, functools, unknown\nimport jax\nimport jax.numpy as jnp\n"
    "from jax import lax\nclass A:\n    def __init__(self, *of): self.of = of\n"
    "    def twice(self): return A(self, self)\n"
    "P = collections.namedtuple('P', 'a b')\n@dataclasses.dataclass\nclass D:\n"
    "    a: object\n    b: object\nx = jnp.ones(3)\nt = (x, x)\n"
)
_HOLDERS = [
    "(t, t)", "[t, t]", "{'a': t, 'b': t}", "t + t", "(*t, *t)", "{**dict(a=t), 'b': t}", "A(t, t)",
    "P(t, t)", "D(t, t)", "(t, t) if unknown.x else [t]", "[t] * 2", "tuple([t, t])", "t or (t, t)",
    "A(t).twice()", "{1: t} | {2: t}", "list(zip(t, t))", "sorted([t, t])", "[a for a in (t, t)]",
    "functools.partial(A, t, t)", "lambda: (t, t)", "dict(a=t, b=t)", "set([t]) | {t}",
    "(t, unknown.f(t))", "[t, t][::-1]", "{'a': t, 'b': (t, t)}.items()", "iter((t, t))",
]  # fmt: skip
_CALLS = [
    "t = g(t)", "t = jax.jit(g)(t)", "t = jax.vmap(g)(t)", "t = jax.grad(g)(t)",
    "t, _ = lax.scan(lambda c, _: (g(c), None), t, None, 3)", "t = lax.cond(unknown.x, g, g, t)",
    "t = lax.while_loop(lambda c: False, g, t)", "t = lax.fori_loop(0, 3, lambda i, c: g(c), t)",
    "t = lax.switch(1, [g, g], t)", "t = g(**{'t': t})", "t = g(*[t])", "t = jax.checkpoint(g)(t)",
    "t = jax.tree.map(g, t)", "t = functools.reduce(lambda a, b: g(a), [1, 2], t)",
    "for i in range(2):\n    t = g(t)", "while unknown.x:\n    t = g(t)",
    "if unknown.x:\n    t = g(t)\nelse:\n    t = g((t, t))", "t = jax.lax.map(g, t)",
    "try:\n    t = g(t)\nexcept E:\n    t = g([t])", "A.t = t = g(t)", "t = jax.eval_shape(g, t)",
    "with unknown.x:\n    t = g(t)", "t = A(g(t)).of", "t = jax.value_and_grad(g)(t)",
    "unknown.take(t)\nt = g(t)", "unknown.Kind(of=t).apply(t)\nt = g(t)",
    "t = g(t)\nfor a in unknown.walk(t):\n    a.update(t)",
    "t = g(t)\nunknown.each(*t, **{'of': t})", "t = g(t)\nA.kept = unknown.Box(t)",
]  # fmt: skip
_USES = [
    "jax.jit(lambda t: t)(t)\n", "t == t\n", "print(t)\n", "if t:\n    pass\n", "x in t\n",
    "jax.tree.map(lambda a: a + 1, t)\n", "float(t)\n", "a, *b = t\nf'{t}{b}'\n", "hash(t)\n",
    "@jax.jit\ndef f(x):\n    return x + len(t)\nf(1)\nt = (t, t)\nf(2)\n", "jnp.array(t)\n",
    "jax.jit(lambda x, t: x, static_argnums=1)(1, t)\n", "del t\n", "for a in t:\n    print(a)\n",
    "unknown.take(t)\n", "unknown.Kind(t).apply(t, of=[t])\n", "unknown.f(lambda: t)(t)(t)\n",
]  # fmt: skip


def generated(chance: random.Random, files: list[Path]) -> Prey:
    """Programs of the differential test's grammar."""
    while True:
        yield "a.py", Writer(chance.choice).program().encode("utf-8", "surrogatepass")


def mutated(chance: random.Random, files: list[Path]) -> Prey:
    """Real programs with pieces taken out, doubled, swapped and put in."""
    while True:
        yield "a.py", _mutate(_read(chance.choice(files)), chance).encode("utf-8", "replace")


def decorated(chance: random.Random, files: list[Path]) -> Prey:
    """Real programs, each once: every function compiled, whatever it is."""
    for path in chance.sample(files, len(files)):
        yield "a.py", _decorate(path)


def packages(chance: random.Random, files: list[Path]) -> Prey:
    """Real programs, decorated, each once and beside those that it imports."""
    folders: dict[Path, list[Path]] = {}
    for path in files:
        folders.setdefault(path.parent, []).append(path)
    for folder in chance.sample(sorted(folders), len(folders)):
        for path in folders[folder]:
            yield f"package/{path.name}", _decorate(path)


def containers(chance: random.Random, files: list[Path]) -> Prey:
    """What holds one thing twice, again and again, through every kind of call."""
    while True:
        lines = [_SHARING]
        for number in range(chance.randrange(1, 4)):
            lines.append(f"def g{number}(t):\n    return {chance.choice(_HOLDERS)}\n")
            call = chance.choice(_CALLS).replace("g(", f"g{number}(").replace("g,", f"g{number},")
            call = call.replace("(g)", f"(g{number})")
            lines.append(f"{call}\n" * chance.randrange(1, 60))
        lines.append(chance.choice(_USES))
        yield "a.py", "".join(lines).encode()


def notebooks(chance: random.Random, files: list[Path]) -> Prey:
    """Notebooks of random cells, with values where they do not belong."""
    while True:
        text = _mutate(_read(chance.choice(files)), chance)
        cuts = sorted(chance.randrange(len(text) + 1) for _ in range(chance.randrange(8)))
        cells = [
            {"cell_type": chance.choice(["code", "code", "markdown", 5]), "source": part,
             "metadata": chance.choice([{}, {"tags": ["raises-exception"]}, {"tags": 5}, None])}
            for part in (text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True))
        ]  # fmt: skip
        notebook: dict[str, Any] = {"cells": cells, "nbformat": 4, "metadata": {}}
        for _ in range(chance.randrange(3)):
            _put_somewhere(notebook, chance)
        data = json.dumps(notebook)
        cut = chance.randrange(len(data)) if chance.random() < 0.1 else len(data)
        yield "a.ipynb", data[:cut].encode()


def bytes_(chance: random.Random, files: list[Path]) -> Prey:
    """Real programs with bytes changed, and with all sorts of declared encodings."""
    codecs = ["utf-8", "latin-1", "rot13", "hex", "utf-16", "idna", "undefined", "cp037", "none"]
    while True:
        data = bytearray(_read(chance.choice(files)).encode())
        for _ in range(chance.randrange(6)):
            data[chance.randrange(len(data) or 1) :][:1] = chance.randbytes(chance.randrange(4))
        head = f"# coding: {chance.choice(codecs)}\n" if chance.random() < 0.5 else ""
        yield "a.py", head.encode() + bytes(data)


KINDS: dict[str, Callable[[random.Random, list[Path]], Prey]] = {
    "generated": generated,
    "mutated": mutated,
    "decorated": decorated,
    "packages": packages,
    "containers": containers,
    "notebooks": notebooks,
    "bytes": bytes_,
}


def _read(path: Path) -> str:
    return path.read_text("utf-8", "replace")


def _decorate(path: Path) -> bytes:
    text = _DEFINITION.sub(lambda found: f"{found[1]}@jax.jit\n{found[1]}", _read(path))
    return f"import jax\n{text}".encode("utf-8", "replace")


def _mutate(text: str, chance: random.Random) -> str:
    tokens = _TOKEN.findall(text)
    for _ in range(chance.randrange(1, 9)):
        at, other = (chance.randrange(len(tokens) + 1) for _ in range(2))
        change = chance.randrange(5)
        if change == 0:
            del tokens[at : at + chance.randrange(1, 6)]
        elif change == 1:
            tokens[at:at] = tokens[other : other + chance.randrange(1, 30)]
        elif change == 2:
            tokens[at:at] = [chance.choice(_ODD)]
        elif change == 3:
            tokens[at : at + 1] = tokens[other : other + 1]
        else:
            tokens[at:at] = [chance.choice(_ODD)] * chance.choice([2, 20, 300])
    return "".join(tokens)


def _put_somewhere(value: Any, chance: random.Random) -> None:
    """Replace a random part of nested JSON."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key = chance.choice(keys) if keys else "cells"
        below = value[key] if keys else None
        if not isinstance(below, (dict, list)) or not below or chance.random() < 0.4:
            if isinstance(value, dict) or keys:
                value[key] = deepcopy(chance.choice(_ODD_JSON))
            return
        value = below


_ODD_JSON: list[Any] = [
    None, 5, -1e308, "x", [], {}, [[]], {"source": 5}, True, "\ud800", "9" * 5000,
]  # fmt: skip
