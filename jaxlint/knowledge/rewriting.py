"""How to write what went from JAX, in a form in which a program can be rewritten.

``replacements.py`` says it to people. Here stand the same facts as data: an expression with the
arguments in their places, keywords under their new names, and what a person has to decide first.
From which release on the new way works follows from the history; nothing here is dated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from jaxlint.knowledge.history import (
    Signature,
    change_of,
    exists,
    parameters_of,
    releases,
    renamed_to,
    surely_exists,
)
from jaxlint.knowledge.library_history import change_in_library
from jaxlint.knowledge.replacements import RENAMED_IN_LIBRARIES, SAYS

# --------------------------------------------------------------------------------- names


@dataclass(frozen=True, slots=True)
class Replacement:
    """What does what a name did.

    Attributes:
        write: what is written instead, names in full: ``jax.numpy.prod`` for the name alone. An
            expression with parameters in braces stands for a whole call, with their arguments in
            those places: ``{x}.at[{idx}].set({y})``; ``{new_val=True}`` is what to write where
            the argument is left out, and ``...`` the arguments that have no place of their own.
            Empty when nothing does the same.
        keywords: old keyword -> new one; None where nothing takes its place.
        named: what arguments by position are called that now go by keyword; empty for those that
            stay where they are.
        person: what a person has to decide or to look at; empty when it means the same.
        about: the arguments that this is about, where it is about calls that have them.
    """

    write: str
    keywords: dict[str, str | None] = field(default_factory=dict, hash=False)
    named: tuple[str, ...] = ()
    person: str = ""
    about: tuple[str, ...] = ()

    @property
    def of_the_call(self) -> bool:
        """Whether it stands for a whole call instead of the name that is called."""
        return "{" in self.write or "(" in self.write

    @property
    def is_statement(self) -> bool:
        """Whether it can only be written as a statement."""
        return "} = {" in self.write or "] = {" in self.write

    @property
    def places(self) -> tuple[str, ...]:
        """The parameters whose arguments it writes in places of their own."""
        found = (name for name, _ in PLACE.findall(self.write) if name)
        return tuple(name.split("=")[0] for name in found)

    @property
    def names(self) -> tuple[str, ...]:
        """The qualified names in it."""
        return tuple(_NAME.findall(self.write))

    @property
    def options(self) -> frozenset[str]:
        """The keywords that it writes."""
        found = set(_OPTION.findall(self.write)) | {new for new in self.keywords.values() if new}
        return frozenset(found | set(filter(None, self.named)))


#: A parameter in braces, with what is written where its argument is left out, or the rest.
PLACE = re.compile(r"\{([^{}]+)\}|(\.\.\.)")
_NAME = re.compile(r"(?<![\w.{'])(?:jax|functools|math|numpy)(?:\.\w+)*(?![\w=}])")
_OPTION = re.compile(r"[(,] ?(\w+)=(?=[^=])")

_TRACED_TOO = "isinstance(x, jax.Array) is true of tracers too"

REWRITES: dict[str, tuple[Replacement, ...]] = {
    **{
        f"{module}.{old}": (Replacement(f"jax.tree.{new}"), Replacement(f"jax.tree_util.{same}"))
        for module, old, new, same in (
            ("jax", "tree_map", "map", "tree_map"),
            ("jax", "tree_multimap", "map", "tree_map"),
            ("jax.tree_util", "tree_multimap", "map", "tree_map"),
            ("jax", "tree_flatten", "flatten", "tree_flatten"),
            ("jax", "tree_leaves", "leaves", "tree_leaves"),
            ("jax", "tree_structure", "structure", "tree_structure"),
            ("jax", "tree_transpose", "transpose", "tree_transpose"),
            ("jax", "tree_unflatten", "unflatten", "tree_unflatten"),
        )
    },
    "jax.config.config": (Replacement("jax.config"),),
    "jax.config.FLAGS": (
        Replacement("jax.config", person="it read the flags of absl too, and could be set"),
    ),
    "jax.ops.index": (Replacement("jax.numpy.s_"),),
    **{
        f"jax.ops.index_{old}": (Replacement(f"{{x}}.at[{{idx}}].{new}({{y}}, ...)"),)
        for old, new in (
            ("add", "add"), ("max", "max"), ("min", "min"), ("mul", "multiply"), ("update", "set"),
        )
    },
    "jax.numpy.NINF": (Replacement("-jax.numpy.inf"),),
    "jax.numpy.NZERO": (Replacement("-0.0"),),
    "jax.numpy.PZERO": (Replacement("0.0"),),
    "jax.numpy.msort": (Replacement("jax.numpy.sort({a}, axis=0)"),),
    "jax.numpy.in1d": (
        Replacement(
            "jax.numpy.isin",
            {"ar1": "element", "ar2": "test_elements"},
            person="the result has the shape of the first argument, and is no longer flat",
        ),
    ),
    "jax.numpy.issubsctype": (
        Replacement("jax.numpy.issubdtype", person="its first argument must be a dtype: x.dtype"),
    ),
    "jax.numpy.trapz": (
        Replacement("jax.numpy.trapezoid"), Replacement("jax.scipy.integrate.trapezoid"),
    ),
    "jax.numpy.fix": (Replacement("jax.numpy.trunc", {"out": None}),),
    "jax.random.shuffle": (Replacement("jax.random.permutation(..., independent=True)"),),
    "jax.lax.tie_in": (Replacement("{y}", {"x": None}),),
    "jax.util.unzip2": (
        Replacement("tuple(zip(*{xys}))", person="of no pairs at all it makes no two tuples"),
    ),
    "jax.lax.pvary": (Replacement("jax.lax.pcast(..., to='varying')"),),
    "optax.maybe_update": (
        Replacement(
            "optax.conditionally_transform", {"should_update_fn": "should_transform_fn"}
        ),
    ),
    "jax.scipy.special.sph_harm": (
        Replacement(
            "jax.scipy.special.sph_harm_y({n}, {m}, {phi}, {theta}, ...)",
            person="its angles have changed their names: compare values",
        ),
    ),
    "jax.experimental.enable_x64": (Replacement("jax.enable_x64({new_val=True})"),),
    "jax.experimental.disable_x64": (Replacement("jax.enable_x64(False)"),),
    "jax.experimental.pallas.load": (Replacement("{x_ref_or_view}[{idx}]"),),
    "jax.experimental.pallas.store": (Replacement("{x_ref_or_view}[{idx}] = {val}"),),
    "jax.experimental.pjit.pjit": (
        Replacement(
            "jax.jit",
            {"in_axis_resources": None, "out_axis_resources": None, "abstracted_axes": None},
            ("", "in_shardings", "out_shardings", "static_argnums"),
            person="with a PartitionSpec for a sharding, jax.jit wants jax.set_mesh(mesh), "
            "which `with mesh:` is not",
            about=("in_shardings", "out_shardings"),
        ),
    ),
    "jax.experimental.shard_map.shard_map": (
        Replacement(
            "jax.shard_map",
            {"check_rep": "check_vma", "auto": None},
            ("", "mesh", "in_specs", "out_specs", "check_vma"),
        ),
    ),
    **{
        name: (Replacement("jax.Array", person=_TRACED_TOO),)
        for name in (
            "jax.numpy.DeviceArray", "jax.interpreters.xla.DeviceArray", "jax.random.KeyArray",
            "jax.random.PRNGKeyArray", "jax.lib.xla_client.ArrayImpl",
            "jax.lib.xla_extension.ArrayImpl",
        )
    },
    "jax.dlpack.to_dlpack": (
        Replacement("{x}", person="the other library's from_dlpack must take the array itself"),
    ),
    "jax.sharding.use_mesh": (
        Replacement("jax.set_mesh", person="outside of a with statement it sets the mesh for good"),
    ),
}  # fmt: skip
"""Names of which more is to be said than another name; the best first, that for more releases
after it."""


@cache
def replacements_of(name: str) -> tuple[Replacement, ...]:
    """What does what a name did, the best first; empty when nothing is known to.

    One without an expression has nothing but what a person must decide.
    """
    if name in REWRITES:
        return REWRITES[name]
    if name in RENAMED_IN_LIBRARIES:
        return (Replacement(RENAMED_IN_LIBRARIES[name]),)
    change = change_of(name) or change_in_library(name)
    if change is None:
        return ()
    new = renamed_to(name) or _named_by_jax(name, change.says)
    if new:
        return (_renamed(name, new),)
    return (Replacement("", person=change.says),) if change.says else ()


def _named_by_jax(name: str, says: str) -> str:
    """The one name of the newest release that JAX's own message gives for a name."""
    if name in SAYS:
        return ""  # Typed, since one name does not do.
    newest = releases()[-1]
    named = dict.fromkeys(text.rstrip(".") for text in _NAME.findall(says))
    there = [new for new in named if new != name and _is_current(new, newest)]
    return there[0] if len(there) == 1 and there[0].count(".") else ""


