"""`jaxlint upgrade`, and what it knows of names that went."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest

from jaxlint.config import Options
from jaxlint.knowledge.history import (
    ATTRIBUTES,
    change_of,
    ever_existed,
    releases,
)
from jaxlint.knowledge.rewriting import NO_METHODS, OF_ARRAYS
from jaxlint.workspace.fixing import fix_bytes
from jaxlint.workspace.upgrading import release_like
from tests.test_command import jaxlint, write

NEW = ">=0.10"


def mended(text: str, jax: str = NEW, unsafe: bool = False) -> str:
    """A text after the fixes of names that went."""
    options = Options(select=("JXL6",), jax=jax, unsafe_fixes=unsafe)
    return fix_bytes("a.py", dedent(text).encode(), options).after.decode()


def test_what_arrays_lost_is_what_is_written_otherwise() -> None:
    assert set(ATTRIBUTES) >= set(OF_ARRAYS)
    assert set(OF_ARRAYS) >= NO_METHODS
    for template in OF_ARRAYS.values():
        for name in re.findall(r"jax\.[\w.]+", template):
            assert change_of(name) is None
            assert ever_existed(name)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("jax.tree_map(f, x)", "jax.tree.map(f, x)"),
        ("y = jnp.trapz(x, dx=0.1)", "y = jnp.trapezoid(x, dx=0.1)"),
        ("jnp.in1d(ar1=x, ar2=y)", "jnp.in1d(ar1=x, ar2=y)"),
        ("jax.ops.index_update(x, jax.ops.index[1:3, 0], y + 1)", "x.at[1:3, 0].set(y + 1)"),
        ("jax.ops.index_add(y=2.0, idx=(0, 1), x=a or b)", "(a or b).at[(0, 1)].add(2.0)"),
        ("jax.ops.index_add(*args)", "jax.ops.index_add(*args)"),
        ("jnp.msort(x)", "jnp.sort(x, axis=0)"),
        ("2 * jnp.NINF", "2 * (-jnp.inf)"),
        ("z = jax.lax.tie_in(x, y + 1)", "z = y + 1"),
        ("z = 2 * jax.lax.tie_in(x, y + 1)", "z = 2 * (y + 1)"),
        ("jax.lax.tie_in(f(x), y)", "jax.lax.tie_in(f(x), y)"),
        ("jnp.reshape(x, newshape=(3, 1))", "jnp.reshape(x, shape=(3, 1))"),
        ("jnp.clip(x, a_min=0, a_max=1)", "jnp.clip(x, min=0, max=1)"),
        ("jnp.clip(a=x, a_max=1)", "jnp.clip(x, max=1)"),
        ("jnp.clip(a_max=1, a=x)", "jnp.clip(max=1, a=x)"),
        ("jax.jit(fun=f, static_argnums=0)", "jax.jit(f, static_argnums=0)"),
        ("jnp.array([1], int, True, ndmin=2)", "jnp.array([1], int, copy=True, ndmin=2)"),
        ("jax.lax.cond(p, f, g, x, linear=False)", "jax.lax.cond(p, f, g, x)"),
        (
            "jax.pure_callback(f, s, x, vectorized=False)",
            "jax.pure_callback(f, s, x, vmap_method='sequential')",
        ),
        (
            "jax.pure_callback(f, s, x, vectorized=True)",
            "jax.pure_callback(f, s, x, vectorized=True)",
        ),
        ("jax.experimental.enable_x64()", "jax.enable_x64(True)"),
        ("z: jnp.DeviceArray = x", "z: jax.Array = x"),
        ("jnp.ones(3).split(3, axis=0)", "jnp.split(jnp.ones(3), 3, axis=0)"),
        ("jnp.ones(3).device_buffer", "jnp.ones(3).addressable_data(0)"),
        ("jax.device_put_sharded(xs, devices)", "jax.device_put_sharded(xs, devices)"),
    ],
)
def test_names_in_place(line: str, wanted: str) -> None:
    head = "import jax\nimport jax.numpy as jnp\n\n"
    assert mended(f"{head}{line}\n") == f"{head}{wanted}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from jax import tree_map\n", "from jax.tree import map as tree_map\n"),
        (
            "from jax import jit, tree_map, vmap\n",
            "from jax.tree import map as tree_map\nfrom jax import jit, vmap\n",
        ),
        (
            "from jax.experimental.maps import Mesh as M, xmap\nxmap(f)\n",
            "from jax.sharding import Mesh as M\nfrom jax.experimental.maps import xmap\nxmap(f)\n",
        ),
        ("from jax.config import config\n", "from jax import config\n"),
        ("import jax.experimental.stax as s\n", "import jax.example_libraries.stax as s\n"),
        (
            "from jax.experimental import stax\nstax.serial(stax.Dense(3))\n",
            "from jax.example_libraries import stax\nstax.serial(stax.Dense(3))\n",
        ),
        # Arguments that the new one takes otherwise, wherever the name is used.
        (
            """\
            from functools import partial
            from jax.experimental.shard_map import shard_map
            g = shard_map(f, mesh, (P(),), out_specs=P(), check_rep=False)
            h = partial(shard_map, mesh=mesh, in_specs=P(), out_specs=P(), check_rep=False)(f)
            """,
            """\
            from functools import partial
            from jax import shard_map
            g = shard_map(f, mesh=mesh, in_specs=(P(),), out_specs=P(), check_vma=False)
            h = partial(shard_map, mesh=mesh, in_specs=P(), out_specs=P(), check_vma=False)(f)
            """,
        ),
        # What the new one has no parameter for is for a person.
        (
            "from jax.experimental.shard_map import shard_map\n"
            "g = shard_map(f, mesh, P(), P(), auto=frozenset({'a'}))\n",
            "from jax.experimental.shard_map import shard_map\n"
            "g = shard_map(f, mesh, P(), P(), auto=frozenset({'a'}))\n",
        ),
        (
            "from jax.experimental import (\n    pjit,  # a comment\n    stax,\n)\n",
            "from jax.example_libraries import stax\n"
            "from jax.experimental import (\n    pjit,  # a comment\n    stax,\n)\n",
        ),
    ],
)
def test_imports(before: str, after: str) -> None:
    if "comment" in before:  # Taking `stax` out would take the comment with it.
        after = before
    assert mended(before) == dedent(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # A name that becomes an expression, at each of its uses: the innermost come last.
        (
            """\
            from jax.ops import index_update, index
            y = index_update(index_update(x, index[0, :], 1.0), 1, 2.0)
            """,
            """\
            from jax.numpy import s_ as index
            y = x.at[0, :].set(1.0).at[1].set(2.0)
            """,
        ),
        (
            "from jax.ops import index_add\nf(index_add)\ny = index_add(x, 0, 1.0)\n",
            "from jax.ops import index_add\nf(index_add)\ny = x.at[0].add(1.0)\n",
        ),
        ("from jax.numpy import NINF\n\ny = 2 * NINF\n",
         "import jax.numpy as jnp\n\ny = 2 * (-jnp.inf)\n"),
        # An import of what no release has any more, and nothing uses.
        ("from jax.experimental.maps import xmap\nx = 1\n", "x = 1\n"),
        ("import jax.experimental.maps\n", "import jax\n"),
        ("import jax\nimport jax.experimental.maps\n", "import jax\n"),
        ("import jax\nimport jax.experimental.loops, jax.lax\n", "import jax\nimport jax.lax\n"),
        (
            "import jax.experimental.maps\nf = jax.experimental.maps.xmap\n",
            "import jax.experimental.maps\nf = jax.experimental.maps.xmap\n",
        ),
        # A module that became an attribute.
        ("import jax.config\njax.config.update(a, b)\n", "import jax\njax.config.update(a, b)\n"),
        (
            "import jax.config as c\nc.update(a, b)\n",
            "from jax import config as c\nc.update(a, b)\n",
        ),
        # Functions inside of others, where a keyword has another name.
        (
            """\
            from jax.experimental.shard_map import shard_map
            def f():
                def g():
                    return shard_map(h, mesh=m, in_specs=P(), out_specs=P(), check_rep=False)
            """,
            """\
            from jax import shard_map
            def f():
                def g():
                    return shard_map(h, mesh=m, in_specs=P(), out_specs=P(), check_vma=False)
            """,
        ),
        (
            """\
            from jax.experimental.pjit import pjit
            g = pjit(f, in_axis_resources=P('x'), out_axis_resources=None)
            """,
            """\
            from jax.experimental.pjit import pjit
            g = pjit(f, in_shardings=P('x'), out_axis_resources=None)
            """,
        ),
        (
            "from jax.lib import xla_bridge\nn = xla_bridge.device_count()\n",
            "import jax\nn = jax.device_count()\n",
        ),
        # `import jax` does not bring jax.extend in.
        (
            "from jax.lib import xla_bridge\nb = xla_bridge.get_backend()\n",
            "from jax.extend.backend import get_backend\nb = get_backend()\n",
        ),
        # The file asks about something else: what hangs on a test goes with its import.
        (
            """\
            import inspect
            from jax.lib import xla_bridge as xb
            def f(g):
                s = inspect.signature(g)
                return xb.get_backend().platform if s else xb.device_count()
            """,
            """\
            import inspect
            import jax
            from jax.extend.backend import get_backend
            def f(g):
                s = inspect.signature(g)
                return get_backend().platform if s else jax.device_count()
            """,
        ),
        # One use without a successor keeps the import.
        (
            "from jax.lib import xla_bridge as xb\n"
            "def f(c):\n    return xb.mesh_of(), xb.get_backend()\n",
            "from jax.extend.backend import get_backend\n"
            "from jax.lib import xla_bridge as xb\n"
            "def f(c):\n    return xb.mesh_of(), get_backend()\n",
        ),
    ],
)  # fmt: skip
def test_imports_and_what_uses_them(before: str, after: str) -> None:
    assert mended(dedent(before)) == dedent(after)


def test_what_an_old_release_still_has_may_be_imported_for_others() -> None:
    text = "from jax.experimental.maps import xmap\n"
    assert mended(text, ">=0.4.20") == text
    assert mended(text, ">=0.4.20", unsafe=True) == ""
    assert mended("import jax.config\n", ">=0.4.20") == "import jax\n"


@pytest.mark.parametrize(
    ("line", "safe", "unsafe"),
    [
        ("jnp.sum(x, where=w)", "jnp.sum(x, where=w.astype(bool))", ""),
        ("w.max(initial=0, where=w * 2)", "w.max(initial=0, where=(w * 2).astype(bool))", ""),
        ("jnp.mean(x, where=w)", "", "jnp.mean(x, where=w.astype(bool))"),
        ("jnp.sum(x, where=1)", "", ""),
        (
            "pl.BlockSpec(lambda i: (i,), (8,))",
            "pl.BlockSpec(index_map=lambda i: (i,), block_shape=(8,))", "",
        ),
        ("pl.BlockSpec(lambda i: (i,), *rest)", "", ""),
        ("with mesh: pass", "", "with jax.set_mesh(mesh): pass"),
    ],
)  # fmt: skip
def test_ways_of_calling(line: str, safe: str, unsafe: str) -> None:
    head = (
        "import jax\nimport jax.numpy as jnp\nfrom jax.experimental import pallas as pl\n"
        "w = jnp.ones(3)\nmesh = jax.make_mesh((1,), ('x',))\n"
    )
    assert mended(f"{head}{line}\n") == f"{head}{safe or line}\n"
    assert mended(f"{head}{line}\n", unsafe=True) == f"{head}{unsafe or safe or line}\n"


def test_an_optimizer_that_keeps_its_model() -> None:
    head = "from flax import nnx\nfrom optax import sgd\nm = nnx.Linear(1, 1, rngs=nnx.Rngs(0))\n"
    text = f"{head}o = nnx.Optimizer(m, sgd(0.1))\no.update(grads)\n"
    assert mended(text) == text
    assert mended(text, unsafe=True) == text.replace("nnx.Optimizer", "nnx.ModelAndOptimizer")


def test_old_releases_keep_what_they_have() -> None:
    text = "import jax\nfrom jax.experimental.shard_map import shard_map\njax.tree_map(f, x)\n"
    assert mended(text, ">=0.4.13,<=0.12") == text.replace("jax.tree_map", "jax.tree_util.tree_map")


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("jnp.reshape(x, newshape=(3, 1))", "jnp.reshape(x, (3, 1))"),
        ("jnp.clip(x, a_min=0.0, a_max=y)", "jnp.clip(x, 0.0, y)"),
        ("jnp.clip(x, a_max=1)", ""),
        ("jax.make_mesh(axis_shapes=(1,), axis_names=n)", "jax.make_mesh((1,), axis_names=n)"),
        ("jax.pure_callback(f, s, x, vectorized=False)", ""),
        ("jax.nn.softmax(x, initial=1)", ""),
        ("jax.lax.cond(p, f, g, x, linear=False)", "jax.lax.cond(p, f, g, x)"),
    ],
)
def test_arguments_that_old_and_new_releases_take(line: str, wanted: str) -> None:
    head = "import jax\nimport jax.numpy as jnp\n\n"
    assert mended(f"{head}{line}\n", ">=0.4.13") == f"{head}{wanted or line}\n"


def test_what_a_person_should_look_at_is_unsafe() -> None:
    text = "import jax.numpy as jnp\njnp.in1d(ar1=x, ar2=y)\n"
    assert mended(text) == text
    assert mended(text, unsafe=True) == text.replace(
        "in1d(ar1=x, ar2=y)", "isin(element=x, test_elements=y)"
    )


def test_a_class_that_is_named_and_not_called() -> None:
    head = "import jax\n"
    for line, safe in (
        ("isinstance(x, jax.ShapedArray)", True),
        ("a: jax.ShapedArray = jax.ShapedArray((2,), int)", True),
        ("KINDS = (int, jax.ShapedArray)", False),  # Somebody may call it with what went.
    ):
        new = line.replace("jax.Sh", "jax.core.Sh")
        assert mended(f"{head}{line}\n") == f"{head}{new if safe else line}\n"
        assert mended(f"{head}{line}\n", unsafe=True) == f"{head}{new}\n"
    line = "jax.ShapedArray((2,), int, named_shape={})\n"
    assert mended(f"{head}{line}", unsafe=True) == f"{head}{line}"


def test_an_import_that_nothing_uses_any_more_goes() -> None:
    text = "import jax\nfrom jax.experimental import maps\nm = maps.Mesh(d, ('a',))\n"
    assert mended(text, unsafe=True) == "import jax\nm = jax.sharding.Mesh(d, ('a',))\n"


def test_releases_by_their_beginning() -> None:
    assert release_like("0.10") == [each for each in releases() if each.startswith("0.10.")][-1]
    assert release_like("0.4.30") == "0.4.30"
    assert release_like("9") == release_like("x") == ""


# ---------------------------------------------------------------------------- command

PROJECT = {
    "requirements.txt": "jax>=0.4.20\n",
    "a.py": """\
        import jax
        import jax.numpy as jnp
        from jax.experimental import host_callback

        key = jax.random.PRNGKey(0)
        x = jax.random.normal(key, (3,))
        y = jax.tree_map(lambda v: v + 1, x), jnp.empty(3)
        """,
    "tests/test_a.py": "from jax.experimental.pjit import pjit\n\nf = pjit(lambda x: x)\n",
    "broken.py": "import jax\ndef (\n",
}


def test_upgrade_mends_lists_and_tells(tmp_path: Path) -> None:
    write(tmp_path, PROJECT)
    result = jaxlint("upgrade", "--to", "0.12", cwd=tmp_path)
    assert result.returncode == 2, result.stdout + result.stderr
    assert "broken.py:2" in result.stderr
    told = result.stdout
    assert told.startswith(f"For JAX {release_like('0.12')}, and still for 0.4.20 and later:\n")
    assert "1 x Write `jax.tree_util.tree_map`" in told
    assert "1 x Write `from jax import jit as pjit`" in told
    assert "Left for you: 1 place in 1 file.\n  a.py:3:30: `jax.experimental.host_callback`" in told
    assert "since 0.5.0, jax.random.normal: samplers draw other numbers" in told
    assert "since 0.11.0, jax.numpy.empty: the elements are not initialized" in told
    assert "jax.tree_util.tree_map(lambda v: v + 1, x)" in (tmp_path / "a.py").read_text()
    assert "from jax import jit as pjit" in (tmp_path / "tests" / "test_a.py").read_text()
    before = (tmp_path / "a.py").read_bytes()
    again = jaxlint("upgrade", "--to", "0.12", cwd=tmp_path)
    assert "0 findings fixed in 0 files." in again.stdout
    assert (tmp_path / "a.py").read_bytes() == before


def test_upgrade_shows_the_difference(tmp_path: Path) -> None:
    write(tmp_path, {name: text for name, text in PROJECT.items() if name != "broken.py"})
    result = jaxlint("upgrade", "--diff", "--new-only", cwd=tmp_path)
    assert result.returncode == 1
    assert "+y = jax.tree.map(lambda v: v + 1, x), jnp.empty(3)\n" in result.stdout
    assert "3 findings would be fixed in 2 files." in result.stderr
    assert "-from jax.experimental import host_callback\n" in result.stdout
    assert "tree_map" in (tmp_path / "a.py").read_text()


def test_wrong_use_of_upgrade(tmp_path: Path) -> None:
    result = jaxlint("upgrade", "--to", "7", cwd=tmp_path)
    assert result.returncode == 2
    assert "no release '7' of JAX is known" in result.stderr
    result = jaxlint("upgrade", "nowhere", cwd=tmp_path)
    assert result.returncode == 2
    assert "nowhere: no such file or folder" in result.stderr


LIBRARIES = """\
import chex
import optax
from flax import optim


