"""Members of enumerations: made when the class is, and found again by their values."""

from __future__ import annotations

from jaxlint.knowledge import class_api
from jaxlint.tracer.callables import function_under
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.values.members import Member, TextMember
from jaxlint.tracer.values.objects import Class, Function, Qualified
from jaxlint.tracer.values.value import Const, Host, Value


def make_members(cls: Class) -> None:
    """Members of an enumeration: constants, or what its ``__new__`` makes of what is assigned.

    A value that is assigned again is another name of the same member.
    """
    types = enumerates(cls)
    if not types:
        return
    known: list[tuple[object, Const]] = []
    for name, value in cls.attributes.items():
        if name.startswith("_") or function_under(value) is not None:
            continue
        if isinstance(cls.find("__new__"), Function):
            cls.attributes[name] = Host(types[0])
        elif isinstance(value, Const):
            same = (each for content, each in known if content == value.value)
            found = next(same, None) or _as_member(cls, name, value)
            cls.attributes[name] = found
            if isinstance(found, Const):
                known.append((value.value, found))


def _as_member(cls: Class, name: str, value: Const) -> Value:
    """A constant, where Python alone says what it is equal to and whether it is true."""
    bases = [base for each in (cls, *cls.above) for base in each.bases]
    outside = [base for base in bases if base not in cls.above]
    mixed = {base.name if isinstance(base, Qualified) else "" for base in outside}
    if any(cls.find(method) is not None for method in class_api.SAYS_EQUAL):
        return Host("object")
    if not mixed <= {"enum.Enum"} | class_api.TEXT_ENUM_BASES:
        return value
    if not mixed & class_api.TEXT_ENUM_BASES:
        return Const(Member(cls, name, value.value))
    return Const(TextMember(cls, name, value.value)) if isinstance(value.value, str) else value


def member(cls: Class, arguments: Arguments) -> Value | None:
    """What a call of an enumeration gives: the member that has this value, or is it."""
    given = arguments.args[0] if len(arguments.all()) == 1 and arguments.args else None
    if not isinstance(given, Const):
        return None
    for value in cls.attributes.values():
        found = value.value if isinstance(value, Const) else None
        if isinstance(found, Member) and given.value in (found, found.content):
            return value
    return None


def enumerates(cls: Class) -> list[str]:
    """What the members of an enumeration are, by the classes of Python that it derives from."""
    bases = [base for each in (cls, *cls.above) for base in each.bases]
    named = [base.name for base in bases if isinstance(base, Qualified)]
    return [class_api.ENUMS[name] for name in named if name in class_api.ENUMS]
