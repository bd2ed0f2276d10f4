"""Mends what went from JAX: by the name that does the same, or by the expression that does.

An import keeps the name that it binds, so that what uses it stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import libcst as cst

from jaxlint.edits import Edit, Fix
from jaxlint.events import RemovedApi
from jaxlint.fixes.arguments import mended_argument
from jaxlint.fixes.calls import adapted, by_parameter, is_plain, with_keywords
from jaxlint.fixes.code import Code
from jaxlint.knowledge.replacements import MOVED, RENAMED
from jaxlint.knowledge.rewriting import (
    NO_METHODS,
    OF_ARRAYS,
    Replacement,
    last_signature,
    places_of,
    replacements_of,
    works_from,
)

_PLACE = re.compile(r"\{([^{}]+)\}|(\.\.\.)")
_NAME = re.compile(r"(?<![\w.{'])(?:jax|functools|math|numpy)(?:\.\w+)*(?![\w=}])")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")
_BINDS_TIGHTER = (cst.UnaryOperation, cst.BinaryOperation, cst.Attribute, cst.Subscript)
_LONGEST_TITLE = 60


def mended(event: RemovedApi, code: Code) -> Fix | None:
    """The fix for a name, an argument or a call that went; None when a person has to decide."""
    node = code.node(event.site)
    if event.keyword:
        return mended_argument(event, code)
    if event.how:
        edits = with_keywords(code, node, event.name) if isinstance(node, cst.Call) else None
        return code.fix("Pass them by keyword", *edits, safe=True) if edits else None
    if isinstance(node, cst.ImportAlias):
        statement = code.parent(node)
        if isinstance(statement, cst.ImportFrom):
            return _import_from(code, statement, node)
        return _import_module(code, node)
    if not isinstance(node, (cst.Name, cst.Attribute)):
        return None
    if event.name.startswith("."):
        return _of_array(code, node, event.name[1:])
    return _name(code, node, event.name)


def successor(name: str, code: Code) -> Replacement | None:
    """What does the same on every release that the project allows; None when nothing does."""
    for each in replacements_of(name):
        since = works_from(each) if each.write else "never"
        if since != "never" and not (since and code.releases.allow_before(since)):
            return each
    return None


# ------------------------------------------------------------------------ names in place


def _name(code: Code, node: cst.BaseExpression, name: str) -> Fix | None:
    new = successor(name, code)
    if new is None or (_is_moved(name) and code.is_imported(node, name)):
        return None
    safe = _is_the_same(code, node, new)
    if new.of_the_call:
        return _call(code, node, name, new, safe)
    if not _DOTTED.fullmatch(new.write):
        return _written(code, node, new.write, {}, (), safe)
    found = code.name(new.write, node)
    uses = _in_use(code, node, new)
    if found is None or uses is None:
        return None
    text, imports = found
    return code.fix(f"Write `{text}`", code.replace(node, text), *imports, *uses, safe=safe)


def _is_moved(name: str) -> bool:
    """Whether the module of a name went as a whole: an import of that module is mended instead."""
    return name not in RENAMED and name.rpartition(".")[0] in MOVED


def _is_the_same(code: Code, node: cst.CSTNode, new: Replacement) -> bool:
    """Whether a use of a name means the same with the new one, so that nobody need look."""
    if not new.person or code.enclosing(node, cst.Annotation) is not None:
        return True
    call = code.parent(node)
    if not new.about or isinstance(call, cst.Decorator):
        return bool(new.about)
    if not isinstance(call, cst.Call) or call.func is not node or len(call.args) == 0:
        return False
    others = [each.keyword.value if each.keyword is not None else "" for each in call.args[1:]]
    return all(name and name not in new.about for name in others)


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
    return [] if is_plain(new) else None


def _call(
    code: Code, node: cst.BaseExpression, name: str, new: Replacement, safe: bool
) -> Fix | None:
    """An expression in place of a whole call."""
    call = code.parent(node)
    if not isinstance(call, cst.Call) or call.func is not node:
        return None
    if new.is_statement and not isinstance(code.parent(call), cst.Expr):
        return None
    signature = last_signature(name)
    given = by_parameter(call.args, places_of(signature) if signature is not None else [])
    if given is None:
        return None
    places = [place.split("=")[0] for place, _ in _PLACE.findall(new.write)]
    rest = [each for key, each in given.items() if key not in places]
    if rest and "..." not in new.write:
        return None
    return _written(code, call, new.write, given, rest, safe)


def _of_array(code: Code, node: cst.BaseExpression, name: str) -> Fix | None:
    """An attribute that arrays no longer have, or a call of one."""
    if not isinstance(node, cst.Attribute) or name not in OF_ARRAYS:
        return None
    given = {"self": cst.Arg(node.value)}
    call = code.parent(node)
    if name in NO_METHODS:
        if isinstance(call, cst.Attribute):
            return None  # What is asked of it then an array may not have.
        return _written(code, node, OF_ARRAYS[name], given, (), True)
    if not isinstance(call, cst.Call) or call.func is not node:
        return None
    return _written(code, call, OF_ARRAYS[name], given, call.args, True)


def _written(
    code: Code,
    node: cst.BaseExpression,
    template: str,
    given: Mapping[str, cst.Arg],
    rest: Sequence[cst.Arg],
    safe: bool,
) -> Fix | None:
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
    for match in _PLACE.finditer(template):
        text, end = text + template[end : match.start()], match.end()
        name, _, otherwise = (match[1] or "").partition("=")
        if match[2]:
            text += ", ".join(map(code.text_of_argument, rest))
        elif name in given:
            alone = match.start() == 0
            value = given[name].value
            text += code.operand(value) if alone else _in_brackets(code, value)
        elif otherwise:
            text += otherwise
        else:
            return None
    text = re.sub(r"(?:, )+(?=[)\]])", "", text + template[end:]).replace("(, ", "(")
    if text.startswith("-") and isinstance(code.parent(node), _BINDS_TIGHTER):
        text = f"({text})"
    return code.fix(f"Write `{_short(text)}`", code.replace(node, text), *imports, safe=safe)


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


def _import_from(code: Code, statement: cst.ImportFrom, alias: cst.ImportAlias) -> Fix | None:
    """``from old import name``: from where it is now, under the name that the file knows."""
    if statement.relative or statement.module is None:
        return None
    local = code.text(alias.asname.name) if alias.asname is not None else code.text(alias.name)
    name = f"{code.text(statement.module)}.{code.text(alias.name)}"
    new = successor(name, code)
    if new is None or not _DOTTED.fullmatch(new.write):
        return _unused(code, statement, alias, local)
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
    code: Code, statement: cst.ImportFrom, alias: cst.ImportAlias, local: str
) -> Fix | None:
    """An import that nothing uses any more goes: what used it has been mended."""
    assert not isinstance(statement.names, cst.ImportStar)
    if code.uses(alias, local) or code.is_exported(alias, local):
        return None
    if len(statement.names) == 1:
        edit = code.delete(statement)
    else:
        edit = code.without_item(statement.names, alias)
    return code.fix(f"Delete the import of `{local}`", edit, safe=False)


def _import_module(code: Code, alias: cst.ImportAlias) -> Fix | None:
    """``import old.module as m``."""
    if alias.asname is None or not isinstance(alias.asname.name, cst.Name):
        return None
    new = successor(code.text(alias.name), code)
    if new is None or not _DOTTED.fullmatch(new.write):
        return None
    title = f"Write `import {new.write}`"
    return code.fix(title, code.replace(alias.name, new.write), safe=not new.person)
