"""``print`` and logging in traced code, written so that they run with the values at each call."""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst

from jaxlint.edits import Fix
from jaxlint.fixes.code import Code

_DIRECTIVE = re.compile(r"%(%|(?P<width>\d*)(?P<precision>\.\d+)?(?P<kind>[sdifgeEGr]))|%")
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_HARMLESS_OPTIONS = {"flush"}


class Unclear(Exception):
    """What is written cannot be said as a format string."""


class _Text:
    """A format string in the making.

    Args:
        traced: what has a value only when the program runs.
        plain: what Python can put into the text before.
        code: the file.

    Attributes:
        values: what it formats when the program runs.
    """

    def __init__(
        self, traced: Sequence[cst.CSTNode], plain: Sequence[cst.CSTNode], code: Code
    ) -> None:
        self.values: list[str] = []
        self._traced = frozenset(map(id, traced))
        self._plain = frozenset(map(id, plain))
        self._code = code
        self._pieces: list[tuple[bool, str]] = []

    def literal(self) -> str:
        """The format string; what is known before is put in by Python, through an f-string."""
        by_python = any(known for known, _ in self._pieces)
        written = "".join(text for known, text in self._pieces if not known)
        quote = "'" if '"' in written and "'" not in written and not by_python else '"'
        escapes = {**_ESCAPES, quote: f"\\{quote}"}
        if by_python:
            escapes |= {"{": "{{", "}": "}}"}
        parts = [
            text if known else "".join(escapes.get(character, character) for character in text)
            for known, text in self._pieces
        ]
        return f"{'f' if by_python else ''}{quote}{''.join(parts)}{quote}"

    def add(self, node: cst.BaseExpression) -> None:
        """What ``print`` shows of an argument."""
        match node:
            case cst.SimpleString() | cst.ConcatenatedString() | cst.FormattedString():
                self._add_string(node)
            case cst.BinaryOperation(operator=cst.Modulo(), left=cst.SimpleString() as text):
                self._add_percent(_value(text), node.right)
            case cst.Integer(value=text) | cst.Float(value=text):
                self._add_constant(text)
            case cst.Name(value="None" | "True" | "False" as text):
                self._add_constant(text)
            case _:
                self._add_value(node, "")

    def space(self, separator: str) -> None:
        """What stands between two arguments."""
        self._add_constant(separator)

    def _add_string(self, node: cst.BaseExpression) -> None:
        if isinstance(node, cst.SimpleString):
            self._add_constant(_value(node))
        elif isinstance(node, cst.ConcatenatedString):
            self._add_string(node.left)
            self._add_string(node.right)
        elif isinstance(node, cst.FormattedString):
            if "r" in node.start.lower():
                raise Unclear
            for part in node.parts:
                if isinstance(part, cst.FormattedStringText):
                    self._add_constant(_text_of(part, node))
                elif isinstance(part, cst.FormattedStringExpression):
                    self._add_expression(part)

    def _add_expression(self, part: cst.FormattedStringExpression) -> None:
        """``{value!r:.3f}``; ``{value=}`` shows its own text."""
        how = f"!{part.conversion}" if part.conversion else ""
        for each in part.format_spec or ():
            if not isinstance(each, cst.FormattedStringText):
                raise Unclear
            how += f":{each.value}"
        if part.equal is not None:
            before, after = part.equal.whitespace_before, part.equal.whitespace_after
            if not isinstance(before, cst.SimpleWhitespace):
                raise Unclear
            if not isinstance(after, cst.SimpleWhitespace):
                raise Unclear
            sign = f"{before.value}={after.value}"
            self._add_constant(f"{self._code.text(part.expression)}{sign}")
        self._add_value(part.expression, how)

    def _add_percent(self, text: str, given: cst.BaseExpression) -> None:
        """``"%.3f" % value``."""
        values = [given]
        if isinstance(given, cst.Tuple):
            values = [each.value for each in given.elements]
        position, end = 0, 0
        for found in _DIRECTIVE.finditer(text):
            self._add_constant(text[end : found.start()])
            end = found.end()
            if found[1] == "%":
                self._add_constant("%")
                continue
            if found[1] is None or position >= len(values):
                raise Unclear
            self._add_value(values[position], _spec(found))
            position += 1
        self._add_constant(text[end:])
        if position < len(values):
            raise Unclear

    def _add_value(self, node: cst.BaseExpression, how: str) -> None:
        text = self._code.text(node)
        if id(node) in self._traced:
            self._pieces.append((False, f"{{{how}}}"))
            self.values.append(text)
            return
        if id(node) not in self._plain or any(character in text for character in '"\\\n{}'):
            raise Unclear
        self._pieces.append((True, f"{{{text}{how}}}"))

    def _add_constant(self, text: str) -> None:
        if not text.replace("\n", "").replace("\t", "").replace("\r", "").isprintable():
            raise Unclear
        if not self.values and ("{" in text or "}" in text):
            raise Unclear  # Before the first value, releases differ in what `{{` shows.
        self._pieces.append((False, text.replace("{", "{{").replace("}", "}}")))


