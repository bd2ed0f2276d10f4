"""From events to findings: who speaks, what is one mistake, and how it is put."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from jaxlint.edits import together
from jaxlint.events import Event, Place, Site
from jaxlint.findings import Elsewhere, Finding, Note, split
from jaxlint.fixes.code import Code
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.registry import by_event
from jaxlint.rules.rule import Verdict
from jaxlint.rules.words import also_at, describe


def judge(events: Iterable[Event], file: FileFacts) -> list[Verdict]:
    """What the rules that speak in a file say of its events."""
    verdicts = (
        rule.verdict(event, file)
        for event in events
        for rule in by_event().get(type(event), ())
        if rule.speaks_in(file)
    )
    return [verdict for verdict in verdicts if verdict is not None]


def sites(verdicts: Iterable[Verdict]) -> Iterator[Site]:
    """The spots that the messages may name."""
    return (site for verdict in verdicts for site in verdict.event.sites())


def report(verdicts: Iterable[Verdict], file: FileFacts, code: Code | None) -> list[Finding]:
    """The findings, with fixes if the file's code is at hand; the sites must have places."""
    shown = [each for each in verdicts if not each.rule.expected(each.event, file)]
    return [_finding(alike, file, code) for alike in _by_cause(shown, file)]


def _by_cause(verdicts: Sequence[Verdict], file: FileFacts) -> Iterator[list[Verdict]]:
    """Verdicts that are one mistake together, each in the order of the file.

    One on a line whose comment silences it stays alone: it says nothing of the others.
    """
    groups: dict[Hashable, list[Verdict]] = {}
    for verdict in sorted(verdicts, key=_position):
        code, at = verdict.rule.code, _place(verdict)
        cause = _cause(verdict) if file.options.group else None
        if cause is None or file.source.is_silenced(code, at.line, at.cell):
            yield [verdict]
        else:
            groups.setdefault((code, cause), []).append(verdict)
    yield from _by_way(groups.values())


def _by_way(groups: Iterable[list[Verdict]]) -> Iterator[list[Verdict]]:
    """What happens in other modules in a run, and is reached at one place, is one mistake."""
    ways: dict[Hashable, list[Verdict]] = {}
    for group in groups:
        first = group[0]
        if first.event.context.reached is None:
            yield group
        else:
            way = first.rule.code, _place(first), first.event.context.calls
            ways.setdefault(way, []).extend(group)
    yield from _first_raised(ways.values())


def _first_raised(ways: Iterable[list[Verdict]]) -> Iterator[list[Verdict]]:
    """What JAX raises on the way in one traced function is one mistake: the run ends there."""
    raised: dict[Hashable, list[Verdict]] = {}
    for way in ways:
        rule, reason = way[0].rule, way[0].event.reason
        if rule.severity == "error" and reason is not None:
            traced = (reason.root.transform_site or reason.root.site).place
            run = traced, _place(way[0]), way[0].event.context.calls
            raised.setdefault(run, []).extend(way)
        else:
            yield way
    yield from raised.values()


def _cause(verdict: Verdict) -> Hashable | None:
    """What verdicts have in common that are one mistake: in another module, where it happens."""
    event = verdict.event
    return verdict.cause() if event.context.reached is None else event.site.place


def _finding(alike: Sequence[Verdict], file: FileFacts, code: Code | None) -> Finding:
    """The first of them as a finding that names the places of the others."""
    first, *others = alike
    rule, event, at = first.rule, first.event, _place(first)
    places = [place for place in dict.fromkeys(map(_place, others)) if place != at]
    elsewhere = [each.event.reported_at for each in others if _place(each).where != at.where]
    wrong, advice = split(first.message())
    happens = event.site.place if event.context.reached is not None else None
    if happens is not None:
        wrong = f"in {happens.file}, line {happens.line}: {wrong}"
    if event.context.latent:
        wrong += f", as soon as a call passes `{event.context.latent}`"
    if elsewhere:
        wrong += f" ({also_at(elsewhere)})"
    message = f"{wrong}; {advice}" if advice else wrong
    return Finding(
        rule.code,
        message + rule.exceptions_for(event, file.releases),
        file.source.filename,
        at.line,
        at.column,
        at.end_line,
        at.end_column,
        rule.severity,
        (*_reasons(event), *(_note(place, "here too", again=True) for place in places)),
        at.cell,
        _elsewhere(happens) if happens is not None else None,
        # What happens in another module is mended there, and what libcst cannot read nowhere.
        None if happens or code is None else together(each.fix(code) for each in alike),
    )


def _elsewhere(at: Place) -> Elsewhere:
    return Elsewhere(at.file, at.line, at.column, at.end_line, at.end_column)


def _reasons(event: Event) -> Iterator[Note]:
    told = 0
    for link in event.reason.chain() if event.reason else ():
        assert link.site.place is not None
        between = link.depth - told
        later = f", {between} step{'s' * (between > 1)} later" if between else ""
        yield _note(link.site.place, f"{describe(link)}{later}")
        told = link.depth + 1


def _note(at: Place, text: str, again: bool = False) -> Note:
    return Note(at.line, at.column, text, at.cell, again, at.file, at.end_line, at.end_column)


def _place(verdict: Verdict) -> Place:
    place = verdict.event.reported_at.place
    assert place is not None
    return place


def _position(verdict: Verdict) -> tuple[int, int, int]:
    at = _place(verdict)
    return at.cell, at.line, at.column
