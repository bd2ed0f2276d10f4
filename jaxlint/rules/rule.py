"""What a rule is: which events deserve a diagnostic, in which words, on what evidence."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import ClassVar

from jaxlint.events import Event, Kind, Reason, Site
from jaxlint.findings import Severity
from jaxlint.knowledge.releases import not_confirmed, releases
from jaxlint.project import Releases


@dataclass(frozen=True, slots=True)
class Difference:
    """What older releases of JAX do differently.

    Attributes:
        before: the first release that does what the rule says.
        what: what those before it do, as a clause after "before jax 0.4.27".
        silent: nothing is raised there: messages say so to projects that run on them.
        kinds: the kinds of event it is about; all of the rule's when empty.
    """

    before: str
    what: str
    silent: bool = False
    kinds: tuple[Kind, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """What real JAX must show for a rule, checked by ``jaxlint confirm``.

    Attributes:
        kind: one of those in ``confirm/evidence``: the name of the file that says what JAX
            must show, and where a run shows it.
        exceptions: names of the exception types that count, for kinds that raise or warn.
        effects: kinds of effect that count, for ``effect``: ``output``, ``mutation``,
            ``rebinding``, ``attribute``.
        measured: what JAX did when the rule was written, for the rule's page.
        differs: what older releases do.
    """

    kind: str
    measured: str
    exceptions: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    differs: tuple[Difference, ...] = ()


class Rule:
    """Base of all rules. The docstring of a subclass is its page.

    Attributes:
        code: permanent, three letters and three digits.
        name: reads as "allow <name>".
        summary: one line.
        severity: ``error`` when JAX raises, ``warning`` when nothing does.
        listens_to: the kinds of event the rule judges.
        default: whether it speaks without being asked for.
        in_tests: whether it speaks in test files, where odd things are done on purpose.
        evidence: what real JAX must show.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    summary: ClassVar[str]
    severity: ClassVar[Severity] = "error"
    listens_to: ClassVar[tuple[Kind, ...]]
    default: ClassVar[bool] = True
    in_tests: ClassVar[bool] = True
    evidence: ClassVar[Evidence]

    def judge(self, event: Event) -> bool:
        """Whether the event deserves a diagnostic."""
        return True

    def message(self, event: Event) -> str:
        """One line: what is wrong, why, and what to write instead."""
        raise NotImplementedError

    @classmethod
    def exceptions_for(cls, event: Event, releases: Releases) -> str:
        """What a message adds for a project that also runs on releases that raise nothing."""
        for difference in cls.evidence.differs:
            applies = not difference.kinds or event.kind in difference.kinds
            if difference.silent and applies and releases.allow_before(difference.before):
                return f" (before jax {difference.before} {difference.what})"
        return ""

    @classmethod
    def page(cls) -> str:
        """The rule's page in Markdown."""
        body = inspect.getdoc(cls) or ""
        speaks = "yes" if cls.in_tests else "no"
        default = (
            "yes"
            if cls.default
            else f"no (--extend-select {cls.code}; in flake8: jaxlint-enable = {cls.code})"
        )
        return (
            f"# {cls.code} {cls.name}\n\n{cls.summary}\n\n{body}\n\n"
            f"## Evidence\n\n{cls.evidence.measured}\n\n{_releases(cls)}\n"
            f"Severity: {cls.severity}. On by default: {default}. "
            f"Speaks in test files: {speaks}.\n"
        )


def _releases(rule: type[Rule]) -> str:
    """On which releases of JAX the fixtures were confirmed, and what the others do."""
    full = [release for release in releases() if not not_confirmed(rule.code, release)]
    lines = [f"All fixtures confirmed on jax {', '.join(full)}." if full else ""]
    lines += [f"Before jax {each.before} {each.what}." for each in rule.evidence.differs]
    if len(full) < len(releases()):
        lines.append("The other releases, fixture by fixture: docs/releases.md.")
    return "".join(f"{line}\n" for line in lines if line)


def why_traced(event: Event) -> str:
    """Both ends of the chain of reasons, as a clause: "`y` is traced: it comes from ..."."""
    reason = event.reason
    if reason is None:
        return f"`{text(event.subject)}` is traced"
    root = reason.root
    where = f"`{root.owner}`, which {root.transform} traces{_line(root.transform_site)}"
    if root.role == "result":
        return f"every {_short(root.subject)} result is a tracer in {where}"
    last = reason.subject
    if last == root.subject:
        return f"`{last}` is a parameter of {where}"
    return f"`{last}` comes from parameter `{root.subject}` of {where}"


def _short(name: str) -> str:
    name = name.replace("jax.numpy.", "jnp.")
    return f"`{name}`" if name and name.isascii() else "jnp"


def _line(site: Site | None) -> str:
    return f" ({site.where})" if site is not None and site.line else ""


def text(site: Site | None) -> str:
    """The source at a site, for use in a message."""
    return site.text if site is not None and site.text else "the value"


def describe(link: Reason) -> str:
    """One link of the chain, for rich output and editors."""
    if link.role == "parameter":
        return f"`{link.subject}` is a parameter of `{link.owner}`, which {link.transform} traces"
    if link.role == "argument":
        return f"passed on as `{link.subject}` of `{link.owner}`"
    if link.role == "result":
        return f"made by {_short(link.subject)} while {link.transform} traces `{link.owner}`"
    return f"bound to `{link.subject}`"


def tracing(event: Event) -> str:
    """What goes on: "jax.jit traces `step` (line 4)"."""
    detail = event.detail
    function = detail.get("traced_function", "the function")
    line = _line(detail.get("traced_at"))
    return f"{detail.get('transform', 'JAX')} traces `{function}`{line}"


def line_of(event: Event, key: str) -> str:
    """ " at line 7" for a site in the event's detail, or nothing."""
    site = event.detail.get(key)
    return f" at {site.where}" if isinstance(site, Site) and site.line else ""


_ADVICE = re.compile(r"(?:; |: |\. )", re.IGNORECASE)


def named(event: Event) -> str:
    """The name of JAX that an event is about."""
    return f"`{event.construct.replace('jax.numpy.', 'jnp.')}`"


def says(event: Event) -> str:
    """What JAX advises in place of a name, as a clause; empty when it says nothing."""
    advice = event.detail["says"]
    for more in (" See ", ", and see ", " For more"):
        advice = advice.split(more)[0]
    advice = advice.rstrip(".")
    if advice.startswith(("jax.", "jnp.", "Accessing ")):
        # JAX's own message repeats the name and the fact first.
        advice = _ADVICE.split(advice, maxsplit=1)[1] if _ADVICE.search(advice) else ""
    return f"; {advice[:1].lower()}{advice[1:]}" if advice else ""
