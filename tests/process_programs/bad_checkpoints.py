"""Checkpoints of orbax that one process alone writes: orbax waits for all of them.

After https://github.com/google/orbax/issues/999. The processes need orbax.
"""

import tempfile

import jax
import numpy as np
import orbax.checkpoint as ocp

jax.distributed.initialize()
IS_MAIN = jax.process_index() == 0


def trigger_pytree():
    checkpointer = ocp.PyTreeCheckpointer()
    if IS_MAIN:
        checkpointer.save(tempfile.mkdtemp(), {"weight": np.ones(2)}, force=True)  # JXL904


def trigger_standard():
    with ocp.StandardCheckpointer() as checkpointer:
        if IS_MAIN:
            checkpointer.save(tempfile.mkdtemp(), {"weight": np.ones(2)}, force=True)  # JXL904


def trigger_manager():
    if IS_MAIN:
        manager = ocp.CheckpointManager(tempfile.mkdtemp())  # JXL904
        manager.close()


def trigger_barrier():
    if IS_MAIN:
        ocp.multihost.sync_global_processes("saved")  # JXL904
