"""The history of names and parameters: against JAX's changelog, and against the installed JAX."""

from __future__ import annotations

import inspect
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy
import pytest

from jaxlint.knowledge import history, replacements
from jaxlint.project import parse_version
from tools.history import inventory

CHANGELOG = """
0.2.21  removed     jax.api jax.partial jax.lax.partial
0.3.2   removed     jax.ops.index_update jax.ops.index_add
0.2.22  deprecated  jax.ops.index_update jax.ops.index_add
0.3.5   deprecated  jax.nn.normalize jax.tree_util.tree_multimap
0.3.15  deprecated  jax.treedef_is_leaf jax.tree_flatten jax.tree_leaves jax.tree_structure
0.3.15  deprecated  jax.tree_transpose jax.tree_unflatten
0.3.16  removed     jax.mask jax.shapecheck jax.experimental.loops jax.tree_util.tree_multimap
0.3.16  removed     jax.experimental.stax jax.experimental.optimizers
0.4.3   removed     jax.scipy.linalg.polar_unitary
0.4.4   deprecated  jax.interpreters.xla.Device jax.experimental.maps.Mesh
0.4.4   deprecated  jax.experimental.pjit.PartitionSpec
0.4.7   deprecated  jax.numpy.DeviceArray jax.interpreters.pxla.ShardedDeviceArray
0.4.9   removed     jax.numpy.msort
0.4.11  removed     jax.interpreters.pxla.PartitionSpec jax.interpreters.pxla.Mesh
0.4.11  removed     jax.interpreters.xla.Buffer jax.interpreters.xla.Device
0.4.11  removed     jax.interpreters.xla.DeviceArray jax.interpreters.xla.device_put
0.4.12  deprecated  jax.numpy.alltrue jax.numpy.sometrue jax.numpy.product jax.numpy.cumproduct
0.4.14  removed     jax.curry jax.partial_eval jax.pxla jax.xla jax.ShapedArray
0.4.14  removed     jax.interpreters.pxla.device_put jax.interpreters.pxla.ShardedDeviceArray
0.4.16  removed     jax.numpy.alltrue jax.numpy.sometrue jax.numpy.product jax.numpy.cumproduct
0.4.16  removed     jax.lax.prod jax.core.is_opaque_dtype
0.4.16  deprecated  jax.numpy.NINF jax.numpy.PZERO jax.numpy.NZERO jax.numpy.issubsctype
0.4.16  deprecated  jax.numpy.row_stack jax.numpy.in1d jax.numpy.trapz jax.scipy.linalg.tril
0.4.16  deprecated  jax.random.PRNGKeyArray jax.random.KeyArray jax.linear_util jax.prng
0.4.17  removed     jax.abstract_arrays
0.4.24  deprecated  jax.lax.tie_in
0.4.24  removed     jax.linear_util jax.prng jax.random.PRNGKeyArray jax.random.KeyArray
0.4.24  removed     jax.numpy.NINF jax.numpy.NZERO jax.numpy.PZERO jax.numpy.row_stack
0.4.24  removed     jax.numpy.issubsctype jax.numpy.trapz jax.numpy.in1d jax.lax.naryop
0.4.24  removed     jax.tree_util.register_keypaths jax.core.safe_zip jax.core.safe_map
0.4.25  removed     jax.config.config
0.4.26  deprecated  jax.clear_backends
0.4.29  removed     jax.core.DimSize jax.core.Shape jax.lax.tie_in jax.nn.normalize
0.4.30  deprecated  jax.xla_computation jax.experimental.export
0.4.31  removed     jax.random.shuffle jax.core.canonicalize_shape jax.experimental.maps
0.4.32  deprecated  jax.numpy.round_
0.4.36  removed     jax.clear_backends jax.experimental.export
0.4.38  removed     jax.numpy.round_ jax.core.check_eqn
0.5.0   removed     jax.experimental.array_api
0.5.0   deprecated  jax.scipy.special.lpmn jax.scipy.special.lpmn_values
0.6.0   removed     jax.tree_map jax.tree_flatten jax.tree_leaves jax.tree_structure
0.6.0   removed     jax.treedef_is_leaf jax.core.Primitive jax.core.Jaxpr jax.core.Var
0.6.0   deprecated  jax.dlpack.to_dlpack
0.7.0   removed     jax.core.AxisName jax.interpreters.xla.abstractify jax.extend.ffi.ffi_call
0.7.0   deprecated  jax.scipy.special.sph_harm
0.7.1   removed     jax.sharding.use_mesh
0.8.0   removed     jax.util jax.extend.ffi jax.experimental.host_callback
0.8.2   deprecated  jax.lax.pvary jax.core.get_aval jax.core.mapped_aval
0.9.0   deprecated  jax.numpy.fix
0.10.0  removed     jax.device_put_sharded jax.device_put_replicated jax.sharding.PmapSharding
0.10.0  deprecated  jax.core.CallPrimitive jax.core.gensym
0.11.0  removed     jax.core.CallPrimitive jax.core.gensym jax.cloud_tpu_init
0.11.0  removed     jax.interpreters.pxla.MeshExecutable
"""
"""What JAX's own changelog says: release, what happened there, names."""

