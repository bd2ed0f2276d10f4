"""What messages have in common: clauses about values, traces and places."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jaxlint.events import Event, KeyReuse, Reason, RemovedApi, Site
from jaxlint.knowledge.jax_api import PACKAGE

_DUMMY = re.compile(r"(?:^|[._])dummy_?\w*$")
_WRITTEN = {"jax.numpy.": "jnp.", "numpy.": "np.", "flax.linen.": "nn."}


_TRACES = re.compile(r"(?:^|[._])(?:(?:re)?traces|compiles|compilations|trac(?:e|ing)_counts?)$")


def text(site: Site | None) -> str:
    """The source at a site."""
    return site.text if site is not None and site.text else "the value"


def short(name: str) -> str:
    """A qualified name as people write it: ``jnp.where``, ``np.exp``, ``nn.Dropout``."""
    for long, written in _WRITTEN.items():
        name = name.replace(long, written)
    return name


def given_to(function: str, site: Site | None) -> str:
    """ "`x`"; "its argument" where the program hands the function on, and names no other."""
    subject = text(site)
    handed_on = subject in (short(function), function.removesuffix("()"))
    return "its argument" if handed_on else f"`{subject.removesuffix(function)}`"


def at_line(site: Site | None) -> str:
    """ " at line 7"; nothing when there is no such place."""
    return f" at {site.where}" if site is not None and site.line else ""


def also_at(sites: Iterable[Site]) -> str:
    """ "also at lines 12, 15 and 20"; elsewhere "also at line 2 of cell 3 and ..."."""
    places = [site.place for site in sites if site.place is not None]
    if any(place.cell or place.file for place in places):
        return f"also at {_listed(dict.fromkeys(place.where for place in places))}"
    lines = dict.fromkeys(str(place.line) for place in places)
    return f"also at line{'s' * (len(lines) > 1)} {_listed(lines)}"


def named_key(event: KeyReuse) -> str:
    """The key as its reader knows it: "`state.key`"; "`key` of `sample`", which is elsewhere."""
    owner = f" of `{event.owner}`" if event.owner else ""
    return f"`{text(event.subject)}{event.inside}`{owner}"


def is_dummy(event: Event) -> bool:
    """Whether its author calls a key a dummy: its numbers are of no use."""
    return _DUMMY.search(text(event.subject)) is not None


def counts_traces(name: str) -> bool:
    """Whether a name says that what has it counts how often a function is traced."""
    return _TRACES.search(name) is not None


def why_traced(event: Event) -> str:
    """Both ends of the chain of reasons, as a clause: "`y` is traced: it comes from ..."."""
    if event.reason is None:
        return f"`{text(event.subject)}` is traced"
    return why_is_traced(event.reason)


def why_is_traced(reason: Reason) -> str:
    """Both ends of a chain of reasons, as a clause."""
    root = reason.root
    if not root.transform:
        return f"every {_maker(root.subject)} result is a tracer"
    where = f"`{root.owner}`, which {root.transform} traces{_in_brackets(root.transform_site)}"
    if root.role == "result":
        return f"every {_maker(root.subject)} result is a tracer in {where}"
    last = reason.subject
    if last == root.subject:
        return f"`{last}` is a parameter of {where}"
    return f"`{last}` comes from parameter `{root.subject}` of {where}"


def or_static(event: Event, other: str = "") -> str:
    """ ", or make `n` static (`static_argnames="n"`)", where that is possible; else ``other``.

    It is where the value is a parameter of the compiled function itself, and is used as it is.
    """
    reason = event.reason
    if reason is None or reason.parent is not None or reason.transform != "jax.jit":
        return other
    name, code = reason.subject, _OF_A_NUMBER.sub("(", text(event.subject))
    if reason.role != "parameter" or re.search(rf"\b{re.escape(name)}\s*[.\[(]|\w\(", code):
        return other
    return f', or make `{name}` static (`static_argnames="{name}"`)'


_OF_A_NUMBER = re.compile(r"\b(?:range|int|float|bool|index)\(")


def with_article(noun: str) -> str:
    """ "a list", "an array", "an `Optimizer`"."""
    return f"{'an' if noun.lstrip('`')[:1].lower() in 'aeiou' else 'a'} {noun}"


def counted(number: int, noun: str) -> str:
    """ "1 entry", "2 entries"; "1 axis", "2 axes"."""
    ends = {"y": "ies", "is": "es"}
    end = next((each for each in ends if noun.endswith(each)), "")
    plural = f"{noun.removesuffix(end)}{ends.get(end, 's')}"
    return f"{number} {noun if number == 1 else plural}"


def describe(link: Reason) -> str:
    """One link of the chain, for rich output and editors."""
    if link.role == "parameter":
        return f"`{link.subject}` is a parameter of `{link.owner}`, which {link.transform} traces"
    if link.role == "argument":
        return f"passed on as `{link.subject}` of `{link.owner}`"
    if not link.transform and link.role == "result":
        return f"made by {_maker(link.subject)}"
    if link.role == "result":
        return f"made by {_maker(link.subject)} while {link.transform} traces `{link.owner}`"
    return f"bound to `{link.subject}`"


def tracing(event: Event, located: bool = True) -> str:
    """What goes on: "jax.jit traces `step` (line 4)"; ``located``: with the line."""
    current = event.context.tracing
    if current is None:
        return "JAX traces `the function`"
    line = _in_brackets(current.site) if located else ""
    return f"{current.transform} traces `{current.function}`{line}"


def what_went(event: RemovedApi) -> str:
    """A name, parameter or way of calling: "`newshape=` of `jnp.reshape`"."""
    parameter = f"`{event.keyword}=` of " if event.keyword else ""
    how = f" {event.how}" if event.how else ""
    return f"{parameter}`{short(event.name)}`{how}"


def package(event: RemovedApi) -> str:
    """Whose releases they are that took something away, as people write it."""
    return "JAX" if event.package == PACKAGE else event.package


def advice(event: RemovedApi) -> str:
    """What to write instead of what went, as a clause."""
    return says(event.says) or f"; see the changelog of {package(event)} for what to use"


def says(advice: str) -> str:
    """What JAX advises in place of a name, as a clause; empty when it says nothing."""
    for more in (" See ", ", and see ", " For more"):
        advice = advice.split(more)[0]
    advice = advice.rstrip(".")
    if advice.startswith(("jax.", "jnp.", "Accessing ")):
        # JAX's own message repeats the name and the fact first.
        advice = _ADVICE.split(advice, maxsplit=1)[1] if _ADVICE.search(advice) else ""
    if len(advice) > _LONGEST_ADVICE:
        advice = advice.split(", and ")[0]
    return f"; {advice[:1].lower()}{advice[1:]}" if advice else ""


_LONGEST_ADVICE = 95


_ADVICE = re.compile(r"(?:; |: |\. )", re.IGNORECASE)


def _maker(name: str) -> str:
    name = name.replace("jax.numpy.", "jnp.")
    return f"`{name}`" if name and name.isascii() else "jnp"


def _in_brackets(site: Site | None) -> str:
    return f" ({site.where})" if site is not None and site.line else ""


_MOST_LISTED = 12
"""Places that a message names; of more than one beyond these it says how many they are."""


def _listed(items: Iterable[str]) -> str:
    *others, last = items
    if len(others) > _MOST_LISTED:
        others, last = others[:_MOST_LISTED], f"{len(others) - _MOST_LISTED + 1} more"
    return f"{', '.join(others)} and {last}" if others else last
