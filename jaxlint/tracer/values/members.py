"""Members of enumerations, as constants: each is equal to itself, and some to their texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxlint.tracer.values.objects import Class


class Member:
    """A member of an ``enum.Enum``.

    Attributes:
        owner: its class.
        name: its own.
        content: what the class body assigns, its ``value``.
    """

    def __init__(self, owner: Class, name: str, content: object) -> None:
        self.owner, self.name, self.content = owner, name, content

    def __repr__(self) -> str:
        return f"{self.owner.name}.{self.name}"


class TextMember(str, Member):
    """A member of an enumeration that derives from ``str``, too."""

    def __new__(cls, owner: Class, name: str, content: str) -> TextMember:
        return super().__new__(cls, content)

    __repr__ = Member.__repr__