DATES = [
    (release, what, name)
    for release, what, *names in map(str.split, filter(None, CHANGELOG.splitlines()))
    for name in names
]


@pytest.mark.parametrize(("release", "what", "name"), DATES, ids=lambda value: str(value))
def test_dates_are_those_of_the_changelog(release: str, what: str, name: str) -> None:
    change = history.change_of(name)
    assert change is not None
    assert getattr(change, what) == release


def test_the_changelog_is_asked_often_enough() -> None:
    assert len({name for _, _, name in DATES}) >= 50


@pytest.mark.parametrize(
    ("release", "what", "name", "keyword"),
    [
        ("0.3.15", "deprecated", "jax.scipy.linalg.solve", "sym_pos"),
        ("0.4.21", "removed", "jax.scipy.linalg.solve", "sym_pos"),
        ("0.4.27", "deprecated", "jax.numpy.clip", "a_min"),
        ("0.4.27", "deprecated", "jax.nn.softmax", "initial"),
        ("0.4.28", "deprecated", "jax.numpy.reshape", "newshape"),
        ("0.4.34", "removed", "jax.ShapeDtypeStruct", "named_shape"),
        ("0.4.35", "deprecated", "jax.pure_callback", "vectorized"),
        ("0.4.36", "removed", "jax.nn.log_softmax", "initial"),
        ("0.6.0", "removed", "jax.pure_callback", "vectorized"),
        ("0.9.0", "removed", "jax.numpy.quantile", "interpolation"),
        ("0.10.0", "removed", "jax.numpy.clip", "a_max"),
    ],
)
def test_dates_of_parameters(release: str, what: str, name: str, keyword: str) -> None:
    change = history.parameter_change(name, keyword)
    assert change is not None
    assert getattr(change, what) == release


def test_every_release_is_there_in_order() -> None:
    releases = history.releases()
    assert list(releases) == sorted(releases, key=parse_version)
    assert releases[0] == "0.2.0"
    assert parse_version(releases[-1]) >= (0, 12)
    assert {"0.2.28", "0.3.25", "0.4.1", "0.4.2", "0.4.3", "0.4.13", "0.4.38"} <= set(releases)
    assert len(releases) > 110


def test_the_file_is_small_and_read_when_it_is_asked() -> None:
    path = Path(history.__file__).with_name("history.json")
    assert path.stat().st_size < 1_000_000
    history._data.cache_clear()
    start = time.perf_counter()
    assert history.change_of("jax.numpy.sum") is None
    assert time.perf_counter() - start < 0.5


# -------------------------------------------------------------------- names that went


@pytest.mark.parametrize(
    ("name", "removed", "says"),
    [
        ("jax.numpy.product", "0.4.16", "jax.numpy.prod"),
        ("jax.numpy.cumproduct", "0.4.16", "jax.numpy.cumprod"),
        ("jax.numpy.alltrue", "0.4.16", "jax.numpy.all"),
        ("jax.numpy.sometrue", "0.4.16", "jax.numpy.any"),
        ("jax.numpy.msort", "0.4.9", "jax.numpy.sort(a, axis=0)"),
        ("jax.numpy.DeviceArray", "0.4.14", "jax.Array"),
        ("jax.experimental.PartitionSpec", "0.4.11", "jax.sharding.PartitionSpec"),
        ("jax.tree_multimap", "0.3.16", "jax.tree.map"),
        ("jax.ops.index_update", "0.3.2", ".at[index].set(y)"),
        ("jax.experimental.stax", "0.3.16", "jax.example_libraries.stax"),
        ("jax.experimental.global_device_array", "0.4.7", "jax.Array"),
        ("jax.extend.ffi", "0.8.0", "jax.ffi"),
        ("jax.extend.ffi.ffi_call", "0.7.0", "jax.ffi.ffi_call"),
        ("jax.dlpack.to_dlpack", "0.7.0", "__dlpack__"),
        ("jax.experimental.pallas.load", "0.9.0", "ref[idx]"),
        ("jax.experimental.maps.Mesh", "", "jax.sharding.Mesh"),
        ("jax.experimental.maps.xmap", "0.4.31", "jax.shard_map"),
        ("jax.api.jit", "0.2.21", "jax.jit"),
        ("jax.linear_util.wrap_init", "0.4.24", "jax.extend.linear_util.wrap_init"),
    ],
)
def test_names_that_went(name: str, removed: str, says: str) -> None:
    change = history.change_of(name)
    assert change is not None
    assert change.removed == removed or not removed
    assert says in change.says


