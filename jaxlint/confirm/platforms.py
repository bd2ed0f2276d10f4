"""The platforms that the command names, as JAX calls them in ``JAX_PLATFORMS``."""

PLATFORMS = {"cpu": "cpu", "gpu": "cuda", "tpu": "tpu"}
