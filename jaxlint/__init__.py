"""jaxlint: finds JAX mistakes before JAX does, and proves them.

The one function behind every door (flake8, command line, editors) is
:func:`check_source`::

    >>> import jaxlint
    >>> jaxlint.check_source("print('no jax here')")
    []

Importing this package is cheap: libcst and the abstract tracer load with the
first file that needs them, and jax is never imported outside confirm mode.
"""

# Nothing is imported here, not even of the standard library: ``python -m jaxlint`` runs this
# with the current folder first on the search path, and nothing of that folder may run.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from jaxlint.config import Options
    from jaxlint.findings import Finding

__version__ = "0.1.0"

__all__ = ["Options", "__version__", "check_source"]


def __getattr__(name: str) -> object:
    if name == "Options":
        from jaxlint.config import Options

        return Options
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def check_source(
    text: str, filename: str = "<string>", options: "Options | None" = None
) -> "list[Finding]":
    """Lint one Python file, or notebook, given as text.

    Args:
        text: the whole file. A leading byte order mark is ignored.
        filename: used in findings and to recognise test files and notebooks (``.ipynb``).
        options: which rules speak and how; the defaults when None.

    Returns:
        Findings sorted by position. ``# noqa`` comments have been applied.

    Raises:
        jaxlint.source.SourceError: the text is not Python.
    """
    from jaxlint.check import check
    from jaxlint.config import Options
    from jaxlint.source import source_from

    return check(source_from(text, filename), options or Options())
