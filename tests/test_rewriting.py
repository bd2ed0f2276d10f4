"""What is written instead of what went from JAX: against the history and the installed JAX."""

from __future__ import annotations

import pytest

from jaxlint.knowledge import history, rewriting
from jaxlint.knowledge.library_history import change_in_library
from jaxlint.knowledge.replacements import MOVED, PARAMETERS, RENAMED
from jaxlint.knowledge.rewriting import (
    ARGUMENTS,
    REWRITES,
    Replacement,
    argument_for,
    argument_works_from,
    keywords_for,
    replacements_of,
    works_from,
)
from jaxlint.project import parse_version

NEWEST = history.releases()[-1]
EACH = [
    (name, replacement)
    for name in sorted({*REWRITES, *RENAMED})
    for replacement in replacements_of(name)
]
BY_MODULE = [
    f"{module}.{name}"
    for module in MOVED
    if module in history._modules()
    for name in history._names(module)
    if history.renamed_to(f"{module}.{name}")
]


@pytest.mark.parametrize(("name", "replacement"), EACH, ids=lambda value: str(value)[:60])
def test_each_is_there_in_the_newest_release(name: str, replacement: Replacement) -> None:
    assert history.change_of(name) or change_in_library(name)
    for new in replacement.names:
        if new.startswith("jax."):
            assert history.surely_exists(new, NEWEST)
            assert history.change_of(new) is None
            signature = history.parameters_of(new)
            assert signature is None or all(map(signature.takes, replacement.options))


@pytest.mark.parametrize(("name", "replacement"), EACH, ids=lambda value: str(value)[:60])
def test_each_works_from_the_release_that_is_said(name: str, replacement: Replacement) -> None:
    since = works_from(replacement)
    assert since != "never"
    releases = history.releases()
    names = [new for new in replacement.names if new.startswith("jax.")]
    position = releases.index(since) if since else 0
    for release in releases[position:]:
        assert all(history.surely_exists(new, release) for new in names)
    if since:
        before = releases[position - 1]
        lacking = [new for new in names if not history.surely_exists(new, before)]
        signatures = [history.parameters_of(new, before) for new in names]
        refused = [
            each for each in signatures if each and not all(map(each.takes, replacement.options))
        ]
        assert lacking or refused


@pytest.mark.parametrize(("name", "replacement"), EACH, ids=lambda value: str(value)[:60])
def test_places_are_those_of_parameters_that_were(name: str, replacement: Replacement) -> None:
    before = rewriting.last_signature(name)
    assert bool(replacement.places) <= replacement.of_the_call
    if before is not None:
        names = [each.name for each in before.parameters]
        assert set(replacement.places) <= set(names)
        gone = set(replacement.keywords) - {"in_axis_resources", "out_axis_resources", "auto"}
        assert gone <= {*names, "abstracted_axes"}


@pytest.mark.parametrize("name", BY_MODULE)
def test_names_of_a_module_that_moved(name: str) -> None:
    (replacement,) = replacements_of(name)
    assert works_from(replacement) != "never"
    before, after = rewriting.last_signature(name), history.parameters_of(replacement.write)
    if before and after and not replacement.person:
        kept = [each.name for each in before.parameters if each.kind == "keyword"]
        assert all(after.takes(each) or each in replacement.keywords for each in kept)


@pytest.mark.parametrize(
    ("name", "write", "since"),
    [
        ("jax.tree_map", "jax.tree.map", "0.4.25"),
        ("jax.numpy.product", "jax.numpy.prod", ""),
        ("jax.numpy.msort", "jax.numpy.sort({a}, axis=0)", ""),
        ("jax.ops.index_update", "{x}.at[{idx}].set({y}, ...)", ""),
        ("jax.numpy.NINF", "-jax.numpy.inf", ""),
        ("jax.experimental.stax", "jax.example_libraries.stax", "0.2.25"),
        ("jax.experimental.maps.Mesh", "jax.sharding.Mesh", "0.4.1"),
        ("jax.core.Primitive", "jax.extend.core.Primitive", "0.4.27"),
        ("jax.experimental.shard_map.shard_map", "jax.shard_map", "0.6.1"),
        ("jax.experimental.pallas.tpu.TPUCompilerParams",
         "jax.experimental.pallas.tpu.CompilerParams", "0.6.2"),
    ],
)  # fmt: skip
def test_what_is_written(name: str, write: str, since: str) -> None:
    best = replacements_of(name)[0]
    assert (best.write, works_from(best)) == (write, since)


def test_there_is_one_for_every_release_where_there_can_be() -> None:
    assert [works_from(each) for each in replacements_of("jax.tree_map")] == ["0.4.25", ""]


@pytest.mark.parametrize(
    "name", ["jax.experimental.maps.xmap", "jax.experimental.host_callback.id_tap",
             "jax.device_put_sharded", "jax.xla_computation"],
)  # fmt: skip
def test_what_a_person_must_decide(name: str) -> None:
    (replacement,) = replacements_of(name)
    assert not replacement.write
    assert replacement.person


@pytest.mark.parametrize("name", ["jax.numpy.sum", "jax.jit", "jax.numpy.norm"])
def test_what_stays_has_none(name: str) -> None:
    assert replacements_of(name) == ()


# ----------------------------------------------------------------------------- arguments


@pytest.mark.parametrize(("name", "keyword"), sorted(ARGUMENTS))
def test_arguments(name: str, keyword: str) -> None:
    argument = ARGUMENTS[name, keyword]
    assert history.parameter_change(name, keyword) is not None
    now = history.parameters_of(name)
    assert now is not None
    if argument.keyword:
        assert now.takes(argument.keyword)
        assert argument_works_from(name, argument) != "never"
    before = rewriting.last_that_took(name, keyword)
    if argument.by_position:
        assert before is not None
        place = rewriting.places_of(before).index(keyword)
        assert now.positions is None or place < now.positions
    for text in argument.values.values():
        assert not text or now.takes(text.split("=")[0])


def test_every_typed_parameter_is_said() -> None:
    assert set(PARAMETERS) <= set(ARGUMENTS)


@pytest.mark.parametrize(
    ("name", "keyword", "since"),
    [
        ("jax.numpy.quantile", "interpolation", "0.2.27"),
        ("jax.nn.softmax", "initial", "0.4.27"),
        ("jax.pure_callback", "vectorized", "0.4.35"),
        ("jax.lax.cond", "linear", ""),
        ("jax.make_mesh", "axis_shapes", "0.4.32"),
    ],
)
def test_since_when_arguments_are_taken(name: str, keyword: str, since: str) -> None:
    assert argument_works_from(name, ARGUMENTS[name, keyword]) == since


def test_arguments_that_went_by_keyword_alone() -> None:
    where = argument_for("jax.numpy.where", "condition")
    assert where is not None
    assert where.by_position
    assert argument_for("jax.numpy.exp", "x") == where
    assert argument_for("jax.numpy.sum", "axis") is None
    assert argument_for("jax.numpy.sum", "nothing") is None


def test_arguments_that_went_by_position() -> None:
    assert keywords_for("jax.numpy.array", 4) == ("", "", "copy", "order")
    assert keywords_for("jax.lax.dot", 3) == ("", "", "precision")
    # Its second parameter was static_argnums first, and in_shardings later.
    assert keywords_for("jax.jit", 2) == ()
    assert parse_version(works_from(Replacement("jax.tree.map"))) == (0, 4, 25)
