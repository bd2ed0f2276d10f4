"""Terminal colours, as far as a report needs them."""

from __future__ import annotations

_CODES = {
    "": "",
    "bold": "1",
    "blue": "34",
    "bold red": "1;31",
    "bold yellow": "1;33",
    "bold cyan": "1;36",
}


def paint(text: str, style: str, colours: bool) -> str:
    """Text in a style; as it is without colours."""
    code = _CODES[style]
    return f"\x1b[{code}m{text}\x1b[0m" if colours and code and text else text


def link(text: str, address: str) -> str:
    """Text that leads to an address, as terminals have it (OSC 8); as it is without one."""
    return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\" if address else text


def assemble(colours: bool, *parts: str | tuple[str, str]) -> str:
    """One text of several: plain ones, and pairs of text and style."""
    return "".join(
        part if isinstance(part, str) else paint(part[0], part[1], colours) for part in parts
    )
