"""JXL114: jit on a method whose self is no pytree."""

from __future__ import annotations

import libcst as cst

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.fixes.assignments import targets
from jaxlint.fixes.code import Code
from jaxlint.fixes.statics import as_static
from jaxlint.rules.rule import Difference, Evidence, RuleOn


class JitOnMethod(RuleOn[events.InvalidReceiver]):
    """## What it does

    Finds methods under `jit` whose `self` is neither static nor an object of a registered class.

    ## Why is this bad

    `self` is an argument like any other: JAX would have to make tracers of it, and raises at the
    first call.

    ## Bad

    ```python
    class Model:
        @jax.jit
        def predict(self, x):
            return self.w * x
    ```

    ## Instead

    ```python
    class Model:
        @partial(jax.jit, static_argnums=0)
        def predict(self, x):
            return self.w * x
    ```

    when the attributes never change (JXL304 finds those that do); else register the class with
    `jax.tree_util.register_dataclass`, or jit a function that takes the attributes.

    ## Messages

    - ... takes `...` of `...` as an argument, and `...` is not a pytree: every call raises;
      add `static_argnums=0` or register the class
    """

    code = "JXL114"
    name = "jit-on-method"
    summary = "jit on a method whose self is no pytree"
    fixes = (
        "`self` is made static. Unsafe: what is compiled keeps the attributes as they were at the "
        "first call. None for a class whose methods change them, and for one that defines "
        "`__eq__`, or has a decorator that may: its objects may have no hash."
    )
    evidence = Evidence(
        "raises_when_called",
        "jax 0.10.2: TypeError (error interpreting argument to <function Model.predict>"
        " as an abstract array) at each call; with static_argnums=0, or a registered "
        "class, it works.",
        exceptions=("TypeError",),
        differs=(Difference("0.4.34", "the TypeError does not name the function"),),
    )

    def message(self, event: events.InvalidReceiver) -> str:
        return (
            f"{event.transform} takes `self` of `{event.owner}.{event.function}` as an argument, "
            f"and `{event.owner}` is not a pytree: every call raises; add `static_argnums=0` or "
            "register the class"
        )

    def fix(self, event: events.InvalidReceiver, code: Code) -> Fix | None:
        made = code.node(event.site)
        function = code.enclosing(made, cst.FunctionDef) if made is not None else None
        owner = code.enclosing(made, cst.ClassDef) if made is not None else None
        if function is None or owner is None or not function.params.params:
            return None
        receiver, changed = function.params.params[0].name.value, code.once(_is_changed, owner)
        if owner.decorators or changed:
            return None
        edits = as_static(made, receiver, code)
        title = f"Make `{receiver}` static"
        return None if edits is None else code.fix(title, *edits, safe=False)


def _is_changed(owner: cst.ClassDef) -> bool:
    """Whether an object is compared by what it holds, or a method sets attributes of it."""
    methods = [each for each in owner.body.body if isinstance(each, cst.FunctionDef)]
    return any(
        each.name.value == "__eq__" or (each.name.value != "__init__" and _changes(each))
        for each in methods
    )


def _changes(method: cst.FunctionDef) -> bool:
    """Whether a method sets attributes of its object."""
    receiver = method.params.params[0].name.value if method.params.params else ""
    attributes = (each for each in targets(method.body) if isinstance(each, cst.Attribute))
    return any(
        isinstance(each.value, cst.Name) and each.value.value == receiver for each in attributes
    )
