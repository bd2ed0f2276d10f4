"""Members of enumerations, as constants: each is equal to itself, and some to their texts."""

from __future__ import annotations


class Member:
    """A member of an ``enum.Enum``.

    Attributes:
        owner: the name of its class.
        name: its own.
        content: what the class body assigns, its ``value``.
    """

    def __init__(self, owner: str, name: str, content: object) -> None:
        self.owner, self.name, self.content = owner, name, content

    def __repr__(self) -> str:
        return f"{self.owner}.{self.name}"


class TextMember(str, Member):
    """A member of an enumeration that derives from ``str``, too."""

    def __new__(cls, owner: str, name: str, content: str) -> TextMember:
        return super().__new__(cls, content)

    __repr__ = Member.__repr__
