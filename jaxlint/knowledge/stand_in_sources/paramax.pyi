import equinox as eqx
import jax

class AbstractUnwrappable(eqx.Module):
    def unwrap(self):
        raise NotImplementedError

def unwrap(tree):
    return jax.tree.map(_unwrapped, tree, is_leaf=_is_wrapped)

def _is_wrapped(node):
    return isinstance(node, AbstractUnwrappable)

def _unwrapped(node):
    return node.unwrap() if isinstance(node, AbstractUnwrappable) else node
