"""What waits for all processes where one alone gets to.

After https://github.com/netket/netket/pull/2272, https://github.com/netket/netket/pull/2275,
https://github.com/AI-Hypercomputer/maxdiffusion/pull/426 and
https://github.com/deepqmc/deepqmc/pull/248.
"""

import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

jax.distributed.initialize()


def trigger_sync_gate():
    def trigger():
        if jax.process_index() == 0:
            multihost_utils.sync_global_devices("saved")  # JXL904

    return trigger()


def trigger_flag_by_if():
    def save():
        first = False
        if jax.process_index() == 0:
            first = True
        if first:
            multihost_utils.sync_global_devices("saved")  # JXL904

    def trigger():
        save()

    return trigger()


def trigger_helper_is_master():
    def is_master():
        return jax.process_index() == 0

    def save(x):
        if is_master():
            print("saving")
            multihost_utils.sync_global_devices("save")  # JXL904

    def trigger():
        save(1)

    return trigger()


def trigger_early_return():
    def save(x):
        if jax.process_index() != 0:
            return
        print("write")
        multihost_utils.sync_global_devices("written")  # JXL904

    def trigger():
        save(1)

    return trigger()


def trigger_and():
    def trigger():
        for step in range(3):
            if step % 2 == 0 and jax.process_index() == 0:
                multihost_utils.process_allgather(np.ones(3))  # JXL904

    return trigger()


def trigger_flag():
    IS_MAIN = jax.process_index() == 0

    def trigger():
        if IS_MAIN:
            values = multihost_utils.process_allgather(np.ones(2))  # JXL904
            print(values)

    return trigger()


def trigger_config_flag():
    class Config:
        def __init__(self):
            self.is_main = jax.process_index() == 0

    def trigger():
        config = Config()
        if config.is_main:
            return multihost_utils.broadcast_one_to_all(np.ones(2)).sum()  # JXL904

    return trigger()


def trigger_allgather_in_log():
    # netket 2275: a reduction of all processes in the summary of rank 0
    _is_rank0 = jax.process_index() == 0

    def get_stats(x):
        return multihost_utils.process_allgather(x).mean()  # JXL904

    def summary(x, verbose=True):
        if verbose and _is_rank0:
            print(f"max error = {get_stats(x):g}")

    def trigger():
        summary(np.arange(3.0))

    return trigger()


def trigger_logger_class():
    class HDF5Log:
        def __init__(self):
            self._is_master_process = jax.process_index() == 0

        def __call__(self, value):
            if self._is_master_process:
                self.write(multihost_utils.process_allgather(value))  # JXL904

        def write(self, value):
            print(value)

    def trigger():
        HDF5Log()(np.ones(2))

    return trigger()


def trigger_global_sum():
    def trigger():
        mesh = jax.make_mesh((jax.device_count(),), ("data",))
        x = jax.device_put(np.arange(8.0), NamedSharding(mesh, P("data")))
        if jax.process_index() == 0:
            print(float(x.sum()))  # JXL904

    return trigger()


def trigger_global_mean_fn():
    def trigger():
        mesh = Mesh(np.array(jax.devices()), ("data",))
        x = jax.make_array_from_callback(
            (8,), NamedSharding(mesh, P("data")), lambda i: np.arange(8.0)[i]
        )
        if jax.process_index() == 0:
            print("mean", jnp.mean(x))  # JXL904

    return trigger()


def trigger_local_data():
    def trigger():
        mesh = jax.make_mesh((jax.device_count(),), ("data",))
        sharding = NamedSharding(mesh, P("data"))
        x = jax.make_array_from_process_local_data(sharding, np.ones(4))
        if jax.process_index() == 0:
            norm = jnp.linalg.norm(x)  # JXL904
            print(norm)

    return trigger()


def trigger_jit_sum_gate():
    def trigger():
        mesh = jax.make_mesh((jax.device_count(),), ("data",))
        x = jax.device_put(np.arange(8.0), NamedSharding(mesh, P("data")))
        total = jax.jit(lambda x: (x**2).sum())
        if jax.process_index() == 0:
            print(total(x))  # JXL904

    return trigger()


def trigger_eval_step_gate():
    @jax.jit
    def eval_step(params, batch):
        return jnp.mean((batch * params) ** 2)

    def trigger():
        mesh = jax.make_mesh((jax.device_count(),), ("data",))
        batch = jax.device_put(np.arange(8.0), NamedSharding(mesh, P("data")))
        params = jax.device_put(2.0, NamedSharding(mesh, P()))
        if jax.process_index() == 0:
            loss = eval_step(params, batch)  # JXL904
            print("eval", loss)

    return trigger()


def trigger_pmap_psum_gate():
    def trigger():
        step = jax.pmap(lambda x: jax.lax.pmean(x, "batch"), axis_name="batch")
        x = np.ones((jax.local_device_count(), 3))
        if jax.process_index() == 0:
            print(step(x))  # JXL904

    return trigger()