def test_the_module_above_is_found() -> None:
    assert history.change_above("jax.experimental.stax.Dense.anything") is not None
    found = history.change_above("jax.experimental.host_callback.id_tap.attribute")
    assert found is not None
    assert found[0] == "jax.experimental.host_callback.id_tap"
    assert history.change_above("jax.numpy.sum") is None
    assert history.change_above("jax.config.update") is None


@pytest.mark.parametrize("name", ["jax.jit", "jax.numpy.array", "jax.config", "jax.lax.scan"])
def test_names_that_stay(name: str) -> None:
    assert history.change_of(name) is None
    assert history.ever_existed(name)


# --------------------------------------------------------------------- names nobody had


@pytest.mark.parametrize(
    "name",
    ["jax.numpy.norm", "jax.GaussNewton", "jax.numpy.randn", "jax.random.rand", "jax.nn.Linear",
     "jax.lax.for_loop", "jax.tree.multimap", "jax.experimental.nothing", "jax.numpy.linalg.nrom"],
)  # fmt: skip
def test_names_that_never_were(name: str) -> None:
    assert not history.ever_existed(name)
    assert not history.exists(name, "0.4.30")
    assert history.change_of(name) is None


@pytest.mark.parametrize(
    "name",
    ["jax.numpy.sum", "jax.partial", "jax.config.jax_enable_x64", "jax.Array.at.anything",
     "jax.numpy.ndarray.missing", "jax._src.core", "numpy.anything", "jax.numpy.linalg",
     "jax.test_util.check_grads", "jax.tools.anything"],
)  # fmt: skip
def test_what_is_not_known_not_to_be_is(name: str) -> None:
    assert history.ever_existed(name)


@pytest.mark.parametrize(
    ("name", "release", "there"),
    [
        ("jax.shard_map", "0.5.0", False),
        ("jax.shard_map", "0.8.0", True),
        ("jax.tree.map", "0.4.24", False),
        ("jax.tree.map", "0.4.25", True),
        ("jax.tree_map", "0.5.3", True),
        ("jax.tree_map", "0.6.0", False),
        ("jax.tree_map", "99.0", False),
        ("jax.numpy.sum", "0.1.0", True),
        ("jax.numpy.sum", "99.0", True),
    ],
)
def test_existence_by_release(name: str, release: str, there: bool) -> None:
    assert history.exists(name, release) is there


def test_since_when() -> None:
    assert history.came_in("jax.tree.map") == "0.4.25"
    assert history.came_in("jax.pure_callback") == "0.3.17"
    assert history.came_in("jax.jit") == ""
    assert history.came_in("jax.numpy.norm") == ""


# ------------------------------------------------------------------------- parameters


@pytest.mark.parametrize(
    ("name", "keyword", "removed", "says"),
    [
        ("jax.make_mesh", "axis_shapes", "0.11.1", "axis_sizes="),
        ("jax.pure_callback", "vectorized", "0.6.0", "vmap_method="),
        ("jax.nn.softmax", "initial", "0.4.36", ""),
        ("jax.lax.cond", "linear", "0.4.31", ""),
        ("jax.jit", "fun", "0.7.0", "by position"),
        # Deprecated from 0.4.29 on, and taken back.
        ("jax.numpy.linalg.pinv", "rcond", None, ""),
        ("jax.jit", "abstracted_axes", "0.8.2", ""),
        ("jax.numpy.reshape", "newshape", "0.6.0", "shape="),
        ("jax.numpy.clip", "a_min", "0.10.0", "min="),
        ("jax.lax.dot", "nothing", None, ""),
        ("jax.numpy.sum", "axis", None, ""),
    ],
)
def test_parameters_that_went(name: str, keyword: str, removed: str | None, says: str) -> None:
    change = history.parameter_change(name, keyword)
    assert (change and change.removed) == removed
    assert change is None or says in change.says