def _is_current(name: str, newest: str) -> bool:
    return name.startswith("jax.") and exists(name, newest) and change_of(name) is None


def _renamed(old: str, new: str) -> Replacement:
    """Another name for the same, with what the two signatures say of the arguments."""
    before, after = last_signature(old), parameters_of(new)
    if before is None or after is None:
        return Replacement(new)
    named = tuple(_by_keyword(before, after))
    lost = [each.name for each in before.parameters if each.kind in ("either", "keyword")]
    positions = places_of(before)
    gone: dict[str, str | None] = {
        keyword: None
        for keyword in lost
        if not after.takes(keyword) and not (keyword in positions and positions[0] == keyword)
    }
    same = _same_places(positions, after)
    return Replacement(new, gone, named, "" if same else "its parameters are others")


def _by_keyword(before: Signature, after: Signature) -> list[str]:
    """Names for those arguments by position that another function takes by keyword alone."""
    positions = places_of(before)
    if after.positions is None or len(positions) <= after.positions:
        return []
    kept = [""] * after.positions
    return kept + [name if after.takes(name) else "" for name in positions[after.positions :]]


def _same_places(positions: list[str], after: Signature) -> bool:
    """Whether arguments by position mean the same to both, as far as names tell.

    Those that the new one does not take are no matter: a call with them is not rewritten.
    """
    pairs = list(zip(positions, places_of(after), strict=False))[1:]
    return all(old == new for old, new in pairs)


