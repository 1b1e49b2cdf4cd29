# SPDX-License-Identifier: Apache-2.0
"""Random choices that are the same on every version of Python.

Only random() of Python's generator is promised to stay as it is; choice, sample
and shuffle are not. Everything here is made of it."""

import random


class Rng:
    def __init__(self, seed):
        self._random = random.Random(seed)

    def chance(self, probability):
        return self._random.random() < probability

    def below(self, count):
        """An integer from 0 to count - 1."""
        return int(self._random.random() * count)

    def integer(self, low, high):
        """An integer from low to high, both included."""
        return low + self.below(high - low + 1)

    def uniform(self, low, high):
        return low + (high - low) * self._random.random()

    def choice(self, items):
        return items[self.below(len(items))]

    def shuffled(self, items):
        rest, result = list(items), []
        while rest:
            result.append(rest.pop(self.below(len(rest))))
        return result

    def some(self, items):
        """One or more of the items, in their order."""
        count = self.integer(1, len(items))
        chosen = set(self.shuffled(range(len(items)))[:count])
        return [item for i, item in enumerate(items) if i in chosen]

    def weighted(self, items, weights):
        at = self._random.random() * sum(weights)
        for item, weight in zip(items, weights):
            at -= weight
            if at < 0:
                return item
        return items[-1]
