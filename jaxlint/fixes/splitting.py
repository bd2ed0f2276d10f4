"""PRNG keys that are used twice: split before, or made anew for each round of a loop."""

from __future__ import annotations

import libcst as cst

from jaxlint.edits import Edit, Fix
from jaxlint.events import KeyReuse, Site
from jaxlint.fixes.assignments import assigned_names, root, targets, walk, written_names
from jaxlint.fixes.code import Code
from jaxlint.fixes.layout import Statement
from jaxlint.fixes.loops import Loop, counter, loop_around, times
from jaxlint.knowledge.transforms import TRANSFORMS

_SPLIT = "jax.random.split"
_FOLD_IN = "jax.random.fold_in"
_PARTS = ("subkey", "subkey_2")
_NEXT = "the new part of a key, for the statement that comes next"


def split_before(event: KeyReuse, code: Code) -> Fix | None:
    """Splits a key before it is used for the first time: a part for each use.

    A variable is bound anew, so that every later use has the other part. Anything else stays as
    it is, and both uses get variables of their own.
    """
    first, again = _key_at(event.first_given, code), _key_at(event.given, code)
    if first is None or again is None or first is again or not first.deep_equals(again):
        return None
    body = code.body_around(first)
    if body is None or not any(each is body for each in code.around(again)):
        return None
    statement = _before_both(first, again, code)
    uses = [first]
    if statement is not code.statement(first):
        uses = [each for each in _alike(first, statement) if code.body_around(each) is body]
    if isinstance(first, cst.Name) and code.same_variable(first, again):
        hoisted = statement is not code.statement(first)
        if hoisted and first.value in code.once(assigned_names, statement):
            return None
        return _split(first, statement, uses, code)
    if code.body_around(again) is not body or not _leads_to(statement, again, code):
        return None
    if _may_change(first, statement, body, code):
        return None
    text = code.text(first)
    one, other = (code.new_name(name, first, (name, text)) for name in ("first_key", "second_key"))
    edits = [*(code.replace(each, one) for each in uses), code.replace(again, other)]
    return _splitting(f"{one}, {other}", statement, first, code, edits)


def split_each_time(event: KeyReuse, code: Code) -> Fix | None:
    """Makes a new key for each round of what uses the same one."""
    key = _key_at(event.given, code)
    if key is None:
        return None
    loop = loop_around(key, code)
    if loop is None:
        return _in_a_body(key, event, code)
    if isinstance(loop, cst.CompFor):
        return _in_a_comprehension(key, loop, code)
    if isinstance(key, cst.Name) and code.body_around(key) is not None and code.binds(key):
        if key.value in code.once(assigned_names, loop):
            return None
        return _split(key, code.statement(key), [key], code)
    return _folded(key, loop, code)


def _in_a_body(key: cst.BaseExpression, event: KeyReuse, code: Code) -> Fix | None:
    """In a function that ``scan`` or ``fori_loop`` runs again and again."""
    function = next(
        (each for each in code.around(key) if isinstance(each, (cst.FunctionDef, cst.Lambda))), None
    )
    if function is None:
        return None
    if event.carried:
        if not isinstance(key, cst.Name) or key.value not in code.once(_returned, function):
            return None
        if code.body_around(key) is not function or not code.binds(key):
            return None
        return _split(key, code.statement(key), [key], code)
    row, tracing = TRANSFORMS.get(event.body_of), event.context.tracing
    feeds = row.callees[0].feeds if row is not None and row.callees else ()
    name = function.name.value if isinstance(function, cst.FunctionDef) else "<lambda>"
    parameters = function.params.params
    if not feeds or feeds[0].kind != "index" or not parameters or tracing is None:
        return None
    index = parameters[0].name.value
    if tracing.function != name or tracing.transform != event.body_of:
        return None
    return None if index in code.once(assigned_names, function.body) else _fold_in(key, index, code)


def _in_a_comprehension(key: cst.BaseExpression, loop: cst.CompFor, code: Code) -> Fix | None:
    """``[f(key) for _ in range(n)]`` goes over the parts of the key instead."""
    count, variable = times(loop, code), counter(loop, code)
    comprehension = code.parent(loop)
    if not isinstance(comprehension, cst.BaseComp) or loop.inner_for_in is not None:
        return None
    if count is None or loop.ifs:
        return _folded(key, loop, code)
    mentioned = [
        each
        for each in walk(comprehension)
        if isinstance(each, cst.Name) and variable is not None and each.value == variable.value
    ]
    if len(mentioned) > 1:
        return _folded(key, loop, code)
    named = code.name(_SPLIT, comprehension)
    if named is None:
        return None
    part = code.new_name("subkey", key, comprehension)
    given = f"{code.argument(key)}, {code.argument(count)}"
    return code.fix(
        f"Split `{code.text(key)}` for the comprehension",
        code.replace(key, part),
        code.replace(loop.target, part),
        code.replace(loop.iter, f"{named[0]}({given})"),
        *named[1],
        safe=False,
    )


def _folded(key: cst.BaseExpression, loop: Loop, code: Code) -> Fix | None:
    """``fold_in`` of what a loop counts its rounds with, where it has a name that says so."""
    count, changed = counter(loop, code), code.once(assigned_names, loop)
    base = root(key)
    if count is None or count.value.startswith("_") or base is None or base.value in changed:
        return None
    outer = loop_around(loop, code)
    if outer is not None and base.value not in code.once(assigned_names, outer):
        return None  # Each round of that one would draw the same again.
    body = loop.body if isinstance(loop, cst.For) else None
    if body is not None and count.value in code.once(assigned_names, body):
        return None
    return _fold_in(key, count.value, code)


