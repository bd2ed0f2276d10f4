"""Schedules of optimizers: what makes them, what is given them, what asks them."""

from __future__ import annotations

from jaxlint.knowledge.optax_api import MADE_WHOLE, OPTIMIZER

SCALES_BY_SCHEDULE = frozenset({"optax.scale_by_schedule"})
"""Those that do so where the schedule that they are given first is above zero."""

TAKES_SCHEDULE: dict[str, tuple[int, str]] = {
    "optax.scale_by_schedule": (0, "step_size_fn"),
    "optax.scale_by_learning_rate": (0, "learning_rate"),
    **{
        f"optax.{name}": (0, "learning_rate")
        for name in MADE_WHOLE
        if name not in ("chain", "lookahead", "rprop", "sm3")
    },
}
"""Those that are given a schedule, or a number: the position and name of the argument."""

ASKS_SCHEDULES = frozenset({(OPTIMIZER, "update")})
"""Methods that call the schedules of an object with a count, an array of one integer."""

SCHEDULES = frozenset(f"optax.{name}" for name in (
    "constant_schedule", "cosine_decay_schedule", "exponential_decay", "linear_schedule",
    "warmup_constant_schedule", "warmup_cosine_decay_schedule",
))  # fmt: skip
"""What makes a schedule that is above zero where none of the numbers in its making is below."""