def as_debug_print(
    call: cst.Call,
    traced: Sequence[cst.CSTNode],
    plain: Sequence[cst.CSTNode],
    code: Code,
    safe: bool,
) -> Fix | None:
    """``print("x =", x)`` as ``jax.debug.print("x = {}", x)``."""
    function = code.name("jax.debug.print", call)
    options = {each.keyword.value: each.value for each in call.args if each.keyword is not None}
    given = [each.value for each in call.args if each.keyword is None]
    separator = options.pop("sep", cst.SimpleString('" "'))
    if function is None or not given or options.keys() - _HARMLESS_OPTIONS:
        return None
    if not isinstance(separator, cst.SimpleString) or any(each.star for each in call.args):
        return None
    if code.has_comment(call):
        return None
    text = _Text(traced, plain, code)
    try:
        for position, each in enumerate(given):
            if position:
                text.space(_value(separator))
            text.add(each)
    except Unclear:
        return None
    new = ", ".join([text.literal(), *text.values])
    return code.fix(
        "Write `jax.debug.print(...)`",
        code.replace(call, f"{function[0]}({new})"),
        *function[1],
        safe=safe,
    )


def as_callback(call: cst.Call, traced: Sequence[cst.CSTNode], code: Code) -> Fix | None:
    """``log.info("loss %s", loss)`` as a ``jax.debug.callback`` that does it with the value."""
    function = code.name("jax.debug.callback", call)
    names = [each.value for each in traced if isinstance(each, cst.Name)]
    if function is None or len(names) < len(traced) or code.has_comment(call):
        return None
    names = list(dict.fromkeys(names))
    lambda_ = f"lambda {', '.join(names)}:" if names else "lambda:"
    new = ", ".join([f"{lambda_} {code.text(call)}", *names])
    return code.fix(
        "Do it in a `jax.debug.callback`",
        code.replace(call, f"{function[0]}({new})"),
        *function[1],
        safe=False,
    )


def _value(node: cst.SimpleString) -> str:
    value = node.evaluated_value
    if not isinstance(value, str):
        raise Unclear
    return value


def _text_of(part: cst.FormattedStringText, string: cst.FormattedString) -> str:
    """The text of a piece of an f-string, where nothing but braces and escapes is special."""
    quote = string.quote
    text = cst.SimpleString(f"{quote}{part.value}{quote}").evaluated_value
    assert isinstance(text, str)
    return text.replace("{{", "{").replace("}}", "}")


def _spec(found: re.Match[str]) -> str:
    """The format spec for a directive such as ``%5.2f``."""
    width, precision, kind = found["width"], found["precision"] or "", found["kind"]
    if kind in "sr":
        if width or precision:
            raise Unclear
        return "!r" if kind == "r" else ""
    if kind in "di":
        if precision:
            raise Unclear
        return f":{width}" if width else ""
    return f":{width}{precision}{kind}" if width or precision else f":{kind}"
