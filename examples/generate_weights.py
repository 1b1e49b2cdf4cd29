# SPDX-License-Identifier: Apache-2.0
"""Writes the weights of the example models beside them, from a fixed seed.

Initialized as PyTorch's nn.Linear does: uniform in +-1 / sqrt(inputs).
"""

import pathlib
import sys

import numpy
from safetensors.numpy import save_file

MODELS = {"mlp": (1024, 1024, 1024), "mlp_small": (64, 128, 10)}


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                          pathlib.Path(__file__).parent)
    random = numpy.random.default_rng(0)
    for name, (inputs, hidden, outputs) in MODELS.items():
        def uniform(*shape, fan_in):
            bound = fan_in ** -0.5
            return random.uniform(-bound, bound, shape).astype(numpy.float32)

        path = folder / f"{name}.safetensors"
        save_file({
            "linear1.weight": uniform(hidden, inputs, fan_in=inputs),
            "linear1.bias": uniform(hidden, fan_in=inputs),
            "linear2.weight": uniform(outputs, hidden, fan_in=hidden),
            "linear2.bias": uniform(outputs, fan_in=hidden),
        }, path)
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
