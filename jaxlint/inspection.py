"""What the abstract tracer knows of the names in a file: for people who ask an editor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from jaxlint.check import NOTHING_KEPT, Tools, concerns_jax, watch
from jaxlint.config import Options
from jaxlint.events import Reason, Site
from jaxlint.positions import locate
from jaxlint.program import nodes as n
from jaxlint.program.spots import Spot
from jaxlint.rules.words import why_is_traced
from jaxlint.source import Source
from jaxlint.syntax.parse import Tree
from jaxlint.syntax.spans import Span, Spans
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.run import TABLES
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, Key
from jaxlint.tracer.values.describe import describe
from jaxlint.tracer.values.value import Const, Host, Value

_MOST_VALUES = 4


@dataclass(frozen=True)
class Known:
    """A name at one place.

    Attributes:
        name: the name.
        span: where it stands in the text.
        values: what it was, each in a line; more than one when the line runs several times.
        traced: whether it was a tracer.
        is_bound: whether the place binds the name.
    """

    name: str
    span: Span
    values: tuple[str, ...]
    traced: bool
    is_bound: bool


class Inspection:
    """A file, followed once more.

    Raises:
        jaxlint.source.SourceError: the file is not Python.
    """

    def __init__(self, source: Source, options: Options, tools: Tools = NOTHING_KEPT) -> None:
        self._source = source
        self._seen: dict[int, tuple[n.Name, list[Value], bool]] = {}
        self._tree: Tree | None = None
        self._uses: dict[str, dict[int, tuple[n.Node, str]]] = {}
        uses = self._uses

        class Uses(Analysis):
            """Notes where PRNG keys are used up."""

            def on_consume(
                self, key: Key, node: n.Node, subject: n.Node, name: str, alone: bool
            ) -> None:
                if isinstance(subject, n.Name):
                    uses.setdefault(subject.id, {})[id(node)] = node, name

        if concerns_jax(source, options):
            self._tree = watch(source, options, tools, replace(
                TABLES,
                expressions={**TABLES.expressions, n.Name: self._read},
                statements={**TABLES.statements, n.Assign: self._assign},
                analyses=(*TABLES.analyses, Uses),
            ))  # fmt: skip

    def _read(self, tracer: Tracer, node: n.Name) -> Value:
        value = TABLES.expressions[n.Name](tracer, node)
        self._note(node, value, False)
        return value

    def _assign(self, tracer: Tracer, node: n.Assign) -> None:
        TABLES.statements[n.Assign](tracer, node)
        for target in node.targets:
            if isinstance(target, n.Name):
                self._note(target, TABLES.expressions[n.Name](tracer, target), True)

    def _note(self, node: n.Name, value: Value, is_bound: bool) -> None:
        _, values, _ = self._seen.setdefault(id(node), (node, [], is_bound))
        if len(values) < _MOST_VALUES:
            values.append(value)

    def names(self, wanted: str = "") -> list[Known]:
        """What is known of a name, or of all of them, wherever they stand."""
        if self._tree is None:
            return []
        self._locate()
        seen = [
            each
            for each in self._seen.values()
            if (not wanted or each[0].id == wanted) and _is_here(each[0])
        ]
        spans = Spans(
            self._tree, self._source.tree_if_any, self._source.text.split("\n"),
            [node.origin for node, _, _ in seen],
        )  # fmt: skip
        return [
            Known(
                node.id, spans.of(node.origin), tuple(dict.fromkeys(map(in_words, values))),
                any(map(_is_tracer, values)), is_bound,
            )
            for node, values, is_bound in seen
        ]  # fmt: skip

    def _locate(self) -> None:
        """Give places to all that may be told of tracers."""
        if self._tree is not None:
            values = [values for _, values, _ in self._seen.values()]
            locate(list(_sites(values)), self._tree, self._source)

    def uses_of_key(self, name: str) -> list[tuple[int, str]]:
        """Line and function of each use of the PRNG keys of a name, in order."""
        if self._tree is None:
            return []
        uses = [(node, by) for node, by in self._uses.get(name, {}).values() if _is_here(node)]
        nodes = [node.origin for node, _ in uses]
        spans = Spans(self._tree, self._source.tree_if_any, self._source.text.split("\n"), nodes)
        return sorted((spans.of(node.origin).line, by) for node, by in uses)

    def roots(self) -> Iterator[Reason]:
        """Why there are tracers: each parameter of a traced function once."""
        self._locate()
        found: dict[tuple[str, str, str], Reason] = {}
        for _, values, _ in self._seen.values():
            for value in values:
                if isinstance(value, Array) and value.reason is not None:
                    root = value.reason.root
                    if root.role == "parameter" and root.transform:
                        found.setdefault((root.owner, root.subject, root.transform), root)
        return iter(found.values())


def _is_here(node: n.Node) -> bool:
    """Whether a node is of the file itself: what is followed elsewhere has no libcst syntax."""
    return not isinstance(node.origin, Spot)


def _sites(values: Iterable[list[Value]]) -> Iterator[Site]:
    """Where what is told of tracers stands."""
    for value in (each for some in values for each in some):
        if isinstance(value, Array) and value.reason is not None:
            root = value.reason.root
            yield root.site
            if root.transform_site is not None:
                yield root.transform_site


def _is_tracer(value: Value) -> bool:
    return isinstance(value, Array) and bool(value.traced)


def in_words(value: Value) -> str:
    """A value as people speak of it."""
    words = describe(value)
    if isinstance(value, Array):
        words = words.replace(" *", "")
        if value.traced and value.reason is not None:
            return f"{words.split(' from ')[0]}, because {why_is_traced(value.reason)}"
    if isinstance(value, (Const, Host)):
        return f"Python {words}: static while tracing"
    return words
