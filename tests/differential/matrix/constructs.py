"""What the traced function does: the constructs that the programs are about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MARK = "  # here"
"""Ends the line that a program is about; taken off before anyone sees the program."""


@dataclass(frozen=True, slots=True)
class Construct:
    """Something that a function does with an array.

    In the texts ``{v}`` is the array, ``{t}`` a scalar of it and ``{k}`` an integer of it.

    Attributes:
        name: how the report calls it.
        lines: statements; the one that ends with ``MARK`` is asked about.
        expression: the same as an expression, for a lambda; empty when there is none.
        kind: ``value`` needs a Python value, ``effect`` reaches out of the function, ``fine``
            may be done with a tracer as well.
        rank: the least rank that makes sense.
        by_rank: whether it is a mistake depends on the rank of the array.
    """

    name: str
    lines: tuple[str, ...]
    expression: str = ""
    kind: Literal["value", "effect", "fine"] = "value"
    rank: int = 0
    by_rank: bool = False


def _value(name: str, expression: str, rank: int = 0) -> Construct:
    """An expression that needs a Python value."""
    return Construct(name, (f"found = {expression}{MARK}",), expression, rank=rank)


def _effect(name: str, expression: str) -> Construct:
    """An expression that reaches out of the function."""
    return Construct(name, (f"{expression}{MARK}",), expression, kind="effect")


def _fine(name: str, expression: str, rank: int = 0) -> Construct:
    """An expression that a tracer allows."""
    return Construct(name, (f"found = {expression}{MARK}",), expression, kind="fine", rank=rank)


def _if(name: str, test: str, kind: Literal["value", "fine"] = "value", rank: int = 0) -> Construct:
    lines = (f"if {test}:{MARK}", "    {v} = {v} * 1.0")
    return Construct(name, lines, f"(2.0 if {test} else 1.0)", kind, rank)


CONSTRUCTS = (
    _if("if", "{t} > 0"),
    _if("if truth", "{t}"),
    _if("if any", "({v} > 0).any()"),
    _if("if jnp.all", "jnp.all({v} > 0)"),
    _if("if chained", "0 < {t} < 5"),
    _if("if not", "not {t} > 0"),
    _if("if in tuple", "{t} in (1.0, 2.0)"),
    Construct("if else", (f"if {{t}} < 0:{MARK}", "    found = 1.0", "else:", "    found = 2.0")),
    Construct(
        "elif",
        ("if FLAG is None:", "    found = 1.0", f"elif {{t}} > 0:{MARK}", "    found = 2.0"),
    ),
    Construct("if walrus", (f"if (found := {{t}}) > 0:{MARK}", "    pass")),
    Construct("while", (f"while {{t}} > 0:{MARK}", "    break")),
    Construct("assert", (f"assert {{t}} > -1e9{MARK}",)),
    Construct("assert finite", (f"assert jnp.isfinite({{v}}).all(){MARK}",)),
    Construct(
        "match",
        ("match {t}:", f"    case 0.0:{MARK}", "        pass", "    case _:", "        pass"),
    ),
    _value("and", "({t} > 0 and {t} < 5)"),
    _value("or", "({t} > 5 or FLAG)"),
    _value("not", "(not {t})"),
    _value("bool()", "bool({t} > 0)"),
    _value("int()", "int({t})"),
    _value("float()", "float({t})"),
    _value("complex()", "complex({t}).real"),
    _value("map float", "sum(map(float, [{t}]))"),
    _value("item()", "{t}.item()"),
    _value("tolist()", "len([{v}.tolist()])"),
    _value("math.sqrt", "math.sqrt({t})"),
    _value("max()", "max({t}, 0.5)"),
    _value("min()", "min(0.5, {t})"),
    _value("sorted()", "sorted([{t}, 1.0])[0]"),
    _value("any()", "any([{t} > 0])"),
    _value("round()", "round(float({t}), 1)"),
    _value("f-string format", "len(f'{{{t}:.2f}}')"),
    _value("percent format", 'len("%.2f" % {t})'),
    _value("numpy function", "np.exp({v}).sum()"),
    _value("numpy array", "np.asarray({v}).sum()"),
    _value("numpy dot", "np.dot({v}, {v}).sum()"),
    _value("numpy where", "np.where(HOST > {t}, 1.0, 2.0).sum()"),
    _value("numpy indexed", "HOST[{k}]"),
    _value("list indexed", "RATES[{k}]"),
    _value("list sliced", "sum(RATES[:{k}])"),
    _value("tuple indexed", "(0.5,) * 3 and RATES[{k}]"),
    _value("dict keyed", "NAMES.get({k}, 1.0)"),
    _value("lru_cache", "cached_of({v})"),
    _value("range", "len(range({k}))"),
    _value("comprehension", "sum(1.0 for i in range({k}))"),
    _value("filtered comprehension", "sum(1.0 for r in RATES if r < {t})"),
    _value("jnp list", "jnp.sum([{t}, 1.0])"),
    _value("jnp axis", "jnp.sum(jnp.ones((2, 3)), axis={k}).sum()"),
    _value("size jnp.zeros", "jnp.zeros({k}).sum()"),
    _value("size jnp.arange", "jnp.arange({k}).sum()"),
    _value("size jnp.full", "jnp.full(({k},), {t}).sum()"),
    _value("size reshape", "jnp.ones(6).reshape(({k}, -1)).sum()"),
    _value("size slice", "jnp.ones(6)[:{k}].sum()"),
    _value("size repeat", "jnp.repeat(jnp.ones(2), {k}).sum()"),
    _value("mask", "{v}[{v} > 0].sum()", rank=1),
    _value("jnp.where one argument", "jnp.where({v} > 0)[0].sum()", rank=1),
    _value("jnp.nonzero", "jnp.nonzero({v})[0].sum()", rank=1),
    _value("jnp.unique", "jnp.unique({v}).sum()", rank=1),
    _value("constant", "float(jnp.sum(TABLE))"),
    Construct("for range", (f"for _ in range({{k}}):{MARK}", "    pass")),
    Construct("for scalar", (f"for row in {{t}}:{MARK}", "    break"), by_rank=True),
    Construct("for rows", (f"for row in {{v}}:{MARK}", "    break"), kind="fine", rank=1),
    Construct("in-place assignment", (f"{{v}}[0] = 1.0{MARK}",), rank=1),
    Construct("in-place numpy", ("buffer = np.zeros(3)", f"buffer[0] = {{t}}{MARK}")),
    Construct(
        "append to own, test",
        ("own = []", "own.append({t})", f"if own[0] > 0:{MARK}", "    pass"),
    ),
    Construct("dict entry, test", ('own = {{"a": {t}}}', f'if own["a"] > 0:{MARK}', "    pass")),
    Construct("unpacked, test", ("found, _ = {t}, 1", f"if found > 0:{MARK}", "    pass")),
    Construct("try", ("try:", f"    found = float({{t}}){MARK}", "except KeyError:", "    pass")),
    Construct("numpy statement", (f"np.save(BUFFER, {{v}}){MARK}",), ""),
    _effect("print", "print({v})"),
    _effect("print text", 'print("value", {t})'),
    _effect("append", "LOG.append({v})"),
    _effect("dict set", "STATS.update(last={v})"),
    Construct("item set", (f'STATS["last"] = {{v}}{MARK}',), kind="effect"),
    Construct("counter", ("global COUNT", f"COUNT += 1{MARK}"), kind="effect"),
    Construct("global set", ("global LAST", f"LAST = {{v}}{MARK}"), kind="effect"),
    Construct("attribute set", (f"BOX.value = {{v}}{MARK}",), kind="effect"),
    _effect("clock", "time.time()"),
    _effect("host random", "np.random.uniform()"),
    _effect("iterator", "next(STEPS)"),
    _if("if ndim", "{v}.ndim > 0", "fine"),
    _if("if shape", "{v}.shape", "fine"),
    _if("if None", "{v} is None", "fine"),
    _if("if dtype", "{v}.dtype == jnp.float32", "fine"),
    _if("if isinstance", "isinstance({v}, jax.Array)", "fine"),
    _if("if flag", "FLAG", "fine"),
    _if("if len", "len({v}) > 2", "fine", 1),
    _fine("jnp.where", "jnp.where({v} > 0, {v}, 0.0).sum()"),
    _fine("float of shape", "float(np.prod({v}.shape))"),
    _fine("range of ndim", "len(range({v}.ndim))"),
    _fine("zeros of shape", "jnp.zeros({v}.shape).sum()"),
    _fine("numpy of shape", "np.ones({v}.shape).sum()"),
    _fine("list of ndim", "RATES[{v}.ndim]"),
    _fine("float of constant", "float(HOST[0])"),
    _fine("own list", "len([{v}, {v}])"),
    _fine("functional update", "{v}.at[0].set(1.0).sum()", rank=1),
    _fine("unique with size", "jnp.unique({v}, size=3).sum()", rank=1),
    _fine("f-string of shape", "len(f'{{{v}.shape}}')"),
    Construct("for shape", (f"for _ in range(len({{v}}.shape)):{MARK}", "    pass"), kind="fine"),
    Construct("assert shape", (f"assert {{v}}.shape is not None{MARK}",), kind="fine"),
)
