"""The fix of JXL001: codes that silence nothing leave their comment, and it the line."""

from __future__ import annotations

import pytest

from jaxlint.config import Options
from jaxlint.workspace.fixing import fix_bytes

UNUSED = Options(unused_noqa=True)


def after(text: str, options: Options = UNUSED) -> str:
    return fix_bytes("a.py", text.encode(), options).after.decode()


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("x = 1  # noqa: JXL101", "x = 1"),
        ("x = 1 # noqa: JXL101   ", "x = 1"),
        ("x = 1\t# noqa: JXL101\t", "x = 1"),
        ("x = 1  # NoQA:JXL101,JXL102", "x = 1"),
        ("# noqa: JXL101", ""),
        ("    # noqa: JXL101", ""),
        # Codes of others stay, in their order.
        ("x = 1  # noqa: JXL101, E501", "x = 1  # noqa: E501"),
        ("x = 1  # noqa: E501,JXL101,W291", "x = 1  # noqa: E501, W291"),
        ("x = 1  # noqa: E501 JXL101", "x = 1  # noqa: E501"),
        ("x = 1  # noqa: JXL101, E501, JXL102  ", "x = 1  # noqa: E501  "),
        # What else a comment says stays.
        ("x = 1  # type: ignore # noqa: JXL101", "x = 1  # type: ignore"),
        ("x = 1  # noqa: JXL101 # type: ignore", "x = 1  # type: ignore"),
        ("x = 1  # noqa: JXL101, E501 # why", "x = 1  # noqa: E501 # why"),
        ("x = 1  # noqa: JXL101 + 2", "x = 1  # + 2"),
        ("x = 1  # noqa: JXL101 - it is so", "x = 1  # - it is so"),
        ("x = 1  # see there # noqa: JXL101", "x = 1  # see there"),
        # No code of this tool's is unused here.
        ("x = 1  # noqa: E501", "x = 1  # noqa: E501"),
        ("x = 1  # noqa", "x = 1  # noqa"),
    ],
)
def test_codes_that_silence_nothing(line: str, wanted: str) -> None:
    text = f"import jax\n{line}\ny = 2  # noqa: ABC123\n"
    assert after(text) == text.replace(line, wanted, 1)


def test_a_code_that_silences_something_stays() -> None:
    text = (
        "import jax\n\n\n@jax.jit\ndef f(x):\n"
        "    if x > 0:  # noqa: JXL102, JXL101, E501\n        return x\n    return -x\n"
    )
    assert after(text) == text.replace("JXL102, ", "")


def test_what_is_not_asked_for_stays() -> None:
    text = "import jax\nx = 1  # noqa: JXL101\n"
    assert after(text, Options()) == text
    assert after(text, Options(unused_noqa=True, unfixable=("JXL001",))) == text


@pytest.mark.parametrize("end", ["", "\r\n", "\n\n"])
def test_the_last_line(end: str) -> None:
    assert after(f"import jax\r\nx = 1  # noqa: JXL101{end}") == f"import jax\r\nx = 1{end}"


def test_a_comment_inside_of_a_statement() -> None:
    text = "import jax\nx = max(\n    1,  # noqa: JXL101\n    2,\n)  # noqa: JXL101\n"
    assert after(text) == "import jax\nx = max(\n    1,\n    2,\n)\n"
