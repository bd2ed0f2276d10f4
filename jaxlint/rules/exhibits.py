"""Mistakes that a notebook shows on purpose: what it says of them, and what it keeps.

An author who writes "Don't do this" above a line, calls a function ``impure_...``, or keeps the
tracer that a ``print`` showed, knows what a rule would say. A module is there to run: there the
same words are no reason to leave a mistake in.
"""

from __future__ import annotations

import re

from jaxlint.events import Event, HostOutput, IndexBeyond, IndexOutOfBounds
from jaxlint.rules.facts import FileFacts

_PITFALL = re.compile(
    r"\b(?:(?:don'?t|do not|never) do (?:this|that|it like)|no no no|impure|side[- ]effects?|"
    r"pitfall|gotcha|anti-?pattern|unexpected results?|incorrect attempt|catch you by surprise)",
    re.IGNORECASE,
)
"""What is said of a mistake that is shown."""

_BAD = re.compile(r"#\s*(?:bad|wrong|incorrect)\b\s*(?:[:!,(]|$)", re.IGNORECASE)
"""A comment that says so in its first word."""

_LINK = re.compile(r"\[[^\]]*\](?:\([^)]*\))?|\bhttps?://\S+")
"""A link in a text is about another one."""

_OUT_OF_BOUNDS = re.compile(
    r"\bout[- ]of[- ]bounds?\b|\boutside (?:of )?(?:the|its) bounds\b", re.I
)
"""What is said of an index that lies outside."""

_IMPURE = re.compile(r"(?:^|_)impure(?:_|$)")
_TRACER = re.compile(r"\bTraced<|\w*Tracer[<(]")
"""How a tracer is printed."""


def is_exhibit(event: Event, file: FileFacts) -> bool:
    """Whether a notebook says of what happens that it is a mistake; the sites must have places."""
    if file.cells is None:
        return False
    tracing = event.context.tracing
    if tracing is not None and _IMPURE.search(tracing.function):
        return True
    at = event.reported_at.place
    comments = file.comments_at(at) if at is not None else ()
    if any(_PITFALL.search(comment) or _BAD.search(comment) for comment in comments):
        return True
    places = (site.place for site in event.sites() if site.place is not None)
    texts = (_LINK.sub("", file.prose_at(place)) for place in places if not place.file)
    outside = isinstance(event, (IndexOutOfBounds, IndexBeyond))
    said = (_PITFALL, _OUT_OF_BOUNDS) if outside else (_PITFALL,)
    return any(pattern.search(text) for text in texts for pattern in said)


def is_shown(event: HostOutput, file: FileFacts) -> bool:
    """Whether a notebook keeps what the output wrote while JAX traced."""
    cells, words = file.cells, event.text.split()
    if cells is None or event.shows not in ("tracer", "text"):
        return False
    outputs = (" ".join(output.split()) for output in cells.stored.outputs.values())
    if event.shows == "text":
        return bool(words) and any(" ".join(words) in written for written in outputs)
    return any(
        _TRACER.search(written) and all(word in written for word in words) for written in outputs
    )
