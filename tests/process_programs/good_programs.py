"""Two processes of these come to their end."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

jax.distributed.initialize()


def trigger_replicated_compute():
    def trigger():
        mesh = jax.make_mesh((jax.device_count(),), ("data",))
        x = jax.device_put(np.arange(8.0), NamedSharding(mesh, P()))
        if jax.process_index() == 0:
            print(float(x.sum()))

    return trigger()


def trigger_elementwise_compute():
    def trigger():
        mesh = jax.make_mesh((jax.device_count(),), ("data",))
        x = jax.device_put(np.arange(8.0), NamedSharding(mesh, P("data")))
        if jax.process_index() == 0:
            y = x + 1
            print(y.shape)

    return trigger()


def trigger_flag_by_if():
    def save():
        first = False
        if jax.process_index() == 0:
            first = True
        multihost_utils.sync_global_devices("saved")
        if first:
            print("saved")

    def trigger():
        save()

    return trigger()


def trigger_sync_outside():
    def trigger():
        if jax.process_index() == 0:
            print("saving")
        multihost_utils.sync_global_devices("saved")

    return trigger()


def trigger_both_arms():
    def trigger():
        if jax.process_index() == 0:
            x = multihost_utils.broadcast_one_to_all(np.ones(2))
        else:
            x = multihost_utils.broadcast_one_to_all(np.zeros(2))
        return x.sum()

    return trigger()


def trigger_complementary():
    def trigger():
        if jax.process_index() == 0:
            multihost_utils.sync_global_devices("x")
        print("between")
        if jax.process_index() > 0:
            multihost_utils.sync_global_devices("x")

    return trigger()


def trigger_replicated_loss():
    def trigger():
        mesh = jax.make_mesh((jax.device_count(),), ("data",))
        x = jax.device_put(np.arange(8.0), NamedSharding(mesh, P("data")))
        loss = jax.jit(lambda x: x.mean())(x)
        if jax.process_index() == 0:
            print(float(loss))

    return trigger()


def trigger_computed_before():
    def trigger():
        mesh = jax.make_mesh((jax.device_count(),), ("data",))
        x = jax.device_put(np.arange(8.0), NamedSharding(mesh, P("data")))
        total = x.sum()
        if jax.process_index() == 0:
            print(float(total))

    return trigger()


def trigger_local_array():
    def trigger():
        x = jnp.arange(8.0)
        if jax.process_index() == 0:
            print(float(x.sum()))

    return trigger()


def trigger_local_mesh():
    def trigger():
        mesh = Mesh(np.array(jax.local_devices()), ("data",))
        x = jax.device_put(np.arange(8.0), NamedSharding(mesh, P("data")))
        if jax.process_index() == 0:
            print(float(x.sum()))

    return trigger()


def trigger_single_process():
    def trigger():
        if jax.process_count() == 1 and jax.process_index() == 0:
            multihost_utils.sync_global_devices("x")

    return trigger()


def trigger_return_both():
    def fetch(x):
        if jax.process_index() == 0:
            return multihost_utils.broadcast_one_to_all(x)
        return multihost_utils.broadcast_one_to_all(np.zeros(2))

    def trigger():
        return fetch(np.ones(2)).sum()

    return trigger()


def trigger_allgather_outside():
    def trigger():
        x = multihost_utils.process_allgather(np.ones(2))
        if jax.process_index() == 0:
            print(x.sum())

    return trigger()


def trigger_read_replicated():
    def trigger():
        mesh = jax.make_mesh((jax.device_count(),), ("data",))
        x = jax.device_put(np.arange(8.0), NamedSharding(mesh, P()))
        if jax.process_index() == 0:
            print(np.asarray(x).sum())

    return trigger()


def trigger_source_flag():
    def trigger():
        x = np.ones(2) if jax.process_index() == 0 else np.zeros(2)
        return multihost_utils.broadcast_one_to_all(x, is_source=jax.process_index() == 0).sum()

    return trigger()


def trigger_local_shards():
    def trigger():
        mesh = jax.make_mesh((jax.device_count(),), ("data",))
        x = jax.device_put(np.arange(8.0), NamedSharding(mesh, P("data")))
        if jax.process_index() == 0:
            print(x.addressable_data(0).sum())

    return trigger()


def trigger_assert_single():
    def only_alone():
        if jax.process_count() > 1:
            return
        if jax.process_index() == 0:
            multihost_utils.sync_global_devices("x")

    def trigger():
        only_alone()

    return trigger()


def trigger_pmap_no_gate():
    def trigger():
        step = jax.pmap(lambda x: jax.lax.pmean(x, "batch"), axis_name="batch")
        out = step(np.ones((jax.local_device_count(), 3)))
        if jax.process_index() == 0:
            print(out.shape)

    return trigger()


def trigger_pmap_local_devices():
    def trigger():
        step = jax.pmap(
            lambda x: jax.lax.pmean(x, "batch"), axis_name="batch", devices=jax.local_devices()
        )
        x = np.ones((jax.local_device_count(), 3))
        if jax.process_index() == 0:
            print(step(x))

    return trigger()


def trigger_pmap_no_collective_gate():
    def trigger():
        step = jax.pmap(lambda x: x * 2)
        x = np.ones((jax.local_device_count(), 3))
        if jax.process_index() == 0:
            print(step(x).shape)

    return trigger()
