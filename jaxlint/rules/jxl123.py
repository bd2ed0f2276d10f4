"""JXL123: a name or keyword that JAX does not have."""

from __future__ import annotations

from jaxlint import events
from jaxlint.knowledge.history import releases
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import short

_LOOK_UP = "check the spelling, and whether another library has it"


class UnknownApi(RuleOn[events.UnknownApi]):
    """## What it does

    Finds names of JAX's modules, keyword arguments of its functions and attributes of its arrays
    (`x.append`, `x.numpy()`, `x.unsqueeze(0)`) that no release has, and names that only came in a
    release later than all that the project allows. Names behind a version
    test, `hasattr`, `getattr` with a default or `try` are left alone.

    ## Why is this bad

    The line raises as soon as it runs: AttributeError or ImportError for a name, TypeError for a
    keyword. In a branch that no test reaches, nobody notices.

    ## Bad

    ```python
    distance = jnp.norm(x - y)
    pair = jnp.stack([x, y], dim=1)
    points = jnp.zeros(3).numpy()
    ```

    ## Instead

    ```python
    distance = jnp.linalg.norm(x - y)
    pair = jnp.stack([x, y], axis=1)
    points = np.asarray(jnp.zeros(3))
    ```

    Which names there are was asked of every release since 0.2.0. A project that requires a release
    newer than those is not judged.

    ## Messages

    - `...` has no parameter `...` in any release of JAX; write `...`
    - no release of JAX has `...`; check the spelling, and whether another library has it
    - no release of JAX has `...`; did you mean `...`?
    """

    code = "JXL123"
    name = "unknown-api"
    summary = "a name or keyword that JAX does not have"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: AttributeError for the names, ImportError where they are imported, TypeError "
        "for the keywords.",
        exceptions=("AttributeError", "ImportError", "TypeError"),
    )

    def judge(self, event: events.UnknownApi, file: FileFacts) -> bool:
        if event.since:
            return not file.releases.allow_from(event.since)
        return file.releases.allow_before(releases()[-1]) or not file.releases.lowest

    def message(self, event: events.UnknownApi) -> str:
        name = short(event.name)
        if event.since:
            return (
                f"`{name}` came in JAX {event.since}, later than all releases that the project "
                f"allows; require jax>={event.since}"
            )
        if event.keyword:
            meant = f"write `{event.instead}=`" if event.instead else "leave it out"
            return f"`{name}` has no parameter `{event.keyword}` in any release of JAX; {meant}"
        meant = f"did you mean `{short(event.instead)}`?" if event.instead else _LOOK_UP
        return f"no release of JAX has `{name}`; {meant}"
