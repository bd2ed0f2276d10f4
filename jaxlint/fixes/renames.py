"""Mends what went from JAX: by the name that does the same, or by the expression that does.

An import keeps the name that it binds, so that what uses it stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import libcst as cst

from jaxlint.edits import Edit, Fix, overlapping
from jaxlint.events import RemovedApi
from jaxlint.fixes.arguments import mended_argument
from jaxlint.fixes.calls import adapted, by_parameter, is_plain, only_loses_keywords
from jaxlint.fixes.code import Code
from jaxlint.fixes.ways import mended_call
from jaxlint.knowledge.library_history import came_in_library
from jaxlint.knowledge.replacements import MOVED, NO_MODULES, RENAMED
from jaxlint.knowledge.rewriting import (
    NO_METHODS,
    OF_ARRAYS,
    PLACE,
    Replacement,
    last_signature,
    places_of,
    replacements_of,
    works_from,
)

_NAME = re.compile(r"(?<![\w.{'])(?:jax|functools|math|numpy)(?:\.\w+)*(?![\w=}])")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")
_BINDS_TIGHTER = (cst.UnaryOperation, cst.BinaryOperation, cst.Attribute, cst.Subscript)
_NEEDS_NO_PARENTHESES = (cst.Arg, cst.Assign, cst.Return)
_LONGEST_TITLE = 60
_KNOWN_TAKERS = frozenset({"isinstance", "issubclass", "partial"})
"""Functions that call what they are given with arguments that stand there, or do not call it."""


Written = tuple[str, list[Edit]]
"""A text in place of a node, and the edits that put it there."""


class _Use(NamedTuple):
    """Where a name stands that went, its full name, and what does the same."""

    node: cst.BaseExpression
    name: str
    new: Replacement


def mended(event: RemovedApi, code: Code) -> Fix | None:
    """The fix for a name, an argument or a call that went; None when a person has to decide."""
    node = code.node(event.site)
    if event.keyword:
        return mended_argument(event, code)
    if isinstance(node, cst.ImportAlias):
        statement = code.parent(node)
        gone = _is_gone(event, code)
        if isinstance(statement, cst.ImportFrom):
            return _import_from(code, statement, node, gone)
        assert isinstance(statement, cst.Import)
        return _import_module(code, statement, node, gone)
    if event.how:
        return mended_call(event, code)
    if not isinstance(node, (cst.Name, cst.Attribute)):
        return None
    if event.name.startswith("."):
        return _of_array(code, node, event.name[1:])
    return _name(code, node, event.name)


def _is_gone(event: RemovedApi, code: Code) -> bool:
    """Whether no release that the project allows has a name: nothing can need it any more."""
    allowed = code.releases
    return bool(event.removed and allowed.lowest) and not allowed.allow_before(event.removed)


def successor(name: str, code: Code) -> Replacement | None:
    """What does the same on every release that the project allows; None when nothing does."""
    for each in replacements_of(name):
        since = works_from(each) if each.write else "never"
        package, came = came_in_library(each.write)
        if came and code.releases_of(package).allow_before(came):
            continue
        if since != "never" and not (since and code.releases.allow_before(since)):
            return each
    return None


# ------------------------------------------------------------------------ names in place


def _name(code: Code, node: cst.BaseExpression, name: str) -> Fix | None:
    new = successor(name, code)
    if new is None or (_is_moved(name) and code.is_imported(node, name)):
        return None
    safe = _is_the_same(code, node, new)
    if not _DOTTED.fullmatch(new.write):
        return _fix_of(code, _expression(code, node, name, new), safe)
    return _fix_of(code, _renamed(code, node, new), safe)


def _renamed(code: Code, node: cst.BaseExpression, new: Replacement) -> Written | None:
    """Another name in place of a name, and its arguments as that one takes them."""
    found = code.name(new.write, node)
    uses = _in_use(code, node, new)
    if found is None or uses is None:
        return None
    return found[0], [code.replace(node, found[0]), *found[1], *uses]


def _is_moved(name: str) -> bool:
    """Whether the module of a name went as a whole: an import of that module is mended instead."""
    return name not in RENAMED and name.rpartition(".")[0] in MOVED


def _is_the_same(code: Code, node: cst.CSTNode, new: Replacement) -> bool:
    """Whether a use of a name means the same with the new one, so that nobody need look."""
    if code.enclosing(node, cst.Annotation) is not None:
        return True
    call = code.parent(node)
    if not new.person:
        return is_plain(new) or _is_used_at_once(code, call)
    if not new.about or isinstance(call, cst.Decorator):
        return bool(new.about)
    if not isinstance(call, cst.Call) or call.func is not node or len(call.args) == 0:
        return False
    others = [each.keyword.value if each.keyword is not None else "" for each in call.args[1:]]
    return all(name and name not in new.about for name in others)


def _is_used_at_once(code: Code, parent: cst.CSTNode | None) -> bool:
    """Whether all arguments that something ever gets are to be seen where it stands."""
    call = code.parent(parent) if isinstance(parent, cst.Arg) else None
    if isinstance(call, cst.Call):
        return code.text(call.func).rpartition(".")[2] in _KNOWN_TAKERS
    return isinstance(parent, (cst.Call, cst.Decorator))


def _in_use(code: Code, node: cst.CSTNode, new: Replacement) -> list[Edit] | None:
    """Edits of the arguments that a function is used with; None when they do not fit."""
    parent = code.parent(node)
    if isinstance(parent, cst.Call) and parent.func is node:
        return adapted(code, parent.args, new)
    call = code.parent(parent) if isinstance(parent, cst.Arg) else None
    if isinstance(call, cst.Call) and call.args[0] is parent:
        if code.text(call.func).rpartition(".")[2] == "partial":
            return adapted(code, call.args[1:], new)
    if isinstance(parent, cst.Decorator):
        return []
    return [] if only_loses_keywords(new) else None


def _fix_of(code: Code, written: Written | None, safe: bool) -> Fix | None:
    if written is None:
        return None
    return code.fix(f"Write `{_short(written[0])}`", *written[1], safe=safe)


def _expression(
    code: Code, node: cst.BaseExpression, name: str, new: Replacement
) -> Written | None:
    """An expression in place of a name, or of a whole call of it."""
    if not new.of_the_call:
        return _written(code, node, new.write, {}, ())
    call = code.parent(node)
    if not isinstance(call, cst.Call) or call.func is not node:
        return None
    if new.is_statement and not isinstance(code.parent(call), cst.Expr):
        return None
    signature = last_signature(name)
    given = by_parameter(call.args, places_of(signature) if signature is not None else [])
    if given is None:
        return None
    gone = [each for key, each in given.items() if new.keywords.get(key, key) is None]
    if not all(isinstance(each.value, (cst.Name, cst.Attribute)) for each in gone):
        return None  # Evaluating it may do something.
    rest = [each for key, each in given.items() if key not in new.places and each not in gone]
    if rest and "..." not in new.write:
        return None
    return _written(code, call, new.write, given, rest)


def _of_array(code: Code, node: cst.BaseExpression, name: str) -> Fix | None:
    """An attribute that arrays no longer have, or a call of one."""
    if not isinstance(node, cst.Attribute) or name not in OF_ARRAYS:
        return None
    given = {"self": cst.Arg(node.value)}
    call = code.parent(node)
    if name in NO_METHODS:
        if isinstance(call, cst.Attribute):
            return None  # What is asked of it then an array may not have.
        return _fix_of(code, _written(code, node, OF_ARRAYS[name], given, ()), True)
    if not isinstance(call, cst.Call) or call.func is not node:
        return None
    return _fix_of(code, _written(code, call, OF_ARRAYS[name], given, call.args), True)


def _written(
    code: Code,
    node: cst.BaseExpression,
    template: str,
    given: Mapping[str, cst.Arg],
    rest: Sequence[cst.Arg],
) -> Written | None:
    """A node replaced by what a template says, with the arguments in their places."""
    imports: list[Edit] = []
    for name in dict.fromkeys(_NAME.findall(template)):
        found = code.name(name, node)
        if found is None:
            return None
        template = re.sub(rf"(?<![\w.]){re.escape(name)}(?![\w.])", found[0], template)
        imports += found[1]
    text = ""
    end = 0
    for match in PLACE.finditer(template):
        text, end = text + template[end : match.start()], match.end()
        name, _, otherwise = (match[1] or "").partition("=")
        if match[2]:
            text += ", ".join(map(code.text_of_argument, rest))
        elif name in given:
            value = given[name].value
            if match[0] == template:
                text += _alone(code, node, value)
            else:
                text += _in_brackets(code, value) if match.start() else code.operand(value)
        elif otherwise:
            text += otherwise
        else:
            return None
    text = re.sub(r"(?:, )+(?=[)\]])", "", text + template[end:]).replace("(, ", "(")
    if text.startswith("-") and isinstance(code.parent(node), _BINDS_TIGHTER):
        text = f"({text})"
    return text, [code.replace(node, text), *imports]


def _alone(code: Code, node: cst.BaseExpression, value: cst.BaseExpression) -> str:
    """An argument in place of the whole call."""
    text = code.argument(value)
    bare = isinstance(code.parent(node), _NEEDS_NO_PARENTHESES) and "\n" not in text
    return text if bare else code.operand(value)


def _in_brackets(code: Code, value: cst.BaseExpression) -> str:
    """An argument; of ``jax.ops.index[1:3]`` and ``jnp.s_[1:3]`` what is in the brackets."""
    if isinstance(value, cst.Subscript):
        if code.text(value.value).rpartition(".")[2] in ("index", "s_", "index_exp"):
            return code.brackets(value)[1:-1]
    return code.argument(value)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_TITLE else f"{text[: _LONGEST_TITLE - 3]}..."


# ----------------------------------------------------------------------------- imports


def _import_from(
    code: Code, statement: cst.ImportFrom, alias: cst.ImportAlias, gone: bool
) -> Fix | None:
    """``from old import name``: from where it is now, under the name that the file knows."""
    if statement.relative or statement.module is None:
        return None
    local = code.text(alias.asname.name) if alias.asname is not None else code.text(alias.name)
    name = f"{code.text(statement.module)}.{code.text(alias.name)}"
    new = successor(name, code)
    if not code.uses(alias, local) and (new is None or not _DOTTED.fullmatch(new.write)):
        return _unused(code, statement, alias, local, gone)
    if new is None:
        return _without_module(code, statement, alias, local, name)
    if not _DOTTED.fullmatch(new.write):
        uses_of_it = [_Use(use, name, new) for use in code.uses(alias, local)]
        return _each_use(code, statement, alias, local, uses_of_it)
    edits: list[Edit] = []
    uses = code.uses(alias, local)
    for use in uses:
        adapting = _in_use(code, use, new)
        if adapting is None:
            return None
        edits += adapting
    safe = all(_is_the_same(code, use, new) for use in uses)
    text = _import_of(new.write, local)
    instead = _instead(code, statement, alias, text)
    return code.fix(f"Write `{text}`", *instead, *edits, safe=safe) if instead else None


def _each_use(
    code: Code,
    statement: cst.Import | cst.ImportFrom,
    alias: cst.ImportAlias,
    local: str,
    uses: Sequence[_Use],
) -> Fix | None:
    """What does the same in place of each use of an import, which then need not be there.

    A use inside of another one, or one that wants another import, waits for the next pass.
    """
    edits: list[Edit] = []
    titles: list[str] = []
    for use in uses:
        written = _mended_use(code, use)
        both = list(dict.fromkeys([*edits, *written[1]])) if written is not None else []
        if written is not None and not overlapping(both):
            edits, titles = both, [*titles, written[0]]
    if not titles:
        return None
    if len(titles) == len(uses) and not code.is_exported(alias, local):
        taken = _taken_out(code, statement, alias)
        edits += [taken] if taken is not None and not overlapping([*edits, taken]) else []
    safe = all(_is_the_same(code, use.node, use.new) for use in uses)
    return code.fix(f"Write `{_short(titles[0])}`", *edits, safe=safe)


def _mended_use(code: Code, use: _Use) -> Written | None:
    if _DOTTED.fullmatch(use.new.write):
        return _renamed(code, use.node, use.new)
    return _expression(code, use.node, use.name, use.new)


def _without_module(
    code: Code,
    statement: cst.Import | cst.ImportFrom,
    alias: cst.ImportAlias,
    local: str,
    module: str,
) -> Fix | None:
    """A module that went, each of whose names that are used is somewhere else now.

    All uses are mended with the import, also those that hang on a test of the release.
    """
    uses: list[_Use] = []
    for use in code.uses(alias, local):
        node = code.parent(use)
        if not isinstance(node, cst.Attribute) or node.value is not use:
            return None
        name = f"{module}.{node.attr.value}"
        new = successor(name, code)
        if new is None:
            return None
        uses.append(_Use(node, name, new))
    return _each_use(code, statement, alias, local, uses)


def _import_of(name: str, local: str) -> str:
    module, _, short = name.rpartition(".")
    named = short if short == local else f"{short} as {local}"
    return f"from {module} import {named}" if module else f"import {named}"


def _instead(
    code: Code, statement: cst.ImportFrom, alias: cst.ImportAlias, new: str
) -> list[Edit] | None:
    """Another import in place of one name of a statement."""
    assert not isinstance(statement.names, cst.ImportStar)
    if len(statement.names) == 1:
        return [code.replace(statement, new)]
    if not code.stands_alone(statement):
        return None
    taken = code.without_item(statement.names, alias)
    return None if taken is None else [code.insert_before(statement, new), taken]


def _unused(
    code: Code, statement: cst.ImportFrom, alias: cst.ImportAlias, local: str, gone: bool
) -> Fix | None:
    """An import that nothing uses any more goes: what used it has been mended."""
    if code.is_exported(alias, local):
        return None
    edit = _taken_out(code, statement, alias)
    return code.fix(f"Delete the import of `{local}`", edit, safe=gone)


def _taken_out(
    code: Code, statement: cst.Import | cst.ImportFrom, alias: cst.ImportAlias
) -> Edit | None:
    """A statement without one of the names that it imports; None when a comment would go too."""
    assert not isinstance(statement.names, cst.ImportStar)
    if len(statement.names) == 1:
        return code.delete(statement)
    return code.without_item(statement.names, alias)


def _import_module(
    code: Code, statement: cst.Import, alias: cst.ImportAlias, gone: bool
) -> Fix | None:
    """``import old.module as m``, or ``import old.module``, which makes ``jax`` known too."""
    module = code.text(alias.name)
    if alias.asname is None:
        return _import_of_package(code, statement, alias, module, gone)
    if not isinstance(alias.asname.name, cst.Name):
        return None
    if module in NO_MODULES:
        text = _import_of(module, alias.asname.name.value)
        alone = len(statement.names) == 1
        return (
            code.fix(f"Write `{text}`", code.replace(statement, text), safe=True) if alone else None
        )
    new = successor(module, code)
    if new is None:
        local = alias.asname.name.value
        return _without_module(code, statement, alias, local, module)
    if not _DOTTED.fullmatch(new.write):
        return None
    title = f"Write `import {new.write}`"
    return code.fix(title, code.replace(alias.name, new.write), safe=not new.person)


def _import_of_package(
    code: Code, statement: cst.Import, alias: cst.ImportAlias, module: str, gone: bool
) -> Fix | None:
    """``import jax.old`` where nothing uses that module: what is left of it is ``import jax``."""
    package = module.partition(".")[0]
    used = {_dotted_above(code, use) for use in code.uses(alias, package)}
    if module not in NO_MODULES and any(f"{each}.".startswith(f"{module}.") for each in used):
        return None
    safe = gone or module in NO_MODULES
    known = code.name(package, alias)
    if known == (package, []):
        edit = _taken_out(code, statement, alias)
        return code.fix(f"Delete the import of `{module}`", edit, safe=safe)
    return code.fix(f"Write `import {package}`", code.replace(alias.name, package), safe=safe)


def _dotted_above(code: Code, node: cst.CSTNode) -> str:
    """The longest dotted name that begins with a name."""
    parent = code.parent(node)
    while isinstance(parent, cst.Attribute) and parent.value is node:
        node, parent = parent, code.parent(parent)
    return code.text(node)
