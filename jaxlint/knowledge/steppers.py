"""Methods of libraries that are given a state and give the next one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stepper:
    """A method that makes a step.

    Attributes:
        given: the place and name of the state among its arguments.
        back: the place of the next one in the tuple that it returns.
        called: what has that state, for those who read of it.
        whole: the state holds all that a step computes from the one before.
    """

    given: tuple[int, str]
    back: int
    called: str
    whole: bool = False


STEPPERS = {
    "numpyro.infer.SVI.update": Stepper((0, "svi_state"), 0, "numpyro.infer.SVI", True),
    "numpyro.infer.SVI.stable_update": Stepper((0, "svi_state"), 0, "numpyro.infer.SVI", True),
    "jaxopt._Solver.update": Stepper((1, "state"), 1, "jaxopt solver"),
}
"""Those that stand in for methods of a library, by the module, class and method."""

FITS = frozenset(
    f"numpyro.infer.{method}"
    for method in ("MCMC.run", "MCMC.warmup", "Predictive", "SVI.init", "SVI.run")
)
"""Those of them that use a key up for one model: others are compared on the same numbers."""
