"""A PRNG key is consumed a second time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from jaxlint.confirm.evidence.case import NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.confirm.observation import KeyUse
from jaxlint.rules.rule import Evidence

_ERROR = "KeyReuseError"


class KeyReuse(EvidenceKind):
    """JAX's own checker raises.

    It would change the user's program: there the observer follows the keys itself.
    """

    values_stay = False

    def promise(self, evidence: Evidence) -> str:
        return f"{_ERROR} under jax.debug_key_reuse"

    @contextmanager
    def conditions(self, trial: Trial) -> Iterator[None]:
        import jax

        legacy = jax.random.PRNGKey
        # The checker sees typed keys only; legacy keys follow the same rules.
        jax.random.PRNGKey = jax.random.key
        try:
            with jax.debug_key_reuse(True):
                yield
        finally:
            jax.random.PRNGKey = legacy

    def is_promised_exception(self, trial: Trial) -> bool:
        return type(trial.error).__name__ == _ERROR

    def shown(self, trial: Trial) -> Shown:
        found: Shown = []
        for line, names, message in trial.first.exceptions:
            if _ERROR in names:
                # JAX names no line for a reuse inside compiled code: it is that of the
                # mark that ran.
                ran = trial.first.ran(trial.marks)
                lines = [line] if line in trial.marks else ran or [line]
                found += [(each, f"{names[0]}: {message[:60]}") for each in lines]
        return found

    def judge(self, case: Case) -> Judgement:
        uses = uses_at(case)
        again = used_again(uses)
        if again is not None:
            return again
        if not case.seen.ran:
            return NEVER_RAN
        if not uses:
            return none_seen(case)
        if not _sees_all_uses(case, uses):
            first = "a key was used there for the first time, as far as can be seen"
            return "not reached", first
        return all_first(uses)


def uses_at(case: Case) -> list[KeyUse]:
    """The uses of keys on the lines of a finding, and in what these call."""
    return [use for use in case.observation.keys if any(map(case.covers, use.stack))]


def used_again(uses: list[KeyUse]) -> Judgement | None:
    """Confirmed, if any of the keys had been used before."""
    repeated = [use for use in uses if use.use != "first"]
    if not repeated:
        return None
    before = repeated[0].before
    first = f", first on line {before.line}" if before is not None else ""
    number = times(sum(use.count for use in repeated))
    return "confirmed", f"a key that had been used before, {number}{first}"


def none_seen(case: Case) -> Judgement:
    """The line ran, and consumed no key."""
    return "not reached", f"ran {times(case.seen.ran)}; no use of a key was seen there"


def all_first(uses: list[KeyUse]) -> Judgement:
    """Refuted: no key had been used before."""
    number = sum(use.count for use in uses)
    return "refuted", f"{number} keys were used there, all for the first time"


def _sees_all_uses(case: Case, uses: list[KeyUse]) -> bool:
    """Whether the use before would have been seen: in the same function, traced or not as here.

    A key that is handed to a compiled function is another object in there.
    """
    scopes = {at.scope for use in uses for at in use.stack if case.covers(at)}
    others = [
        use
        for use in case.observation.keys
        if not any(map(case.covers, use.stack))
        and any(at.file == case.finding.filename and at.scope in scopes for at in use.stack)
    ]
    return bool(others) and len({use.traced for use in [*uses, *others]}) == 1