def _fold_in(key: cst.BaseExpression, number: str, code: Code) -> Fix | None:
    named = code.name(_FOLD_IN, key)
    if named is None:
        return None
    text = f"{named[0]}({code.argument(key)}, {number})"
    return code.fix(f"Write `{text}`", code.replace(key, text), *named[1], safe=False)


def _split(
    key: cst.BaseExpression, statement: Statement, uses: list[cst.BaseExpression], code: Code
) -> Fix | None:
    """``key, subkey = split(key)`` before a statement, in which uses take the new part."""
    part = _part(key, statement, code)
    edits = [code.replace(each, part) for each in uses]
    return _splitting(f"{code.text(key)}, {part}", statement, key, code, edits)


def _splitting(
    names: str, statement: Statement, key: cst.BaseExpression, code: Code, edits: list[Edit]
) -> Fix | None:
    named = code.name(_SPLIT, statement)
    if named is None:
        return None
    line = f"{names} = {named[0]}({code.argument(key)})"
    ahead = code.insert_ahead(statement, line)
    return code.fix(f"Write `{line}` before", ahead, *edits, *named[1], safe=False)


def _before_both(first: cst.CSTNode, again: cst.CSTNode, code: Code) -> Statement:
    """The statement of one use that has to come after the split of its key.

    Where the use is in a branch that the other one is not in, the other branches may use the
    key too: then it is all of the branching.
    """
    others = {id(each) for each in code.around(again)}
    statement = code.statement(first)
    for each in code.around(statement):
        if id(each) in others:
            break
        if isinstance(each, (cst.If, cst.Try, cst.TryStar, cst.Match)):
            statement = each
    return statement


def _alike(key: cst.BaseExpression, within: cst.CSTNode) -> list[cst.BaseExpression]:
    """The places in a statement at which an expression is written."""
    return [
        each
        for each in walk(within)
        if isinstance(each, (cst.Name, cst.Attribute, cst.Subscript)) and each.deep_equals(key)
    ]


def _part(key: cst.BaseExpression, statement: Statement, code: Code) -> str:
    """What the new part of a key is called: ``subkey``, wherever the next statement uses it up."""
    # In a statement that holds others, one of them could bind it anew.
    simple = isinstance(statement, cst.BaseSmallStatement)
    for name in _PARTS if simple else ():
        if not code.is_captured(name, key) and _is_spent(name, statement, code):
            return name
    return code.new_name(_PARTS[0], key, _NEXT if simple else key)


def _is_spent(name: str, statement: Statement, code: Code) -> bool:
    """Whether each statement that reads a variable follows the split that binds it.

    Then it can be bound anew before a statement that does not mention it.
    """
    body = code.body_around(statement)
    assert body is not None
    homes = code.once(_spending, body, name, code)
    return homes is not None and id(statement) not in homes


def _spending(body: cst.CSTNode, name: str, code: Code) -> frozenset[int] | None:
    """The statements that mention a variable, where each splits it off or follows one that does."""
    mentions = code.mentions(name, body).written
    binding = [each for each in mentions if _splits_off(code.statement(each), each)]
    splits = {id(code.statement(each)) for each in binding}
    for each in mentions:
        home = code.statement(each)
        before = code.previous(home)
        follows = before is not None and id(before) in splits and not isinstance(home, cst.While)
        if not (id(home) in splits or follows) or code.body_around(each) is not body:
            return None
    return frozenset(id(code.statement(each)) for each in mentions) if mentions else None


def _splits_off(statement: Statement, name: cst.Name) -> bool:
    """Whether a statement is ``key, name = split(...)``."""
    if not isinstance(statement, cst.Assign) or not isinstance(statement.value, cst.Call):
        return False
    target = statement.targets[0].target
    parts = [each.value for each in target.elements] if isinstance(target, cst.Tuple) else []
    return len(statement.targets) == 1 and len(parts) == 2 and parts[1] is name


def _key_at(site: Site | None, code: Code) -> cst.BaseExpression | None:
    """The expression of a key that can be written twice: a name, or an attribute or item of it."""
    node = code.node(site)
    if not isinstance(node, (cst.Name, cst.Attribute, cst.Subscript)) or root(node) is None:
        return None
    inside = (each for each in walk(node) if isinstance(each, (cst.Call, cst.NamedExpr)))
    return None if next(inside, None) is not None or code.has_comment(node) else node


def _leads_to(statement: Statement, later: cst.CSTNode, code: Code) -> bool:
    """Whether a statement has run whenever a later node of its function does."""
    around = (each for each in code.around(later) if isinstance(each, Statement))
    return any(code.precedes(statement, each) for each in around)


def _may_change(key: cst.BaseExpression, since: Statement, body: cst.CSTNode, code: Code) -> bool:
    """Whether anything assigns to an expression, or to what it is taken of, from a statement on."""
    start, text = code.span(since)[:2], code.text(key)
    last = code.once(_last_assigned, body, code)
    return any(last.get(text[:end], (0, 0)) >= start for end in range(1, len(text) + 1))


def _last_assigned(body: cst.CSTNode, code: Code) -> dict[str, tuple[int, int]]:
    """Where each expression that is assigned to in a function is so for the last time."""
    places = sorted((code.span(each)[:2], code.text(each)) for each in targets(body))
    return {text: place for place, text in places}


def _returned(function: cst.CSTNode) -> frozenset[str]:
    """The names that are written in what a function returns."""
    returned = (each for each in walk(function) if isinstance(each, cst.Return))
    return frozenset(name for each in returned for name in written_names(each))
