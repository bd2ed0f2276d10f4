"""`python -m lumen`."""

import jax

from lumen import train


def main():
    model, batch = train.initialise(jax.random.PRNGKey(0))
    print(model(batch.inputs).shape)


if __name__ == "__main__":
    main()
