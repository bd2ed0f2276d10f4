"""What all parts of the page are written with: verdicts, places, links, times."""

from __future__ import annotations

from html import escape

from jaxlint.confirm.observation import Led
from jaxlint.confirm.places import shown
from jaxlint.confirm.program.report import Report
from jaxlint.confirm.program.words import count

MISSED = "missed"
VERDICTS = {
    "confirmed": ("confirmed", "JAX did what the finding says"),
    "refuted": ("refuted", "it ran as the finding supposes, and nothing happened"),
    "not-reached": ("not reached", "this run did not bring it about"),
    MISSED: ("not predicted", "JAX did it, and no finding said so"),
}
"""Class -> the word, and what it means."""

_SHAPES = {
    "confirmed": "<path d='M8 1 15 8 8 15 1 8Z' class=full /><path d='M8 4.6V8.6M8 10.4V11.6' />",
    "refuted": "<circle cx=8 cy=8 r=6 /><path d='M5 8.2 7.2 10.4 11 6' />",
    "not-reached": "<circle cx=8 cy=8 r=6 stroke-dasharray='2.4 2.3' />",
    MISSED: "<path d='M8 2 15 14H1Z' /><path d='M8 6.2V9.8M8 11.2V12.4' />",
}
"""A shape for each verdict: they differ without any colour."""


def shapes() -> str:
    """The shapes, once, for :func:`badge` to refer to."""
    symbols = "".join(
        f"<symbol id=i-{slug} viewBox='0 0 16 16'>{shape}</symbol>"
        for slug, shape in _SHAPES.items()
    )
    return f"<svg class=shapes aria-hidden=true>{symbols}</svg>"


def icon(slug: str) -> str:
    """The shape of a verdict."""
    return f"<svg class=icon aria-hidden=true><use href='#i-{slug}' /></svg>"


def badge(slug: str) -> str:
    """A verdict in shape and word."""
    return f"<span class='badge {slug}'>{icon(slug)}{VERDICTS[slug][0]}</span>"


def slug_of(outcome: str) -> str:
    """The class of a verdict."""
    return outcome.replace(" ", "-")


def anchor(report: Report, file: str, line: int) -> str:
    """The id of a line on the page."""
    return f"f{list(report.linted.files).index(file)}-{line}"


def place(report: Report, file: str, line: int, text: str = "") -> str:
    """A place, and a link to it where its file is on the page."""
    label = escape(text or f"{shown(file)}:{line}").replace("/", "/<wbr>")
    shows = file in report.linted.files and line <= report.linted.texts[file].count("\n") + 1
    return f"<a href='#{anchor(report, file, line)}'>{label}</a>" if shows else label


def trigger(report: Report, led: Led | None) -> str:
    """The test, and the lines that led to a finding; empty when nothing did."""
    if led is None:
        return ""
    test = f"test <code>{escape(led.test)}</code>" if led.test else ""
    callers = dict.fromkeys(led.stack[1:] or led.stack[:1])  # Recursion says nothing new.
    lines = " &larr; ".join(place(report, at.file, at.line) for at in callers)
    called = f"called from {lines}" if led.stack[1:] else f"run at {lines}" if lines else ""
    return ", ".join(filter(None, (test, called)))


def seconds(number: float) -> str:
    """A time, as exactly as a person wants it."""
    return f"{number:.2f} s" if number >= 0.01 else f"{1000 * number:.1f} ms"


def times(number: int, what: str) -> str:
    """ "1 trace", "2 traces"."""
    return count(number, what)


def code(message: str) -> str:
    """Escaped text; what stands between backticks becomes code."""
    parts = escape(message).split("`")
    return "".join(
        f"<code>{part}</code>" if number % 2 and number < len(parts) - 1 else part
        for number, part in enumerate(parts)
    )
