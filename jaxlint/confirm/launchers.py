"""Who has started this process as one of several: what each launcher says in the environment.

Sources: ``jax/_src/clusters`` for SLURM, Open MPI and Cloud TPU; the manuals of MPICH (PMI) and of
Kubernetes (indexed jobs).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Launched:
    """One of several processes.

    Attributes:
        number: of this one, from 0.
        of: how many there are; 0 when the launcher does not say.
        cluster: the same for those that were started together; empty when nothing says it.
    """

    number: int
    of: int = 0
    cluster: str = ""


@dataclass(frozen=True, slots=True)
class Launcher:
    """What a launcher says.

    Attributes:
        number, of: variables of the process's number, and of the number of processes.
        needs: a variable without which the others mean something else.
        cluster: variables that those of one run have in common.
        is_list: whether ``of`` names the processes, with commas between.
    """

    name: str
    number: str
    of: str
    needs: str = ""
    cluster: tuple[str, ...] = ()
    is_list: bool = False


LAUNCHERS = (
    # A batch script itself, outside of any step, has the other variables too.
    Launcher(
        "slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_NODELIST",
        ("SLURM_JOB_ID", "SLURM_STEP_ID"),
    ),
    Launcher(
        "mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
        cluster=("PMIX_NAMESPACE", "OMPI_MCA_orte_hnp_uri"),
    ),
    Launcher("mpiexec", "PMI_RANK", "PMI_SIZE"),
    Launcher("tpu", "TPU_WORKER_ID", "TPU_WORKER_HOSTNAMES", is_list=True,
             cluster=("TPU_WORKER_HOSTNAMES",)),
    Launcher("kubernetes", "JOB_COMPLETION_INDEX", ""),
    Launcher("jax", "JAX_PROCESS_ID", "JAX_NUM_PROCESSES", cluster=("JAX_COORDINATOR_ADDRESS",)),
)  # fmt: skip


def launched(environment: Mapping[str, str]) -> Launched | None:
    """What the first launcher that has left its variables says; None when none has."""
    for each in LAUNCHERS:
        number = _number(environment.get(each.number, ""))
        if number is None or (each.needs and each.needs not in environment):
            continue
        said = environment.get(each.of, "")
        of = len(said.split(",")) if each.is_list and said else _number(said) or 0
        if (each.of and of < 2) or (of and number >= of):
            continue
        common = [environment[name] for name in each.cluster if name in environment]
        return Launched(number, of, " ".join([each.name, *common]) if common else "")
    return None


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
