"""Containers that hold themselves: jaxlint follows what is done with them, to the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint.config import Options
from jaxlint.findings import NOT_FINISHED
from jaxlint.workspace.lint import Task

LIBRARY = """
import jax

def keep(x, *args, **kwargs):
    return x

class Box:
    def __init__(self, x):
        self.x = x
    @jax.jit
    def get(self, x):
        return self.x
"""
PROGRAM = """
import copy, functools, json
import jax, jax.numpy as jnp, numpy as np
import library

row = []
row.append(row)
table = {}
table["itself"] = table
pair = ([],)
pair[0].append(pair)
mixed = {"row": row, "table": table, "pair": pair}
row.append(mixed)
"""
DONE = """
library.keep(v)
library.keep(*v)
library.Box(v).get(v)
library.Box.shared = v
jnp.asarray(v), np.array(v), jnp.stack(v), jnp.concatenate(v)
jnp.zeros(v), jnp.ones(2).reshape(v), jnp.einsum("i->i", v), jnp.where(v, v, v)
jnp.ones(3)[v], jnp.ones(3).at[v].set(v), np.ones(3)[v], jnp.ones(3) + v
jax.lax.scan(lambda s, y: (s, y), v, v)
jax.lax.cond(True, lambda s: s, lambda s: s, v)
jax.lax.while_loop(lambda s: True, lambda s: s, v)
jax.vmap(lambda s: s, in_axes=v)(v), jax.grad(lambda s: 1.0)(v)
jax.tree.leaves(v), jax.tree.map(jnp.asarray, v, v), jax.tree.structure(v)
jax.jit(library.keep, static_argnums=v)(v), jax.jit(library.keep, donate_argnums=0)(v)
jax.jit(lambda y: y, out_shardings=v)(1.0), jax.jit(lambda y: v)(1.0)
jax.jit(lambda y: [z for z in y if z])(v), jax.jit(lambda y: v.append(y))(1.0)
jax.make_mesh(v, v), jax.sharding.PartitionSpec(*v), jax.device_put(v), jax.block_until_ready(v)
jax.debug.print("{}", v), jax.pure_callback(print, v, v), jax.eval_shape(library.keep, v)
jax.random.split(v), jax.random.normal(v, v)
print(v, f"{v}", str(v), len(v), v == v, v in [v], sorted(v), bool(v), "%s" % v)
copy.deepcopy(v), copy.copy(v), json.dumps(v), functools.partial(library.keep, v)()
isinstance(v, list), isinstance(1, v), hash(v), {v: 1}, set(v), max(v), any(v), sum(v)
list(zip(v, v)), dict(enumerate(v)), v * 2, v + v, v[0][0][0], vars(v), type(v)(v)
v.copy(), v.pop(), v.extend(v), v.update(v), v.sort()
first, *others = v
raise v
for each in v: library.keep(each)
"""


@pytest.mark.parametrize("line", DONE.strip().splitlines())
def test_what_holds_itself_is_followed(line: str, tmp_path: Path) -> None:
    (tmp_path / "library.py").write_text(LIBRARY, "utf-8")
    for name in ("row", "table", "pair", "mixed"):
        file = tmp_path / f"{name}.py"
        traced = f"@jax.jit\ndef traced(x):\n    v = {name}\n    {line}\ntraced(2.0)\n"
        file.write_text(f"{PROGRAM}\nv = {name}\n{line}\n{traced}", "utf-8")
        found = Task(str(file), Options()).run().findings
        assert NOT_FINISHED not in {each.code for each in found}
