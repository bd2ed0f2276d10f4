"""Patterns as in ``.gitignore``, read in time that grows with their length alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, AnyStr

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern


def spec_of(lines: Iterable[str]) -> GitIgnoreSpec:
    """What these lines leave out.

    Raises:
        ValueError, re.error: one of them is no pattern.
    """
    return GitIgnoreSpec.from_lines(lines, _Pattern)


class _Pattern(GitIgnoreSpecPattern):
    """A pattern whose stars do not try every way to share out a name between them."""

    @classmethod
    def pattern_to_regex(cls, pattern: AnyStr) -> tuple[AnyStr | None, bool | None]:
        """The expression, and whether what it fits is left out."""
        expression, include = super().pattern_to_regex(pattern)
        linear: Any = _first_fit(expression) if isinstance(expression, str) else expression
        return linear, include


def _first_fit(expression: str) -> str:
    """Each star but the last takes what stands before the first fit of what follows it.

    A later fit can do no more: what follows is as long whatever it fits.
    """
    head, *parts = expression.split(_STAR)
    if len(parts) < 2 or any("(" in part for part in parts[:-1]):
        return expression
    groups = (f"(?=(?P<to{n}>{_STAR}?{part}))(?P=to{n})" for n, part in enumerate(parts[:-1]))
    return f"{head}{''.join(groups)}{_STAR}{parts[-1]}"


_STAR = "[^/]*"
