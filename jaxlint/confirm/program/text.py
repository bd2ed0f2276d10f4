"""The report for the terminal."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from itertools import groupby

from jaxlint.confirm.places import shown
from jaxlint.confirm.program.comparison import Compared, ComparedFunction, Comparison, work_of
from jaxlint.confirm.program.function_costs import FunctionCost
from jaxlint.confirm.program.member_facts import facts_of
from jaxlint.confirm.program.report import Report
from jaxlint.confirm.program.surprises import Surprise
from jaxlint.confirm.program.verdicts import Verdict
from jaxlint.confirm.program.words import count
from jaxlint.one_line import on_one_line

_COLOURS = {"confirmed": "31", "refuted": "35", "not reached": "2", "heading": "1", "quiet": "2"}
_MOST_FUNCTIONS = 12
_MOST_OF_LIBRARIES = 3
_MOST_EXPECTED = 5
_MOST_MEMBERS = 16
_MOST_DIFFERENCES = 12
_NARROWEST = 80


class Text:
    """Writes a report as text.

    Args:
        colours: whether to use terminal colours.
        width: of the terminal, in characters; lines are cut there. 0: no cut.
    """

    def __init__(self, colours: bool = False, width: int = 0) -> None:
        self._colours = colours
        self._width = width

    @classmethod
    def for_terminal(cls, colours: bool) -> Text:
        """As wide as the terminal."""
        return cls(colours, max(shutil.get_terminal_size((120, 40)).columns, _NARROWEST))

    def write(self, report: Report) -> str:
        """The whole report."""
        lines = [*self._head(report), *self._findings(report), *self._missed(report)]
        lines += [*self._members(report), *self._differences(report)]
        lines += [*self._functions(report), *self._end(report)]
        return "\n".join(lines) + "\n"

    def write_comparison(self, comparison: Comparison) -> str:
        """What the fixes changed."""
        lines = [*self._fixes(comparison), *_runs(comparison), *self._fates(comparison)]
        return "\n".join([*lines, *self._changed(comparison)]) + "\n"

    def _fixes(self, comparison: Comparison) -> Iterator[str]:
        yield ""
        yield self._paint("jaxlint confirm --fix: what the fixes changed, in a copy", "heading")
        yield from (self._paint(f"note: {remark}", "heading") for remark in comparison.remarks)
        for file, titles in comparison.mended.titles.items():
            yield shown(file)
            for (code, title), number in titles.items():
                yield self._cut(f"  {number} x {code}: {title}")

    def _fates(self, comparison: Comparison) -> Iterator[str]:
        for file, group in groupby(comparison.findings, key=lambda each: each.file):
            yield from ("", self._paint(shown(file), "heading"))
            yield from map(self._fate, group)
        fates = ", ".join(f"{number} {fate}" for fate, number in comparison.fates.items())
        yield from ("", self._paint(f"findings: {fates}", "heading"))

    def _fate(self, compared: Compared) -> str:
        finding = compared.any.finding
        place = f"{finding.line}:{finding.column + 1}"
        outcomes = [each.outcome for each in (compared.before, compared.after) if each is not None]
        became = {
            "gone": f"was {outcomes[0]}",
            "left": f"{outcomes[0]} before, {outcomes[-1]} after",
            "new": outcomes[-1],
        }[compared.fate]
        evidence = (compared.after or compared.any).evidence
        return self._cut(f"  {compared.fate}  {place:>8}  {finding.code}  {became}: {evidence}")

    def _changed(self, comparison: Comparison) -> Iterator[str]:
        changed = [each for each in comparison.functions if each.differs]
        own = [each for each in changed if not each.library]
        if own:
            yield ""
            yield self._paint("Functions that were traced another number of times", "heading")
            yield from map(self._changed_function, own[:_MOST_FUNCTIONS])
        if len(own) > _MOST_FUNCTIONS:
            yield f"  ... {len(own) - _MOST_FUNCTIONS} more functions (all of them: --json)"

    def _changed_function(self, function: ComparedFunction) -> str:
        before, after = function.before, function.after
        return self._cut(
            f"  {function.name} ({shown(function.file)}): "
            f"{before.traces} -> {after.traces} traces, "
            f"{before.compilations} -> {after.compilations} compilations"
        )

    def _paint(self, text: str, what: str) -> str:
        text = on_one_line(text)
        return f"\x1b[{_COLOURS[what]}m{text}\x1b[0m" if self._colours else text

    def _cut(self, text: str) -> str:
        text = on_one_line(text)
        if not self._width or len(text) <= self._width:
            return text
        return text[: self._width - 3] + "..."

    def _head(self, report: Report) -> Iterator[str]:
        ending = report.ending
        yield ""
        yield self._paint(f"jaxlint confirm: {shlex.join(ending.command)}", "heading")
        how_many = count(len(report.observation.processes), "Python process")
        jax = f"{len(report.processes_with_jax)} with jax {report.jax}" if report.jax else "no jax"
        engines = ", ".join(sorted({p.engine for p in report.processes_with_jax}))
        how = f", {engines}" if engines else ""
        code = "-" if report.exit_code is None else report.exit_code
        yield f"exit code {code}, {ending.seconds:.1f} s; {how_many}, {jax}{how}"
        yield from (self._paint(f"note: {remark}", "heading") for remark in report.remarks)

    def _findings(self, report: Report) -> Iterator[str]:
        if not report.verdicts:
            yield from ("", f"no findings in {len(report.linted.files)} files")
            return
        for file, group in groupby(report.verdicts, key=lambda verdict: verdict.finding.filename):
            yield from ("", self._paint(shown(file), "heading"))
            yield from (self._verdict(verdict) for verdict in group)

    def _verdict(self, verdict: Verdict) -> str:
        finding = verdict.finding
        place = f"{finding.line}:{finding.column + 1}"
        start = f"  {verdict.outcome:<11}  {place:>8}  {finding.code}  "
        line = self._cut(start + verdict.evidence)
        painted = self._paint(verdict.outcome, verdict.outcome)
        return line.replace(verdict.outcome, painted, 1)

    def _missed(self, report: Report) -> Iterator[str]:
        if report.missed:
            yield from ("", self._paint("What JAX did and no finding predicted", "heading"))
            yield from map(self._surprise, report.missed)
        if report.expected:
            yield ""
            yield self._paint(
                f"Where no finding was to be expected: {len(report.expected)}", "quiet"
            )
            for surprise in report.expected[:_MOST_EXPECTED]:
                yield self._paint(self._surprise(surprise), "quiet")
            if len(report.expected) > _MOST_EXPECTED:
                yield self._paint("  ... (all of them: --json or --html)", "quiet")

    def _surprise(self, surprise: Surprise) -> str:
        at = surprise.at
        why = f" ({surprise.expected})" if surprise.expected else ""
        return self._cut(f"  {shown(at.file)}:{at.line}  {surprise.text}{why}")

    def _members(self, report: Report) -> Iterator[str]:
        facts = facts_of(report.members)
        if not facts:
            return
        yield from ("", self._paint("Processes", "heading"))
        yield "  exit code  traces  compiled  waited  process"
        for each in facts[:_MOST_MEMBERS]:
            stands = f", waited {each.stands} when it was ended" if each.stands else ""
            code = "-" if each.exit_code is None else each.exit_code
            yield self._cut(
                f"  {code:>9}  {each.traces:>6}  {each.compilations:>8}"
                f"  {each.waited:>5.1f}s  {each.name}{stands}"
            )
        if len(facts) > _MOST_MEMBERS:
            yield f"  ... {len(facts) - _MOST_MEMBERS} more (all of them: --json or --html)"

    def _differences(self, report: Report) -> Iterator[str]:
        if not report.differences:
            return
        yield from ("", self._paint("What the processes did differently", "heading"))
        for each in report.differences[:_MOST_DIFFERENCES]:
            at = f"{shown(each.at.file)}:{each.at.line}  " if each.at is not None else ""
            yield self._cut(f"  {at}{each.text}")
        if len(report.differences) > _MOST_DIFFERENCES:
            rest = len(report.differences) - _MOST_DIFFERENCES
            yield f"  ... {rest} more (all of them: --json or --html)"

    def _functions(self, report: Report) -> Iterator[str]:
        if not report.costs:
            return
        yield from ("", self._paint("Compiled functions, the most expensive first", "heading"))
        yield "  traces  compiled  tracing  compiling  function"
        own = [cost for cost in report.costs if not cost.library]
        libraries = [cost for cost in report.costs if cost.library]
        for costs, most, what in (
            (own, _MOST_FUNCTIONS, "more functions"),
            (libraries, _MOST_OF_LIBRARIES, "more functions of JAX and of libraries"),
        ):
            yield from (self._cut(_row(cost)) for cost in costs[:most])
            rest = costs[most:]
            if rest:
                traces, seconds = sum(c.traces for c in rest), sum(c.seconds for c in rest)
                yield f"  ... {len(rest)} {what}: {traces} traces, {seconds:.2f} s"

    def _end(self, report: Report) -> Iterator[str]:
        counts = ", ".join(f"{number} {outcome}" for outcome, number in report.counts.items())
        yield ""
        findings = count(len(report.verdicts), "finding")
        missed = len(report.missed)
        yield self._paint(f"{findings}: {counts}; {missed} not predicted", "heading")


def _runs(comparison: Comparison) -> Iterator[str]:
    """Both runs beside each other."""
    reports = (comparison.before, comparison.after)
    own = [work_of(report, libraries=False) for report in reports]
    libraries = [work_of(report, libraries=True) for report in reports]
    rows = [
        ("exit code", [str(report.ending.code) for report in reports]),
        ("seconds", [f"{report.ending.seconds:.1f}" for report in reports]),
        ("traces of your functions", [str(each.traces) for each in own]),
        ("... compilations", [str(each.compilations) for each in own]),
        ("... seconds of both", [f"{each.seconds:.2f}" for each in own]),
        ("traces of JAX's and libraries'", [str(each.traces) for each in libraries]),
        ("... compilations", [str(each.compilations) for each in libraries]),
        ("... seconds of both", [f"{each.seconds:.2f}" for each in libraries]),
        *(
            (outcome, [str(report.counts[outcome]) for report in reports])
            for outcome in comparison.before.counts
        ),
        ("not predicted", [str(len(report.missed)) for report in reports]),
    ]
    yield from ("", f"  {'':<30}{'before':>10}{'after':>10}")
    for what, (before, after) in rows:
        yield f"  {what:<30}{before:>10}{after:>10}"


def _row(cost: FunctionCost) -> str:
    at = f"{shown(cost.at.file)}:{cost.at.line}" if cost.at is not None else cost.library
    place = f"{cost.name} ({at})" if not cost.library else f"{cost.name}, called at {at}"
    why = ", ".join(f"{kind} {n}" for kind, n in cost.reasons.most_common())
    numbers = (
        f"  {cost.traces:>6}  {cost.compilations:>8}  {cost.trace_seconds:>6.2f}s"
        f"  {cost.compile_seconds:>8.2f}s"
    )
    return f"{numbers}  {place}: {why}" if why else f"{numbers}  {place}"
