"""What still holds while a line is half typed, and the file is not Python for a moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jaxlint.findings import Finding, Note


def still_true(old: str, new: str, findings: Sequence[Finding]) -> list[Finding]:
    """The findings in the old text that stand on lines which the new text has too.

    Lines that were edited lose theirs; those below move along.
    """
    before, after = old.split("\n"), new.split("\n")
    most = min(len(before), len(after))
    same_above = 0
    while same_above < most and before[same_above] == after[same_above]:
        same_above += 1
    same_below = 0
    while same_below < most - same_above and before[-1 - same_below] == after[-1 - same_below]:
        same_below += 1
    first_below = len(before) - same_below
    shift = len(after) - len(before)
    kept = []
    for finding in findings:
        if finding.end_line <= same_above:
            moved = 0
        elif finding.line > first_below:
            moved = shift
        else:
            continue
        notes = tuple(
            each for note in finding.notes for each in _moved(note, same_above, first_below, shift)
        )
        kept.append(
            replace(
                finding, line=finding.line + moved, end_line=finding.end_line + moved, notes=notes
            )
        )
    return kept


def _moved(note: Note, same_above: int, first_below: int, shift: int) -> list[Note]:
    if note.file or (note.end_line or note.line) <= same_above:
        return [note]
    if note.line > first_below:
        end = note.end_line + shift if note.end_line else 0
        return [replace(note, line=note.line + shift, end_line=end)]
    return []