def test_parameters_that_never_were() -> None:
    assert not history.ever_took("jax.numpy.stack", "dim")
    assert not history.ever_took("jax.numpy.sum", "dim")
    assert history.ever_took("jax.numpy.stack", "axis")
    assert history.ever_took("jax.numpy.reshape", "newshape")
    assert history.ever_took("jax.numpy.pi", "anything")
    assert history.ever_took("jax.pure_callback", "anything")


def test_positions() -> None:
    array = history.position_change("jax.numpy.array", 3)
    assert array is not None
    assert (array.deprecated, "keyword" in array.says) == ("0.10.1", True)
    assert history.position_change("jax.numpy.array", 2) is None
    dot = history.position_change("jax.lax.dot", 3)
    assert dot is not None
    assert (dot.deprecated, dot.removed) == ("0.7.1", "0.10.0")
    assert history.position_change("jax.numpy.sum", 2) is None


def test_signatures_by_release() -> None:
    old = history.parameters_of("jax.numpy.clip", "0.4.26")
    new = history.parameters_of("jax.numpy.clip")
    assert old is not None
    assert new is not None
    assert old.takes("a_min")
    assert not new.takes("a_min")
    assert new.takes("min")
    assert new.positions == 3
    assert history.parameters_of("jax.numpy.norm") is None
    where = history.parameters_of("jax.numpy.where")
    assert where is not None
    assert [(each.name, each.kind) for each in where.parameters[:2]] == [
        ("condition", "positional"), ("x", "positional"),
    ]  # fmt: skip


def test_signatures_are_read_as_they_were_written() -> None:
    def one(a: int, /, b: int, c: int = 0, *rest: int, d: int, e: int = 0, **more: int) -> None: ...
    def two(a: int = 0, *, b: int = 0) -> None: ...
    def three(a: int, b: int, /) -> None: ...

    kinds = {
        inspect.Parameter.POSITIONAL_ONLY: "positional",
        inspect.Parameter.POSITIONAL_OR_KEYWORD: "either",
        inspect.Parameter.KEYWORD_ONLY: "keyword",
        inspect.Parameter.VAR_POSITIONAL: "args",
        inspect.Parameter.VAR_KEYWORD: "kwargs",
    }
    for function in (one, two, three):
        function.__module__ = "jax.numpy"
        read = history._signature(inventory.signature(function) or "")
        assert read is not None
        assert [(each.name, each.kind, each.optional) for each in read.parameters] == [
            (each.name, kinds[each.kind], each.default is not each.empty)
            for each in inspect.signature(function).parameters.values()
        ]


# ------------------------------------------------------------- the typed rows, row by row

EVERY_NAME = sorted({*replacements.RENAMED, *replacements.SAYS, *replacements.MOVED})


@pytest.mark.parametrize("name", EVERY_NAME)
def test_what_has_a_replacement_went(name: str) -> None:
    change = history.change_of(name)
    assert change is not None
    assert change.says


@pytest.mark.parametrize(
    "name", sorted({*replacements.RENAMED.values(), *replacements.MOVED.values()})
)
def test_replacements_are_there(name: str) -> None:
    assert not name.startswith("jax.") or history.exists(name, history.releases()[-1])
    assert history.change_of(name) is None


@pytest.mark.parametrize("name", sorted(replacements.WARNS_WHEN_CALLED))
def test_what_warns_when_called_did_so_before_it_went(name: str) -> None:
    warned = replacements.WARNS_WHEN_CALLED[name]
    change = history.change_of(name)
    assert change is not None
    assert history.exists(name, warned)
    assert not change.removed or parse_version(warned) < parse_version(change.removed)


@pytest.mark.parametrize(("name", "keyword"), sorted(replacements.PARAMETERS))
def test_typed_parameters_agree_with_the_signatures(name: str, keyword: str) -> None:
    typed = replacements.PARAMETERS[name, keyword]
    assert typed == history.parameter_change(name, keyword)
    before = history.releases()[history._position(typed.removed) - 1]
    older, newer = (history.parameters_of(name, each) for each in (before, typed.removed))
    assert older is not None
    assert newer is not None
    # jax.jit took it for one more release, with a warning.
    assert older.takes(keyword) or (name, keyword) == ("jax.jit", "fun")
    # What a release takes by **kwargs, or takes only to refuse it, no signature shows.
    assert keyword in ("initial", "vectorized") or not newer.takes(keyword)


