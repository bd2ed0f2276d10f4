"""What JAX does otherwise since some release: the rows, and the installed JAX."""

from __future__ import annotations

from collections.abc import Callable

import numpy
import pytest

from jaxlint.knowledge import history
from jaxlint.knowledge.behaviours import BEHAVIOURS, behaviours_between, touched
from jaxlint.project import parse_version


def test_rows_are_in_order_and_of_releases_that_are() -> None:
    found = [parse_version(row.release) for row in BEHAVIOURS]
    assert found == sorted(found)
    assert {row.release for row in BEHAVIOURS} <= set(history.releases())


@pytest.mark.parametrize("row", BEHAVIOURS, ids=lambda row: row.what)
def test_names_are_there(row) -> None:  # type: ignore[no-untyped-def]
    assert history.surely_exists(row.names[0], row.release)
    for name in row.names:
        assert history.surely_exists(name, history.releases()[-1])
        assert row.touches(name)


def test_between_two_releases() -> None:
    assert behaviours_between("0.12.0", "0.12.0.1") == ()
    assert [row.release for row in behaviours_between("0.9.2", "0.11.0")][-1] == "0.11.0"
    assert "0.9.0" not in {row.release for row in behaviours_between("0.9.0", "0.11.0")}
    (row,) = touched("jax.random.normal", "0.4.30", "0.12.0")
    assert row.release == "0.5.0"
    assert touched("jax.numpy.sum", "0.4.30", "0.12.0") == ()
    assert [row.release for row in touched("jax.P", "0.4.30", "0.12.0")] == ["0.10.0"]


jax = pytest.importorskip("jax")


def draws_the_new_numbers() -> bool:
    return float(jax.random.uniform(jax.random.PRNGKey(0))) > 0.9


def is_no_tuple() -> bool:
    return not isinstance(jax.sharding.PartitionSpec("x"), tuple)


def is_explicit() -> bool:
    return "Explicit" in str(jax.make_mesh((1,), ("x",)).axis_types)


def equals_no_tuple() -> bool:
    return bool(jax.sharding.PartitionSpec("x") != ("x",))


def refuses(call: Callable[[], object]) -> bool:
    try:
        call()
    except (TypeError, ValueError):
        return True
    return False


def refuses_lists() -> bool:
    return refuses(lambda: jax.numpy.vstack([[1, 2], [3, 4]]))


def ranks_are_floating() -> bool:
    ranks = jax.scipy.stats.rankdata(jax.numpy.array([1, 2, 2]), method="min")
    return bool(numpy.issubdtype(ranks.dtype, numpy.floating))


def is_called_cpu() -> bool:
    return not str(jax.devices("cpu")[0]).startswith("TFRT")


def refuses_two_elements() -> bool:
    return refuses(lambda: jax.numpy.cross(jax.numpy.ones(2), jax.numpy.ones(2)))


def takes_vectors_for_a_matrix() -> bool:
    matrices = jax.numpy.ones((2, 3, 3)) + jax.numpy.eye(3)
    return refuses(lambda: jax.numpy.linalg.solve(matrices, jax.numpy.ones((2, 3))))


def is_sharded_by_name() -> bool:
    sharding = jax.pmap(lambda x: x)(jax.numpy.ones((1, 2))).sharding
    return type(sharding).__name__ == "NamedSharding"


def is_not_filled() -> bool:
    return "broadcast" not in str(jax.make_jaxpr(lambda: jax.numpy.empty(3))())


SHOWN: dict[str, Callable[[], bool]] = {
    "samplers draw other numbers from the same key": draws_the_new_numbers,
    "a batch of vectors is taken for a matrix": takes_vectors_for_a_matrix,
    "a PartitionSpec is no tuple": is_no_tuple,
    "results of pmap are sharded as those of jax.jit and jax.shard_map are": is_sharded_by_name,
    "the elements are not initialized, where they were zero": is_not_filled,
    "the axes of a mesh are Explicit, where they were Auto": is_explicit,
    "a PartitionSpec does not equal a tuple": equals_no_tuple,
    "lists in place of arrays are refused": refuses_lists,
    "ranks are floating point numbers": ranks_are_floating,
    "a CPU device is called cpu:0, where it was TFRT_CPU_0": is_called_cpu,
    "vectors of two elements are refused": refuses_two_elements,
}


def test_every_row_is_shown() -> None:
    assert {row.what for row in BEHAVIOURS} == set(SHOWN)


@pytest.mark.parametrize("row", BEHAVIOURS, ids=lambda row: row.what)
def test_the_installed_release_does_as_is_said(row) -> None:  # type: ignore[no-untyped-def]
    new = parse_version(jax.__version__) >= parse_version(row.release)
    assert SHOWN[row.what]() is new
