"""The files with what is said about them, below the lines that it is said of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from html import escape

from jaxlint.confirm.places import shown
from jaxlint.confirm.program.page.colouring import in_colours, kinds_of_characters
from jaxlint.confirm.program.page.markup import MISSED, badge, code, place, slug_of, trigger
from jaxlint.confirm.program.page.markup import anchor as anchor_of
from jaxlint.confirm.program.ranking import TO_FIX, ranking, ranks
from jaxlint.confirm.program.report import Report
from jaxlint.confirm.program.surprises import Surprise
from jaxlint.confirm.program.verdicts import Verdict
from jaxlint.edits import Fix, applied, lines_of
from jaxlint.findings import Finding, Note

_AROUND = 3
_MOST_OF_A_FIX = 40

_STRONGEST = ("confirmed", MISSED, "refuted", "not-reached")
"""Which underline shows where several lie over each other."""


def sources(report: Report) -> Iterator[str]:
    """Each file of which something is said, the most urgent first; what can wait is folded."""
    ranked = ranking(report.verdicts, report.missed)
    rank = dict(ranks(ranked))
    urgent = {each.file for each in ranked if each.group in TO_FIX}
    notes: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for verdict in report.verdicts:
        finding = verdict.finding
        # Below the last line of what it is about.
        line = min(finding.end_line, finding.line + _AROUND)
        notes[finding.filename][line].append(_finding(report, verdict, rank[id(verdict)]))
    for surprise in report.missed:
        text = _surprise(surprise, rank[id(surprise)])
        notes[surprise.at.file][surprise.at.line].append(text)
    if notes:
        yield "<section><h2>Sources</h2>"
    for file in dict.fromkeys(each.file for each in ranked):
        opened = "open" if file in urgent else ""
        name = f"{escape(shown(file))} <small>({sum(map(len, notes[file].values()))})</small>"
        yield f"<details class=file {opened}><summary><h3>{name}</h3></summary><div class=source>"
        yield from _Source(report, file).lines(notes[file])
        yield "</div></details>"
    if notes:
        yield "</section>"


class _Source:
    """One file, in colours, with underlines."""

    def __init__(self, report: Report, file: str) -> None:
        self._report = report
        self._file = file
        self._text = text = report.linted.texts[file]
        self._lines = text.split("\n")
        self._kinds = kinds_of_characters(text)
        self._marks: dict[int, list[str]] = {}
        own = [each for each in report.verdicts if each.finding.filename == file]
        for verdict in sorted(own, key=lambda each: -_STRONGEST.index(slug_of(each.outcome))):
            self._underline(verdict)
        self._near = {line for each in own for line in _shown_of(each.finding)}

    def _underline(self, verdict: Verdict) -> None:
        """The characters of a finding, line by line, without what only indents them."""
        finding = verdict.finding
        for number in range(finding.line, min(finding.end_line, len(self._lines)) + 1):
            text = self._lines[number - 1]
            start = finding.column if number == finding.line else len(text) - len(text.lstrip())
            end = finding.end_column if number == finding.end_line else len(text.rstrip())
            marks = self._marks.setdefault(number, [""] * len(text))
            end = min(max(end, start + 1), len(text))
            marks[start:end] = [slug_of(verdict.outcome)] * max(end - start, 0)

    def lines(self, notes: dict[int, list[str]]) -> Iterator[str]:
        """All lines; stretches of which nothing is said are folded."""
        near = {n for line in notes for n in range(line - _AROUND, line + _AROUND + 1)}
        near |= self._near
        folded: list[str] = []
        start = 0
        for number, text in enumerate(self._lines, 1):
            row = self._line(number, start, notes.get(number, ()))
            start += len(text) + 1
            if number in near:
                yield from _fold(folded)
                folded = []
                yield row
            else:
                folded.append(row)
        yield from _fold(folded)

    def _line(self, number: int, start: int, notes: Iterable[str]) -> str:
        text = self._lines[number - 1]
        marks = self._marks.get(number)
        marked = " marked" if notes or marks else ""
        shown_text = in_colours(text, self._kinds[start : start + len(text)], marks)
        return (
            f"<div class='line{marked}' id={anchor_of(self._report, self._file, number)}>"
            f"<span class=no>{number}</span><code>{shown_text or ' '}</code></div>{''.join(notes)}"
        )


def _shown_of(finding: Finding) -> Iterator[int]:
    """The lines that are not folded because of a finding."""
    yield from range(finding.line - _AROUND, finding.line + _AROUND + 1)
    yield from (note.line for note in finding.notes if not note.file)


def _fold(rows: list[str]) -> Iterator[str]:
    if len(rows) <= 2:
        yield from rows
        return
    yield f"<details class=fold><summary>{len(rows)} lines</summary>"
    yield from rows
    yield "</details>"


def _finding(report: Report, verdict: Verdict, rank: int) -> str:
    finding, slug = verdict.finding, slug_of(verdict.outcome)
    facts = [("Seen", escape(verdict.evidence)), ("By", trigger(report, verdict.led))]
    said = f"<pre class=said>{escape(verdict.said)}</pre>" if verdict.said else ""
    rows = "".join(f"<dt>{name}<dd>{text}" for name, text in facts if text)
    rows += f"<dt>Said<dd>{said}" if said else ""
    reasons = "".join(
        f"<li>{_reason_place(report, finding, note)}: {code(note.text)}</li>"
        for note in finding.notes
    )
    rows += f"<dt>Why<dd><ol class=reasons>{reasons}</ol>" if reasons else ""
    rows += _fix(report, finding)
    return (
        f"<div class='note {slug}' data-kind={slug}><p>{badge(slug)} <b class=rank>#{rank}</b> "
        f"<a href='#rule-{finding.code}'>{finding.code}</a> {code(finding.message)}</p>"
        f"<dl>{rows}</dl></div>"
    )


def _reason_place(report: Report, finding: Finding, note: Note) -> str:
    file = finding.path(note.file)
    return place(report, file, note.line, "" if note.file else f"line {note.line}")


def _fix(report: Report, finding: Finding) -> str:
    """What jaxlint would write, as a difference."""
    fix = finding.fix
    if fix is None:
        return ""
    how = "jaxlint check --fix" if fix.safe else "jaxlint check --fix --unsafe-fixes"
    rows = "".join(_difference(report.linted.texts[finding.filename], fix))
    return f"<dt>Fix<dd>{code(fix.title)} <small>({how})</small><pre class=fix>{rows}</pre>"


def _difference(text: str, fix: Fix) -> Iterator[str]:
    old = [line.rstrip("\r\n") for line in lines_of(text)]
    new = [line.rstrip("\r\n") for line in lines_of(applied(text, fix.edits))]
    lines = list(unified_diff(old, new, n=0, lineterm=""))[2:]
    changed = [line for line in lines if not line.startswith("@@")]
    indent = min((len(line) - len(line[1:].lstrip()) for line in changed if line[1:].strip()),
                 default=1)  # fmt: skip
    for line in changed[:_MOST_OF_A_FIX]:
        name = "new" if line.startswith("+") else "old"
        yield f"<span class={name}>{escape(line[:1] + ' ' + line[indent:])}</span>\n"
    if len(changed) > _MOST_OF_A_FIX:
        yield f"and {len(changed) - _MOST_OF_A_FIX} more lines\n"


def _surprise(surprise: Surprise, rank: int) -> str:
    return (
        f"<div class='note {MISSED}' data-kind={MISSED}><p>{badge(MISSED)} "
        f"<b class=rank>#{rank}</b> {escape(surprise.text)}</p></div>"
    )
