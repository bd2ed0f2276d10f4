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
