"""Stands in for the plugin of a GPU: reads what such a plugin reads, when JAX starts it."""

from __future__ import annotations

import os

OPTIONS: object = "not started"


def initialize() -> None:
    """JAX calls it when its backend starts; it registers nothing."""
    global OPTIONS
    from jaxlib import xla_client

    OPTIONS = xla_client.generate_pjrt_gpu_plugin_options(), os.getenv("CUDA_VISIBLE_DEVICES")
