"""Traces and compilations: of what, from where, how long, and why not from the cache."""

from __future__ import annotations

import functools
import sys
import weakref
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from .journal import Journal
from .stack import Stack

TRACE = "/jax/core/compile/jaxpr_trace_duration"
COMPILATION = {
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lowering",
    "/jax/core/compile/backend_compile_duration": "compilation",
}
_SIGNATURES = 20
_MOST_WRAPPED = 10_000
_LEAVES = 2000
_MOST_SHOWN = 50
_LONGEST = 60
_WORDS = ("shape", "dtype", "weak type", "static value")


@dataclass
class Signature:
    """The arguments of one call, as JAX's cache sees them.

    Attributes:
        leaves: path of a leaf -> (shape, dtype, weak type).
        statics: parameter -> short text of a static argument.
        plain: those of them whose text is the same in every process.
        tree: the structure of the dynamic arguments.
    """

    leaves: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    statics: dict[str, str] = field(default_factory=dict)
    plain: dict[str, str] = field(default_factory=dict)
    tree: str = ""

    def in_short(self) -> list[tuple[str, str]]:
        """(argument, what it is) of the first leaves."""
        leaves = [(path, f"{leaf[1]}{leaf[0]}") for path, leaf in self.leaves.items()]
        return [*self.plain.items(), *leaves][:_MOST_SHOWN]

    def differences(self, other: Signature) -> list[tuple[str, str]]:
        """(kind, text) of all that differs from an earlier call."""
        found = []
        for name in sorted({*self.statics, *other.statics}):
            now, was = self.statics.get(name), other.statics.get(name)
            if now != was:
                found.append(("static value", _static_difference(name, now, was)))
        if self.tree != other.tree:
            text = f"the arguments are {_cut(self.tree.strip())}, were {_cut(other.tree.strip())}"
            found.append(("tree structure", text))
            return found
        for path, leaf in self.leaves.items():
            before = other.leaves.get(path, leaf)
            for word, now, was in zip(_WORDS, leaf, before, strict=False):
                if now != was:
                    found.append((word, f"{path} is {now}, was {was}"))
        return found


def _static_difference(name: str, now: str | None, was: str | None) -> str:
    if was is None:
        return f"{name} is {now}, and was not passed before"
    if now is None:
        return f"{name} is not passed, and was {was} before"
    return f"{name} is {now}, was {was}"


@dataclass
class _Function:
    """A function object that has been traced."""

    alive: Any
    signatures: list[Signature] = field(default_factory=list)


class Traces:
    """Listens to JAX and writes down each trace and compilation of the outermost functions.

    Args:
        tells_arguments: whether to write of each trace what it was given: processes that compute
            together must be given the same.
    """

    def __init__(
        self, journal: Journal, stack: Stack, is_clean: Any, tells_arguments: bool = False
    ) -> None:
        self._tells_arguments = tells_arguments
        self.on_work: Any = lambda: None
        """Called at each trace and compilation."""
        self._journal = journal
        self._stack = stack
        self._is_clean = is_clean
        self._known: dict[tuple[str, int, str], list[_Function]] = {}
        self._made: dict[int, tuple[Any, list[int]]] = {}

    def listen(self, event: str, duration: float, **extra: Any) -> None:
        """For ``jax.monitoring.register_event_duration_secs_listener``."""
        try:
            self.on_work()
            if event == TRACE:
                # Newer releases report the outermost trace alone: its time holds all inside.
                if self._is_clean():
                    self._traced(duration, sys._getframe(1))
            elif event in COMPILATION:
                self._compiled(COMPILATION[event], duration, sys._getframe(1))
        except Exception as error:
            self._journal.trouble(error)

    def wrapped(self, frame: FrameType) -> None:
        """``jax.jit`` has been called: remember by which line, and count it there."""
        fun = frame.f_locals.get("fun")
        if fun is None or not callable(fun):
            return
        line = self._stack.user_line(frame.f_back)
        if line is None:
            return
        place = [line.file, line.line, line.scope]
        before = self._made.get(id(fun))
        again = before is not None and before[0]() is fun
        self._made[id(fun)] = (_weak(fun), place)
        if len(self._made) > _MOST_WRAPPED:
            self._made = {key: value for key, value in self._made.items() if value[0]() is not None}
        self._journal.count("wrap", *place[:2], "again" if again else "new", _name(fun))

    def _traced(self, duration: float, frame: FrameType) -> None:
        call = _call_of(frame)
        if call is None:
            self._journal.count("elsewhere", "trace")
            return
        fun, info, args, kwargs = call
        signature = _signature(fun, info, args, kwargs)
        given = signature.in_short() if self._tells_arguments else []
        self._write("trace", fun, frame, duration, why=self._why(fun, signature), given=given)

    def _compiled(self, what: str, duration: float, frame: FrameType) -> None:
        call = _call_of(frame)
        if call is None:
            self._journal.count("elsewhere", what)
        else:
            self._write(what, call[0], frame, duration)

    def _write(self, what: str, fun: Any, frame: FrameType, duration: float, **more: Any) -> None:
        filename, line, name = _site(fun)
        lines = self._stack.user_lines(frame)
        number = self._stack.kind(filename)
        if not lines and number < 0:
            self._journal.count("elsewhere", what)
            return
        made = self._made.get(id(fun))
        self._journal.write(
            what,
            name=name,
            file=number,
            path=filename if number < 0 else "",
            line=line,
            made=made[1] if made is not None and made[0]() is fun else None,
            stack=[[entry.file, entry.line, entry.scope] for entry in lines],
            seconds=round(duration, 6),
            **more,
        )

    def _why(self, fun: Any, signature: Signature) -> list[tuple[str, str]]:
        """Why JAX's cache had no entry for this call."""
        functions = self._known.setdefault(_site(fun), [])
        for known in functions:
            if known.alive() is fun:
                before = known.signatures
                reasons = _nearest(signature, before) or [("context", "same arguments as before")]
                before.append(signature)
                del before[:-_SIGNATURES]
                return reasons
        first = not functions
        functions.append(_Function(_weak(fun), [signature]))
        del functions[:-_SIGNATURES]
        return [("first trace", "")] if first else [("new function object", "")]