def update(params, grads):
    chex.assert_tree_all_close(params, grads)
    skipped = optax.maybe_update(optax.sgd(0.1), should_update_fn=lambda step: step > 3)
    return optim.Momentum(0.1), skipped
"""


def test_libraries_go_along(tmp_path: Path) -> None:
    """A project that keeps its flax uses what that one has; one that moves JAX moves flax."""
    pins = "jax==0.2.8\nflax==0.3.1\noptax>=0.0.6\nchex>=0.1.3\n"
    write(tmp_path, {"requirements.txt": pins, "train.py": LIBRARIES})
    checked = jaxlint("check", "train.py", "--select", "JXL601", cwd=tmp_path)
    assert checked.returncode == 0, "with JAX 0.2.8 none of them runs that lacks a name"
    both = jaxlint("upgrade", "--diff", "train.py", cwd=tmp_path)
    assert "+    chex.assert_trees_all_close(params, grads)" in both.stdout
    assert "conditionally_transform(" not in both.stdout, "optax 0.0.6 has no such name"
    assert "`flax.optim` was removed in flax 0.6.0; use optax" in both.stderr
    new = jaxlint("upgrade", "--diff", "--new-only", "train.py", cwd=tmp_path)
    assert (
        "+    skipped = optax.conditionally_transform(optax.sgd(0.1), should_transform_fn="
    ) in new.stdout