def last_signature(name: str) -> Signature | None:
    """What a function took in the last release that had it."""
    for release in reversed(releases()):
        if exists(name, release):
            return parameters_of(name, release)
    return None


# ------------------------------------------------------------------------------ releases


@cache
def works_from(replacement: Replacement) -> str:
    """The release from which on the new way works in every one; empty when it does in all."""
    oldest = ""
    for release in reversed(releases()):
        if not all(_has(name, replacement.options, release) for name in replacement.names):
            return oldest or "never"
        oldest = release
    return ""


def _has(name: str, keywords: frozenset[str], release: str) -> bool:
    if not name.startswith("jax."):
        return True
    if not surely_exists(name, release):
        return False
    now, then = parameters_of(name), parameters_of(name, release)
    if now is None or then is None:
        return True
    # What it takes by name now it took for something else where it took any name.
    own = {each.name for each in now.parameters}
    return all(
        any(each.name == keyword for each in then.parameters) if keyword in own
        else then.takes(keyword)
        for keyword in keywords
    )  # fmt: skip


# ----------------------------------------------------------------------------- arguments


@dataclass(frozen=True, slots=True)
class Argument:
    """What becomes of an argument that a function no longer takes under its name.

    Attributes:
        keyword: its name now; empty when it has none.
        by_position: it can be passed by position, where its place has not changed.
        values: how it is written -> what is written instead of the whole argument; empty: nothing.
        person: what a person has to decide about other values; empty when nothing.
        about: words in the value that a person has to decide about.
        needed_before: the first release that can do without it, where older ones cannot.
    """

    keyword: str = ""
    by_position: bool = False
    values: dict[str, str] = field(default_factory=dict, hash=False)
    person: str = ""
    about: frozenset[str] = frozenset()
    needed_before: str = ""

    @property
    def dropped(self) -> bool:
        """Whether it is left out, whatever it was."""
        return not (self.keyword or self.by_position or self.values or self.person)


_CALLBACK = Argument(
    values={"False": "vmap_method='sequential'"},
    person="vmap_method='expand_dims' or 'broadcast_all', as the callback takes it",
)

ARGUMENTS: dict[tuple[str, str], Argument] = {
    ("jax.numpy.reshape", "newshape"): Argument("shape", by_position=True),
    ("jax.numpy.clip", "a"): Argument(by_position=True),
    ("jax.numpy.clip", "a_min"): Argument("min", by_position=True),
    ("jax.numpy.clip", "a_max"): Argument("max", by_position=True),
    ("jax.numpy.quantile", "interpolation"): Argument("method"),
    ("jax.numpy.percentile", "interpolation"): Argument("method"),
    ("jax.numpy.nanquantile", "interpolation"): Argument("method"),
    ("jax.numpy.nanpercentile", "interpolation"): Argument("method"),
    ("jax.scipy.linalg.solve", "sym_pos"): Argument(
        values={"True": "assume_a='pos'", "False": ""}, person="assume_a='pos' where it was true"
    ),
    ("jax.nn.softmax", "initial"): Argument(needed_before="0.4.27"),
    ("jax.nn.log_softmax", "initial"): Argument(needed_before="0.4.27"),
    ("jax.pure_callback", "vectorized"): _CALLBACK,
    ("jax.ffi.ffi_call", "vectorized"): _CALLBACK,
    **{
        ("jax.experimental.pjit.pjit", f"{side}_axis_resources"): Argument(
            f"{side}_shardings",
            person="None was replicated, which is PartitionSpec() now",
            about=frozenset({"None"}),
        )
        for side in ("in", "out")
    },
    ("jax.lax.cond", "linear"): Argument(),
    ("jax.jit", "fun"): Argument(by_position=True),
    ("jax.make_mesh", "axis_shapes"): Argument("axis_sizes", by_position=True),
    ("jax.ShapeDtypeStruct", "named_shape"): Argument(),
    ("jax.ShapeDtypeStruct", "vma"): Argument(person="manual_axis_type= has taken its place"),
    ("jax.checkpoint", "concrete"): Argument(values={"False": ""}, person="policy= and "
                                             "static_argnums= say what is kept"),
    ("jax.remat", "concrete"): Argument(values={"False": ""}, person="policy= and "
                                        "static_argnums= say what is kept"),
}  # fmt: skip
"""Function and keyword -> what becomes of the argument."""


