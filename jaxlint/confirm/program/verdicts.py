"""Findings against what JAX did: confirmed, refuted, or not reached. And what nobody predicted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from jaxlint.confirm.observer.watchlist import MOST_HITS, UNROLLED
from jaxlint.confirm.program.observation import At, KeyUse, Observation, Seen, Work
from jaxlint.events import Event, Kind
from jaxlint.findings import Finding
from jaxlint.rules.registry import find_rule
from jaxlint.rules.rule import Rule

Outcome = Literal["confirmed", "refuted", "not reached"]

_LONGEST_MESSAGE = 90
_FEWEST_RUNS = 3
_WHILE_TRACING = frozenset({Kind.HOST_INPUT, Kind.OUTER_ITERATION, Kind.CONSTANT_KEY})
_NEEDS_TRACER = frozenset(
    {
        Kind.BOOL_CONVERSION, Kind.INDEX_CONVERSION, Kind.SCALAR_CONVERSION, Kind.ARRAY_CONVERSION,
        Kind.HASH_CONVERSION, Kind.TRACED_SIZE, Kind.DATA_DEPENDENT_SHAPE, Kind.STATIC_ARGUMENT,
        Kind.SCALAR_ITERATION, Kind.LEAKED_USE,
    }
)  # fmt: skip
_NEEDS_ARRAY = frozenset({Kind.ITEM_ASSIGNMENT, Kind.DONATED_USE})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What really happened at one finding.

    Attributes:
        finding: the prediction.
        outcome: *confirmed*: JAX did what the rule says. *Refuted*: the line ran as the
            finding supposes, and nothing happened. *Not reached*: the run did not bring
            about what the finding is about.
        evidence: what was seen, in words.
    """

    finding: Finding
    outcome: Outcome
    evidence: str


