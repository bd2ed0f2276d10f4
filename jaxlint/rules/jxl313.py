"""JXL313: an index map of Pallas that counts elements, and not blocks."""

from __future__ import annotations

from jaxlint import events
from jaxlint.edits import Edit, Fix
from jaxlint.fixes.code import Code
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import text


class ElementIndex(RuleOn[events.ElementIndex]):
    """## What it does

    Finds index maps of `pl.BlockSpec` that multiply the index of the grid by the size of the block
    (`lambda i: (i * block,)` beside `(block,)`). Dimensions of the grid with one step, blocks of
    size 1 and dimensions given as `pl.Element(block)`, where an index map does count elements, are
    left alone.

    ## Why is this bad

    Pallas multiplies by the size of the block itself: the second step reads and writes block number
    `block`, and not block 1. Beyond the end of the array nothing raises: interpreted on a CPU it
    reads the last block again, and parts of the result are never written.

    ## Bad

    ```python
    from jax.experimental import pallas as pl

    def double(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    pl.pallas_call(
        double,
        grid=(x.shape[0] // 128,),
        in_specs=[pl.BlockSpec((128,), lambda i: (i * 128,))],
        out_specs=pl.BlockSpec((128,), lambda i: (i * 128,)),
        out_shape=x,
    )(x)
    ```

    ## Instead

    ```python
    from jax.experimental import pallas as pl

    def double(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    pl.pallas_call(
        double,
        grid=(x.shape[0] // 128,),
        in_specs=[pl.BlockSpec((128,), lambda i: (i,))],
        out_specs=pl.BlockSpec((128,), lambda i: (i,)),
        out_shape=x,
    )(x)
    ```

    ## Messages

    - `...` is an element, and an index map counts blocks: Pallas multiplies by `...` itself; return
      `...`, or make the size `pl.Element(...)`
    """

    code = "JXL313"
    name = "element-index"
    summary = "an index map of Pallas that counts elements, and not blocks"
    severity = "warning"
    fixes = (
        "The index alone is returned. Unsafe: the kernel is given other blocks, and what was done "
        "about the wrong ones has to go."
    )
    evidence = Evidence(
        "wrong_result",
        "jax 0.10.2, pallas_call with interpret=True on a CPU: another result than the kernel "
        "gives block by block, NaN where nothing was written.",
        differs=(Difference("0.4.31", "`BlockSpec` takes its arguments in the other order"),),
    )

    def message(self, event: events.ElementIndex) -> str:
        size = text(event.size)
        return (
            f"`{text(event.subject)}` is an element, and an index map counts blocks: Pallas "
            f"multiplies by `{size}` itself; return `{text(event.index)}`, or make the size "
            f"`pl.Element({size})`"
        )

    def fix(self, event: events.ElementIndex, code: Code) -> Fix | None:
        product = code.node(event.site)
        if product is None:
            return None
        index = text(event.index)
        return code.fix(f"Return `{index}`", Edit(*code.whole(product), index), safe=False)