def trigger_shard_map_gate():
    def trigger():
        mesh = jax.make_mesh((jax.device_count(),), ("data",))
        x = jax.device_put(np.arange(8.0), NamedSharding(mesh, P("data")))
        total = jax.jit(
            jax.shard_map(
                lambda x: jax.lax.psum(x.sum(), "data"),
                mesh=mesh,
                in_specs=P("data"),
                out_specs=P(),
            )
        )
        if jax.process_index() == 0:
            print(total(x))  # JXL904

    return trigger()


def trigger_device_put_gate():
    def trigger():
        mesh = jax.make_mesh((jax.device_count(),), ("data",))
        if jax.process_index() == 0:
            x = jax.device_put(np.arange(8.0), NamedSharding(mesh, P()))  # JXL904
            print(x.shape)

    return trigger()


def trigger_profile_gate():
    # maxdiffusion 426: a helper that is true on the coordinator alone
    def profiler_enabled(enable):
        return enable and jax.process_index() == 0

    def call_pipeline(x):
        return multihost_utils.process_allgather(x, tiled=True)  # JXL904

    def trigger(enable=bool(os.sep)):
        call_pipeline(np.ones(2))
        if profiler_enabled(enable):
            call_pipeline(np.ones(2))

    return trigger()


def trigger_not_rank():
    def trigger():
        rank = jax.process_index()
        if not rank:
            multihost_utils.assert_equal(np.ones(2), "differs")  # JXL904

    return trigger()


def trigger_greater():
    def trigger():
        if jax.process_index() > 0:
            multihost_utils.sync_global_devices("workers")  # JXL904

    return trigger()


def trigger_conditional_expression():
    def trigger():
        gather = multihost_utils.process_allgather
        return gather(np.ones(2)) if jax.process_index() == 0 else None  # JXL904

    return trigger()


def trigger_else_empty():
    def trigger():
        if jax.process_index() == 0:
            key = multihost_utils.broadcast_one_to_all(np.ones(2))  # JXL904
        else:
            key = np.zeros(2)
        return key.shape

    return trigger()


def trigger_coordinator_barrier_in_finally():
    def trigger():
        primary = jax.process_index() == 0
        try:
            print("work")
        finally:
            if primary:
                multihost_utils.sync_global_devices("done")  # JXL904

    return trigger()


def trigger_continue():
    def trigger():
        for step in range(2):
            if jax.process_index() != 0:
                continue
            multihost_utils.sync_global_devices(f"step{step}")  # JXL904

    return trigger()


def trigger_fully_sharded_index():
    def trigger():
        mesh = jax.make_mesh((jax.device_count(),), ("data",))
        x = jax.device_put(np.arange(8.0), NamedSharding(mesh, P("data")))
        if jax.process_index() == 0:
            print(x.max())  # JXL904

    return trigger()


def trigger_jit_out_shardings():
    def trigger():
        mesh = jax.make_mesh((jax.device_count(),), ("data",))
        make = jax.jit(lambda: jnp.arange(8.0), out_shardings=NamedSharding(mesh, P("data")))
        x = make()
        if jax.process_index() == 0:
            print(x.sum().item())  # JXL904

    return trigger()


def trigger_allgather_of_global():
    def trigger():
        mesh = jax.make_mesh((jax.device_count(),), ("data",))
        x = jax.device_put(np.arange(8.0), NamedSharding(mesh, P("data")))
        if jax.process_index() == 0:
            np.save(os.devnull, multihost_utils.process_allgather(x, tiled=True))  # JXL904

    return trigger()


def trigger_match():
    def trigger():
        match jax.process_index():
            case 0:
                multihost_utils.sync_global_devices("x")  # JXL904

    return trigger()


def trigger_while_gate():
    def trigger():
        n = 0
        while jax.process_index() == 0 and n < 1:
            multihost_utils.sync_global_devices("x")  # JXL904
            n += 1

    return trigger()


def trigger_reshard():
    def trigger():
        mesh = jax.make_mesh((jax.device_count(),), ("data",))
        x = jax.device_put(np.arange(8.0), NamedSharding(mesh, P("data")))
        if jax.process_index() == 0:
            print(np.asarray(jax.device_put(x, NamedSharding(mesh, P()))))  # JXL904

    return trigger()


def trigger_jit_identity_replicate():
    def trigger():
        mesh = jax.make_mesh((jax.device_count(),), ("data",))
        x = jax.device_put(np.arange(8.0), NamedSharding(mesh, P("data")))
        if jax.process_index() == 0:
            full = jax.jit(lambda x: x, out_shardings=NamedSharding(mesh, P()))(x)  # JXL904
            print(np.asarray(full))

    return trigger()


def trigger_spawned_thread_helper():
    def main_only(fn):
        def wrapper(*args):
            if jax.process_index() == 0:
                return fn(*args)

        return wrapper

    @main_only
    def report(x):
        print(multihost_utils.process_allgather(x))  # JXL904

    def trigger():
        report(np.ones(2))

    return trigger()


def trigger_mesh_over_the_list_of_devices():
    """After https://github.com/netket/netket/pull/2272."""

    def log(step, x):
        if jax.process_index() == 0:
            print(step, float(x.mean()))  # JXL904

    def trigger():
        mesh = jax.make_mesh((len(jax.devices()),), ("data",))
        log(0, jax.device_put(np.arange(8.0), NamedSharding(mesh, P("data"))))

    return trigger()
