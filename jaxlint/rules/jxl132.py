"""JXL132: two sites of one name in a model of numpyro."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn


class RepeatedSite(RuleOn[events.RepeatedSite]):
    """## What it does

    Finds functions that give a name to two sites of numpyro, one after the other, or to that of
    each pass of a loop: `sample`, `deterministic` and `factor`, also in functions that they call.
    Quiet where branches exclude each other, under handlers such as
    `numpyro.handlers.scope` that change names, and where a site gets an `rng_key` of its own.

    ## Why is this bad

    Inference tells the sites of a model apart by their names alone. `MCMC`, `SVI`, `Predictive` and
    `numpyro.handlers.trace` raise AssertionError when they run the model; under
    `numpyro.handlers.seed` alone it goes well.

    ## Bad

    ```python
    import numpyro
    import numpyro.distributions as dist

    def model(x, y):
        slope = numpyro.sample("w", dist.Normal(0, 1))
        offset = numpyro.sample("w", dist.Normal(0, 1))
        numpyro.sample("y", dist.Normal(slope * x + offset, 1), obs=y)
    ```

    ## Instead

    ```python
    import numpyro
    import numpyro.distributions as dist

    def model(x, y):
        slope = numpyro.sample("slope", dist.Normal(0, 1))
        offset = numpyro.sample("offset", dist.Normal(0, 1))
        numpyro.sample("y", dist.Normal(slope * x + offset, 1), obs=y)
    ```

    ## Messages

    - site "..." of `...` has this name in each pass of the loop: inference raises AssertionError;
      put the number of the pass into it
    - site "..." of `...` has the name of the one at ...: inference raises AssertionError; give it
      another
    """

    code = "JXL132"
    name = "repeated-site"
    summary = "two sites of one name in a model of numpyro"
    evidence = Evidence(
        "raises",
        "jax 0.10.2, numpyro 0.22.0: AssertionError (all sites must have unique names but got `w` "
        "duplicated).",
        exceptions=("AssertionError",),
    )

    def message(self, event: events.RepeatedSite) -> str:
        if event.in_loop:
            return (
                f'site "{event.name}" of `{event.function}` has this name in each pass of the '
                "loop: inference raises AssertionError; put the number of the pass into it"
            )
        return (
            f'site "{event.name}" of `{event.function}` has the name of the one at '
            f"{event.first_at.where}: inference raises AssertionError; give it another"
        )
