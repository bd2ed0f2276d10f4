"""The trail: every change of the abstract state, so that alternatives can be run and joined.

State lives in slots: dictionaries of names, attributes, contents. They are written by
:meth:`Trail.set` alone, which keeps what was there. A branch runs, its writes are collected
and undone, the next branch runs from the same state, and in the end each slot that any of
them wrote gets the join of what they left in it. What no branch writes costs nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from jaxlint.tracer.values.arrays import Array, Donated
from jaxlint.tracer.values.flags import as_tested
from jaxlint.tracer.values.gates import may_differ, where_they_meet
from jaxlint.tracer.values.joins import chosen_where, gone_where, join
from jaxlint.tracer.values.objects import UNSEEN, Choice, Told
from jaxlint.tracer.values.pytrees import leaves
from jaxlint.tracer.values.value import UNKNOWN, Host, Unknown, Value, replace

Slots = dict[Any, Any]


class _Missing:
    """A slot that is not there."""

    __slots__ = ()


_MISSING = _Missing()
Writes = dict[tuple[int, Any], tuple[Slots, Any, Any, bool]]
"""(slots, name) -> the slots, the name, what was left there, and whether it was refined alone."""

Overwritten = dict[tuple[int, Any], tuple[Slots, Any, Any]]
"""(slots, name) -> the slots, the name, and what had been there."""


class Trail:
    """Writes state, and undoes it.

    Attributes:
        kept_for: how many blocks want what is overwritten.
        gone: the arrays that were donated, by identity: slots of which joins need to know.
        either: by identity, a value that may be donated, or one of several that may, each with
            what tests had said; the value itself comes first.
        donates: whether the program donates some somewhere.
    """

    def __init__(self) -> None:
        self._log: list[tuple[Slots, Any, Any, bool]] = []
        self.kept_for = 0
        self.gone: Slots = {}
        self.either: dict[int, tuple[Value, list[tuple[Value, Told]]]] = {}
        self.donates = False

    def set(self, slots: Slots, name: Any, value: Any) -> None:
        """Write a slot."""
        if self.kept_for:
            self._log.append((slots, name, slots.get(name, _MISSING), False))
        slots[name] = value

    def refine(self, slots: Slots, name: Any, value: Any) -> None:
        """Write what a test says of the value that is in a slot.

        Where alternatives that only asked come together again, it is the value from before.
        """
        if self.kept_for:
            self._log.append((slots, name, slots.get(name, _MISSING), True))
        slots[name] = value

    def drop(self, slots: Slots, name: Any) -> None:
        """Empty a slot."""
        if name in slots:
            if self.kept_for:
                self._log.append((slots, name, slots[name], False))
            del slots[name]

    @contextmanager
    def for_good(self) -> Iterator[None]:
        """Write slots that no branch outside of this block will undo."""
        log, self._log = self._log, []
        kept_for, self.kept_for = self.kept_for, 0
        try:
            yield
        finally:
            self._log, self.kept_for = log, kept_for

    @property
    def mark(self) -> int:
        """This point."""
        return len(self._log)

    def keeping(self) -> Trail:
        """A ``with`` block that keeps what is overwritten; gives the mark of its beginning."""
        return self

    def __enter__(self) -> int:
        self.kept_for += 1
        return len(self._log)

    def __exit__(self, *error: object) -> None:
        self.kept_for -= 1
        if not self.kept_for:
            self._log.clear()

    def written(self, mark: int) -> Writes:
        """What has been written since a mark, as it is now."""
        found: Writes = {}
        if len(self._log) == mark:
            return found
        for slots, name, _, refined in self._log[mark:]:
            where = (id(slots), name)
            if where not in found:
                found[where] = (slots, name, slots.get(name, _MISSING), refined)
            elif not refined and found[where][3]:
                found[where] = (*found[where][:3], False)
        return found

    def written_with(self, mark: int, more: Writes) -> Writes:
        """What has been written since a mark, and after that these."""
        found = self.written(mark)
        for where, (slots, name, value, refined) in more.items():
            refined = refined and (where not in found or found[where][3])
            found[where] = slots, name, value, refined
        return found

    def told(self, mark: int) -> Told:
        """What tests have said since a mark."""
        return _told(self.written(mark).values())

    def before(self, mark: int) -> Overwritten:
        """The slots written since a mark, as they were then."""
        found: Overwritten = {}
        for slots, name, old, _ in self._log[mark:]:
            found.setdefault((id(slots), name), (slots, name, old))
        return found

    def undo(self, mark: int) -> None:
        """Take back everything since a mark."""
        log = self._log
        while len(log) > mark:
            slots, name, old, _ = log.pop()
            _put(slots, name, old)

    def forget(self, slots: Slots, mark: int) -> None:
        """Nobody will read these slots again: their writes need no undoing."""
        log = self._log
        if len(log) > mark:
            log[mark:] = [entry for entry in log[mark:] if entry[0] is not slots]

    def write(self, writes: Writes) -> None:
        """Write again what was written before."""
        for slots, name, value, refined in writes.values():
            if value is _MISSING:
                self.drop(slots, name)
            elif refined:
                self.refine(slots, name, value)
            else:
                self.set(slots, name, value)

    def join(self, ends: list[Writes], at_last: bool = False) -> None:
        """Write what several alternatives have in common; nothing for none.

        ``at_last``: one of them is perhaps for the last pass of a loop.
        """
        if len(ends) == 1:
            self.write(ends[0])
        if len(ends) == 1 or not any(ends):
            return
        gone_before = {**self.gone}
        for where in _in_order(ends):
            written = [end[where] for end in ends if where in end]
            if all(refined for *_, refined in written):
                continue
            slots, name = written[0][:2]
            now = slots.get(name, _MISSING)
            values = [end[where][2] if where in end else now for end in ends]
            joined = values[0]
            for value in values[1:]:
                joined = _join(slots, joined, value)
            if type(joined) is Choice:
                # Where an alternative binds nothing, nobody reads it.
                bound = [(v, end) for v, end in zip(values, ends, strict=True) if v is not _MISSING]
                told = [_told(end.values()) for _, end in bound]
                joined = chosen_where([value for value, _ in bound], told)
            elif type(joined) is Host and joined.type == "bool" and joined.differs is None:
                joined = as_tested(values, [_told(end.values()) for end in ends]) or joined
            elif (gone := gone_where(values)) is not None:
                joined = gone
            elif may_differ(joined) and joined is not now:
                joined = where_they_meet(joined, values, [_told(end.values()) for end in ends])
            if self.donates and isinstance(joined, Value):
                joined = self._note_either(joined, values, ends, gone_before, at_last)
            if joined is _MISSING:
                self.drop(slots, name)
            elif joined is not now:
                self.set(slots, name, joined)

    def _note_either(
        self, joined: Value, values: list[Any], ends: list[Writes], before: Slots, at_last: bool
    ) -> Value:
        """What is one array or another, or None, is gone once one of them is.

        So it is from the start where one of them is that an alternative leaves. What another
        alternative has donated is still there where this one has been taken.
        """
        found = [
            (leaf, either, end)
            for value, end in zip(values, ends, strict=True)
            if isinstance(value, Value)
            for leaf, either in _joined_leaves(value, joined)
            if isinstance(leaf, Array) or id(leaf) in self.either
        ]
        if not found:
            return joined
        one = replace(joined) if isinstance(joined, Unknown) else joined
        for leaf, either, end in found:
            whole = one if either is joined else either
            for part, told in self.options(leaf):
                told = told | _told(end.values())
                gone = self._left_gone(part, end, before)
                if gone is not None:
                    self.set(
                        self.gone, id(whole), replace(gone, value=whole, when=gone.when | told)
                    )
                elif not at_last and not any((id(self.gone), id(part)) in each for each in ends):
                    self.either.setdefault(id(whole), (whole, []))[1].append((part, told))
        return one

    def options(self, leaf: Value) -> list[tuple[Value, Told]]:
        """A leaf, and those of which it is one, each with what tests had said."""
        _, either = self.either.get(id(leaf), (leaf, []))
        return [(leaf, frozenset()), *either]

    def _left_gone(self, array: Value, end: Writes, before: Slots) -> Donated | None:
        """How an array went before an alternative came to its end."""
        written = end.get((id(self.gone), id(array)))
        gone = before.get(id(array)) if written is None else written[2]
        return gone if isinstance(gone, Donated) else None

    def weaken(self, mark: int) -> None:
        """Each write since a mark may have happened or not.

        Of an object of which not all was seen, nobody knows what an attribute held before.
        """
        for slots, name, old in self.before(mark).values():
            now, seen = slots.get(name, _MISSING), old is not _MISSING or UNSEEN not in slots
            joined = _join(slots, old if seen else UNKNOWN, now)
            if joined is not now and joined is not _MISSING:
                self.set(slots, name, joined)


class Facts(Slots):
    """Slots of which only what all alternatives agree on is kept."""

    __slots__ = ()

    @staticmethod
    def joined(one: Any, other: Any) -> Any:
        """The fact, or nothing."""
        return one if one == other else _MISSING


def joined_at(
    one: tuple[Slots, Any, Any, bool], other: tuple[Slots, Any, Any, bool]
) -> tuple[Slots, Any, Any, bool]:
    """What is left in a slot by one write or another."""
    slots, name, value, _ = one
    return slots, name, _join(slots, value, other[2]), False


def _joined_leaves(value: Value, joined: Value) -> Iterator[tuple[Value, Value]]:
    """The leaves of a value, each with what a join has made of it; not those that it has kept.

    Of what is unknown, in a container, nobody can tell one from another.
    """
    if value is joined:
        return
    parts, wholes = list(leaves(value)), list(leaves(joined))
    wholes = wholes * len(parts) if len(wholes) == 1 else wholes
    for leaf, either in zip(parts, wholes, strict=False):
        if leaf is not either and (isinstance(either, Array) or either is joined):
            yield leaf, either


def _told(writes: Iterable[tuple[Any, ...]]) -> Told:
    """What tests have said, of writes that begin with slots, name and value."""
    return frozenset(
        (name, value)
        for slots, name, value, *_ in writes
        if isinstance(slots, Facts) and value is not _MISSING
    )


def _in_order(ends: list[Writes]) -> list[tuple[int, Any]]:
    """Where alternatives wrote: what one of them alone has made comes first.

    What an object holds is there again before that object is joined with another one.
    """
    found = Counter(where for end in ends for where in end)
    return sorted(found, key=lambda where: found[where] > 1)


def _put(slots: Slots, name: Any, value: Any) -> None:
    if value is _MISSING:
        slots.pop(name, None)
    else:
        slots[name] = value


def _join(slots: Slots, one: Any, other: Any) -> Any:
    if one is other:
        return one
    if isinstance(slots, Facts):
        return slots.joined(one, other)
    if one is _MISSING or other is _MISSING:
        # A name that one branch leaves unbound is not read after it.
        return other if one is _MISSING else one
    if isinstance(one, Value) and isinstance(other, Value):
        return join(one, other)
    return one if one == other else other
