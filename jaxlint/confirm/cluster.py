"""Processes on the CPU that make one cluster for JAX: what their environment says."""

from __future__ import annotations

import socket
from collections.abc import Mapping

_HOST = "127.0.0.1"
_MOST_JOBS = 4096
"""JAX takes the number of a job for the port where none is said, modulo this."""

CPU = {"JAX_PLATFORMS": "cpu", "JAX_CPU_COLLECTIVES_IMPLEMENTATION": "gloo"}
"""Several processes cannot share one GPU; on the CPU, gloo carries what they send."""


def free_port() -> int:
    """A port of this machine that nothing listens on."""
    with socket.socket() as one:
        one.bind((_HOST, 0))
        port: int = one.getsockname()[1]
        return port


def member(number: int, count: int, port: int) -> Mapping[str, str]:
    """What tells ``jax.distributed.initialize()`` that a process is one of several.

    JAX reads the number of processes from launchers that it knows alone: a step of SLURM on this
    machine is the one that needs nothing installed. The variables of JAX itself say the same, for
    programs that pass them on.

    Args:
        number: of the process, from 0.
        count: of all processes.
        port: on which process 0 listens.
    """
    return {
        **CPU,
        "JAX_COORDINATOR_ADDRESS": f"{_HOST}:{port}",
        "JAX_COORDINATOR_BIND_ADDRESS": f"{_HOST}:{port}",
        "JAX_NUM_PROCESSES": str(count),
        "JAX_PROCESS_ID": str(number),
        "SLURM_JOB_ID": str(port % _MOST_JOBS),
        "SLURM_STEP_NODELIST": _HOST,
        "SLURM_STEP_NUM_NODES": "1",
        "SLURM_NTASKS": str(count),
        "SLURM_PROCID": str(number),
        "SLURM_LOCALID": str(number),
    }
