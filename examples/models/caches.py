# SPDX-License-Identifier: Apache-2.0
"""Keys and values of all layers in the caller's memory, for models that generate
text."""

from model_files import Uniform


class Caches:
    """Of each layer a key and a value, [batch, heads, length, head size]."""

    def __init__(self, f, layers, dims):
        self.f, self.new = f, []
        self.old = [(name, f.input(name, dims, Uniform(0, 1.7)))
                    for i in range(layers)
                    for name in (f"key_cache.{i}", f"value_cache.{i}")]

    def update(self, layer, keys, values, position):
        """The layer's caches with `keys` and `values` from a position on."""
        made = []
        for (name, old), part in zip(self.old[2 * layer:], (keys, values)):
            made.append(self.f.cache_update(old, part, position, 2))
            self.new.append((name, made[-1], old))
        return made

    def output(self):
        for name, new, old in self.new:
            self.f.output(f"new_{name}", new, in_place_of=old)