def _nearest(signature: Signature, before: list[Signature]) -> list[tuple[str, str]]:
    """The fewest differences from any earlier call, a later one first."""
    all_differences = [signature.differences(old) for old in reversed(before)]
    return min(all_differences, key=len)[:4] if all_differences else []


def _weak(fun: Any) -> Any:
    try:
        return weakref.ref(fun)
    except TypeError:
        return lambda: fun


def _call_of(frame: FrameType | None) -> tuple[Any, Any, Any, Any] | None:
    """The call of a compiled function in JAX's own frames: function, options, arguments.

    The names have been the same in all releases since 0.4.30: ``fun`` (or
    ``jit_info.fun``), ``jit_info`` or ``ji``, ``args`` and ``kwargs``.
    """
    while frame is not None:
        code = frame.f_code
        if code.co_filename.endswith(_JIT_FILES) and _has_call(code):
            values = frame.f_locals
            info = values.get("jit_info", values.get("ji"))
            fun = values.get("fun", getattr(info, "fun", None))
            if callable(fun) and isinstance(values.get("args"), tuple):
                return fun, info, values["args"], values.get("kwargs", {})
        frame = frame.f_back
    return None


_JIT_FILES = ("pjit.py", "api.py")


@functools.lru_cache(maxsize=1000)
def _has_call(code: CodeType) -> bool:
    names = {*code.co_varnames, *code.co_freevars}
    return {"args", "kwargs"} <= names and bool({"jit_info", "ji"} & names)


def _signature(fun: Any, info: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Signature:
    from jax.tree_util import keystr, tree_flatten_with_path

    given = getattr(info, "static_argnums", None) or ()
    numbers = {number + len(args) if number < 0 else number for number in given}
    names = set(getattr(info, "static_argnames", None) or ())
    parameters = _parameters(fun)
    named = {
        parameters[i] if i < len(parameters) else f"argument {i}": (value, i in numbers)
        for i, value in enumerate(args)
    }
    named |= {name: (value, name in names) for name, value in kwargs.items()}
    signature = Signature()
    for name, (value, static) in named.items():
        if static:
            signature.statics[name] = _text(value)
            if value is None or isinstance(value, (bool, int, float, str)):
                signature.plain[name] = signature.statics[name]
            continue
        leaves, tree = tree_flatten_with_path(value)
        signature.tree += f"{name}: {tree if len(leaves) < _LEAVES else hash(tree)} "
        for path, leaf in leaves[:_LEAVES]:
            signature.leaves[name + keystr(path)] = _leaf(leaf)
    return signature


def _text(value: Any) -> str:
    """A static argument in short, without running code of the user's that JAX has not run."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return _cut(repr(value))
    if isinstance(value, tuple) and len(value) <= 8:
        return _cut(f"({', '.join(map(_text, value))})")
    if callable(value):
        return f"{_name(value)} at {id(value):#x}"
    try:
        return f"a {type(value).__name__} with hash {hash(value) & 0xFFFFFFFF:08x}"
    except TypeError:
        return f"a {type(value).__name__}"


def _leaf(value: Any) -> tuple[str, str, str]:
    shape = getattr(value, "shape", ())
    dtype = getattr(value, "dtype", None)
    weak = getattr(getattr(value, "aval", value), "weak_type", dtype is None)
    if dtype is None:
        dtype = _of_scalar(type(value))
    return str(tuple(shape)), str(dtype), "weak" if weak else "strong"


def _of_scalar(kind: type) -> str:
    """The type that JAX gives a Python number."""
    from jax.dtypes import canonicalize_dtype

    return str(canonicalize_dtype(kind)) if kind in (bool, int, float, complex) else kind.__name__


def _parameters(fun: Any) -> tuple[str, ...]:
    code = getattr(inner_function(fun), "__code__", None)
    if code is None or inner_function(fun) is not fun:
        return ()
    names: tuple[str, ...] = code.co_varnames[: code.co_argcount]
    return names


def inner_function(fun: Any) -> Any:
    """The function with code inside partials, bound methods, wrappers."""
    for _ in range(10):
        inner = getattr(fun, "func", None) if isinstance(fun, functools.partial) else None
        inner = inner or getattr(fun, "__wrapped__", None) or getattr(fun, "__func__", None)
        if inner is None:
            break
        fun = inner
    return fun


def _site(fun: Any) -> tuple[str, int, str]:
    """Where the function is defined."""
    inner = inner_function(fun)
    code = getattr(inner, "__code__", None)
    if code is None:
        return "", 0, _name(fun)
    return code.co_filename, code.co_firstlineno, _name(inner)


def _name(fun: Any) -> str:
    name = getattr(fun, "__qualname__", None) or getattr(fun, "__name__", None)
    return str(name or type(fun).__qualname__).replace("<locals>.", "")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
