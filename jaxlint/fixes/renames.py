"""Mends names that went: by the name that does the same, or by the expression that does.

An import keeps the name that it binds, so that what uses it stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import libcst as cst

from jaxlint.edits import Edit, Fix
from jaxlint.events import RemovedApi
from jaxlint.fixes.calls import adapted
from jaxlint.fixes.code import Code
from jaxlint.knowledge.history import came_in
from jaxlint.knowledge.successors import (
    ATTRIBUTES,
    CALLS,
    EXPRESSIONS,
    METHODS,
    Renaming,
    is_moved,
    is_there,
    last_signature,
    successor,
)

_BINDS_TIGHTER = (cst.UnaryOperation, cst.BinaryOperation, cst.Attribute, cst.Subscript)
_SLOT = re.compile(r"\{([^{}]*)\}")


def mended(event: RemovedApi, code: Code) -> Fix | None:
    """The fix for a name that went; None when a person has to decide."""
    node = code.node(event.site)
    if isinstance(node, cst.ImportAlias):
        statement = code.parent(node)
        if isinstance(statement, cst.ImportFrom):
            return _import_from(code, statement, node)
        return _import_module(code, node)
    if not isinstance(node, (cst.Name, cst.Attribute)):
        return None
    if event.name.startswith("."):
        return _attribute(code, node, event.name[1:])
    if event.name in CALLS or event.name in EXPRESSIONS:
        return _expression(code, node, event.name)
    return _name(code, node, event.name)


# ------------------------------------------------------------------------ names in place


def _name(code: Code, node: cst.BaseExpression, name: str) -> Fix | None:
    renaming = successor(name, code.releases)
    if renaming is None or (is_moved(name) and code.is_imported(node, name)):
        return None
    found = code.name(renaming.new, node)
    uses = _in_use(code, node, renaming)
    if found is None or uses is None:
        return None
    text, imports = found
    return code.fix(f"Write `{text}`", code.replace(node, text), *imports, *uses, safe=True)


def _in_use(code: Code, node: cst.CSTNode, renaming: Renaming) -> list[Edit] | None:
    """Edits of the arguments that a function is used with; None when they do not fit."""
    parent = code.parent(node)
    if isinstance(parent, cst.Call) and parent.func is node:
        return adapted(code, parent.args, renaming)
    call = code.parent(parent) if isinstance(parent, cst.Arg) else None
    if isinstance(call, cst.Call) and call.args[0] is parent:
        if code.text(call.func).rpartition(".")[2] == "partial":
            return adapted(code, call.args[1:], renaming)
    if isinstance(parent, cst.Decorator):
        return []
    return [] if renaming.is_plain else None


def _expression(code: Code, node: cst.BaseExpression, name: str) -> Fix | None:
    if name in EXPRESSIONS:
        return _written(code, node, EXPRESSIONS[name], [])
    call = code.parent(node)
    if not isinstance(call, cst.Call) or call.func is not node:
        return None
    arguments = _by_position(call.args, name)
    return _written(code, call, CALLS[name], arguments) if arguments is not None else None


def _by_position(arguments: Sequence[cst.Arg], name: str) -> list[cst.Arg] | None:
    """Arguments in the order of a function's parameters; None when that is not certain."""
    signature = last_signature(name)
    names = [each.name for each in signature.parameters] if signature is not None else []
    places: dict[int, cst.Arg] = {}
    for place, argument in enumerate(arguments):
        if argument.star:
            return None
        if argument.keyword is not None:
            if argument.keyword.value not in names:
                return None
            place = names.index(argument.keyword.value)
        places[place] = argument
    wanted = len(set(_slots(CALLS[name])))
    return (
        [places[place] for place in range(wanted)] if sorted(places) == [*range(wanted)] else None
    )


def _slots(template: str) -> Iterator[int]:
    return (int(slot) for slot in _SLOT.findall(template) if slot.isdigit())


def _attribute(code: Code, node: cst.BaseExpression, name: str) -> Fix | None:
    """An attribute that arrays no longer have, or a call of one."""
    if not isinstance(node, cst.Attribute):
        return None
    array = cst.Arg(node.value)
    if name in ATTRIBUTES:
        if isinstance(code.parent(node), cst.Attribute):
            return None  # What is asked of it then an array may not have.
        return _written(code, node, ATTRIBUTES[name], [array])
    call = code.parent(node)
    if name not in METHODS or not isinstance(call, cst.Call) or call.func is not node:
        return None
    return _written(code, call, METHODS[name], [array], call.args)


def _written(
    code: Code,
    node: cst.BaseExpression,
    template: str,
    arguments: list[cst.Arg],
    rest: Sequence[cst.Arg] = (),
) -> Fix | None:
    """A node replaced by a template's text."""
    imports: list[Edit] = []
    parts: list[str] = []
    for count, part in enumerate(_SLOT.split(template)):
        if count % 2 == 0:
            parts.append(part)
        elif part == "...":
            parts.append(", ".join(code.text_of_argument(each) for each in rest))
        elif part.isdigit():
            value = arguments[int(part)].value
            alone = template.startswith("{0}") and part == "0"
            parts.append(code.operand(value) if alone else _in_brackets(code, value))
        else:
            found = code.name(part, node)
            if found is None or not is_there(part, code.releases):
                return None
            parts.append(found[0])
            imports += found[1]
    text = "".join(parts).replace(", )", ")")
    if text.startswith("-") and isinstance(code.parent(node), _BINDS_TIGHTER):
        text = f"({text})"
    return code.fix(f"Write `{_short(text)}`", code.replace(node, text), *imports, safe=True)


def _in_brackets(code: Code, value: cst.BaseExpression) -> str:
    """An argument; of ``jax.ops.index[1:3]`` and ``jnp.s_[1:3]`` what is in the brackets."""
    if isinstance(value, cst.Subscript):
        if code.text(value.value).rpartition(".")[2] in ("index", "s_", "index_exp"):
            return code.brackets(value)[1:-1]
    return code.argument(value)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."


# ----------------------------------------------------------------------------- imports


def _import_from(code: Code, statement: cst.ImportFrom, alias: cst.ImportAlias) -> Fix | None:
    """``from old import name``: from where it is now, under the name that the file knows."""
    if (
        statement.relative
        or statement.module is None
        or isinstance(statement.names, cst.ImportStar)
    ):
        return None
    module = code.text(statement.module)
    renaming = successor(f"{module}.{code.text(alias.name)}", code.releases)
    local = code.text(alias.asname.name) if alias.asname is not None else code.text(alias.name)
    if renaming is None:
        return _unused(code, statement, alias)
    uses: list[Edit] = []
    for use in code.uses(alias, local):
        edits = _in_use(code, use, renaming)
        if edits is None:
            return None
        uses += edits
    new = _import_of(renaming.new, local)
    edits = _instead(code, statement, alias, new)
    return code.fix(f"Write `{new}`", *edits, *uses, safe=True) if edits is not None else None


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


def _unused(code: Code, statement: cst.ImportFrom, alias: cst.ImportAlias) -> Fix | None:
    """An import that nothing uses any more goes: what used it has been mended."""
    local = code.text(alias.asname.name) if alias.asname is not None else code.text(alias.name)
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
    renaming = successor(code.text(alias.name), code.releases)
    statement = code.parent(alias)
    if renaming is None or not isinstance(statement, cst.Import):
        return None
    if came_in(renaming.new) and code.releases.allow_before(came_in(renaming.new)):
        return None
    return code.fix(
        f"Write `import {renaming.new}`", code.replace(alias.name, renaming.new), safe=True
    )