# ---------------------------------------------------------------- the installed JAX

jax = pytest.importorskip("jax")

from tests.names import resolve  # noqa: E402

HERE = parse_version(jax.__version__)


def is_there(name: str) -> bool:
    try:
        resolve(name)
    except (ImportError, AttributeError):
        return False
    return True


def all_names() -> list[str]:
    """Names of modules that were read; a module itself may want what is not installed here."""
    modules = {name: row for name, row in history._modules().items() if "unsure" not in row}
    names = [f"{module}.{name}" for module in modules for name in history._names(module)]
    return [name for name in names if name not in history._modules()]


@pytest.mark.skipif(parse_version(history.releases()[-1]) < HERE, reason="newer than the history")
def test_what_the_history_says_of_this_release_is_so() -> None:
    """Every name, of any release, looked up in the one that runs here."""
    loaded = [name for name in history._modules() if is_there(name)]
    assert "jax.numpy" in loaded
    wrong = []
    for name in all_names():
        module = name.rpartition(".")[0]
        if is_there(module) and is_there(name) is not history.exists(name, jax.__version__):
            wrong.append(name)
    assert wrong == []


@pytest.mark.parametrize(("function", "parameter"), sorted(replacements.PARAMETERS))
def test_removed_parameters_are_refused(function: str, parameter: str) -> None:
    change = replacements.PARAMETERS[function, parameter]
    if parse_version(change.removed) > HERE:
        pytest.skip(f"still there in {jax.__version__}")
    x = jax.numpy.ones(3)
    arguments: dict[str, tuple[Any, ...]] = {
        "jax.pure_callback": (lambda x: x, x, x),
        "jax.lax.cond": (True, lambda x: x, lambda x: x, x),
        "jax.jit": (),
        "jax.ShapeDtypeStruct": ((3,), "float32"),
    }
    with pytest.raises((TypeError, jax.errors.JaxRuntimeError)):
        jax.block_until_ready(resolve(function)(*arguments.get(function, (x,)), **{parameter: 1}))


@pytest.mark.parametrize("attribute", sorted(replacements.ATTRIBUTES))
def test_removed_attributes_are_gone(attribute: str) -> None:
    assert not hasattr(jax.numpy.ones(3), attribute)


def test_what_is_deprecated_without_a_name() -> None:
    mesh = jax.make_mesh((1,), ("x",))
    with pytest.warns(DeprecationWarning, match="set_mesh"), mesh:
        pass
    with pytest.warns(DeprecationWarning, match=r"(?i)position|keyword"):
        jax.numpy.array([1.0], "float32", True)


@pytest.mark.parametrize(
    "name", [name for name, way in replacements.WAYS.items() if way.given == "no boolean"]
)
def test_what_selects_is_boolean(name: str) -> None:
    x = jax.numpy.arange(3.0)
    # What is written of arrays holds of their class, of which jax.Array is only the base.
    function = getattr(type(x), name[10:]) if name.startswith("jax.Array.") else resolve(name)
    first = {"initial": 0.0} if "initial" in inspect.signature(function).parameters else {}
    mask = jax.numpy.array([True, False, True])
    function(x, where=mask, **first)
    for where in (jax.numpy.ones(3), numpy.ones(3), 1, 1.0, mask.astype(int)):
        with pytest.raises(ValueError, match="boolean"):
            function(x, where=where, **first)


def test_calls_that_flax_no_longer_takes() -> None:
    nnx = pytest.importorskip("flax.nnx")
    optax = pytest.importorskip("optax")
    assert parse_version(metadata.version("flax")) >= parse_version(
        replacements.WAYS["flax.nnx.Optimizer"].change.removed
    )
    model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    with pytest.raises(TypeError, match="wrt"):
        nnx.Optimizer(model, optax.sgd(0.1))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    gradients = nnx.state(model, nnx.Param)
    with pytest.raises(TypeError):
        optimizer.update(gradients)
    optimizer.update(model, gradients)


@pytest.mark.parametrize("name", ["fromfile", "fromiter"])
def test_what_is_there_and_refuses_is_no_unknown_name(name: str) -> None:
    assert history.ever_existed(f"jax.numpy.{name}")
    with pytest.raises(NotImplementedError):
        getattr(jax.numpy, name)(name)