def argument_works_from(name: str, argument: Argument) -> str:
    """The release from which on the function takes it in its new way; empty for all of them."""
    if not argument.keyword or argument.by_position:
        options = [re.split("=", text)[0] for text in argument.values.values() if text]
    else:
        options = [argument.keyword]
    found = ""
    for release in reversed(releases()):
        if not _has(name, frozenset(options), release):
            break
        found = release
    first = "" if found == releases()[0] else found or "never"
    return max(first, argument.needed_before, key=lambda each: (each == "never", _order(each)))


def _order(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split(".") if part.isdigit())


@cache
def argument_for(name: str, keyword: str) -> Argument | None:
    """What becomes of an argument whose keyword went; None when nothing is known of it.

    Besides those that are typed: parameters that a function now takes by position alone.
    """
    typed = ARGUMENTS.get((name, keyword))
    if typed is not None:
        return typed
    before, after = last_that_took(name, keyword), parameters_of(name)
    if before is None or after is None or after.takes(keyword):
        return None
    place = places_of(before).index(keyword)
    there = after.parameters[place] if place < len(after.parameters) else None
    return Argument(by_position=True) if there and there.kind == "positional" else None


def last_that_took(name: str, keyword: str) -> Signature | None:
    """What a function took when it still took an argument by this name and by position."""
    for release in reversed(releases()):
        signature = parameters_of(name, release)
        for each in signature.parameters if signature is not None else ():
            if each.name == keyword and each.kind == "either":
                return signature
    return None


@cache
def keywords_for(name: str, count: int) -> tuple[str, ...]:
    """What to call each of ``count`` arguments by position, where not all may be passed so.

    Empty for those that keep their place; nothing at all when releases that took so many gave
    them different names, or when one has no name now.
    """
    now = parameters_of(name)
    if now is None or now.positions is None:
        return ()
    signatures = {parameters_of(name, release) for release in releases()} - {None}
    places = {
        tuple(places[now.positions : count])
        for signature in signatures
        if signature is not None and len(places := places_of(signature)) >= count
    }
    if len(places) != 1:
        return ()
    (rest,) = places
    return ("",) * now.positions + rest if all(map(now.takes, rest)) else ()


def places_of(signature: Signature) -> list[str]:
    """The names of the parameters that take arguments by position."""
    return [each.name for each in signature.parameters if each.kind in ("positional", "either")]


# ------------------------------------------------------------------------ ways of calling

OLD_POSITIONS: dict[str, tuple[str, ...]] = {
    "jax.experimental.pallas.BlockSpec": ("index_map", "block_shape"),
}
"""What the arguments by position were, before they were others: every release takes the names."""

CALLED_INSTEAD: dict[str, str] = {"flax.nnx.Optimizer": "flax.nnx.ModelAndOptimizer"}
"""What is still called in the way that a function or class no longer is."""

ENTERED_BY: dict[str, str] = {"jax.sharding.Mesh": "jax.set_mesh"}
"""What a ``with`` statement is given now, in place of an object of a class."""

WEIGHTED_BY_WHERE = frozenset(
    {"mean", "nanmean", "nanstd", "nanvar", "standardize", "std", "var"}
)  # fmt: skip
"""Reductions that divided by the sum of a ``where=`` of numbers."""

# ---------------------------------------------------------------------------- attributes

OF_ARRAYS: dict[str, str] = {
    "block_host_until_ready": "{self}.block_until_ready()",
    "broadcast": "jax.lax.broadcast({self}, ...)",
    "broadcast_in_dim": "jax.lax.broadcast_in_dim({self}, ...)",
    "device_buffer": "{self}.addressable_data(0)",
    "device_buffers": "[s.data for s in {self}.addressable_shards]",
    "split": "jax.numpy.split({self}, ...)",
    "tile": "jax.numpy.tile({self}, ...)",
    "to_py": "numpy.asarray({self})",
}
"""Attributes that arrays no longer have, and what is written instead: of a method, for its call."""

NO_METHODS = frozenset({"device_buffer", "device_buffers"})
"""Those of them that are no methods."""
