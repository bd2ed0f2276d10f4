"""Positions equal those that libcst itself computes, for every node of many programs."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from jaxlint.source import Source, read_source
from jaxlint.syntax.spans import Spans

FOLDER = Path(__file__).parent.parent
FILES = [*sorted(FOLDER.glob("fixtures/*/*.py"))[::6], *sorted(FOLDER.glob("jaxlint/*/*.py"))[::5]]
KINDS = (
    cst.BaseExpression, cst.BaseSmallStatement, cst.BaseCompoundStatement, cst.Param, cst.Arg,
    cst.Decorator, cst.WithItem, cst.CompFor, cst.ImportAlias,
)  # fmt: skip
ODD = '''\
# header
@dec(é)
# between
@dec2
async def f(a, *, b=1):
    if é: x = 1; y = 2
    elif (a
          + b): return 3
    else: z = é.at[0]
    try: q()
    except (A, B) as e: r(é)
    else: s
    finally: t; u
    async with a as b, c as (d): pass
    match é:
        case [1, x] if x > 0: foo(x)
        case _:
            bar(é)
    return (
        a)
(a + b).x; é = 3; foo(1)
class C(A, metaclass=M): x: int = 3; y = 2
for i in range(3): a; b
else:
    c
while (x): break
text = """
multi é""".join(x) \\
    .y
with (a as b, c): d(); e()
'''.replace("    ", "\t")


def check(source: Source) -> None:
    module = cst.parse_module(source.text)
    known = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    nodes = [node for node in known if isinstance(node, KINDS)]
    spans = Spans(module, source.tree, source.text.split("\n"), nodes)
    for node in nodes:
        start, end = known[node].start, known[node].end
        expected = (start.line, start.column, end.line, end.column)
        assert tuple(spans.of(node)) == expected, cst.Module([]).code_for_node(node)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_positions_of_real_programs(path: Path) -> None:
    check(read_source(path))


def test_positions_of_odd_programs() -> None:
    check(Source(ODD))
