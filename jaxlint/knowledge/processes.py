"""What a program of several processes does together: who a process is, what waits for all.

``tests/test_processes.py`` runs every row of :data:`COLLECTIVES` in two processes, of which one
calls it.
"""

from __future__ import annotations

PROCESS = "process"
"""Begins the symbol of the number of the process that runs."""

PROCESSES = "processes"
"""Begins the symbol of the number of all processes."""

ALL_DEVICES = "all devices"
"""Begins the symbol of the number of the devices of all processes."""

COUNTS = {
    "jax.device_count": ALL_DEVICES,
    "jax.process_index": PROCESS,
    "jax.host_id": PROCESS,
    "jax.process_count": PROCESSES,
    "jax.host_count": PROCESSES,
}
"""Functions that count processes and devices, or say who a process is, and the symbol of what
they give."""

READS_VARIABLE = frozenset({"os.getenv", "os.environ.get", "os.environ.__getitem__"})
"""Functions that give a variable of the environment, as a text."""

RANKS = frozenset(
    {"JAX_PROCESS_ID", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}
)  # fmt: skip
"""Variables of the environment in which launchers say who a process is, from 0."""

FROM_BYTES = "builtins.int.from_bytes"
"""What makes a number of bytes."""

LOCAL_DATA = "jax.make_array_from_process_local_data"
"""What takes from each process its own part, and compares none."""

_UTILITIES = "jax.experimental.multihost_utils."

_ORBAX = "orbax.checkpoint."

CHECKPOINTERS = frozenset(
    _ORBAX + name
    for name in ("PyTreeCheckpointer", "StandardCheckpointer", "Checkpointer", "AsyncCheckpointer")
)
"""Classes whose objects write what all processes hold, each its part; ``with`` gives the object."""

OF_LIBRARIES = frozenset(
    {_ORBAX + "multihost.sync_global_processes", _ORBAX + "CheckpointManager"}
    | {name + ".save" for name in CHECKPOINTERS}
)  # fmt: skip
"""The same as :data:`COLLECTIVES`, of libraries."""

COLLECTIVES = frozenset(
    _UTILITIES + name
    for name in (
        "sync_global_devices", "broadcast_one_to_all", "process_allgather", "assert_equal",
    )
)  # fmt: skip
"""Functions that return when every process has called them."""

MAKES_MESH = "jax.make_mesh"
"""What makes a mesh of the first devices of all processes, unless it is told which."""

SETS_MESH = frozenset({"jax.set_mesh", "jax.sharding.set_mesh", "jax.sharding.use_mesh"})
"""What sets the mesh to which specs belong that stand alone."""

SET = "set"
"""Where the tracer keeps it."""

DEVICES = "jax.devices"
"""What gives the devices of all processes, unless it is asked for a platform."""

LENGTHS: dict[object, tuple[str]] = {(DEVICES,): (ALL_DEVICES,)}
"""Symbol of a list -> that of its length."""


KEEPS_DEVICES = frozenset({"numpy.array", "numpy.asarray", "numpy.reshape", "reshape"})
"""Functions, and methods of an array of devices, that give the devices that they are given."""

PLACES: dict[str, tuple[int, str]] = {
    "jax.device_put": (1, "device"),
    "jax.make_array_from_callback": (1, "sharding"),
    LOCAL_DATA: (0, "sharding"),
}
"""Functions that make an array whose devices a sharding says, and where it stands."""

OF_THE_HOST = {
    "os.getpid": "int",
    "os.getppid": "int",
    "secrets.randbelow": "int",
    "secrets.randbits": "int",
    "socket.gethostname": "str",
    "platform.node": "str",
    "os.urandom": "object",
    "secrets.token_bytes": "object",
    "uuid.uuid1": "object",
    "uuid.uuid4": "object",
}
"""Functions that give something else in each process, and the type of that; clocks do, too."""

PUTS = "jax.device_put"
"""The one that compares what all processes give it, where their devices are meant."""

REDUCES = frozenset(
    f"{owner}.{name}"
    for owner in ("jax.numpy", "jax.Array")
    for name in ("sum", "mean", "prod", "max", "min", "std", "var", "any", "all", "argmax",
                 "argmin")
) | {"jax.numpy.linalg.norm"}  # fmt: skip
"""Functions and methods that read every element of an array, where no axis is named."""

CONTRACTS = frozenset({"@", "matmul", "dot", "einsum", "tensordot"})
"""Operations whose result has something of every element, wherever the compiler puts it."""

WITHOUT_WAITING = frozenset({"jax.lax.axis_index", "jax.lax.axis_size"})
"""Functions along a named axis that send nothing."""

NAMES = frozenset(
    {"process_index", "host_id", "sync_global_processes", "sync_global_devices",
     "broadcast_one_to_all", "process_allgather", "assert_equal", "process_count", "distributed"}
)  # fmt: skip
"""Names of which a file that is about several processes reads at least one."""