@dataclass(slots=True)
class Case:
    """One finding with all that bears on it."""

    finding: Finding
    rule: Rule
    seen: Seen
    observation: Observation

    def covers(self, at: At) -> bool:
        """Whether a place lies in the finding's lines."""
        finding = self.finding
        return at.file == finding.filename and finding.line <= at.line <= finding.end_line

    @property
    def events(self) -> list[Event]:
        """What JAX minded on the finding's lines."""
        return [e for e in self.observation.events if self.covers(_at(e))]

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of event that the finding may be about."""
        return frozenset(self.rule.listens_to)


def _at(event: Event) -> At:
    return At(event.detail["file"], event.site.line)


def verdicts(findings: list[Finding], observation: Observation) -> list[Verdict]:
    """Judge every finding.

    Args:
        findings: numbered as in the watch list; file names as the journals have them.
        observation: what was seen.
    """
    judged = []
    for number, finding in enumerate(findings):
        rule = find_rule(finding.code)
        assert rule is not None
        case = Case(finding, rule, observation.of(number), observation)
        outcome, evidence = _judge(case)
        judged.append(Verdict(finding, outcome, evidence))
    return judged


Judgement = tuple[Outcome, str]

_NEVER_RAN: Judgement = ("not reached", "the line never ran")


def _judge(case: Case) -> Judgement:
    if case.finding.filename not in case.observation.loaded:
        copy = case.observation.copies.get(case.finding.filename)
        if copy is not None:
            return "not reached", f"another copy of the file was run: {copy}"
        return "not reached", "the file was not run"
    return _JUDGES[case.rule.evidence.kind](case)


def _times(count: int) -> str:
    if count >= MOST_HITS:
        return f"{count} times or more"
    return "once" if count == 1 else f"{count} times"


def _raises(case: Case) -> Judgement:
    """An exception that the rule names, raised by the line itself."""
    wanted = set(case.rule.evidence.exceptions)
    matching: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for (own, names, message), count in case.seen.raised.items():
        fits = own and set(names) & wanted
        (matching if fits else others)[_error(names[0], message)] += count
    if matching:
        text, count = matching.most_common(1)[0]
        return "confirmed", f"raised {_times(matching.total())}: {text}"
    for event in case.events:
        if event.construct in wanted or event.kind in case.kinds:
            return "confirmed", f"{event.construct} {_times(event.detail['count'])}"
    if others:
        text, count = others.most_common(1)[0]
        return "not reached", f"something else was raised there, {_times(count)}: {text}"
    return _no_exception(case)


def _error(name: str, message: str) -> str:
    if len(message) > _LONGEST_MESSAGE:
        message = message[: _LONGEST_MESSAGE - 3] + "..."
    return f"{name}: {message}" if message else name


def _no_exception(case: Case) -> Judgement:
    seen = case.seen
    if not seen.ran:
        return _NEVER_RAN
    if case.kinds & _NEEDS_TRACER:
        fitting = seen.hits[True, "tracer"]
        if Kind.LEAKED_USE in case.kinds:
            fitting += seen.hits[False, "tracer"]
        elif not seen.traced:
            return "not reached", f"ran {_times(seen.ran)}, never while JAX was tracing"
        if not fitting:
            return "not reached", f"ran {_times(seen.ran)}, with values that were no tracers"
        return "refuted", f"ran {_times(fitting)} with a tracer, and nothing was raised"
    if case.kinds & _NEEDS_ARRAY:
        fitting = sum(n for (_, state), n in seen.hits.items() if state in ("tracer", "array"))
        if not fitting:
            return "not reached", f"ran {_times(seen.ran)}, with values that were no JAX arrays"
        return "refuted", f"ran {_times(fitting)} with a JAX array, and nothing was raised"
    return "refuted", f"ran {_times(seen.ran)}, and nothing was raised"


def _raises_when_called(case: Case) -> Judgement:
    """An exception at a call, laid at the door of the function that was refused."""
    for event in case.observation.events:
        other = At(event.detail.get("other_file", ""), event.detail.get("other_line", 0))
        if event.kind is Kind.INVALID_ARGUMENT and case.covers(other):
            where = f"at the call on line {event.site.line}"
            return "confirmed", f"{event.construct} {where}, {_times(event.detail['count'])}"
    return "not reached", "the function was not called with what JAX refuses"


def _warns(case: Case) -> Judgement:
    for event in case.events:
        if event.kind in case.kinds:
            times = _times(event.detail["count"])
            return "confirmed", f"JAX warned {times}: {event.construct}"
    return _no_warning(case)


def _no_warning(case: Case) -> Judgement:
    if not case.seen.ran:
        return _NEVER_RAN
    if Kind.REMOVED_API in case.kinds:
        releases = sorted({process.jax for process in case.observation.processes if process.jax})
        return "not reached", f"jax {', '.join(releases)} does not warn of it"
    return "not reached", f"ran {_times(case.seen.ran)} and JAX did not warn: x64 may be on"


def _removed(case: Case) -> Judgement:
    outcome, evidence = _raises(case)
    if outcome == "refuted":
        releases = sorted({process.jax for process in case.observation.processes if process.jax})
        return "not reached", f"jax {', '.join(releases)} still has it"
    return outcome, evidence


def _raises_or_removed(case: Case) -> Judgement:
    return _removed(case) if Kind.REMOVED_API in case.kinds else _raises(case)


def _work_of(case: Case) -> list[Work]:
    """The work that belongs to a finding: of what is wrapped on its lines, or begun from them."""
    return [
        work
        for work in case.observation.work
        if (work.wrapped is not None and case.covers(work.wrapped))
        or any(map(case.covers, work.stack))
    ]


def _traces_of(case: Case) -> list[Work]:
    return [work for work in _work_of(case) if work.what == "trace"]


def _host_runs(case: Case) -> int:
    return sum(count for (traced, _), count in case.seen.hits.items() if not traced)


def _not_on_the_host(case: Case) -> Judgement:
    if not case.seen.ran:
        return _NEVER_RAN
    return "not reached", f"ran {_times(case.seen.ran)}, only inside of another trace"


def _is_own(work: Work) -> bool:
    """Whether the user compiled it: the operations of JAX on the same line are not meant."""
    return work.wrapped is not None or work.defined is not None


def _of_libraries(work: list[Work]) -> Counter[str]:
    """What JAX itself traced there: an eager ``scan`` is such an operation."""
    return Counter(w.name for w in work if not _is_own(w))


def _retraces(case: Case) -> Judgement:
    """A trace for each run of the line, because the function object is new."""
    runs, work = _host_runs(case), _traces_of(case)
    if not runs:
        return _not_on_the_host(case)
    by_name = Counter(w.name for w in work if _is_own(w) and w.repeats_with_new_function)
    by_name.update({name: n for name, n in _of_libraries(work).items() if n >= max(runs, 2)})
    if by_name:
        name, _ = by_name.most_common(1)[0]
        count = sum(w.name == name for w in work)
        seconds = sum(w.seconds for w in _work_of(case) if w.name == name)
        return "confirmed", f"{count} traces of {name} in {runs} runs of the line, {seconds:.2g} s"
    if runs < _FEWEST_RUNS:
        return "not reached", f"ran {_times(runs)}: it costs from the second run on"
    if not work:
        return "not reached", f"ran {_times(runs)}, and what it wraps was never traced"
    return "refuted", f"{len(work)} traces in {runs} runs of the line"


def _retraces_in_one_run(case: Case) -> Judgement:
    """A trace for each run of the line, because an argument differs."""
    runs, work = _host_runs(case), _traces_of(case)
    if not runs:
        return _not_on_the_host(case)
    wanted = {"static value"} if Kind.CHANGING_STATIC in case.kinds else {"shape", "tree structure"}
    changed = [w for w in work if _is_own(w) and {kind for kind, _ in w.reasons} & wanted]
    if changed:
        what = next(text for kind, text in changed[-1].reasons if kind in wanted)
        return "confirmed", f"{len(changed) + 1} traces in {runs} runs of the line: {what}"
    if runs < _FEWEST_RUNS:
        return "not reached", f"ran {_times(runs)}: it costs from the second run on"
    traced = sum(map(_is_own, work))
    if not traced:
        return "not reached", f"ran {_times(runs)}, always with what had been compiled before"
    return "refuted", f"traced {_times(traced)} in {runs} runs of the line, not for this reason"


def _slow_dispatch(case: Case) -> Judgement:
    """The same function wrapped again and again."""
    again = sum(
        n for (at, same, _), n in case.observation.wraps.items() if same and case.covers(at)
    )
    first = sum(
        n for (at, same, _), n in case.observation.wraps.items() if not same and case.covers(at)
    )
    if again:
        return "confirmed", f"the same function was wrapped {_times(again + first)}"
    if not case.seen.ran:
        return _NEVER_RAN
    if first >= _FEWEST_RUNS:
        return "refuted", f"{first} different functions were wrapped"
    return "not reached", f"ran {_times(case.seen.ran)}: it costs from the second run on"


def _effect(case: Case) -> Judgement:
    """Something changed or was written while JAX was tracing."""
    seen = case.seen
    if not seen.traced:
        return _not_traced(case)
    if case.rule.evidence.effects == ("output",):
        return "confirmed", f"ran {_times(seen.traced)} while JAX was tracing, {_others(seen)}"
    fitting = {
        (leaks, outer): count
        for (kind, leaks, outer), count in seen.changes.items()
        if kind in case.rule.evidence.effects
    }
    outside = {leaks: count for (leaks, outer), count in fitting.items() if outer}
    if outside:
        what = " and a tracer got out" if True in outside else ""
        return "confirmed", f"changed {_times(sum(outside.values()))} while JAX was tracing{what}"
    if fitting:
        return "not reached", "changed through a local name: whether from outside cannot be seen"
    if seen.raised:
        return "not reached", "an exception came first"
    return "refuted", f"traced {_times(seen.traced)}, and nothing outside was changed"


def _others(seen: Seen) -> str:
    rest = seen.ran - seen.traced
    return f"{_times(rest)} otherwise" if rest else "never otherwise"


def _not_traced(case: Case) -> Judgement:
    if not case.seen.ran:
        return _NEVER_RAN
    return "not reached", f"ran {_times(case.seen.ran)}, never while JAX was tracing"


def _stale(case: Case) -> Judgement:
    if not case.seen.traced:
        return _not_traced(case)
    if case.kinds & _WHILE_TRACING:
        return _baked_in(case)
    if case.seen.stale:
        name, was, now = sorted(case.seen.stale)[0]
        if was == now:
            return "confirmed", f"{name} is another object now than the one that was compiled in"
        return "confirmed", f"{name} was {was} while tracing and is {now} at the end"
    return (
        "not reached",
        f"traced {_times(case.seen.traced)}; its value is still the same at the end",
    )


def _baked_in(case: Case) -> Judgement:
    times = _times(case.seen.traced)
    return "confirmed", f"ran {times} while JAX was tracing, {_others(case.seen)}"


def _repeats(case: Case) -> Judgement:
    """The same key again: made while tracing, or consumed at each iteration."""
    if case.kinds & _WHILE_TRACING:
        return _baked_in(case) if case.seen.traced else _not_traced(case)
    return _key_reuse(case)


def _key_reuse(case: Case) -> Judgement:
    uses = [use for use in case.observation.keys if any(map(case.covers, use.stack))]
    repeated = [use for use in uses if use.use != "first"]
    if repeated:
        before = repeated[0].before
        first = f", first on line {before.line}" if before is not None else ""
        times = _times(sum(use.count for use in repeated))
        return "confirmed", f"a key that had been used before, {times}{first}"
    if not case.seen.ran:
        return _NEVER_RAN
    if not uses:
        return "not reached", f"ran {_times(case.seen.ran)}; no use of a key was seen there"
    number = sum(use.count for use in uses)
    if case.rule.evidence.kind == "repeats":
        if case.seen.traced:
            return "not reached", "traced, and its loop runs inside the compiled code"
        if number < _FEWEST_RUNS:
            return "not reached", f"ran {_times(case.seen.ran)}"
    elif not _sees_all_uses(case, uses):
        return "not reached", "a key was used there for the first time, as far as can be seen"
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


def _no_effect(case: Case) -> Judgement:
    if not case.seen.ran:
        return _NEVER_RAN
    if case.seen.rebound:
        return "refuted", f"its names were bound to something else, {_times(case.seen.rebound)}"
    if not case.seen.same:
        return "not reached", "the line did not come to its end"
    return "confirmed", f"ran {_times(case.seen.same)}, and left its names as they were"


def _unrolls(case: Case) -> Judgement:
    if not case.seen.traced:
        return _not_traced(case)
    if case.seen.unrolled:
        calls = _times(case.seen.unrolled)
        return "confirmed", f"{UNROLLED} times or more in one trace, {calls}"
    return "not reached", f"less than {UNROLLED} times in one trace"


def _ends_early(case: Case) -> Judgement:
    if not case.seen.ran:
        return _NEVER_RAN
    if case.seen.unready:
        what = f"{case.seen.unready} of {case.seen.ran} times"
        return "confirmed", f"an array was still being computed when the clock was read, {what}"
    return "not reached", f"ran {_times(case.seen.ran)}; the work was done by then each time"


def _waits(case: Case) -> Judgement:
    reads = sum(n for at, n in case.observation.reads.items() if case.covers(at))
    if not case.seen.ran:
        return _NEVER_RAN
    if reads >= 2:
        return "confirmed", f"the host waited for a value {_times(reads)}"
    return "refuted", f"{reads} waits in {case.seen.ran} runs"


def _convention(case: Case) -> Judgement:
    return "not reached", "a convention: JAX has no say in it"


_JUDGES: dict[str, Callable[[Case], Judgement]] = {
    "raises": _raises_or_removed,
    "raises_when_called": _raises_when_called,
    "warns": _warns,
    "effect": _effect,
    "retraces": _retraces,
    "retraces_in_one_run": _retraces_in_one_run,
    "slow_dispatch": _slow_dispatch,
    "stale": _stale,
    "no_effect": _no_effect,
    "key_reuse": _key_reuse,
    "repeats": _repeats,
    "unrolls": _unrolls,
    "ends_early": _ends_early,
    "waits": _waits,
    "convention": _convention,
}
