"""The kinds of event by their permanent ids: all that confirm mode knows of ``jaxlint.events``.

The observer writes ids, because it runs where jaxlint is not installed; rules say by kind what
they judge. Here the two meet.
"""

from __future__ import annotations

from jaxlint.events import Kind
from jaxlint.rules.registry import all_rules
from jaxlint.rules.rule import Rule

KEY_REUSE = Kind.KEY_REUSE.value
WIDE_DTYPE = Kind.WIDE_DTYPE.value
REMOVED_API = Kind.REMOVED_API.value
INVALID_ARGUMENT = Kind.INVALID_ARGUMENT.value
INVALID_RECEIVER = Kind.INVALID_RECEIVER.value
DISCARDED_UPDATE = Kind.DISCARDED_UPDATE.value
LEAKED_USE = Kind.LEAKED_USE.value
DONATED_USE = Kind.DONATED_USE.value
CHANGING_STATIC = Kind.CHANGING_STATIC.value
STALE_READ = Kind.STALE_READ.value
HOST_OUTPUT = Kind.HOST_OUTPUT.value
UNHASHABLE_STATIC = Kind.UNHASHABLE_STATIC.value
RETRACE = Kind.RETRACE.value
SINGULAR_GRADIENT = Kind.SINGULAR_GRADIENT.value
LOST_STATE = Kind.LOST_STATE.value
STALE_OPTIMIZER = Kind.STALE_OPTIMIZER.value
LATE_SETTING = Kind.LATE_SETTING.value
FORK_AFTER_START = Kind.FORK_AFTER_START.value
KEPT_TRACER = Kind.KEPT_TRACER.value

NEED_TRACER = frozenset(
    {
        Kind.BOOL_CONVERSION.value, Kind.INDEX_CONVERSION.value, Kind.SCALAR_CONVERSION.value,
        Kind.ARRAY_CONVERSION.value, Kind.HASH_CONVERSION.value, Kind.TRACED_SIZE.value,
        Kind.CONCRETE_ATTRIBUTE.value,
        Kind.DATA_DEPENDENT_SHAPE.value, Kind.STATIC_ARGUMENT.value, Kind.SCALAR_ITERATION.value,
        LEAKED_USE,
    }
)  # fmt: skip
"""What cannot happen without a tracer among the values."""

NEED_ARRAY = frozenset({Kind.ITEM_ASSIGNMENT.value, DONATED_USE})
"""What cannot happen without a JAX array among the values."""

BAKED_IN = frozenset(
    {Kind.HOST_INPUT.value, Kind.OUTER_ITERATION.value, Kind.CONSTANT_KEY.value}
)  # fmt: skip
"""What happens whenever the line runs while JAX is tracing."""

RETRACE_CAUSES = frozenset(
    {Kind.FRESH_TRANSFORM.value, CHANGING_STATIC, Kind.CHANGING_SHAPE.value}
)  # fmt: skip
"""What the abstract tracer predicts retraces from."""


def kinds_of(rule: Rule) -> frozenset[str]:
    """The kinds of event that a rule judges."""
    return frozenset(kind.value for kind in rule.kinds)


def rules_for(kind: str) -> tuple[Rule, ...]:
    """The rules that judge a kind of event."""
    return tuple(rule for rule in all_rules() if Kind(kind) in rule.kinds)


def is_kind(text: str) -> bool:
    """Whether it is the id of a kind of event."""
    return any(text == kind.value for kind in Kind)
