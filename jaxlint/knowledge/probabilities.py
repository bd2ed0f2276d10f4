"""Functions that make probabilities or predictions, and those that ask for logits instead."""

from __future__ import annotations

from typing import Literal

Made = Literal["softmax", "sigmoid", "argmax"]

MAKES: dict[str, Made] = {
    "jax.Array.argmax": "argmax",
    "jax.nn.sigmoid": "sigmoid",
    "jax.nn.softmax": "softmax",
    "jax.numpy.argmax": "argmax",
}
"""What makes numbers between 0 and 1 of logits, or the likeliest class: which function it is."""

LOGITS: dict[str, tuple[int, str, Made]] = {
    "jax.nn.log_softmax": (0, "x", "softmax"),
    "jax.nn.softmax": (0, "x", "softmax"),
    "jax.random.categorical": (1, "logits", "softmax"),
    "optax.sigmoid_binary_cross_entropy": (0, "logits", "sigmoid"),
    "optax.softmax_cross_entropy": (0, "logits", "softmax"),
    "optax.softmax_cross_entropy_with_integer_labels": (0, "logits", "softmax"),
}
"""Functions that apply it themselves: the position and name of what they apply it to, and which."""

_DISTRIBUTIONS = (
    "distrax.",
    "numpyro.distributions.",
    "tensorflow_probability.substrates.jax.distributions.",
)

GIVES_ARRAYS = frozenset({"log_prob", "prob", "log_cdf", "cdf", "entropy", "kl_divergence"})
"""Methods of distributions that give an array, which depends on the parameters."""


def is_distribution(name: str) -> bool:
    """Whether it is a class of distributions, made of their parameters."""
    return name.startswith(_DISTRIBUTIONS) and name.rpartition(".")[2][:1].isupper()


UNIVARIATE = frozenset(
    f"{module}.{name}"
    for module in ("distrax", "numpyro.distributions")
    for name in ("Bernoulli", "Laplace", "Normal", "Poisson")
)
"""Distributions of numbers, each with parameters of its own: those are broadcast with a value."""

DENSITIES = frozenset({"log_prob", "prob"})
"""Methods of them that compare a value with the parameters, number by number."""


def is_density(name: str) -> bool:
    """Whether it is such a method, by its qualified name."""
    owner, _, method = name.rpartition(".")
    return method in DENSITIES and owner in UNIVARIATE
